// Sums by ascending rank, sparse sums, gathering, scattering, broadcasting and
// votes: three ranks, integers, known in closed form.
// RUN: rubato-interp %s --ranks 3 --rounds 1 --model --print-cell @rows | FileCheck %s
// RUN: rubato-interp %s --ranks 3 --rounds 1 --schedule random --seed 5 | FileCheck %s --check-prefix=RANDOM

// CHECK: rank 0 @worker ended: rounds 1, collectives 5
// CHECK-NEXT: @sum = 6
// CHECK-NEXT: @real = 6.5
// CHECK-NEXT: @gathered = 321
// CHECK-NEXT: @part = 6
// CHECK-NEXT: @from = 20
// CHECK-NEXT: @rows =
// CHECK-NEXT: @ok = 1
// CHECK-NEXT: model = [6, 6]
// CHECK: rank 2 @worker ended: rounds 1, collectives 5
// CHECK-NEXT: @sum = 6
// CHECK-NEXT: @real = 6.5
// CHECK-NEXT: @gathered = 321
// Rows 2 and 3 of [1, 2, 3, 4] times 6, and rows 0 of [6, 12, 18, 24].
// CHECK-NEXT: @part = 42
// Row 7 has the three ranks' 1, 2 and 3; rows 10, 11 and 12 one each.
// CHECK: rank 0 @rows: 7 10 11 12 6 1 2 3
// RANDOM: rank 1 @worker ended
// RANDOM-NEXT: @sum = 6

gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.cell @sum : tensor<i64> role(state)
gsync.cell @real : f64 role(state)
gsync.cell @gathered : i64 role(state)
gsync.cell @part : i64 role(state)
gsync.cell @from : i64 role(state)
gsync.cell @rows : tensor<8xi64> role(state)
gsync.cell @ok : i1 role(state)

gsync.role @worker on @world {
  gsync.strand {
    %false = arith.constant false
    %c1 = arith.constant 1 : i64
    %c10 = arith.constant 10 : i64
    %n, %rank = gsync.view @world : i64, i64
    %mine = arith.addi %rank, %c1 : i64
    %x = tensor.from_elements %mine : tensor<i64>
    %real0 = arith.sitofp %mine : i64 to f64
    %half = arith.constant 0.5 : f64
    %isZero = arith.constant 0 : i64
    %first = arith.cmpi eq, %rank, %isZero : i64
    %more = arith.addf %real0, %half : f64
    %real = arith.select %first, %more, %real0 : f64
    %row = arith.addi %rank, %c10 : i64
    %c7 = arith.constant 7 : i64
    %indices = tensor.from_elements %row, %c7 : tensor<2xi64>
    %values = tensor.from_elements %mine, %mine : tensor<2xi64>
    %f = gsync.all_reduce sum on @all (%x, %real) sparse(%indices, %values) : (tensor<i64>, f64, tensor<2xi64>, tensor<2xi64>) -> !gsync.future<tensor<i64>, f64, tensor<?xi64>, tensor<?xi64>>
    %sum, %sumReal, %ids, %rows = gsync.await %f : !gsync.future<tensor<i64>, f64, tensor<?xi64>, tensor<?xi64>>
    %h = gsync.all_gather on @all (%x) : (tensor<i64>) -> !gsync.future<tensor<?xi64>>
    %gathered = gsync.await %h : !gsync.future<tensor<?xi64>>
    %i0 = arith.constant 0 : index
    %i1 = arith.constant 1 : index
    %i2 = arith.constant 2 : index
    %i3 = arith.constant 3 : index
    %g0 = tensor.extract %gathered[%i0] : tensor<?xi64>
    %g1 = tensor.extract %gathered[%i1] : tensor<?xi64>
    %g2 = tensor.extract %gathered[%i2] : tensor<?xi64>
    %c100 = arith.constant 100 : i64
    %d1 = arith.muli %g1, %c10 : i64
    %d2 = arith.muli %g2, %c100 : i64
    %e1 = arith.addi %g0, %d1 : i64
    %digits = arith.addi %e1, %d2 : i64

    // [1, 2, 3, 4] times 6: rank 0 gets row 0, rank 1 row 1, rank 2 the rest.
    %four = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %t = tensor.splat %mine : tensor<4xi64>
    %weighted = arith.muli %four, %t : tensor<4xi64>
    %s = gsync.reduce_scatter sum on @all (%weighted) : (tensor<4xi64>) -> !gsync.future<tensor<?xi64>>
    %part = gsync.await %s : !gsync.future<tensor<?xi64>>
    %size = tensor.dim %part, %i0 : tensor<?xi64>
    %zero = arith.constant 0 : i64
    %total = scf.for %i = %i0 to %size step %i1 iter_args(%acc = %zero) -> i64 {
      %e = tensor.extract %part[%i] : tensor<?xi64>
      %next = arith.addi %acc, %e : i64
      scf.yield %next : i64
    }

    %ten = arith.muli %mine, %c10 : i64
    %b = gsync.broadcast from(%c1) on @all (%ten) : (i64) -> !gsync.future<i64>
    %from = gsync.await %b : !gsync.future<i64>

    %r0 = tensor.extract %ids[%i0] : tensor<?xi64>
    %r1 = tensor.extract %ids[%i1] : tensor<?xi64>
    %r2 = tensor.extract %ids[%i2] : tensor<?xi64>
    %r3 = tensor.extract %ids[%i3] : tensor<?xi64>
    %v0 = tensor.extract %rows[%i0] : tensor<?xi64>
    %v1 = tensor.extract %rows[%i1] : tensor<?xi64>
    %v2 = tensor.extract %rows[%i2] : tensor<?xi64>
    %v3 = tensor.extract %rows[%i3] : tensor<?xi64>
    %table = tensor.from_elements %r0, %r1, %r2, %r3, %v0, %v1, %v2, %v3 : tensor<8xi64>

    %ok = gsync.commit on @world expect(%rank, %rank) : i1
    gsync.atomic (@sum, @real, @gathered, @part, @from, @rows, @ok) {
    ^bb0(%a0: tensor<i64>, %a1: f64, %a2: i64, %a3: i64, %a4: i64, %a5: tensor<8xi64>, %a6: i1):
      gsync.yield cells(%sum, %sumReal, %digits, %total, %from, %table, %ok : tensor<i64>, f64, i64, i64, i64, tensor<8xi64>, i1)
    }
    gsync.next %false
  }
  // The model may use a channel: every member runs it.
  gsync.model {
    %sum = gsync.load @sum : tensor<i64>
    %c3 = arith.constant 3 : i64
    %one = arith.constant 1 : i64
    %f = gsync.all_reduce sum on @all (%one) : (i64) -> !gsync.future<i64>
    %n = gsync.await %f : !gsync.future<i64>
    %s = tensor.extract %sum[] : tensor<i64>
    %same = arith.muli %n, %s : i64
    %mean = arith.divsi %same, %c3 : i64
    %w = tensor.splat %mean : tensor<2xi64>
    gsync.yield %w : tensor<2xi64>
  }
}
