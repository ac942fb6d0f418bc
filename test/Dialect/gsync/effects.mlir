// Upstream passes neither merge, drop nor reorder what touches a channel, a
// cell or the data. Each case is run under every pass alone and all together.
// RUN: rubato-opt %s --canonicalize | FileCheck %s
// RUN: rubato-opt %s --cse | FileCheck %s
// RUN: rubato-opt %s --sccp | FileCheck %s
// RUN: rubato-opt %s --remove-dead-values | FileCheck %s
// RUN: rubato-opt %s --inline | FileCheck %s
// RUN: rubato-opt %s --symbol-dce | FileCheck %s
// RUN: rubato-opt %s --loop-invariant-code-motion | FileCheck %s
// RUN: rubato-opt %s --control-flow-sink | FileCheck %s
// RUN: rubato-opt %s --canonicalize --cse --sccp --inline --remove-dead-values --symbol-dce --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,CLEAN

// Declarations have no users in the IR that count, yet the runtime reads them.
// CHECK: gsync.group @world
gsync.group @world
// CHECK: gsync.channel @grads
gsync.channel @grads on @world kind(collective)
// CHECK: gsync.channel @spare
gsync.channel @spare on @world kind(collective)
// CHECK: gsync.cell @seen
gsync.cell @seen : tensor<i64> role(counter)
// CHECK: gsync.cell @untouched
gsync.cell @untouched : tensor<i64> role(counter)

// CHECK: gsync.rendezvous @turn
gsync.rendezvous @turn
// CHECK: gsync.policy @quota
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}

// Two equal reductions are two: every member must start both.
// CHECK-LABEL: func.func @equal_reductions(
// CHECK-NEXT: %[[F:.+]] = gsync.all_reduce sum on @grads(%arg0)
// CHECK-NEXT: %[[G:.+]] = gsync.all_reduce sum on @grads(%arg0)
// CHECK-NEXT: %[[H:.+]] = gsync.all_reduce sum on @spare(%arg0)
// CHECK-NEXT: %[[A:.+]] = gsync.await %[[F]]
// CHECK-NEXT: %[[B:.+]] = gsync.await %[[G]]
// CHECK-NEXT: gsync.await %[[H]]
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @equal_reductions(%a: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %f = gsync.all_reduce sum on @grads (%a) : (tensor<i64>) -> !gsync.future<tensor<i64>>
  %g = gsync.all_reduce sum on @grads (%a) : (tensor<i64>) -> !gsync.future<tensor<i64>>
  %h = gsync.all_reduce sum on @spare (%a) : (tensor<i64>) -> !gsync.future<tensor<i64>>
  %x = gsync.await %f : !gsync.future<tensor<i64>>
  %y = gsync.await %g : !gsync.future<tensor<i64>>
  %z = gsync.await %h : !gsync.future<tensor<i64>>
  return %x, %y : tensor<i64>, tensor<i64>
}

// A reduction whose sum nobody reads is still one that the others wait for.
// CHECK-LABEL: func.func @unread_reduction(
// CHECK-NEXT: %[[F:.+]] = gsync.all_reduce
// CHECK-NEXT: gsync.await %[[F]]
// CHECK-NEXT: return
func.func @unread_reduction(%a: tensor<i64>) {
  %f = gsync.all_reduce sum on @grads (%a) : (tensor<i64>) -> !gsync.future<tensor<i64>>
  %x = gsync.await %f : !gsync.future<tensor<i64>>
  return
}

// A load before and one after a change are two snapshots.
// CHECK-LABEL: func.func @loads_around_atomic(
// CHECK-NEXT: %[[BEFORE:.+]] = gsync.load @seen
// CHECK-NEXT: gsync.atomic (@seen) {
// CHECK-NEXT: ^bb0(%[[OLD:.+]]: tensor<i64>):
// CHECK-NEXT: %[[NEW:.+]] = arith.addi %[[OLD]], %arg0
// CHECK-NEXT: gsync.yield cells(%[[NEW]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[AFTER:.+]] = gsync.load @seen
// CHECK-NEXT: return %[[BEFORE]], %[[AFTER]]
func.func @loads_around_atomic(%n: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %before = gsync.load @seen : tensor<i64>
  gsync.atomic (@seen) {
  ^bb0(%old: tensor<i64>):
    %new = arith.addi %old, %n : tensor<i64>
    gsync.yield cells(%new : tensor<i64>)
  }
  %after = gsync.load @seen : tensor<i64>
  return %before, %after : tensor<i64>, tensor<i64>
}

// Two equal changes are two, though neither has a result.
// CHECK-LABEL: func.func @equal_atomics(
// CHECK: gsync.atomic (@seen) {
// CHECK: gsync.atomic (@seen) {
// CHECK: return
func.func @equal_atomics(%n: tensor<i64>) {
  gsync.atomic (@seen) {
  ^bb0(%old: tensor<i64>):
    %new = arith.addi %old, %n : tensor<i64>
    gsync.yield cells(%new : tensor<i64>)
  }
  gsync.atomic (@seen) {
  ^bb0(%old: tensor<i64>):
    %new = arith.addi %old, %n : tensor<i64>
    gsync.yield cells(%new : tensor<i64>)
  }
  return
}

