// What the runtime must know of a module, as text, in generic form and as
// bytecode.
// RUN: rubato-opt %s | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --mlir-print-op-generic | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --emit-bytecode | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --canonicalize --cse --symbol-dce | FileCheck %s

// CHECK: sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate) locks(1) commits
sched.unit quantum(4) float(f32) gradient(@gradient) evaluate(@evaluate) locks(1) commits

// CHECK: sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
sched.cell "w" parameter in @w : tensor<8xf32> layout(@params)
// CHECK: sched.cell "base-lr" setting in @base_lr : f64 default(5.000000e-02)
sched.cell "base-lr" setting in @base_lr : f64 default(5.000000e-02)
// CHECK: sched.cell "seen" counter in @seen : tensor<i64>
sched.cell "seen" counter in @seen : tensor<i64>

// CHECK: sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
sched.batch_buffer input "x" in @batch.x : tensor<4x2xf32>
// An input may be called as the weights of samples are.
// CHECK: sched.batch_buffer input "weights" in @batch.own : tensor<4xf32>
sched.batch_buffer input "weights" in @batch.own : tensor<4xf32>
// CHECK: sched.batch_buffer label "y" in @batch.y : tensor<4xi64> classes(3)
sched.batch_buffer label "y" in @batch.y : tensor<4xi64> classes(3)
// CHECK: sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
sched.batch_buffer weights "weights" in @batch.weights : tensor<4xf32>
// CHECK: sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>
sched.batch_buffer ids "ids" in @batch.ids : tensor<4xi64>

// CHECK: sched.result @evaluate loss in @results : tensor<f64>
sched.result @evaluate loss in @results : tensor<f64>
// CHECK: sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate correct in @results[8] : tensor<i64>
sched.result @evaluate valid in @results[16] : tensor<i64>
// A gradient may lie where the strand computes it.
// CHECK: sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
sched.result @gradient gradient in @batch.gradient : tensor<8xf32>
// CHECK: sched.result @gradient samples in @results[24] : tensor<i64>
sched.result @gradient samples in @results[24] : tensor<i64>
// CHECK: sched.result @gradient loss in @results[32] : tensor<f64>
sched.result @gradient loss in @results[32] : tensor<f64>
// CHECK: sched.result @server.model parameters in @w : tensor<8xf32>
sched.result @server.model parameters in @w : tensor<8xf32>

// CHECK: sched.bucket [0, 6] of ["a", "b"]
sched.bucket [0, 6] of ["a", "b"]
// CHECK: sched.bucket [6, 2] of ["c"]
sched.bucket [6, 2] of ["c"]

// CHECK:      sched.role @server count(1) model(@server.model) {
// CHECK-NEXT:   sched.strand "round" runs @server.round cursor
// CHECK-NEXT: }
sched.role @server count(1) model(@server.model) {
  sched.strand "round" runs @server.round cursor
}
// CHECK:      sched.role @worker count(rest) init(@worker.init) drain(@worker.drain) {
// CHECK-NEXT:   sched.strand "compute" runs @worker.compute lockstep polls(@grads) carries {
// CHECK-NEXT:     sched.frame "carried0" future in @carried : [tensor<8xf32>, i64]
// CHECK-NEXT:     sched.frame "carried1" number in @number : [f64]
// CHECK-NEXT:     sched.frame "carried2" tensor in @tensor : [tensor<2xf32>]
// CHECK-NEXT:   }
// CHECK-NEXT:   sched.strand "talk" runs @worker.talk
// CHECK-NEXT: }
sched.role @worker count(rest) init(@worker.init) drain(@worker.drain) {
  sched.strand "compute" runs @worker.compute lockstep polls(@grads) carries {
    sched.frame "carried0" future in @carried : [tensor<8xf32>, i64]
    sched.frame "carried1" number in @number : [f64]
    sched.frame "carried2" tensor in @tensor : [tensor<2xf32>]
  }
  sched.strand "talk" runs @worker.talk
}

// CHECK: sched.channel @grads collective bytes(40)
sched.channel @grads collective bytes(40)
// CHECK: sched.channel @pairs pair
sched.channel @pairs pair
// CHECK: sched.channel @mail mailbox server(@server) exempt(2) bytes(48)
sched.channel @mail mailbox server(@server) exempt(2) bytes(48)
// CHECK: sched.channel @slack mailbox server(@server) exempt(2) ahead(0)
sched.channel @slack mailbox server(@server) exempt(2) ahead(0)

// CHECK:      sched.policy @match "pairs.matcher" central with {rate = 1.000000e+00 : f64, topology = "ring"} askers(@worker) {
// CHECK-NEXT:   sched.entry @next : (f64) -> (i64, i64, i1)
// CHECK-NEXT: }
sched.policy @match "pairs.matcher" central with {rate = 1.0 : f64, topology = "ring"} askers(@worker) {
  sched.entry @next : (f64) -> (i64, i64, i1)
}
// CHECK: sched.rendezvous @turn strands(@worker.compute, @worker.talk)
sched.rendezvous @turn strands(@worker.compute, @worker.talk)

sched.arena private(512) scratch(384)
// A cell and its buffer may have one name: the cell has no symbol.
sched.buffer @w private at(0) bytes(32)
sched.buffer @base_lr private at(64) bytes(8)
sched.buffer @seen private at(128) bytes(8)
sched.buffer @results private at(192) bytes(40)
sched.buffer @carried private at(256) bytes(8)
sched.buffer @number private at(320) bytes(8)
sched.buffer @tensor private at(384) bytes(8)
sched.buffer @batch.x scratch at(0) bytes(32)
sched.buffer @batch.y scratch at(64) bytes(32)
sched.buffer @batch.weights scratch at(128) bytes(16)
sched.buffer @batch.ids scratch at(192) bytes(32)
sched.buffer @batch.own scratch at(256) bytes(16)
sched.buffer @batch.gradient scratch at(320) bytes(32)
nn.layout @params [#nn.slot<"a" : tensor<8xf32> at 0 parameter>]

sched.program @gradient { sched.return }
sched.program @evaluate { sched.return }
sched.program @server.model { sched.return }
sched.program @worker.init { sched.return }
sched.program @worker.drain { sched.return }
sched.program @server.round -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.program @worker.compute -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
sched.program @worker.talk -> i1 {
  %go = arith.constant true
  sched.return %go : i1
}
