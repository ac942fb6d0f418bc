// What a unit says of the code must be true.
// RUN: rubato-opt %s -split-input-file --sched-verify-unit -verify-diagnostics

// This one tells the truth.
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{the module has no sched.unit, which says what an executable runs; let rubato-opt --describe-unit write it}}
module {
}

// -----

// expected-error @+1 {{has 2 locks, but programs name 1; let rubato-opt --describe-unit write it}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate) locks(2)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  sched.lock 0
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{commits, but no program votes on its rounds}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate) commits
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{does not commit, but programs vote on their rounds}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round lockstep
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %one = arith.constant 1 : i64
  %ok = sched.commit %one, %one
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  // expected-error @+1 {{takes batches by cursor but is not marked so}}
  sched.strand "round" runs @round lockstep
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  sched.batch cursor ()
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  // expected-error @+1 {{is marked cursor but takes no batch by it}}
  sched.strand "round" runs @round cursor
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate) commits
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  // expected-error @+1 {{does something with all members but is not marked lockstep}}
  sched.strand "round" runs @round
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %one = arith.constant 1 : i64
  %ok = sched.commit %one, %one
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  // expected-error @+1 {{is marked lockstep but does nothing with all members}}
  sched.strand "round" runs @round lockstep
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
// expected-error @+1 {{must have bytes(32), its largest message}}
sched.channel @pairs pair bytes(16)
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %one = arith.constant 1 : i64
  %f = sched.exchange channel(0) with(%one) tag(%one) ins(@w[0, 32] : f32)
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
// expected-error @+1 {{must have bytes(0), its largest message}}
sched.channel @pairs pair
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
// expected-error @+1 {{has other askers than the roles that ask it}}
sched.policy @p "kind" local {
  sched.entry @e : () -> ()
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  sched.ask policy(0) entry(0) () : () -> ()
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
// expected-error @+1 {{has other strands than those that meet there}}
sched.rendezvous @turn
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %met = sched.meet 0
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
// expected-error @+1 {{holds 8 elements, but the slots of @params have 4}}
sched.cell "w" parameter in @w : tensor<8xf32>  layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
// expected-note @+1 {{the layout is here}}
nn.layout @params [#nn.slot<"a" : tensor<4xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
// expected-error @+1 {{names no nn.layout: @evaluate}}
sched.cell "w" parameter in @w : tensor<8xf32> layout(@evaluate)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// expected-error @+1 {{has 0 buckets, but segments reduce 1 parts}}
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round lockstep
}
sched.channel @grads collective bytes(32)
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  sched.run @s
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@in[0, 32] : f32)
  %go = arith.constant true
  sched.return %go : i1
}
sched.segment @s {
  sched.ready comm channel(0) bytes(0, 32) ins(@in[0, 32] : f32)
}

// -----

// Two parts that are handed over, by two segments, and their buckets.
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round lockstep
}
sched.bucket [0, 3] of ["a"]
sched.bucket [3, 5] of ["a"]
sched.channel @grads collective bytes(32)
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  sched.run @s
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@in[0, 32] : f32)
  %go = arith.constant true
  sched.return %go : i1
}
sched.segment @s {
  sched.ready comm channel(0) bytes(0, 12) ins(@in[0, 32] : f32)
  sched.ready comm channel(0) bytes(12, 32) ins(@in[0, 32] : f32)
}
sched.segment @t {
  sched.ready comm channel(0) bytes(0, 12) ins(@in[0, 32] : f32)
  sched.ready comm channel(0) bytes(12, 32) ins(@in[0, 32] : f32)
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round lockstep
}
sched.bucket [0, 3] of ["a"]
sched.bucket [3, 5] of ["a"]
sched.channel @grads collective bytes(32)
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  sched.run @s
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@in[0, 32] : f32)
  %go = arith.constant true
  sched.return %go : i1
}
sched.segment @s {
  sched.ready comm channel(0) bytes(0, 12) ins(@in[0, 32] : f32)
  sched.ready comm channel(0) bytes(12, 32) ins(@in[0, 32] : f32)
}
sched.segment @t {
  // expected-error @+1 {{names channel 1, but the module has 1}}
  sched.ready comm channel(1) bytes(0, 12) ins(@in[0, 32] : f32)
  sched.ready comm channel(0) bytes(12, 32) ins(@in[0, 32] : f32)
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round lockstep
}
// expected-error @+1 {{is another part of the flat vector than the one that is reduced}}
sched.bucket [0, 4] of ["a"]
sched.channel @grads collective bytes(32)
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  sched.run @s
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@in[0, 32] : f32)
  %go = arith.constant true
  sched.return %go : i1
}
sched.segment @s {
  sched.ready comm channel(0) bytes(0, 32) ins(@in[0, 32] : f32)
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.channel @pairs pair bytes(0)
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  // expected-error @+1 {{names channel 1, but the module has 1}}
  sched.close channel(1)
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  // expected-error @+1 {{names rendezvous 0, but the module has 0}}
  %met = sched.meet 0
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  // expected-error @+1 {{names policy 0, but the module has 0}}
  sched.ask policy(0) entry(0) () : () -> ()
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.policy @p "kind" local askers(@worker) {
  sched.entry @e : () -> ()
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  // expected-error @+1 {{names entry 1, but the module has 1}}
  sched.ask policy(0) entry(1) () : () -> ()
  %go = arith.constant true
  sched.return %go : i1
}

// -----

sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.policy @p "kind" local askers(@worker) {
  // expected-note @+1 {{the entry is here}}
  sched.entry @e : () -> (i64)
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  // expected-error @+1 {{asks otherwise than the entry is declared: '() -> i64'}}
  sched.ask policy(0) entry(0) () : () -> ()
  %go = arith.constant true
  sched.return %go : i1
}

// -----

// A kernel that is one unit computes all of it, whatever part is launched.
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.role @worker count(rest) {
  sched.strand "round" runs @round
}
sched.batch_buffer input "x" in @x : tensor<4xf32>
sched.batch_buffer label "y" in @y : tensor<4xf32>
sched.batch_buffer weights "weights" in @weights : tensor<4xf32>
sched.batch_buffer ids "ids" in @ids : tensor<4xi64>
sched.result @evaluate loss in @r : tensor<f64>
sched.result @evaluate correct in @r[8] : tensor<i64>
sched.result @evaluate valid in @r[16] : tensor<i64>
sched.result @gradient gradient in @g : tensor<8xf32>
sched.result @gradient samples in @r[24] : tensor<i64>
sched.result @gradient loss in @r[32] : tensor<f64>
sched.result @evaluate parameters in @w : tensor<8xf32>
sched.arena private(256) scratch(320)
sched.buffer @w private at(0) bytes(32)
sched.buffer @r private at(64) bytes(40)
sched.buffer @in value at(0) bytes(32)
sched.buffer @g scratch at(256) bytes(32)
sched.buffer @x scratch at(0) bytes(16)
sched.buffer @y scratch at(64) bytes(16)
sched.buffer @weights scratch at(128) bytes(16)
sched.buffer @ids scratch at(192) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]
// expected-note @+1 {{the kernel is here}}
func.func private @whole(tensor<8xf32>) -> tensor<8xf32> attributes {rubato.kernel = #nn.kernel<elementwise>}
sched.segment @s {
  // expected-error @+1 {{launches [4, 8] of 1 unit}}
  sched.launch compute @whole [4, 8] args(@w, @w) reads(@w[0, 32]) writes(@w[0, 32])
}
sched.program @evaluate { sched.return }
sched.program @gradient { sched.return }
sched.program @round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
