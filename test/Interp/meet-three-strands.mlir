// A meeting is over when the other strand that meets there has ended, whoever
// else still runs: @long gets false while @other waits for its end.
// RUN: rubato-interp %s --ranks 1 --rounds 3 | FileCheck %s
// RUN: rubato-interp %s --ranks 1 --rounds 3 --schedule random --seed 5 | FileCheck %s

// CHECK: rank 0 @worker ended: rounds 2, 1, {{[0-9]+}},

gsync.group @world
gsync.rendezvous @turn

func.func private @meet() -> i1 {
  %met = gsync.meet @turn : i1
  return %met : i1
}

gsync.role @worker on @world {
  gsync.strand @long {
    %met = func.call @meet() : () -> i1
    gsync.next %met
  }
  gsync.strand @short {
    %false = arith.constant false
    %met = gsync.meet @turn : i1
    gsync.next %false
  }
  gsync.strand @other {
    %zero = arith.constant 0 : i64
    %asked = gsync.stop_requested : tensor<i64>
    %number = tensor.extract %asked[] : tensor<i64>
    %go = arith.cmpi eq, %number, %zero : i64
    gsync.next %go
  }
}
