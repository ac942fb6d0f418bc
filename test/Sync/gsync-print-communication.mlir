// What a program does besides computing, in order: helpers inlined, reads and
// pure work left out, branches by one condition joined.
// RUN: rubato-opt %s --gsync-print-communication -o %t.mlir | FileCheck %s --strict-whitespace --match-full-lines

//      CHECK:gsync.group @world
// CHECK-NEXT:gsync.channel @grads @world
// CHECK-NEXT:gsync.cell @seen
// CHECK-NEXT:gsync.role @worker @world
// CHECK-NEXT:  gsync.strand
// CHECK-NEXT:    gsync.repeat
// CHECK-NEXT:      gsync.next_batch cursor
// CHECK-NEXT:    gsync.stop_requested
// CHECK-NEXT:    gsync.all_reduce @grads of 1
// CHECK-NEXT:    gsync.await
// CHECK-NEXT:    if gsync.atomic [@seen]
// CHECK-NEXT:    if gsync.atomic [@seen]
// CHECK-NEXT:    if gsync.now
// CHECK-NEXT:    gsync.next carries 0
//  CHECK-NOT:{{.}}
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
func.func private @count(%n: tensor<i64>) {
  gsync.atomic (@seen) {
  ^bb0(%s: tensor<i64>):
    gsync.yield cells(%n : tensor<i64>)
  }
  return
}
gsync.role @worker on @world {
  gsync.strand {
    %one = arith.constant 1 : i64
    %members, %rank = gsync.view @world : i64, i64
    %k = gsync.repeat at_least(%one) at_most(%one) {
    ^bb0(%i: i64):
      %b = gsync.next_batch from(cursor) : tensor<i64>
    }
    %n = gsync.stop_requested : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    %x = tensor.extract %s[] : tensor<i64>
    %go = arith.cmpi eq, %x, %one : i64
    scf.if %go {
      func.call @count(%n) : (tensor<i64>) -> ()
    } else {
      %t = gsync.now : f64
    }
    %seen = gsync.load @seen : tensor<i64>
    scf.if %go {
      func.call @count(%seen) : (tensor<i64>) -> ()
    }
    gsync.next %go
  }
}
