// States that can be counted by hand. A rank is at one of its three batches,
// at its boundary, or has ended: 5 places, which the other does not notice. So
// there are 5² states on two ranks and 5³ on three; and of the transitions,
// each rank has 4, in every place of the others: 2·4·5 and 3·4·5².
// RUN: rubato-interp %s --ranks 2 --rounds 1 --exhaustive --deaths 0 --stops 0 --no-reduction | FileCheck %s --check-prefix=TWO
// RUN: rubato-interp %s --ranks 3 --rounds 1 --exhaustive --deaths 0 --stops 0 --no-reduction | FileCheck %s --check-prefix=THREE
// All of them commute: taken at once, there is only the end.
// RUN: rubato-interp %s --ranks 3 --rounds 1 --exhaustive --deaths 0 --stops 0 | FileCheck %s --check-prefix=ONE
// Too many is said to be too many.
// RUN: not rubato-interp %s --ranks 3 --rounds 1 --exhaustive --deaths 0 --stops 0 --no-reduction --max-states 100 2>&1 | FileCheck %s --check-prefix=MORE

// TWO: 25 states, 40 transitions, depth 8
// THREE: 125 states, 300 transitions, depth 12
// ONE: 1 states, 0 transitions, depth 0
// MORE: not finished: more than 100 states

gsync.group @world
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    %a:2 = gsync.next_batch from(queue) : tensor<2xf32>, tensor<2xi64>
    %b:2 = gsync.next_batch from(queue) : tensor<2xf32>, tensor<2xi64>
    %c:2 = gsync.next_batch from(queue) : tensor<2xf32>, tensor<2xi64>
    gsync.next %no
  }
}
