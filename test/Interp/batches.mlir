// Where batches come from: cursor, range, keyed, peek and whole, and what a
// round reserves. Batches of two samples, ten samples.
// RUN: rubato-interp %s --ranks 2 --rounds 3 --samples 10 --check-samples --log %t.jsonl | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOG < %t.jsonl
// RUN: rubato-interp %s --ranks 2 --rounds 3 --samples 10 --quanta 2 --check-samples | FileCheck %s --check-prefix=QUANTA

// Two rounds of four samples and one of the two that are left: 0 + … + 9.
// CHECK: @ids = 45
// CHECK-NEXT: @seen = 10
// CHECK-NEXT: @reserved = 10
// CHECK-NEXT: @quanta = 3
// CHECK: samples consumed: 10
// CHECK: sample accounting: 1 whole epochs of 10, lost 0, twice 0, given back 0
// LOG-DAG: "rank":0,"strand":0,"round":0,"op":"next_batch","source":"cursor","ids":[0,1]}
// LOG-DAG: "rank":1,"strand":0,"round":0,"op":"next_batch","source":"cursor","ids":[2,3]}
// LOG-DAG: "rank":1,"strand":0,"round":1,"op":"next_batch","source":"cursor","ids":[6,7]}
// LOG-DAG: "rank":1,"strand":0,"round":2,"op":"next_batch","source":"cursor","ids":[9]}
// LOG-DAG: "rank":0,"strand":0,"round":0,"op":"next_batch","source":"peek","ids":[4,5]}
// The whole data set has five batches; behind them there is nothing.
// LOG-DAG: "rank":1,"strand":0,"round":2,"op":"next_batch","source":"whole","ids":[6,7]}
// LOG-DAG: "rank":1,"strand":0,"round":2,"op":"next_batch","source":"whole","ids":[]}

// Eight, then the two that are left of the epoch, then eight of the next one.
// QUANTA: @ids = 73
// QUANTA-NEXT: @seen = 18
// QUANTA-NEXT: @reserved = 18
// QUANTA-NEXT: @quanta = 6
// QUANTA: lost 0, twice 0

gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.cell @ids : tensor<i64> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @reserved : i64 role(state)
gsync.cell @quanta : i64 role(state)

func.func @weigh(%weights: tensor<2xf32>, %ids: tensor<2xi64>) -> (tensor<i64>, tensor<i64>) {
  %n = arith.fptosi %weights : tensor<2xf32> to tensor<2xi64>
  %x = arith.muli %n, %ids : tensor<2xi64>
  %sum = nn.reduce sum %x dims [0] : tensor<2xi64> -> tensor<i64>
  %count = nn.reduce sum %n dims [0] : tensor<2xi64> -> tensor<i64>
  return %sum, %count : tensor<i64>, tensor<i64>
}

gsync.role @worker on @world {
  gsync.strand {
    %c0 = arith.constant 0 : i64
    %q = gsync.quanta : i64
    %B = gsync.round_samples : i64
    %z = gsync.zero : tensor<i64>
    %peeked:2 = gsync.next_batch from(peek) : tensor<2xf32>, tensor<2xi64>
    %all = gsync.data_samples : i64
    %three = arith.constant 3 : i64
    %two = arith.constant 2 : i64
    %behind = arith.divsi %all, %two : i64
    %fourth:2 = gsync.next_batch from(whole(%three)) : tensor<2xf32>, tensor<2xi64>
    %none:2 = gsync.next_batch from(whole(%behind)) : tensor<2xf32>, tensor<2xi64>
    %drawn:2 = gsync.next_batch from(keyed(%c0, %q)) : tensor<2xf32>, tensor<2xi64>
    %sum, %n, %k = gsync.repeat at_least(%q) at_most(%q) iter(%z, %z : tensor<i64>, tensor<i64>) {
    ^bb0(%i: i64, %a: tensor<i64>, %c: tensor<i64>):
      %weights, %ids = gsync.next_batch from(cursor) : tensor<2xf32>, tensor<2xi64>
      %s, %m = func.call @weigh(%weights, %ids) : (tensor<2xf32>, tensor<2xi64>) -> (tensor<i64>, tensor<i64>)
      %a1 = arith.addi %a, %s : tensor<i64>
      %c1 = arith.addi %c, %m : tensor<i64>
      gsync.yield %a1, %c1 : tensor<i64>, tensor<i64>
    }
    %stop = gsync.stop_requested : tensor<i64>
    %f = gsync.all_reduce sum on @all (%sum, %n, %stop) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !gsync.future<tensor<i64>, tensor<i64>, tensor<i64>>
    %S, %N, %Q = gsync.await %f : !gsync.future<tensor<i64>, tensor<i64>, tensor<i64>>
    gsync.atomic (@ids, @seen, @reserved, @quanta) {
    ^bb0(%x: tensor<i64>, %s: tensor<i64>, %r: i64, %t: i64):
      %x1 = arith.addi %x, %S : tensor<i64>
      %s1 = arith.addi %s, %N : tensor<i64>
      %r1 = arith.addi %r, %B : i64
      %t1 = arith.addi %t, %k : i64
      gsync.yield cells(%x1, %s1, %r1, %t1 : tensor<i64>, tensor<i64>, i64, i64)
    }
    %asked = tensor.extract %Q[] : tensor<i64>
    %go = arith.cmpi eq, %asked, %c0 : i64
    gsync.next %go
  }
}
