// Where the first operand of a reduction is computed, and whether parts of it may
// leave before the rest is there.
// RUN: rubato-opt %s --overlap-reductions='bucket-bytes=1' | FileCheck %s
// What comes out can be proved once lanes are ordered, and every event is needed.
// RUN: rubato-opt %s --overlap-reductions='bucket-bytes=1' --assign-lanes --sched-verify-segments -o /dev/null
// RUN: rubato-opt %s --overlap-reductions='bucket-bytes=1' --assign-lanes --sched-test-remove-events -o /dev/null 2>&1 | FileCheck %s --check-prefix=EVENTS --implicit-check-not=accepted
// EVENTS: 26 waits, 26 rejected; 26 records, 26 rejected

nn.layout @params [#nn.slot<"a" : tensor<64xf32> at 0 parameter>, #nn.slot<"b" : tensor<64xf32> at 64 parameter>]
nn.layout @three [#nn.slot<"a" : tensor<64xf64> at 0 parameter>, #nn.slot<"b" : tensor<64xf64> at 64 parameter>, #nn.slot<"c" : tensor<64xf64> at 128 parameter>]
nn.layout @single [#nn.slot<"a" : tensor<32xf32> at 0 parameter>]
sched.arena private(4096) scratch(1024)
sched.buffer @w private at(0) bytes(512)
sched.buffer @n private at(512) bytes(8)
sched.buffer @t scratch at(0) bytes(512)
sched.buffer @g value at(0) bytes(512)
sched.buffer @h value at(1) bytes(512)
sched.buffer @wide value at(2) bytes(1536)
sched.buffer @small value at(3) bytes(128)
sched.buffer @odd value at(4) bytes(64)

llvm.func @forward(!llvm.ptr, i64, i64, !llvm.ptr)
llvm.func @grad(!llvm.ptr, i64, i64, !llvm.ptr)
func.func private @scale(tensor<128xf32>, tensor<f32>) -> tensor<128xf32> attributes {rubato.kernel = #nn.kernel<elementwise, split = 128, index_by_index>}
func.func private @both(tensor<128xf32>) -> (tensor<128xf32>, tensor<128xf32>) attributes {rubato.kernel = #nn.kernel<elementwise, split = 128, index_by_index>}
func.func private @smooth(tensor<128xf32>, tensor<f32>) -> tensor<128xf32> attributes {rubato.kernel = #nn.kernel<elementwise, split = 128>}
func.func private @heavy(%x: tensor<128xf32>) -> tensor<128xf32> attributes {rubato.kernel = #nn.kernel<elementwise, split = 128>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<128xf32>) -> tensor<128xf32>
  return %filled : tensor<128xf32>
}
func.func private @norm(tensor<128xf32>) -> tensor<f32> attributes {rubato.kernel = #nn.kernel<rows>}

//===----------------------------------------------------------------------===//
// A segment in a straight line
//===----------------------------------------------------------------------===//

// A part is final behind the last launch that writes to it. The share of the work
// in front of it is told.
// CHECK-LABEL: sched.segment @line.s {
// CHECK-NEXT:    sched.launch compute @forward
// CHECK-NEXT:    sched.launch compute @grad {{.*}} writes(@g[0, 256])
// CHECK-NEXT:    sched.ready comm channel(3) bytes(0, 256) ins(@g[0, 512] : f32) done(6.667000e-01)
// CHECK-NEXT:    sched.launch compute @grad {{.*}} writes(@g[256, 256])
// CHECK-NEXT:    sched.ready comm channel(3) bytes(256, 512) ins(@g[0, 512] : f32) done(1.000000e+00)
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @line {
// CHECK:         sched.renew @g
// CHECK-NEXT:    sched.run @line.s
// The start stands where it stood.
// CHECK-NEXT:    sched.write
// CHECK-NEXT:    sched.start all_reduce channel(3) {{.*}} ins(@g[0, 512] : f32, @n[0, 8] : i64) {rubato.overlap = "2 buckets, from @line.s on"}
sched.segment @line.s {
  sched.launch compute @forward [0, 1] args(@t) writes(@t[0, 64])
  sched.launch compute @grad [0, 1] args(@t, @g) reads(@t[0, 64]) writes(@g[0, 256])
  sched.launch compute @grad [0, 1] args(@t, @g[256]) reads(@t[0, 64]) writes(@g[256, 256])
}
sched.program @line {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @line.s
  sched.write %zero, @n[0, 8] : i64
  %f = sched.start all_reduce channel(3) root(%zero) ins(@g[0, 512] : f32, @n[0, 8] : i64)
  sched.return
}

// Work counts by its loops, and a part of a launch as a part: 33 and 34 of 128.
// CHECK-LABEL: sched.segment @shares.s {
// CHECK:         sched.ready comm channel(0) bytes(0, 256) ins(@g[0, 512] : f32) done(2.578000e-01)
// CHECK:         sched.ready comm channel(0) bytes(256, 512) ins(@g[0, 512] : f32) done(2.656000e-01)
sched.segment @shares.s {
  sched.launch compute @heavy [0, 32] args(@w, @t) reads(@w[0, 512]) writes(@t[0, 128])
  sched.launch compute @grad [0, 1] args(@t, @g) reads(@t[0, 64]) writes(@g[0, 256])
  sched.launch compute @grad [0, 1] args(@t, @g[256]) reads(@t[0, 64]) writes(@g[256, 256])
  sched.launch compute @heavy [0, 94] args(@w, @t) reads(@w[0, 512]) writes(@t[0, 376])
}
sched.program @shares {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @shares.s
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// Three buckets of f64; parts leave in order, though the last one is final first.
// What only reads it, is sent, or is another channel's does not disturb.
// CHECK-LABEL: sched.segment @order.s {
// CHECK-NEXT:    sched.launch compute @grad {{.*}} writes(@wide[1024, 512])
// CHECK-NEXT:    sched.launch compute @grad {{.*}} writes(@wide[0, 768])
// CHECK-NEXT:    sched.ready comm channel(0) bytes(0, 512) ins(@wide[0, 1536] : f64) done(
// CHECK-NEXT:    sched.launch compute @grad {{.*}} writes(@wide[768, 256])
// CHECK-NEXT:    sched.ready comm channel(0) bytes(512, 1024) ins(@wide[0, 1536] : f64) done(
// CHECK-NEXT:    sched.ready comm channel(0) bytes(1024, 1536) ins(@wide[0, 1536] : f64) done(
// CHECK-NEXT:    sched.launch compute @forward
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @order {
// CHECK:         sched.start all_reduce channel(0) {{.*}} {rubato.overlap = "3 buckets, from @order.s on"}
sched.segment @order.s {
  sched.launch compute @grad [0, 1] args(@wide) writes(@wide[1024, 512])
  sched.launch compute @grad [0, 1] args(@wide) writes(@wide[0, 768])
  sched.launch compute @grad [0, 1] args(@wide) writes(@wide[768, 256])
  sched.launch compute @forward [0, 1] args(@wide, @t) reads(@wide[0, 1536]) writes(@t[0, 64])
}
sched.segment @order.reads {
  sched.launch compute @forward [0, 1] args(@wide, @t) reads(@wide[0, 1536]) writes(@t[0, 64])
}
sched.program @order {
  %zero = arith.constant 0 : i64
  %true = arith.constant true
  sched.renew @wide
  sched.run @order.s
  sched.run @order.reads
  %loss = sched.read @wide[8, 8] : f64
  sched.copy @wide[0, 512] to @w[0, 512]
  scf.if %true {
    sched.run @order.reads
  }
  %other = sched.start all_reduce channel(1) root(%zero) ins(@n[0, 8] : i64)
  %f = sched.start all_reduce channel(0) root(%zero) ins(@wide[0, 1536] : f64)
  sched.return
}

// Nobody else may get it in between, and nothing may have the round run again.
// CHECK-LABEL: sched.program @handed {
// CHECK:         sched.start all_reduce channel(0) {{.*}} {rubato.overlap = "whole: a sched.push hands its first operand over in between"}
sched.segment @handed.s {
  sched.launch compute @grad [0, 1] args(@wide) writes(@wide[0, 768])
  sched.launch compute @grad [0, 1] args(@wide) writes(@wide[768, 768])
}
sched.program @handed {
  %zero = arith.constant 0 : i64
  sched.renew @wide
  sched.run @handed.s
  sched.push channel(1) ticket(%zero) ins(@wide[0, 1536] : f64)
  %f = sched.start all_reduce channel(0) root(%zero) ins(@wide[0, 1536] : f64)
  sched.return
}
// CHECK-LABEL: sched.program @twostarts {
// CHECK:         sched.start all_reduce channel(1)
// CHECK:         sched.start all_reduce channel(0) {{.*}} {rubato.overlap = "whole: another start hands its first operand over in between"}
sched.segment @twostarts.s {
  sched.launch compute @grad [0, 1] args(@wide) writes(@wide[0, 768])
  sched.launch compute @grad [0, 1] args(@wide) writes(@wide[768, 768])
}
sched.program @twostarts {
  %zero = arith.constant 0 : i64
  sched.renew @wide
  sched.run @twostarts.s
  %other = sched.start all_reduce channel(1) root(%zero) ins(@wide[0, 1536] : f64)
  %f = sched.start all_reduce channel(0) root(%zero) ins(@wide[0, 1536] : f64)
  sched.return
}
// CHECK-LABEL: sched.program @again {
// CHECK:         sched.start all_reduce channel(0) {{.*}} {rubato.overlap = "whole: an exchange is awaited in between, whose failure has the round run again"}
sched.program @again {
  %zero = arith.constant 0 : i64
  sched.renew @wide
  sched.run @handed.s
  %e = sched.exchange channel(1) with(%zero) tag(%zero) ins(@n[0, 8] : i64)
  sched.await %e outs(@n[0, 8] : i64)
  %f = sched.start all_reduce channel(0) root(%zero) ins(@wide[0, 1536] : f64)
  sched.return
}

// Others that run a segment do not hand over anything: they get it as it was.
// CHECK-LABEL: sched.segment @shared.s {
// CHECK-NEXT:    sched.launch
// CHECK-NEXT:    sched.launch
// CHECK-NEXT:  }
// CHECK-LABEL: sched.segment @shared.s.last {
// CHECK:         sched.ready comm channel(0) bytes(0, 256)
// CHECK-LABEL: sched.program @shared {
// CHECK:         sched.run @shared.s{{$}}
// CHECK:         sched.run @shared.s.last{{$}}
// CHECK:         {rubato.overlap = "2 buckets, from @shared.s.last on"}
sched.segment @shared.s {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[0, 256])
  sched.launch compute @grad [0, 1] args(@g) writes(@g[256, 256])
}
sched.program @shared {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @shared.s
  sched.renew @g
  sched.run @shared.s
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

// Only the last body runs a segment that says so. The renews belong to the runs.
// CHECK-LABEL: sched.segment @loop.s {
// CHECK-NEXT:    sched.launch
// CHECK-NEXT:    sched.launch
// CHECK-NEXT:  }
// CHECK-LABEL: sched.segment @loop.s.last {
// CHECK-NEXT:    sched.launch
// CHECK-NEXT:    sched.ready comm channel(0) bytes(0, 256)
// CHECK-NEXT:    sched.launch
// CHECK-NEXT:    sched.ready comm channel(0) bytes(256, 512)
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @loop {
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[N:.*]] step %[[STEP:[^ ]+]]
// CHECK-NEXT:      sched.batch cursor ()
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]] : i64
// CHECK-NEXT:      %[[LAST:.*]] = arith.cmpi sge, %[[NEXT]], %[[N]] : i64
// CHECK-NEXT:      scf.if %[[LAST]] {
// CHECK-NEXT:        sched.renew @h
// CHECK-NEXT:        sched.renew @g keep
// CHECK-NEXT:        sched.run @loop.s.last
// CHECK-NEXT:      } else {
// CHECK-NEXT:        sched.renew @h
// CHECK-NEXT:        sched.renew @g keep
// CHECK-NEXT:        sched.run @loop.s{{$}}
// CHECK-NEXT:      }
// CHECK-NEXT:      sched.drop @h
// CHECK-NEXT:    }
// CHECK:         {rubato.overlap = "2 buckets, from @loop.s.last on"}
sched.segment @loop.s {
  sched.launch compute @grad [0, 1] args(@g) reads(@g[0, 256]) writes(@g[0, 256], @h[0, 512])
  sched.launch compute @grad [0, 1] args(@g) reads(@g[256, 256]) writes(@g[256, 256])
}
sched.program @loop {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = sched.quanta : i64
  sched.clear @g[0, 512]
  scf.for %i = %zero to %n step %one : i64 {
    sched.batch cursor ()
    sched.renew @h
    sched.renew @g keep
    sched.run @loop.s
    sched.drop @h
  }
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// Both branches, in the last body of a loop of indices.
// CHECK-LABEL: sched.program @branches {
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %[[N:.*]] step
// CHECK:           scf.if
// CHECK:             %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK-NEXT:        %[[LAST:.*]] = arith.cmpi sge, %[[NEXT]], %[[N]] : index
// CHECK-NEXT:        scf.if %[[LAST]] {
// CHECK-NEXT:          sched.renew @g{{$}}
// CHECK-NEXT:          sched.run @branches.a.last
// CHECK:               sched.run @branches.a{{$}}
// CHECK:           } else {
// CHECK:             scf.if
// CHECK-NEXT:          sched.renew @g keep
// CHECK-NEXT:          sched.run @branches.b.last
// CHECK:               sched.run @branches.b{{$}}
// CHECK:         {rubato.overlap = "2 buckets, from @branches.a.last and @branches.b.last on"}
sched.segment @branches.a {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[0, 256])
  sched.launch compute @grad [0, 1] args(@g) writes(@g[256, 256])
}
sched.segment @branches.b {
  sched.launch compute @grad [0, 1] args(@g) reads(@g[0, 256]) writes(@g[0, 256])
  sched.launch compute @grad [0, 1] args(@g) reads(@g[256, 256]) writes(@g[256, 256])
}
sched.program @branches {
  %zero = arith.constant 0 : i64
  %from = arith.constant 0 : index
  %to = arith.constant 8 : index
  %one = arith.constant 1 : index
  scf.for %i = %from to %to step %one {
    %first = arith.cmpi eq, %i, %from : index
    scf.if %first {
      sched.renew @g
      sched.run @branches.a
    } else {
      sched.renew @g keep
      sched.run @branches.b
    }
  }
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// One branch hands over, the other one copies: that one just starts.
// CHECK-LABEL: sched.program @one_branch {
// CHECK:           sched.run @one_branch.s{{$}}
// CHECK:           sched.copy
// CHECK:         {rubato.overlap = "2 buckets, from @one_branch.s on"}
sched.segment @one_branch.s {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[0, 256])
  sched.launch compute @grad [0, 1] args(@g) writes(@g[256, 256])
}
sched.program @one_branch {
  %zero = arith.constant 0 : i64
  %rank = sched.rank : i64
  %first = arith.cmpi eq, %rank, %zero : i64
  scf.if %first {
    sched.renew @g
    sched.run @one_branch.s
  } else {
    sched.copy @w[0, 512] to @g[0, 512]
  }
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// Behind a branch that may write it nobody in front of it is the last.
// CHECK-LABEL: sched.segment @behind.s {
// CHECK-NOT:     sched.ready
// CHECK-LABEL: sched.program @behind {
// CHECK:         {rubato.overlap = "whole: its first operand comes from a sched.clear"}
sched.segment @behind.s {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[0, 256])
  sched.launch compute @grad [0, 1] args(@g) writes(@g[256, 256])
}
sched.program @behind {
  %zero = arith.constant 0 : i64
  %rank = sched.rank : i64
  %first = arith.cmpi eq, %rank, %zero : i64
  sched.renew @g
  sched.run @behind.s
  scf.if %first {
    sched.clear @g[0, 512]
  }
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// CHECK-LABEL: sched.segment @while.s {
// CHECK-NOT:     sched.ready
// CHECK-LABEL: sched.program @while {
// CHECK:         {rubato.overlap = "whole: nobody knows which body of the loop in front of it is the last"}
sched.segment @while.s {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[0, 256])
  sched.launch compute @grad [0, 1] args(@g) writes(@g[256, 256])
}
sched.program @while {
  %zero = arith.constant 0 : i64
  scf.while : () -> () {
    %done = sched.done %zero
    scf.condition(%done)
  } do {
    sched.renew @g
    sched.run @while.s
    scf.yield
  }
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// CHECK-LABEL: sched.program @nested {
// CHECK-NOT:     .last
// CHECK:         {rubato.overlap = "whole: it is computed in a loop of loops"}
sched.segment @nested.s {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[0, 256])
  sched.launch compute @grad [0, 1] args(@g) writes(@g[256, 256])
}
sched.program @nested {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %i = %zero to %one step %one : i64 {
    scf.for %j = %zero to %one step %one : i64 {
      sched.renew @g
      sched.run @nested.s
    }
  }
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// A start that may not come hands over nothing.
// CHECK-LABEL: sched.segment @maybe.s {
// CHECK-NOT:     sched.ready
// CHECK-LABEL: sched.program @maybe {
// CHECK:         {rubato.overlap = "whole: no segment of its block computes its first operand"}
sched.segment @maybe.s {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[0, 256])
  sched.launch compute @grad [0, 1] args(@g) writes(@g[256, 256])
}
sched.program @maybe {
  %zero = arith.constant 0 : i64
  %true = sched.done %zero
  sched.renew @g
  sched.run @maybe.s
  scf.if %true {
    %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  }
  sched.return
}

//===----------------------------------------------------------------------===//
// What else stands in front of a start
//===----------------------------------------------------------------------===//

// CHECK-LABEL: sched.segment @between.s {
// CHECK-NOT:     sched.ready comm channel(0) {{.*}}@g[
// CHECK-LABEL: sched.program @between {
// CHECK:         sched.start all_reduce channel(0) {{.*}} {rubato.overlap = "whole: its first operand is no value of its own"}
// CHECK:         sched.start all_reduce channel(0) {{.*}} {rubato.overlap = "whole: another reduction of its channel starts in between"}
sched.segment @between.s {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[0, 256])
  sched.launch compute @grad [0, 1] args(@g) writes(@g[256, 256])
}
sched.program @between {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @between.s
  %other = sched.start all_reduce channel(0) root(%zero) ins(@w[0, 512] : f32)
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// A broadcast of the channel is in its order, too, and is left alone itself.
// CHECK-LABEL: sched.program @broadcast {
// CHECK:         sched.start broadcast channel(0) {{.*}} ins(@w[0, 512] : f32){{$}}
// CHECK:         {rubato.overlap = "whole: another reduction of its channel starts in between"}
sched.program @broadcast {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @between.s
  %other = sched.start broadcast channel(0) root(%zero) ins(@w[0, 512] : f32)
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// CHECK-LABEL: sched.program @look {
// CHECK:         {rubato.overlap = "whole: its first operand comes from a sched.look"}
sched.program @look {
  %zero = arith.constant 0 : i64
  sched.look @w[0, 512] in @g lock(0)
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// CHECK-LABEL: sched.program @copy {
// CHECK:         {rubato.overlap = "whole: its first operand comes from a sched.copy"}
sched.program @copy {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @between.s
  sched.copy @w[0, 256] to @g[0, 256]
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// CHECK-LABEL: sched.program @await {
// CHECK:         {rubato.overlap = "whole: its first operand comes from a sched.await"}
sched.program @await {
  %zero = arith.constant 0 : i64
  sched.await %zero outs(@n[0, 8] : i64, @g[0, 512] : f32)
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// CHECK-LABEL: sched.program @renew {
// CHECK:         {rubato.overlap = "whole: its first operand comes from a sched.renew"}
sched.program @renew {
  %zero = arith.constant 0 : i64
  sched.renew @g
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// CHECK-LABEL: sched.program @nobody {
// CHECK:         {rubato.overlap = "whole: no segment of its block computes its first operand"}
sched.program @nobody {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// CHECK-LABEL: sched.program @nothing {
// CHECK:         sched.start all_reduce channel(0) {{.*}} {rubato.overlap = "whole: it has no operands"}
// CHECK-NEXT:    sched.await %{{.*}} {rubato.overlap = "whole: it brings nothing"}
sched.program @nothing {
  %zero = arith.constant 0 : i64
  %f = sched.start all_reduce channel(0) root(%zero) ins()
  sched.await %f
  sched.return
}

// Parts of a value, and cells, are none of their own.
// CHECK-LABEL: sched.program @part {
// CHECK:         ins(@g[0, 256] : f32) {rubato.overlap = "whole: its first operand is no value of its own"}
// CHECK:         ins(@g[256, 256] : f32) {rubato.overlap = "whole: its first operand is no value of its own"}
// CHECK:         ins(@n[0, 8] : i64, @g[0, 512] : f32) {rubato.overlap = "whole: its first operand is no value of its own"}
sched.program @part {
  %zero = arith.constant 0 : i64
  %a = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 256] : f32)
  %b = sched.start all_reduce channel(0) root(%zero) ins(@g[256, 256] : f32)
  %c = sched.start all_reduce channel(0) root(%zero) ins(@n[0, 8] : i64, @g[0, 512] : f32)
  sched.return
}

// One slot has one bucket; what is no list of slots has none.
// CHECK-LABEL: sched.program @uncut {
// CHECK:         ins(@small[0, 128] : f32) {rubato.overlap = "whole: its first operand cannot be cut"}
// CHECK:         ins(@odd[0, 64] : f32) {rubato.overlap = "whole: its first operand cannot be cut"}
sched.segment @uncut.s {
  sched.launch compute @grad [0, 1] args(@small) writes(@small[0, 64], @odd[0, 64])
  sched.launch compute @grad [0, 1] args(@small) writes(@small[64, 64])
}
sched.program @uncut {
  %zero = arith.constant 0 : i64
  sched.renew @small
  sched.renew @odd
  sched.run @uncut.s
  %a = sched.start all_reduce channel(0) root(%zero) ins(@small[0, 128] : f32)
  %b = sched.start all_reduce channel(0) root(%zero) ins(@odd[0, 64] : f32)
  sched.return
}

//===----------------------------------------------------------------------===//
// One launch that writes all of it
//===----------------------------------------------------------------------===//

// It is cut where the vector is cut: operands and results of as many elements at
// the same indices, others whole.
// CHECK-LABEL: sched.segment @flat.s {
// CHECK-NEXT:    sched.launch compute @norm
// CHECK-NEXT:    sched.launch compute @scale [0, 64] args(@w, @n, @g) reads(@w[0, 256], @n[0, 4]) writes(@g[0, 256])
// CHECK-NEXT:    sched.ready comm channel(0) bytes(0, 256) ins(@g[0, 512] : f32)
// CHECK-NEXT:    sched.launch compute @scale [64, 128] args(@w, @n, @g) reads(@w[256, 256], @n[0, 4]) writes(@g[256, 256])
// CHECK-NEXT:    sched.ready comm channel(0) bytes(256, 512) ins(@g[0, 512] : f32)
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @flat {
// CHECK:         {rubato.overlap = "2 buckets, from @flat.s on"}
sched.segment @flat.s {
  sched.launch compute @norm [0, 1] args(@w, @n) reads(@w[0, 512]) writes(@n[0, 4])
  sched.launch compute @scale [0, 128] args(@w, @n, @g) reads(@w[0, 512], @n[0, 4]) writes(@g[0, 512])
}
sched.program @flat {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @flat.s
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// A row of such launches is cut as a row.
// CHECK-LABEL: sched.segment @row.s {
// CHECK-NEXT:    sched.launch compute @both [0, 64] {{.*}} writes(@t[0, 256], @h[0, 256])
// CHECK-NEXT:    sched.launch compute @scale [0, 64] {{.*}} reads(@t[0, 256], @n[0, 4]) writes(@g[0, 256])
// CHECK-NEXT:    sched.ready comm channel(0) bytes(0, 256)
// CHECK-NEXT:    sched.launch compute @both [64, 128] {{.*}} writes(@t[256, 256], @h[256, 256])
// CHECK-NEXT:    sched.launch compute @scale [64, 128]
// CHECK-NEXT:    sched.ready comm channel(0) bytes(256, 512)
// CHECK-NEXT:  }
sched.segment @row.s {
  sched.launch compute @both [0, 128] args(@w, @t, @h) reads(@w[0, 512]) writes(@t[0, 512], @h[0, 512])
  sched.launch compute @scale [0, 128] args(@t, @n, @g) reads(@t[0, 512], @n[0, 4]) writes(@g[0, 512])
}
sched.program @row {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.renew @h
  sched.run @row.s
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// In a loop the copy is cut, the segment itself is not.
// CHECK-LABEL: sched.segment @flat_loop.s {
// CHECK-NEXT:    sched.launch compute @scale [0, 128]
// CHECK-NEXT:  }
// CHECK-LABEL: sched.segment @flat_loop.s.last {
// CHECK-NEXT:    sched.launch compute @scale [0, 64]
// CHECK-LABEL: sched.program @flat_loop {
sched.segment @flat_loop.s {
  sched.launch compute @scale [0, 128] args(@g, @n, @g) reads(@g[0, 512], @n[0, 4]) writes(@g[0, 512])
}
sched.program @flat_loop {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %n = sched.quanta : i64
  sched.clear @g[0, 512]
  scf.for %i = %zero to %n step %one : i64 {
    sched.renew @g keep
    sched.run @flat_loop.s
  }
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// The last launch writes all of it, and cannot be cut: it is no kernel that
// computes index by index, it launches a part, or it reads across indices.
// CHECK-LABEL: sched.segment @opaque.s {
// CHECK-NEXT:    sched.launch compute @grad [0, 1]
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @opaque {
// CHECK:         {rubato.overlap = "whole: the last launch in front of it writes all of it"}
sched.segment @opaque.s {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[0, 512])
}
sched.program @opaque {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @opaque.s
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// A segment that says nothing is not doubled.
// CHECK-LABEL: sched.segment @opaque_loop.s {
// CHECK-NOT:     .last
// CHECK-LABEL: sched.program @opaque_loop {
// CHECK-NOT:     .last
// CHECK:         {rubato.overlap = "whole: the last launch in front of it writes all of it"}
sched.segment @opaque_loop.s {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[0, 512])
}
sched.program @opaque_loop {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %i = %zero to %one step %one : i64 {
    sched.renew @g
    sched.run @opaque_loop.s
  }
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// CHECK-LABEL: sched.segment @smooth.s {
// CHECK-NEXT:    sched.launch compute @smooth [0, 128]
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @smooths {
// CHECK:         {rubato.overlap = "whole: the last launch in front of it writes all of it"}
sched.segment @smooth.s {
  sched.launch compute @smooth [0, 128] args(@w, @n, @g) reads(@w[0, 512], @n[0, 4]) writes(@g[0, 512])
}
sched.program @smooths {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @smooth.s
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// CHECK-LABEL: sched.segment @short.s {
// CHECK-NEXT:    sched.launch compute @scale [0, 127]
// CHECK-NEXT:  }
sched.segment @short.s {
  sched.launch compute @scale [0, 127] args(@w, @n, @g) reads(@w[0, 508], @n[0, 4]) writes(@g[0, 508])
}
sched.program @short {
  %zero = arith.constant 0 : i64
  sched.clear @g[0, 512]
  sched.renew @g keep
  sched.run @short.s
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// CHECK-LABEL: sched.segment @half.s {
// CHECK-NEXT:    sched.launch compute @grad
// CHECK-NEXT:    sched.launch compute @scale [0, 127]
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @half {
// CHECK:         {rubato.overlap = "whole: the last launch in front of it writes all of it"}
sched.segment @half.s {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[256, 256])
  sched.launch compute @scale [0, 127] args(@w, @n, @g) reads(@w[0, 508], @n[0, 4]) writes(@g[0, 508])
}
sched.program @half {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @half.s
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// Others in front of it write to the operand, too.
// CHECK-LABEL: sched.segment @before.s {
// CHECK-NEXT:    sched.launch compute @grad
// CHECK-NEXT:    sched.launch compute @scale [0, 128]
// CHECK-NEXT:  }
// CHECK-LABEL: sched.program @before {
// CHECK:         {rubato.overlap = "whole: the last launch in front of it writes all of it"}
sched.segment @before.s {
  sched.launch compute @grad [0, 1] args(@g) writes(@g[0, 512])
  sched.launch compute @scale [0, 128] args(@g, @n, @g) reads(@g[0, 512], @n[0, 4]) writes(@g[0, 512])
}
sched.program @before {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @before.s
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}

// A row ends where a launch reads another one's results at other indices: index 64
// of the first is index 0 of the second.
// CHECK-LABEL: sched.segment @across.s {
// CHECK-NEXT:    sched.launch compute @both [0, 128]
// CHECK-NEXT:    sched.launch compute @scale [0, 64]
// CHECK-NEXT:    sched.ready
sched.buffer @long private at(1024) bytes(1024)
sched.segment @across.s {
  sched.launch compute @both [0, 128] args(@w, @long, @long[512]) reads(@w[0, 512]) writes(@long[0, 512], @long[512, 512])
  sched.launch compute @scale [0, 128] args(@long[256], @n, @g) reads(@long[256, 512], @n[0, 4]) writes(@g[0, 512])
}
sched.program @across {
  %zero = arith.constant 0 : i64
  sched.renew @g
  sched.run @across.s
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[0, 512] : f32)
  sched.return
}
