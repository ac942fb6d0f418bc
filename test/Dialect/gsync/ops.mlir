// Every operation and type of gsync survives printing, parsing and bytecode.
// RUN: rubato-opt %s | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --emit-bytecode | rubato-opt | FileCheck %s
// RUN: rubato-opt %s --mlir-print-op-generic | rubato-opt | FileCheck %s

// CHECK: gsync.train algorithm(#allreduce.algorithm) learning_rate(5.000000e-02)
gsync.train algorithm(#allreduce.algorithm) learning_rate(5.000000e-02)

// CHECK: gsync.group @world
gsync.group @world
// CHECK: gsync.channel @grads on @world kind(collective)
gsync.channel @grads on @world kind(collective)
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

// CHECK: gsync.role @worker on @world {
gsync.role @worker on @world {
  // CHECK-NEXT: gsync.strand {
  gsync.strand {
    // CHECK-NEXT: %[[W:.+]] = gsync.load @w : tensor<8xf32>
    %w = gsync.load @w : tensor<8xf32>
    // CHECK-NEXT: %[[COUNT:.+]] = gsync.quanta : i64
    %count = gsync.quanta : i64
    // CHECK-NEXT: %[[ZERO:.+]] = gsync.zero : tensor<8xf32>
    %zero = gsync.zero : tensor<8xf32>
    // CHECK-NEXT: %[[SUM:.+]], %{{.+}} = gsync.repeat at_least(%[[COUNT]]) at_most(%[[COUNT]]) iter(%[[ZERO]] : tensor<8xf32>) {
    // CHECK-NEXT: ^bb0(%{{.+}}: i64, %[[ACC:.+]]: tensor<8xf32>):
    // CHECK-NEXT: gsync.yield %[[ACC]] : tensor<8xf32>
    // CHECK-NEXT: }
    %sum, %k = gsync.repeat at_least(%count) at_most(%count) iter(%zero : tensor<8xf32>) {
    ^bb0(%i: i64, %acc: tensor<8xf32>):
      gsync.yield %acc : tensor<8xf32>
    }
    // CHECK-NEXT: %{{.+}} = gsync.repeat at_least(%[[COUNT]]) at_most(%[[COUNT]]) {
    // CHECK-NEXT: ^bb0(%{{.+}}: i64):
    // CHECK-NEXT: gsync.next_batch from(cursor) : tensor<2x3xf32>, tensor<2xi64>
    // CHECK-NEXT: gsync.yield
    // CHECK-NEXT: }
    gsync.repeat at_least(%count) at_most(%count) {
    ^bb0(%i: i64):
      %skip:2 = gsync.next_batch from(cursor) : tensor<2x3xf32>, tensor<2xi64>
    }
    // CHECK-NEXT: %{{.+}}:4 = gsync.next_batch from(cursor) : tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>, tensor<2xi64>
    %batch:4 = gsync.next_batch from(cursor) : tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>, tensor<2xi64>
    // CHECK-NEXT: %[[STOP:.+]] = gsync.stop_requested : tensor<i64>
    %stop = gsync.stop_requested : tensor<i64>
    // CHECK-NEXT: %[[F:.+]] = gsync.all_reduce sum on @grads(%[[SUM]], %[[STOP]]) : (tensor<8xf32>, tensor<i64>) -> !gsync.future<tensor<8xf32>, tensor<i64>>
    %f = gsync.all_reduce sum on @grads (%sum, %stop) : (tensor<8xf32>, tensor<i64>) -> !gsync.future<tensor<8xf32>, tensor<i64>>
    // CHECK-NEXT: %[[G:.+]]:2 = gsync.await %[[F]] : !gsync.future<tensor<8xf32>, tensor<i64>>
    %g, %q = gsync.await %f : !gsync.future<tensor<8xf32>, tensor<i64>>
    // CHECK-NEXT: gsync.atomic (@w, @seen) {
    // CHECK-NEXT: ^bb0(%{{.+}}: tensor<8xf32>, %[[S:.+]]: tensor<i64>):
    // CHECK-NEXT: gsync.yield cells(%[[G]]#0, %[[S]] : tensor<8xf32>, tensor<i64>)
    // CHECK-NEXT: }
    gsync.atomic (@w, @seen) {
    ^bb0(%w0: tensor<8xf32>, %s0: tensor<i64>):
      gsync.yield cells(%g, %s0 : tensor<8xf32>, tensor<i64>)
    }
    // CHECK-NEXT: %[[GO:.+]] = arith.constant false
    %go = arith.constant false
    // CHECK-NEXT: gsync.next %[[GO]]
    gsync.next %go
  }
  // CHECK: gsync.model {
  gsync.model {
    // CHECK-NEXT: %[[W:.+]] = gsync.load @w : tensor<8xf32>
    %w = gsync.load @w : tensor<8xf32>
    // CHECK-NEXT: gsync.yield %[[W]] : tensor<8xf32>
    gsync.yield %w : tensor<8xf32>
  }
}
