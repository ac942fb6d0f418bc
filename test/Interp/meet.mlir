// Two strands of one rank meet every round until one ends; the other then gets
// false. Cells are shared by the strands.
// RUN: rubato-interp %s --ranks 1 | FileCheck %s
// RUN: rubato-interp %s --ranks 1 --schedule random --seed 11 | FileCheck %s

// CHECK: rank 0 @worker ended: rounds 4, 3
// CHECK-NEXT: @met = 6
// CHECK-NEXT: @drained = 7

gsync.group @world
gsync.rendezvous @turn
gsync.cell @met : i64 role(state)
gsync.cell @drained : i64 role(state)

func.func private @count(%met: i1) {
  gsync.atomic (@met) {
  ^bb0(%a: i64):
    %more = arith.extui %met : i1 to i64
    %sum = arith.addi %a, %more : i64
    gsync.yield cells(%sum : i64)
  }
  return
}

gsync.role @worker on @world {
  gsync.init {
    %zero = arith.constant 0 : i64
    gsync.yield %zero, %zero : i64, i64
  }
  gsync.strand @long (%i: i64) {
    %c1 = arith.constant 1 : i64
    %next = arith.addi %i, %c1 : i64
    %met = gsync.meet @turn : i1
    func.call @count(%met) : (i1) -> ()
    gsync.next %met (%next : i64)
  }
  gsync.strand @short (%i: i64) {
    %c1 = arith.constant 1 : i64
    %c3 = arith.constant 3 : i64
    %next = arith.addi %i, %c1 : i64
    %met = gsync.meet @turn : i1
    func.call @count(%met) : (i1) -> ()
    %go = arith.cmpi slt, %next, %c3 : i64
    gsync.next %go (%next : i64)
  }
  gsync.drain (%a: i64, %b: i64) {
    gsync.atomic (@drained) {
    ^bb0(%old: i64):
      %sum = arith.addi %a, %b : i64
      gsync.yield cells(%sum : i64)
    }
    gsync.yield
  }
}
