// Every rule of the unit and its entries, broken once.
// RUN: rubato-opt %s -split-input-file -verify-diagnostics

// expected-note @+1 {{the first one is here}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
// expected-error @+1 {{'sched.unit' op stands twice in the module; remove one of them}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{'quantum' failed to satisfy constraint}}
sched.unit quantum(0) float(f32) gradient(@gradient) evaluate(@evaluate)

// -----

// expected-error @+1 {{'float_type' failed to satisfy constraint}}
sched.unit quantum(4) float(i64) gradient(@gradient) evaluate(@evaluate)

// -----

// expected-error @+1 {{evaluate names no sched.program: @nothing}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@nothing)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{evaluate needs a program that returns nothing}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@round)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
// expected-note @+1 {{the program is here}}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{gradient needs a program that returns nothing}}
sched.unit quantum(4) float(f32) gradient(@round) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
// expected-note @+1 {{the program is here}}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{gradient names no sched.program: @missing}}
sched.unit quantum(4) float(f32) gradient(@missing) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{needs a sched.role: it says what members run}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{needs a sched.batch_buffer input}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{needs a sched.batch_buffer label}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{needs one sched.batch_buffer ids, there are 0}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{needs one sched.batch_buffer weights, there are 2}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.batch_buffer weights "more" in @batch.weights : tensor<4xf32>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-note @+1 {{the unit is here}}
sched.unit quantum(5) float(f32) gradient(@gradient) evaluate(@evaluate)
// expected-error @+1 {{has 4 rows, but the unit's quantum is 5}}
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{needs a sched.result valid of @evaluate}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{needs a sched.result gradient of @gradient}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{needs a sched.result samples of @gradient}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{needs a sched.result loss of @gradient}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{needs a sched.result parameters: where the model of a role lies}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
// expected-note @+1 {{the other role is here}}
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
// expected-error @+1 {{takes all members that are left, as another}}
sched.role @more count(rest) {
  sched.strand "round" runs @more.round
}
sched.program @more.round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
// expected-error @+1 {{runs @round, which is another part already}}
sched.role @more count(1) {
  sched.strand "round" runs @round
}
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer label "y" in @batch.y : tensor<4xi64>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @model parameters in @w : tensor<8xf32>
sched.role @worker count(rest) model(@model) {
  sched.strand "round" runs @round
}
// expected-error @+1 {{holds parameters of 'f64', but those of the unit are 'f32'}}
sched.cell "v" parameter in @v : tensor<1xf64>
sched.buffer @v private at(512) bytes(8)
sched.arena private(1024) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @results private at(64) bytes(40)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.gradient scratch at(256) bytes(32)
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @model { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{names no sched.buffer: @w}}
sched.cell "w" state in @w : tensor<8xf32>

// -----

