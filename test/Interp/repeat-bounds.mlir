// How often gsync.repeat runs its body: bounds, and bodies ahead of the test.
// The body takes 1 ms, the reduction arrives after 2.5 ms.
// RUN: rubato-interp %s --ranks 1 --cost %S/Inputs/bounds.cost | FileCheck %s
// RUN: rubato-interp %s --ranks 1 --cost %S/Inputs/tie.cost | FileCheck %s --check-prefix=TIE

// What completes at the time of a poll counts as done.
// TIE: @until = 2
// TIE: @ahead = 3

// Done before the third body has completed.
// CHECK: @until = 3
// CHECK-NEXT: @most = 2
// CHECK-NEXT: @least = 5
// CHECK-NEXT: @none = 0
// One body more has started when the test sees it.
// CHECK-NEXT: @ahead = 4
// CHECK-NEXT: @exact = 4
// CHECK-NEXT: @polled = 1
// CHECK-NEXT: @elapsed = 0.018

!F = !gsync.future<i64>

gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.cell @until : i64 role(state)
gsync.cell @most : i64 role(state)
gsync.cell @least : i64 role(state)
gsync.cell @none : i64 role(state)
gsync.cell @ahead : i64 role(state)
gsync.cell @exact : i64 role(state)
gsync.cell @polled : i64 role(state)
gsync.cell @elapsed : f64 role(state)

func.func @gradient(%i: i64) -> i64 {
  return %i : i64
}

gsync.role @worker on @world {
  gsync.strand {
    %false = arith.constant false
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c4 = arith.constant 4 : i64
    %c5 = arith.constant 5 : i64
    %begin = gsync.now : f64

    %f0 = gsync.all_reduce sum on @all (%c1) : (i64) -> !F
    %until = gsync.repeat until(%f0 : !F) at_least(%c1) {
    ^bb0(%i: i64):
      %x = func.call @gradient(%i) : (i64) -> i64
      gsync.yield
    }
    %v0 = gsync.await %f0 : !F

    %f1 = gsync.all_reduce sum on @all (%c1) : (i64) -> !F
    %early = gsync.done %f1 : !F
    %most = gsync.repeat until(%f1 : !F) at_least(%c1) at_most(%c2) {
    ^bb0(%i: i64):
      %x = func.call @gradient(%i) : (i64) -> i64
      gsync.yield
    }
    %v1 = gsync.await %f1 : !F

    %f2 = gsync.all_reduce sum on @all (%c1) : (i64) -> !F
    %least = gsync.repeat until(%f2 : !F) at_least(%c5) {
    ^bb0(%i: i64):
      %x = func.call @gradient(%i) : (i64) -> i64
      gsync.yield
    }
    %late = gsync.done %f2 : !F
    %none = gsync.repeat until(%f2 : !F) at_least(%c0) {
    ^bb0(%i: i64):
      %x = func.call @gradient(%i) : (i64) -> i64
      gsync.yield
    }
    %v2 = gsync.await %f2 : !F

    %f3 = gsync.all_reduce sum on @all (%c1) : (i64) -> !F
    %ahead = gsync.repeat until(%f3 : !F) at_least(%c1) ahead(1) {
    ^bb0(%i: i64):
      %x = func.call @gradient(%i) : (i64) -> i64
      gsync.yield
    }
    %v3 = gsync.await %f3 : !F

    %exact = gsync.repeat at_least(%c4) at_most(%c4) {
    ^bb0(%i: i64):
      %x = func.call @gradient(%i) : (i64) -> i64
      gsync.yield
    }
    %a = arith.extui %early : i1 to i64
    %b = arith.extui %late : i1 to i64
    %polled = arith.addi %a, %b : i64
    %end = gsync.now : f64
    %elapsed = arith.subf %end, %begin : f64
    gsync.atomic (@until, @most, @least, @none, @ahead, @exact, @polled, @elapsed) {
    ^bb0(%x0: i64, %x1: i64, %x2: i64, %x3: i64, %x4: i64, %x5: i64, %x6: i64, %x7: f64):
      gsync.yield cells(%until, %most, %least, %none, %ahead, %exact, %polled, %elapsed : i64, i64, i64, i64, i64, i64, i64, f64)
    }
    gsync.next %false
  }
}
