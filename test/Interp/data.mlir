// What real inputs contain, as --data says.
// RUN: rubato-interp %s --ranks 2 --rounds 1 --samples 4 --data rank --print-cell @x | FileCheck %s --check-prefix=RANK
// RUN: rubato-interp %s --ranks 2 --rounds 1 --samples 4 --data id --print-cell @x | FileCheck %s --check-prefix=ID
// RUN: rubato-interp %s --ranks 2 --rounds 1 --samples 4 --seed 1 --print-cell @x > %t.default
// RUN: rubato-interp %s --ranks 2 --rounds 1 --samples 4 --seed 1 --data random --print-cell @x | diff %t.default -

// RANK: rank 0 @x: 1 1 1 1
// RANK: rank 1 @x: 2 2 2 2
// Samples 0 and 1, then 2 and 3: -2 plus an eighth of 5 s + 3 j.
// ID: rank 0 @x: -2 -1.625 -1.375 -1{{$}}
// ID: rank 1 @x: -0.75 -0.375 -0.125 0.25

gsync.group @world
gsync.cell @x : tensor<2x2xf32> role(state)
gsync.role @worker on @world {
  gsync.strand {
    %x, %weights, %ids = gsync.next_batch from(cursor) : tensor<2x2xf32>, tensor<2xf32>, tensor<2xi64>
    gsync.atomic (@x) {
    ^bb0(%old: tensor<2x2xf32>):
      gsync.yield cells(%x : tensor<2x2xf32>)
    }
    %stop = arith.constant false
    gsync.next %stop
  }
}
