// Two ranks average with each other under one tag; a partner that dies makes
// the round run again.
// RUN: rubato-interp %s --ranks 2 | FileCheck %s
// RUN: rubato-interp %s --ranks 2 --kill 1@1 | FileCheck %s --check-prefix=DEATH

// Rank r starts from 4r: both end at 2.
// CHECK: rank 0 @worker ended: rounds 3, collectives 0, averagings 3
// CHECK-NEXT: @x = 2
// CHECK-NEXT: @tries = 3
// CHECK: rank 1 @worker ended: rounds 3
// CHECK-NEXT: @x = 2

// The second exchange fails; the round then sees that it is alone.
// DEATH: rank 0 @worker ended: rounds 3, collectives 0, averagings 1, rounds run again 1
// DEATH-NEXT: @x = 2
// DEATH-NEXT: @tries = 4
// DEATH: rank 1 @worker dead: rounds 1

gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.channel @all on @world kind(collective)
gsync.cell @x : tensor<f64> role(state)
gsync.cell @tries : i64 role(state)

gsync.role @worker on @world {
  gsync.init {
    %n, %rank = gsync.view @world : i64, i64
    %c4 = arith.constant 4 : i64
    %r = arith.muli %rank, %c4 : i64
    %s = arith.sitofp %r : i64 to f64
    %x = tensor.from_elements %s : tensor<f64>
    gsync.atomic (@x) {
    ^bb0(%a: tensor<f64>):
      gsync.yield cells(%x : tensor<f64>)
    }
    %zero = arith.constant 0 : i64
    gsync.yield %zero : i64
  }
  gsync.strand (%round: i64) {
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    %tries = gsync.atomic (@tries) repeatable -> (i64) {
    ^bb0(%t: i64):
      %more = arith.addi %t, %c1 : i64
      gsync.yield cells(%more : i64) %t : i64
    }
    %same = arith.cmpi eq, %tries, %round : i64
    %n, %rank = gsync.view @world : i64, i64
    %two = arith.cmpi eq, %n, %c2 : i64
    %both = arith.andi %two, %same : i1
    scf.if %both {
      %peer = arith.subi %c1, %rank : i64
      %x = gsync.load @x : tensor<f64>
      %f = gsync.exchange (%x) with(%peer) tag(%round) on @pair : (tensor<f64>) -> !gsync.future<tensor<f64>>
      %y = gsync.await %f : !gsync.future<tensor<f64>>
      %half = arith.constant dense<0.5> : tensor<f64>
      gsync.atomic (@x) {
      ^bb0(%a: tensor<f64>):
        %sum = arith.addf %a, %y : tensor<f64>
        %mean = arith.mulf %sum, %half : tensor<f64>
        gsync.yield cells(%mean : tensor<f64>)
      }
    }
    %next = arith.addi %round, %c1 : i64
    %go = arith.cmpi slt, %next, %c3 : i64
    gsync.next %go (%next : i64)
  }
}
