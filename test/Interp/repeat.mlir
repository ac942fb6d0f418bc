// gsync.repeat in virtual time: gradients accumulate until the reduction of the
// round before has arrived. Four ranks of different speed; worker i's gradient
// of a sample is w - i - 1; the step is linear in the number of samples. Counts,
// samples, times and parameters are those of an exact reference.
// RUN: rubato-interp %s --ranks 4 --rounds 9 --samples 1000 --cost %S/Inputs/four-speeds.cost --log %t.jsonl --check-samples --print-cell @w | FileCheck %s
// RUN: grep '"op":"repeat"' %t.jsonl | grep '"rank":3' | FileCheck %s --check-prefix=FAST
// RUN: grep '"op":"all_reduce"' %t.jsonl | grep '"rank":3' | FileCheck %s --check-prefix=POSTED
// A member that dies: what it had not posted comes again.
// RUN: rubato-interp %s --ranks 4 --rounds 9 --samples 100 --kill 3@4.3 --check-samples --cost %S/Inputs/four-speeds.cost | FileCheck %s --check-prefix=DEATH
// RUN: rubato-interp %s --ranks 4 --rounds 9 --samples 100 --kill 0@2.1 --check-samples --schedule random --seed 9 | FileCheck %s --check-prefix=DEATH
// Jitter comes from the seed.
// RUN: echo 'jitter = 0.5' > %t.cost
// RUN: rubato-interp %s --ranks 4 --rounds 9 --seed 1 --cost %t.cost --log %t.1 > %t.out1
// RUN: rubato-interp %s --ranks 4 --rounds 9 --seed 1 --cost %t.cost --log %t.2 > %t.out2
// RUN: rubato-interp %s --ranks 4 --rounds 9 --seed 2 --cost %t.cost --log %t.3
// RUN: diff %t.out1 %t.out2 && diff %t.1 %t.2 && not diff %t.1 %t.3

// DEATH: rank {{[03]}} @worker dead
// DEATH: lost 0, twice 0

// CHECK: rank 0 @worker ended: rounds 10, collectives 10
// CHECK-NEXT: @w = 2.5812
// CHECK-NEXT: @seen = 872
// CHECK: repeats: 1 x 14 2 x 10 3 x 5 4 x 5 5 x 1 6 x 1 7 x 3 8 x 1
// CHECK: rank 0 @w: 2.58126{{[0-9]+}}{{$}}
// CHECK: sample accounting: 0 whole epochs of 1000, lost 0, twice 0, given back 0

// FAST: "t":270000000,{{.*}}"round":0,{{.*}}"k":1}
// FAST-NEXT: "t":2160000000,{{.*}}"round":1,{{.*}}"k":7}
// FAST-NEXT: "round":2,{{.*}}"k":4}
// FAST-NEXT: "round":3,{{.*}}"k":7}
// FAST-NEXT: "round":4,{{.*}}"k":4}
// FAST-NEXT: "round":5,{{.*}}"k":8}
// FAST-NEXT: "round":6,{{.*}}"k":4}
// FAST-NEXT: "round":7,{{.*}}"k":7}
// FAST-NEXT: "round":8,{{.*}}"k":5}
// FAST-NEXT: "round":9,{{.*}}"k":6}
// POSTED: "t":270000000,{{.*}}"seq":0}
// POSTED-NEXT: "t":2160000000,{{.*}}"seq":1}

!F = !gsync.future<tensor<f64>, i64, tensor<i64>>

gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<f64> role(state)
gsync.cell @seen : i64 role(counter)

func.func @gradient(%w: tensor<f64>, %b: tensor<f64>, %weights: tensor<8xf64>, %ids: tensor<8xi64>, %acc: tensor<f64>) -> tensor<f64> {
  %eight = arith.constant dense<8.0> : tensor<f64>
  %d = arith.subf %w, %b : tensor<f64>
  %g = arith.mulf %d, %eight : tensor<f64>
  %sum = arith.addf %acc, %g : tensor<f64>
  return %sum : tensor<f64>
}

// No update before the first reduction: it has no samples.
func.func private @update(%g: tensor<f64>, %n: i64) {
  %zero = arith.constant 0 : i64
  %any = arith.cmpi sgt, %n, %zero : i64
  scf.if %any {
    gsync.atomic (@w, @seen) {
    ^bb0(%w: tensor<f64>, %s: i64):
      %count = arith.sitofp %n : i64 to f64
      %unit = arith.constant 0.0015625 : f64
      %rate = arith.mulf %count, %unit : f64
      %scale = arith.divf %rate, %count : f64
      %t = tensor.from_elements %scale : tensor<f64>
      %d = arith.mulf %t, %g : tensor<f64>
      %w1 = arith.subf %w, %d : tensor<f64>
      %s1 = arith.addi %s, %n : i64
      gsync.yield cells(%w1, %s1 : tensor<f64>, i64)
    }
  }
  return
}

gsync.role @worker on @world {
  gsync.init {
    %p = gsync.ready : !F
    gsync.yield %p : !F
  }
  gsync.strand (%prev: !F) {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c8 = arith.constant 8 : i64
    %members, %rank = gsync.view @world : i64, i64
    %place = arith.addi %rank, %c1 : i64
    %real = arith.sitofp %place : i64 to f64
    %b = tensor.from_elements %real : tensor<f64>
    %w = gsync.load @w : tensor<f64>
    %none = gsync.zero : tensor<f64>
    %acc, %k = gsync.repeat until(%prev : !F) at_least(%c1) iter(%none : tensor<f64>) {
    ^bb0(%i: i64, %a: tensor<f64>):
      %weights, %ids = gsync.next_batch from(queue acked_by(@grads)) : tensor<8xf64>, tensor<8xi64>
      %a1 = func.call @gradient(%w, %b, %weights, %ids, %a) : (tensor<f64>, tensor<f64>, tensor<8xf64>, tensor<8xi64>, tensor<f64>) -> tensor<f64>
      gsync.yield %a1 : tensor<f64>
    }
    %n = arith.muli %k, %c8 : i64
    %q = gsync.stop_requested : tensor<i64>
    %next = gsync.all_reduce sum on @grads (%acc, %n, %q) : (tensor<f64>, i64, tensor<i64>) -> !F
    %G, %N, %Q = gsync.await %prev : !F
    func.call @update(%G, %N) : (tensor<f64>, i64) -> ()
    %stop = tensor.extract %Q[] : tensor<i64>
    %go = arith.cmpi eq, %stop, %c0 : i64
    gsync.next %go (%next : !F)
  }
  gsync.drain (%last: !F) {
    %G, %N, %Q = gsync.await %last : !F
    func.call @update(%G, %N) : (tensor<f64>, i64) -> ()
    gsync.yield
  }
}
