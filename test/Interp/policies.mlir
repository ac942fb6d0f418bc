// Questions to policies: a central one answers two at a time and lets the
// others wait; a local one counts per member; a replicated one answers all the
// same. Three ranks average in pairs until they are told to stop.
// RUN: rubato-interp %s --ranks 3 --rounds 6 --seed 1 --log %t.jsonl | FileCheck %s
// RUN: grep '"entry":"next"' %t.jsonl | FileCheck %s --check-prefix=LOG
// RUN: rubato-interp %s --ranks 3 --rounds 6 --schedule random --seed 2 | FileCheck %s --check-prefix=MEAN
// RUN: rubato-interp %s --ranks 2 --rounds 6 | FileCheck %s --check-prefix=TWO
// RUN: rubato-interp %s --ranks 3 --rounds 6 --kill 2@2 | FileCheck %s --check-prefix=DEATH
// One that waits for a partner is told when nobody is left.
// RUN: rubato-interp %s --ranks 2 --rounds 6 --kill 1@2.2 | FileCheck %s --check-prefix=ALONE

// ALONE: rank 0 @worker ended: rounds {{[0-9]+}}, collectives 1, averagings 2
// ALONE: rank 1 @worker dead: rounds 2

// CHECK: rank 0 @worker ended: rounds {{[0-9]+}}, collectives 1, averagings {{[0-9]+}}
// CHECK: @due = {{[0-9]+}}
// CHECK-NEXT: @factor = 1
// Every exchange keeps the mean of 0, 3 and 6.
// CHECK-NEXT: @mean = 3
// LOG: "op":"ask","policy":"match","entry":"next","call":{{[0-9]+}},"inputs":[],"answers":[{{[0-2]}},0,1]}
// MEAN: @mean = 3
// TWO: @mean = 1.5
// TWO: @mean = 1.5
// DEATH: rank 0 @worker ended
// DEATH: rank 2 @worker dead: rounds 2

gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.channel @all on @world kind(collective)
gsync.policy @match "gossip.matcher" central with {topology = "complete"} {
  gsync.entry @next : () -> (i64, i64, i1)
  gsync.entry @report : (i64, i64) -> i1
}
gsync.policy @quota "gossip.quota" local with {rate = 1.0 : f64, deterministic = true} {
  gsync.entry @averaged : () -> i1
}
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.cell @x : tensor<f64> role(state)
gsync.cell @due : i64 role(state)
gsync.cell @factor : f64 role(state)
gsync.cell @mean : f64 role(state)

gsync.role @worker on @world {
  gsync.init {
    %n, %rank = gsync.view @world : i64, i64
    %c3 = arith.constant 3 : i64
    %r = arith.muli %rank, %c3 : i64
    %s = arith.sitofp %r : i64 to f64
    %x = tensor.from_elements %s : tensor<f64>
    gsync.atomic (@x) {
    ^bb0(%a: tensor<f64>):
      gsync.yield cells(%x : tensor<f64>)
    }
    %zero = arith.constant 0 : i64
    gsync.yield %zero : i64
  }
  gsync.strand (%done: i64) {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %n, %rank = gsync.view @world : i64, i64
    %factor, %reset = gsync.ask @ramp::@factor(%n) : (i64) -> (f64, i1)
    %stop = gsync.stop_requested : tensor<i64>
    %q = tensor.extract %stop[] : tensor<i64>
    %live = gsync.ask @match::@report(%done, %q) : (i64, i64) -> i1
    %peer, %tag, %go = gsync.ask @match::@next() : () -> (i64, i64, i1)
    %there = arith.cmpi sge, %peer, %c0 : i64
    scf.if %there {
      %x = gsync.load @x : tensor<f64>
      %f = gsync.exchange (%x) with(%peer) tag(%tag) on @pair : (tensor<f64>) -> !gsync.future<tensor<f64>>
      %y = gsync.await %f : !gsync.future<tensor<f64>>
      %half = arith.constant dense<0.5> : tensor<f64>
      %due = gsync.ask @quota::@averaged() : () -> i1
      %one = arith.extui %due : i1 to i64
      gsync.atomic (@x, @due, @factor) {
      ^bb0(%a: tensor<f64>, %d: i64, %old: f64):
        %sum = arith.addf %a, %y : tensor<f64>
        %mean = arith.mulf %sum, %half : tensor<f64>
        %d1 = arith.addi %d, %one : i64
        gsync.yield cells(%mean, %d1, %factor : tensor<f64>, i64, f64)
      }
    }
    %next = arith.addi %done, %c1 : i64
    gsync.next %go (%next : i64)
  }
  gsync.drain (%done: i64) {
    %x = gsync.load @x : tensor<f64>
    %c1 = arith.constant 1 : i64
    %f = gsync.all_reduce sum on @all (%x, %c1) : (tensor<f64>, i64) -> !gsync.future<tensor<f64>, i64>
    %sum, %count = gsync.await %f : !gsync.future<tensor<f64>, i64>
    %s = tensor.extract %sum[] : tensor<f64>
    %c = arith.sitofp %count : i64 to f64
    %mean = arith.divf %s, %c : f64
    gsync.atomic (@mean) {
    ^bb0(%old: f64):
      gsync.yield cells(%mean : f64)
    }
    gsync.yield
  }
}
