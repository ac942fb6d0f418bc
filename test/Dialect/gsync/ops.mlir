// Every operation, type and clause of gsync survives printing, parsing, the
// generic form and bytecode.
// RUN: rubato-opt %s | FileCheck %s
// RUN: rubato-opt %s | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --emit-bytecode | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --mlir-print-op-generic | rubato-opt | FileCheck %s

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

// CHECK: gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(5.000000e-02)
gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(5.000000e-02)
// Any name with any options: what they mean is not the dialect's business.
// CHECK: gsync.train algorithm(#gsync.algorithm<"some \22sgd\22", {"a-b" = 2.500000e+00 : f64, flag = true}>) learning_rate(1.000000e+00)
gsync.train algorithm(#gsync.algorithm<"some \22sgd\22", {flag = true, "a-b" = 2.5 : f64}>) learning_rate(1.0)

// CHECK: gsync.group @world
gsync.group @world
// CHECK: gsync.group @grows elastic(1 to 128)
gsync.group @grows elastic(1 to 128)
// CHECK: gsync.group @all roles(@server = 1, @worker = rest)
gsync.group @all roles(@server = 1, @worker = rest)
// CHECK: gsync.group @both elastic(2 to 8) roles(@server = 1, @worker = rest) {note = "kept"}
gsync.group @both elastic(2 to 8) roles(@server = 1, @worker = rest) {note = "kept"}
// CHECK: gsync.channel @grads on @world kind(collective)
gsync.channel @grads on @world kind(collective)
// CHECK: gsync.channel @gossip on @world kind(pair)
gsync.channel @gossip on @world kind(pair)
// CHECK: gsync.channel @ps on @all kind(mailbox) server(@server) exempt(2)
gsync.channel @ps on @all kind(mailbox) server(@server) exempt(2)
// CHECK: gsync.channel @slack on @all kind(mailbox) server(@server) exempt(2) ahead(0)
gsync.channel @slack on @all kind(mailbox) server(@server) exempt(2) ahead(0)
// CHECK: gsync.rendezvous @turn
gsync.rendezvous @turn
// CHECK: gsync.policy @match "gossip.matcher" central with {degree = 2 : i64, topology = "ring"} {
// CHECK-NEXT: gsync.entry @next : () -> (i64, i64, i1)
// CHECK-NEXT: gsync.entry @report : (i64, f64, i1) -> ()
// CHECK-NEXT: }
gsync.policy @match "gossip.matcher" central with {topology = "ring", degree = 2 : i64} {
  gsync.entry @next : () -> (i64, i64, i1)
  gsync.entry @report : (i64, f64, i1) -> ()
}
// CHECK: gsync.policy @quota "gossip.quota" local {
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
// CHECK: gsync.policy @ramp "dynamic.ramp" replicated {
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
// CHECK: gsync.cell @w : tensor<8xf32> role(parameter) layout(@params)
gsync.cell @w : tensor<8xf32> role(parameter) layout(@params)
// CHECK: gsync.cell @w_frozen : tensor<4xf32> role(frozen) layout(@frozen)
gsync.cell @w_frozen : tensor<4xf32> role(frozen) layout(@frozen)
// CHECK: gsync.cell @velocity : tensor<8xf32> role(optimizer)
gsync.cell @velocity : tensor<8xf32> role(optimizer)
// CHECK: gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @seen : tensor<i64> role(counter)
// CHECK: gsync.cell @base_lr : tensor<f32> role(setting) default(1.000000e-02) {note = "kept"}
gsync.cell @base_lr : tensor<f32> role(setting) default(1.000000e-02) {note = "kept"}
// CHECK: gsync.cell @last : f64 role(state)
gsync.cell @last : f64 role(state)

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

// CHECK: gsync.role @worker on @all {
gsync.role @worker on @all {
  // CHECK-NEXT: gsync.init {
  // CHECK-NEXT: %[[P:.+]] = gsync.ready : !gsync.future<tensor<i64>, f64>
  // CHECK-NEXT: %[[I:.+]] = arith.constant
  // CHECK-NEXT: gsync.yield %[[P]], %[[I]] : !gsync.future<tensor<i64>, f64>, i64
  gsync.init {
    %p = gsync.ready : !gsync.future<tensor<i64>, f64>
    %i = arith.constant 0 : i64
    gsync.yield %p, %i : !gsync.future<tensor<i64>, f64>, i64
  }
  // CHECK: gsync.strand @compute (%[[PREV:.+]]: !gsync.future<tensor<i64>, f64>) {
  gsync.strand @compute (%prev: !gsync.future<tensor<i64>, f64>) {
    // CHECK-NEXT: %[[GO:.+]] = arith.constant
    %go = arith.constant false
    // CHECK-NEXT: gsync.next %[[GO]](%[[PREV]] : !gsync.future<tensor<i64>, f64>)
    gsync.next %go (%prev : !gsync.future<tensor<i64>, f64>)
  }
  // CHECK: gsync.strand @talk (%[[K:.+]]: i64) {
  gsync.strand @talk (%k: i64) {
    // CHECK-NEXT: %[[MET:.+]] = gsync.meet @turn : i1
    %met = gsync.meet @turn : i1
    gsync.next %met (%k : i64)
  }
  // CHECK: gsync.drain (%[[LAST:.+]]: !gsync.future<tensor<i64>, f64>, %{{.+}}: i64) {
  // CHECK-NEXT: %{{.+}}:2 = gsync.await %[[LAST]] : !gsync.future<tensor<i64>, f64>
  // CHECK-NEXT: gsync.yield
  gsync.drain (%last: !gsync.future<tensor<i64>, f64>, %k: i64) {
    %n, %l = gsync.await %last : !gsync.future<tensor<i64>, f64>
    gsync.yield
  }
  // CHECK: gsync.model {
  // CHECK-NEXT: %[[W:.+]] = gsync.load @w : tensor<8xf32>
  // CHECK-NEXT: gsync.yield %[[W]] : tensor<8xf32>
  gsync.model {
    %w = gsync.load @w : tensor<8xf32>
    gsync.yield %w : tensor<8xf32>
  }
}

// CHECK: gsync.role @server on @all device(host) {
gsync.role @server on @all device(host) {
  // CHECK-NEXT: gsync.strand {
  gsync.strand {
    // CHECK-NEXT: %[[ONE:.+]] = arith.constant
    %one = arith.constant 1 : i64
    // CHECK-NEXT: %[[ALIVE:.+]] = gsync.workers on @ps : i64
    %alive = gsync.workers on @ps : i64
    // CHECK-NEXT: %[[C:.+]]:2, %[[WHO:.+]] = gsync.collect sum on @ps first(%[[ALIVE]]) : tensor<8xf32>, tensor<i64>, !gsync.members
    %sum, %n, %who = gsync.collect sum on @ps first(%alive) : tensor<8xf32>, tensor<i64>, !gsync.members
    // CHECK-NEXT: %{{.+}} = gsync.collect sum on @ps first(%[[ONE]]) by_staleness : !gsync.members
    %nobody = gsync.collect sum on @ps first(%one) by_staleness : !gsync.members
    // CHECK-NEXT: gsync.size %[[WHO]] : i64
    %size = gsync.size %who : i64
    // CHECK-NEXT: gsync.grant on @ps(%[[C]]#0, %[[ONE]]) to(%[[WHO]]) stale_after(%[[ONE]]) : tensor<8xf32>, i64
    gsync.grant on @ps (%sum, %one) to(%who) stale_after(%one) : tensor<8xf32>, i64
    // CHECK-NEXT: gsync.grant on @ps(%[[C]]#0) stale_after(%[[ONE]]) : tensor<8xf32>
    gsync.grant on @ps (%sum) stale_after(%one) : tensor<8xf32>
    %go = arith.constant false
    // CHECK: gsync.next %{{.+}}
    gsync.next %go
  }
  // CHECK: gsync.drain {
  // CHECK-NEXT: gsync.close on @ps
  gsync.drain {
    gsync.close on @ps
    gsync.yield
  }
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @cells(
func.func @cells(%g: tensor<8xf32>) -> (tensor<8xf32>, f64) {
  // CHECK: gsync.atomic (@w, @seen) {
  // CHECK-NEXT: ^bb0(%{{.+}}: tensor<8xf32>, %[[S:.+]]: tensor<i64>):
  // CHECK-NEXT: gsync.yield cells(%arg0, %[[S]] : tensor<8xf32>, tensor<i64>)
  // CHECK-NEXT: }
  gsync.atomic (@w, @seen) {
  ^bb0(%w: tensor<8xf32>, %s: tensor<i64>):
    gsync.yield cells(%g, %s : tensor<8xf32>, tensor<i64>)
  }
  // CHECK-NEXT: %{{.+}}:2 = gsync.atomic (@w, @last) repeatable -> (tensor<8xf32>, f64) {
  // CHECK-NEXT: ^bb0(%[[W:.+]]: tensor<8xf32>, %[[LAST:.+]]: f64):
  // CHECK-NEXT: %[[NOW:.+]] = gsync.now : f64
  // CHECK-NEXT: gsync.yield cells(%arg0, %[[NOW]] : tensor<8xf32>, f64) %[[W]], %[[LAST]] : tensor<8xf32>, f64
  // CHECK-NEXT: } {note = "kept"}
  %old:2 = gsync.atomic (@w, @last) repeatable -> (tensor<8xf32>, f64) {
  ^bb0(%w: tensor<8xf32>, %last: f64):
    %now = gsync.now : f64
    gsync.yield cells(%g, %now : tensor<8xf32>, f64) %w, %last : tensor<8xf32>, f64
  } {note = "kept"}
  return %old#0, %old#1 : tensor<8xf32>, f64
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @collectives(
func.func @collectives(%g: tensor<8xf32>, %n: i64, %ids: tensor<3xi64>, %rows: tensor<3x2xf32>) {
  // CHECK-NEXT: gsync.all_reduce sum on @grads(%arg0, %arg1) : (tensor<8xf32>, i64) -> !gsync.future<tensor<8xf32>, i64>
  %a = gsync.all_reduce sum on @grads (%g, %n) : (tensor<8xf32>, i64) -> !gsync.future<tensor<8xf32>, i64>
  // CHECK-NEXT: gsync.all_reduce sum on @grads(%arg1) sparse(%arg2, %arg3) : (i64, tensor<3xi64>, tensor<3x2xf32>) -> !gsync.future<i64, tensor<?xi64>, tensor<?x2xf32>>
  %b = gsync.all_reduce sum on @grads (%n) sparse(%ids, %rows) : (i64, tensor<3xi64>, tensor<3x2xf32>) -> !gsync.future<i64, tensor<?xi64>, tensor<?x2xf32>>
  // CHECK-NEXT: gsync.all_reduce sum on @grads() sparse(%arg2, %arg3)
  %c = gsync.all_reduce sum on @grads () sparse(%ids, %rows) : (tensor<3xi64>, tensor<3x2xf32>) -> !gsync.future<tensor<?xi64>, tensor<?x2xf32>>
  // CHECK-NEXT: gsync.all_gather on @grads(%arg0, %arg2) : (tensor<8xf32>, tensor<3xi64>) -> !gsync.future<tensor<?x8xf32>, tensor<?x3xi64>>
  %d = gsync.all_gather on @grads (%g, %ids) : (tensor<8xf32>, tensor<3xi64>) -> !gsync.future<tensor<?x8xf32>, tensor<?x3xi64>>
  // CHECK-NEXT: gsync.reduce_scatter sum on @grads(%arg0, %arg3) : (tensor<8xf32>, tensor<3x2xf32>) -> !gsync.future<tensor<?xf32>, tensor<?x2xf32>>
  %e = gsync.reduce_scatter sum on @grads (%g, %rows) : (tensor<8xf32>, tensor<3x2xf32>) -> !gsync.future<tensor<?xf32>, tensor<?x2xf32>>
  // CHECK-NEXT: gsync.broadcast from(%arg1) on @grads(%arg0, %arg1) : (tensor<8xf32>, i64) -> !gsync.future<tensor<8xf32>, i64>
  %f = gsync.broadcast from(%n) on @grads (%g, %n) : (tensor<8xf32>, i64) -> !gsync.future<tensor<8xf32>, i64>
  return
}

// CHECK-LABEL: func.func @futures(
func.func @futures(%f: !gsync.future<tensor<i64>>, %empty: !gsync.future<>) -> i1 {
  // CHECK-NEXT: %[[D:.+]] = gsync.done %arg0 : !gsync.future<tensor<i64>>
  %d = gsync.done %f : !gsync.future<tensor<i64>>
  // The short form of the type is read, too.
  // CHECK-NEXT: gsync.await %arg0 : !gsync.future<tensor<i64>>
  %v = gsync.await %f : <tensor<i64>>
  // CHECK-NEXT: gsync.await %arg1 : !gsync.future<>
  gsync.await %empty : !gsync.future<>
  // CHECK-NEXT: gsync.ready : !gsync.future<>
  %r = gsync.ready : !gsync.future<>
  return %d : i1
}

// CHECK-LABEL: func.func @pair_and_mailbox(
func.func @pair_and_mailbox(%g: tensor<8xf32>, %n: i64) {
  // CHECK-NEXT: gsync.exchange(%arg0, %arg1) with(%arg1) tag(%arg1) on @gossip : (tensor<8xf32>, i64) -> !gsync.future<tensor<8xf32>, i64>
  %a = gsync.exchange (%g, %n) with(%n) tag(%n) on @gossip : (tensor<8xf32>, i64) -> !gsync.future<tensor<8xf32>, i64>
  // CHECK-NEXT: gsync.pull on @ps after(%arg1) : !gsync.future<tensor<8xf32>, i64, i1>
  %b = gsync.pull on @ps after(%n) : !gsync.future<tensor<8xf32>, i64, i1>
  // CHECK-NEXT: gsync.push on @ps(%arg0, %arg1) ticket(%arg1) : tensor<8xf32>, i64
  gsync.push on @ps (%g, %n) ticket(%n) : tensor<8xf32>, i64
  return
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @repeats(
func.func @repeats(%f: !gsync.future<tensor<i64>>, %n: i64, %z: tensor<8xf32>) -> (tensor<8xf32>, i64) {
  // CHECK-NEXT: %[[R:.+]], %[[K:.+]] = gsync.repeat until(%arg0 : !gsync.future<tensor<i64>>) at_least(%arg1) at_most(%arg1) ahead(2) iter(%arg2 : tensor<8xf32>) {
  // CHECK-NEXT: ^bb0(%{{.+}}: i64, %[[ACC:.+]]: tensor<8xf32>):
  // CHECK-NEXT: gsync.yield %[[ACC]] : tensor<8xf32>
  // CHECK-NEXT: }
  %r, %k = gsync.repeat until(%f : !gsync.future<tensor<i64>>) at_least(%n) at_most(%n) ahead(2) iter(%z : tensor<8xf32>) {
  ^bb0(%i: i64, %acc: tensor<8xf32>):
    gsync.yield %acc : tensor<8xf32>
  }
  // CHECK-NEXT: %{{.+}} = gsync.repeat at_least(%arg1) at_most(%arg1) {
  // CHECK-NEXT: ^bb0(%{{.+}}: i64):
  // CHECK-NEXT: gsync.yield
  // CHECK-NEXT: }
  gsync.repeat at_least(%n) at_most(%n) {
  ^bb0(%i: i64):
  }
  // CHECK-NEXT: %{{.+}}:2, %{{.+}} = gsync.repeat until(%arg0 : !gsync.future<tensor<i64>>) at_least(%arg1) iter(%arg2, %arg1 : tensor<8xf32>, i64) {
  %two:2, %many = gsync.repeat until(%f : !gsync.future<tensor<i64>>) at_least(%n) iter(%z, %n : tensor<8xf32>, i64) {
  ^bb0(%i: i64, %a: tensor<8xf32>, %b: i64):
    gsync.yield %a, %b : tensor<8xf32>, i64
  }
  return %r, %k : tensor<8xf32>, i64
}

// CHECK-LABEL: func.func @batches(
func.func @batches(%a: i64, %b: i64) {
  // CHECK-NEXT: %{{.+}}:4 = gsync.next_batch from(cursor) : tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>, tensor<2xi64>
  %0:4 = gsync.next_batch from(cursor) : tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>, tensor<2xi64>
  // CHECK-NEXT: gsync.next_batch from(queue) : tensor<2xi64>
  %1 = gsync.next_batch from(queue) : tensor<2xi64>
  // CHECK-NEXT: gsync.next_batch from(queue acked_by(@grads)) : tensor<2xi64>
  %2 = gsync.next_batch from(queue acked_by(@grads)) : tensor<2xi64>
  // CHECK-NEXT: gsync.next_batch from(queue lease(%arg0)) : tensor<2xi64>
  %3 = gsync.next_batch from(queue lease(%a)) : tensor<2xi64>
  // CHECK-NEXT: gsync.next_batch from(keyed(%arg0)) : tensor<2xi64>
  %4 = gsync.next_batch from(keyed(%a)) : tensor<2xi64>
  // CHECK-NEXT: gsync.next_batch from(keyed(%arg0, %arg1, %arg0)) : tensor<2xi64>
  %5 = gsync.next_batch from(keyed(%a, %b, %a)) : tensor<2xi64>
  // CHECK-NEXT: gsync.next_batch from(range(%arg0, %arg1)) : tensor<2xi64>
  %6 = gsync.next_batch from(range(%a, %b)) : tensor<2xi64>
  // CHECK-NEXT: gsync.next_batch from(peek) : tensor<2xi64>
  %7 = gsync.next_batch from(peek) : tensor<2xi64>
  // CHECK-NEXT: gsync.next_batch from(whole(%arg0)) : tensor<2xi64>
  %8 = gsync.next_batch from(whole(%a)) : tensor<2xi64>
  return
}

// CHECK-LABEL: func.func @questions(
func.func @questions(%n: i64, %x: f64, %b: i1) {
  // CHECK-NEXT: %{{.+}}:3 = gsync.ask @match::@next() : () -> (i64, i64, i1)
  %peer, %tag, %go = gsync.ask @match::@next() : () -> (i64, i64, i1)
  // CHECK-NEXT: gsync.ask @match::@report(%arg0, %arg1, %arg2) : (i64, f64, i1) -> ()
  gsync.ask @match::@report(%n, %x, %b) : (i64, f64, i1) -> ()
  // CHECK-NEXT: %{{.+}}, %[[RANK:.+]] = gsync.view @world : i64, i64
  %members, %rank = gsync.view @world : i64, i64
  // CHECK-NEXT: gsync.commit on @world expect(%arg0, %[[RANK]]) : i1
  %ok = gsync.commit on @world expect(%n, %rank) : i1
  // CHECK-NEXT: gsync.quanta : i64
  %q = gsync.quanta : i64
  // CHECK-NEXT: gsync.round_samples : i64
  %s = gsync.round_samples : i64
  // CHECK-NEXT: gsync.data_samples : i64
  %all_of_them = gsync.data_samples : i64
  // CHECK-NEXT: gsync.stop_requested : tensor<i64>
  %stop = gsync.stop_requested : tensor<i64>
  // CHECK-NEXT: gsync.now : f64
  %now = gsync.now : f64
  // CHECK-NEXT: gsync.zero : tensor<8xf32>
  %z = gsync.zero : tensor<8xf32>
  return
}