// expected-error @+1 {{needs 28 bytes but @w has 32}}
sched.cell "w" state in @w : tensor<7xf32>
sched.arena private(64) scratch(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @w private at(0) bytes(32)

// -----

// expected-error @+1 {{needs @w at 0 aligned to 8 bytes for 'i64'}}
sched.cell "w" state in @w : i64
sched.arena private(64) scratch(64)
sched.buffer @w private at(4) bytes(8)

// -----

// expected-error @+1 {{cannot lie in the scratch region, only in private}}
sched.cell "w" state in @w : tensor<8xf32>
sched.arena private(64) scratch(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @w scratch at(0) bytes(32)

// -----

// expected-error @+1 {{cannot lie in the value region, only in private}}
sched.cell "w" state in @w : tensor<8xf32>
sched.arena private(64) scratch(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @w value at(0) bytes(32)

// -----

// expected-error @+1 {{has the type 'i1'; it must be f32, f64 or i64, or a tensor of them with a static shape}}
sched.cell "w" state in @w : i1

// -----

// expected-error @+1 {{has the type 'tensor<?xf32>'}}
sched.cell "w" state in @w : tensor<?xf32>

// -----

// expected-error @+1 {{has a default, which only settings have}}
sched.cell "w" state in @w : f64 default(1.0)

// -----

// expected-error @+1 {{has a layout, which only parameters and frozen tensors have}}
sched.cell "w" optimizer in @w : tensor<8xf32> layout(@params)

// -----

// expected-error @+1 {{has a layout, so it must be a flat vector of f32 or f64, not 'tensor<2x4xf32>'}}
sched.cell "w" parameter in @w : tensor<2x4xf32> layout(@params)

// -----

// expected-error @+1 {{names no layout: @params}}
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.arena private(64) scratch(64)
sched.buffer @w private at(0) bytes(32)

// -----

// expected-note @+1 {{the first one is here}}
sched.cell "w" state in @w : tensor<8xf32>
// expected-error @+1 {{cell "w" stands twice}}
sched.cell "w" state in @w : tensor<8xf32>
sched.arena private(64) scratch(64)
sched.buffer @w private at(0) bytes(32)

// -----

// expected-error @+1 {{expected string or keyword containing one of the following enum values}}
sched.cell "w" parametre in @w : tensor<8xf32>

// -----

// expected-error @+1 {{needs the quantum as its outermost dimension}}
sched.batch_buffer input "x" in @x : tensor<f32>

// -----

// expected-error @+1 {{has classes, which only labels of i64 have}}
sched.batch_buffer label "y" in @y : tensor<4xf32> classes(3)

// -----

// expected-error @+1 {{has classes, which only labels of i64 have}}
sched.batch_buffer input "x" in @x : tensor<4xi64> classes(3)

// -----

// expected-error @+1 {{holds weights, one f32 or f64 for each sample, not 'tensor<4xi64>'}}
sched.batch_buffer weights "weights" in @x : tensor<4xi64>

// -----

// expected-error @+1 {{holds ids, one i64 for each sample, not 'tensor<4x2xi64>'}}
sched.batch_buffer ids "ids" in @x : tensor<4x2xi64>

// -----

// expected-error @+1 {{has the type 'tensor<4xi8>'}}
sched.batch_buffer input "x" in @x : tensor<4xi8>

// -----

// expected-error @+1 {{cannot lie in the value region, only in private or scratch}}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.arena private(64) scratch(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @x value at(0) bytes(16)

// -----

// expected-note @+1 {{the first one is here}}
sched.batch_buffer input "x" in @x : tensor<4xf32>
// expected-error @+1 {{batch buffer "x" stands twice}}
sched.batch_buffer label "x" in @x : tensor<4xf32>
sched.arena private(64) scratch(64)
sched.buffer @x scratch at(0) bytes(16)

// -----

// expected-error @+1 {{loss must be a tensor<f64>, not 'tensor<f32>'}}
sched.result @evaluate loss in @r : tensor<f32>

// -----

// expected-error @+1 {{correct must be a tensor<i64>, not 'tensor<f64>'}}
sched.result @evaluate correct in @r : tensor<f64>

// -----

// expected-error @+1 {{parameters must be a flat vector of f32 or f64, not 'tensor<2x2xf32>'}}
sched.result @evaluate parameters in @r : tensor<2x2xf32>

// -----

// expected-error @+1 {{names no sched.program: @evaluate}}
sched.result @evaluate loss in @r : tensor<f64>

// -----

// expected-error @+1 {{needs 8 bytes at @r[8] but the buffer has 12}}
sched.result @evaluate loss in @r[8] : tensor<f64>
sched.program @evaluate { sched.return }
sched.arena private(64) scratch(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @r private at(0) bytes(12)

// -----

// expected-error @+1 {{needs @r at 4 aligned to 8 bytes}}
sched.result @evaluate loss in @r[4] : tensor<f64>
sched.program @evaluate { sched.return }
sched.arena private(64) scratch(64)
sched.buffer @r private at(0) bytes(16)

// -----

// expected-error @+1 {{must outlive its program, but @r is in the scratch region}}
sched.result @evaluate loss in @r : tensor<f64>
sched.program @evaluate { sched.return }
sched.arena private(64) scratch(64)
sched.buffer @r scratch at(0) bytes(16)

// -----

// A gradient is read at once, but not even that may lie in a value.
// expected-error @+1 {{must outlive its program, but @v is in the value region}}
sched.result @gradient gradient in @v : tensor<4xf32>
sched.result @evaluate gradient in @r : tensor<4xf32>
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.arena private(64) scratch(64)
sched.buffer @r scratch at(0) bytes(16)
sched.buffer @v value at(0) bytes(16)

// -----

// expected-error @+1 {{must outlive its program, but @r is in the scratch region}}
sched.result @model parameters in @r : tensor<4xf32>
sched.program @model { sched.return }
sched.arena private(64) scratch(64)
sched.buffer @r scratch at(0) bytes(16)

// -----

// expected-error @+1 {{needs 20 bytes at @r[0] but the buffer has 16}}
sched.result @gradient gradient in @r : tensor<5xf32>
sched.program @gradient { sched.return }
sched.arena private(64) scratch(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @r scratch at(0) bytes(16)

// -----

// expected-error @+1 {{gradient must be a flat vector of f32 or f64, not 'tensor<4xi64>'}}
sched.result @gradient gradient in @r : tensor<4xi64>

// -----

// expected-error @+1 {{samples must be a tensor<i64>, not 'tensor<f64>'}}
sched.result @gradient samples in @r : tensor<f64>

// -----

// expected-note @+1 {{the first one is here}}
sched.result @evaluate loss in @r : tensor<f64>
// expected-error @+1 {{loss stands twice}}
sched.result @evaluate loss in @r[8] : tensor<f64>
sched.program @evaluate { sched.return }
sched.arena private(64) scratch(64)
sched.buffer @r private at(0) bytes(16)

// -----

// expected-note @+1 {{the first one is here}}
sched.result @a parameters in @r : tensor<2xf32>
// A unit has one model.
// expected-error @+1 {{parameters stands twice}}
sched.result @b parameters in @r : tensor<2xf32>
sched.program @a { sched.return }
sched.program @b { sched.return }
sched.arena private(64) scratch(64)
sched.buffer @r private at(0) bytes(16)

// -----

sched.bucket [0, 6] of ["a"]
// expected-error @+1 {{begins at element 7, but the one before ends at 6}}
sched.bucket [7, 2] of ["b"]

// -----

// expected-error @+1 {{begins at element 2, but the one before ends at 0}}
sched.bucket [2, 2] of ["b"]

// -----

// expected-error @+1 {{'count' failed to satisfy constraint}}
sched.bucket [0, 0] of ["b"]

// -----

// expected-error @+1 {{must have a member at least, or the rest of them}}
sched.role @worker count(0) {
  sched.strand "round" runs @round
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{'count' failed to satisfy constraint}}
sched.role @worker count(-2) {
  sched.strand "round" runs @round
}

// -----

// expected-error @+1 {{needs a sched.strand}}
sched.role @worker count(rest) {
}

// -----

sched.role @worker count(rest) {
  // expected-error @+1 {{cannot stand in a sched.role, which holds strands only}}
  %0 = arith.constant true
}

// -----

sched.role @worker count(rest) {
  sched.strand "round" runs @round
  // expected-error @+1 {{strand "round" stands twice}}
  sched.strand "round" runs @round
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{drain names no sched.program: @drain}}
sched.role @worker count(rest) drain(@drain) {
  sched.strand "round" runs @round
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{init needs a program that returns nothing}}
sched.role @worker count(rest) init(@round) {
  sched.strand "round" runs @round
}
// expected-note @+1 {{the program is here}}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.role @worker count(rest) {
  // expected-error @+1 {{runs names no sched.program: @round}}
  sched.strand "round" runs @round
}

// -----

sched.role @worker count(rest) {
  // expected-error @+1 {{runs needs a program that returns an i1}}
  sched.strand "round" runs @round
}
// expected-note @+1 {{the program is here}}
sched.program @round { sched.return }

// -----

// expected-error @+1 {{'sched.strand' op expects parent op 'sched.role'}}
sched.strand "round" runs @round

// -----

sched.role @worker count(rest) {
  // expected-error @+1 {{polls @grads, which is no collective sched.channel}}
  sched.strand "round" runs @round polls(@grads) carries {
    sched.frame "carried0" future in @f : [i64]
  }
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.arena private(64) scratch(64)
sched.buffer @f private at(0) bytes(8)

// -----

sched.role @worker count(rest) {
  // expected-error @+1 {{polls @grads, which is no collective sched.channel}}
  sched.strand "round" runs @round polls(@grads) carries {
    sched.frame "carried0" future in @f : [i64]
  }
}
sched.channel @grads pair
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.arena private(64) scratch(64)
sched.buffer @f private at(0) bytes(8)

// -----

sched.role @worker count(rest) {
  // expected-error @+1 {{polls what it carries, but it carries no future}}
  sched.strand "round" runs @round polls(@grads)
}
sched.channel @grads collective
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.role @worker count(rest) {
  sched.strand "round" runs @round carries {
    // expected-error @+1 {{carries a tensor, so its type must be one tensor, not [f64]}}
    sched.frame "carried0" tensor in @f : [f64]
  }
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.arena private(64) scratch(64)
sched.buffer @f private at(0) bytes(8)

// -----

sched.role @worker count(rest) {
  sched.strand "round" runs @round carries {
    // expected-error @+1 {{carries a number, so its type must be one f32, f64 or i64, not [i64, i64]}}
    sched.frame "carried0" number in @f : [i64, i64]
  }
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.arena private(64) scratch(64)
sched.buffer @f private at(0) bytes(8)

// -----

sched.role @worker count(rest) {
  sched.strand "round" runs @round carries {
    // expected-error @+1 {{has the type 'i1'}}
    sched.frame "carried0" future in @f : [i64, i1]
  }
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.arena private(64) scratch(64)
sched.buffer @f private at(0) bytes(8)

// -----

sched.role @worker count(rest) {
  sched.strand "round" runs @round carries {
    // expected-error @+1 {{needs 16 bytes but @f has 8}}
    sched.frame "carried0" tensor in @f : [tensor<4xf32>]
  }
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.arena private(64) scratch(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @f private at(0) bytes(8)

// -----

sched.role @worker count(rest) {
  sched.strand "round" runs @round carries {
    // expected-error @+1 {{needs 8 bytes but @f has 16}}
    sched.frame "carried0" future in @f : [tensor<4xf32>]
  }
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.arena private(64) scratch(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @f private at(0) bytes(16)

// -----

sched.role @worker count(rest) {
  sched.strand "round" runs @round carries {
    // expected-error @+1 {{cannot lie in the scratch region, only in private}}
    sched.frame "carried0" number in @f : [i64]
  }
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.arena private(64) scratch(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @f scratch at(0) bytes(8)

// -----

sched.role @worker count(rest) {
  sched.strand "round" runs @round carries {
    sched.frame "carried0" number in @f : [i64]
    // expected-error @+1 {{frame "carried0" stands twice}}
    sched.frame "carried0" number in @f : [i64]
  }
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.arena private(64) scratch(64)
sched.buffer @f private at(0) bytes(8)

// -----

sched.role @worker count(rest) {
  sched.strand "round" runs @round carries {
    // expected-error @+1 {{cannot stand in a sched.strand, which holds frames only}}
    %0 = arith.constant true
  }
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.arena private(64) scratch(64)
sched.buffer @f private at(0) bytes(8)

// -----

// expected-error @+1 {{is a mailbox and needs a server}}
sched.channel @ps mailbox

// -----

// expected-error @+1 {{has a server, which only a mailbox has}}
sched.channel @ps pair server(@server)

// -----

// expected-error @+1 {{exempts members, which only a mailbox does}}
sched.channel @ps collective exempt(2)

// -----

// expected-error @+1 {{holds members back, which only a mailbox does}}
sched.channel @ps pair ahead(2)

// -----

// expected-error @+1 {{needs a sched.role of one member as its server, which @server is not}}
sched.channel @ps mailbox server(@server)

// -----

// expected-error @+1 {{needs a sched.role of one member as its server, which @worker is not}}
sched.channel @ps mailbox server(@worker)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{setting 'list' must be an i64, an f64, a string, true or false}}
sched.policy @p "kind" local with {list = [1]} {
}

// -----

sched.policy @p "kind" local {
  // expected-error @+1 {{cannot stand in a sched.policy, which holds entries only}}
  %0 = arith.constant true
}

// -----

// expected-error @+1 {{askers name no sched.role: @worker}}
sched.policy @p "kind" local askers(@worker) {
}

// -----

sched.policy @p "kind" local {
  // expected-error @+1 {{takes and gives i1, i64 and f64, not 'f32'}}
  sched.entry @e : (f32) -> ()
}

// -----

sched.policy @p "kind" local {
  // expected-error @+1 {{has 17 values on one side; 16 are the most}}
  sched.entry @e : () -> (i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64)
}

// -----

// expected-error @+1 {{no sched.strand runs @round}}
sched.rendezvous @turn strands(@round)
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