// Every batch is another one, and an unread batch is skipped data. A repeated
// body is not hoisted.
// CHECK-LABEL: func.func @batches(
// CHECK-NEXT: %[[A:.+]] = gsync.next_batch
// CHECK-NEXT: %[[B:.+]] = gsync.next_batch
// CHECK-NEXT: gsync.next_batch
// CHECK-NEXT: %{{.+}} = gsync.repeat at_least(%arg0) at_most(%arg0) {
// CHECK-NEXT: ^bb0(
// CHECK-NEXT: gsync.next_batch
// CHECK-NEXT: gsync.yield
// CHECK-NEXT: }
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @batches(%n: i64) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = gsync.next_batch from(cursor) : tensor<4xf32>
  %b = gsync.next_batch from(cursor) : tensor<4xf32>
  %c = gsync.next_batch from(cursor) : tensor<4xf32>
  gsync.repeat at_least(%n) at_most(%n) {
  ^bb0(%i: i64):
    %d = gsync.next_batch from(cursor) : tensor<4xf32>
  }
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Loops that poll end when they end: two alike are two, an unread one stays, and
// none is hoisted, though their bodies only compute. One that only counts is
// what it looks like.
// CHECK-LABEL: func.func @polling_loops(
// CHECK: %[[A:.+]] = gsync.repeat until(%arg0
// CHECK: %[[B:.+]] = gsync.repeat until(%arg0
// CHECK: gsync.repeat until(%arg0
// CHECK: scf.for
// CHECK-NEXT: %{{.+}} = gsync.repeat until(%arg0
// CLEAN-NOT: gsync.repeat
// CHECK: return %[[A]], %[[B]]
func.func @polling_loops(%f: !gsync.future<tensor<i64>>, %n: i64, %i: index, %m: index) -> (i64, i64) {
  %a = gsync.repeat until(%f : !gsync.future<tensor<i64>>) at_least(%n) {
  ^bb0(%k: i64):
  }
  %b = gsync.repeat until(%f : !gsync.future<tensor<i64>>) at_least(%n) {
  ^bb0(%k: i64):
  }
  %c = gsync.repeat until(%f : !gsync.future<tensor<i64>>) at_least(%n) {
  ^bb0(%k: i64):
  }
  scf.for %j = %i to %m step %i {
    %d = gsync.repeat until(%f : !gsync.future<tensor<i64>>) at_least(%n) {
    ^bb0(%k: i64):
    }
  }
  %counted = gsync.repeat at_least(%n) at_most(%n) {
  ^bb0(%k: i64):
  }
  return %a, %b : i64, i64
}

// Polls, meetings, questions, votes and the clock give another answer each time.
// CHECK-LABEL: func.func @asked_twice(
// CHECK-COUNT-2: gsync.done
// CHECK-COUNT-2: gsync.now
// CHECK-COUNT-2: gsync.ask
// CHECK-COUNT-2: gsync.meet
// CHECK-COUNT-2: gsync.commit
// CHECK-COUNT-2: gsync.ready
func.func @asked_twice(%f: !gsync.future<tensor<i64>>, %n: i64) {
  %0 = gsync.done %f : !gsync.future<tensor<i64>>
  %1 = gsync.done %f : !gsync.future<tensor<i64>>
  %2 = gsync.now : f64
  %3 = gsync.now : f64
  %4 = gsync.ask @quota::@averaged() : () -> i1
  %5 = gsync.ask @quota::@averaged() : () -> i1
  %6 = gsync.meet @turn : i1
  %7 = gsync.meet @turn : i1
  %8 = gsync.commit on @world expect(%n, %n) : i1
  %9 = gsync.commit on @world expect(%n, %n) : i1
  %10 = gsync.ready : !gsync.future<tensor<i64>>
  %11 = gsync.ready : !gsync.future<tensor<i64>>
  return
}

// Somebody may ask to stop between two questions.
// CHECK-LABEL: func.func @stop_twice(
// CHECK-NEXT: %[[A:.+]] = gsync.stop_requested
// CHECK-NEXT: %[[B:.+]] = gsync.stop_requested
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @stop_twice() -> (tensor<i64>, tensor<i64>) {
  %a = gsync.stop_requested : tensor<i64>
  %b = gsync.stop_requested : tensor<i64>
  return %a, %b : tensor<i64>, tensor<i64>
}

// A helper with communication in it happens as often as before, by a call or
// inlined.
// CHECK-LABEL: func.func @calls(
// CHECK: {{call @helper|gsync.all_reduce}}
// CHECK: {{call @helper|gsync.all_reduce}}
func.func @calls(%a: tensor<i64>) {
  func.call @helper(%a) : (tensor<i64>) -> ()
  func.call @helper(%a) : (tensor<i64>) -> ()
  return
}
// CHECK: func.func @helper(
// CHECK: gsync.all_reduce
// CHECK: gsync.await
func.func @helper(%a: tensor<i64>) {
  %f = gsync.all_reduce sum on @grads (%a) : (tensor<i64>) -> !gsync.future<tensor<i64>>
  %x = gsync.await %f : !gsync.future<tensor<i64>>
  return
}

// Effects are exact, so what has none is still cleaned up: zeros are one
// value, an unread snapshot goes, and equal snapshots with nothing in between
// are one.
// CHECK-LABEL: func.func @no_effect(
// CLEAN-NEXT: %[[Z:.+]] = gsync.zero : tensor<i64>
// CLEAN-NEXT: %[[S:.+]] = gsync.load @seen
// CLEAN-NEXT: return %[[Z]], %[[Z]], %[[S]], %[[S]]
func.func @no_effect() -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) {
  %y = gsync.zero : tensor<i64>
  %z = gsync.zero : tensor<i64>
  %unread = gsync.load @untouched : tensor<i64>
  %s = gsync.load @seen : tensor<i64>
  %t = gsync.load @seen : tensor<i64>
  return %y, %z, %s, %t : tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>
}
