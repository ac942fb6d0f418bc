// A member that joins before round 2 has the cells of those who are there, and
// is counted from then on; the log has cells and sums.
// RUN: rubato-interp %s --ranks 3 --rounds 4 --join 2@2 --log %t.jsonl --log-cells | FileCheck %s
// RUN: FileCheck %s --check-prefix=LOG < %t.jsonl
// RUN: rubato-interp %s --ranks 3 --rounds 2 --join 2@5 | FileCheck %s --check-prefix=ABSENT
// RUN: not rubato-interp %s --ranks 3 --rounds 4 --join 0@2 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not rubato-interp %s --ranks 3 --rounds 4 --join 3@2 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not rubato-interp %s --ranks 3 --rounds 4 --join 1 2>&1 | FileCheck %s --check-prefix=FIRST

// Two rounds of two members, two of three.
// CHECK: rank 0 @worker ended: rounds 4
// CHECK-NEXT: @total = 10
// CHECK: rank 2 @worker ended: rounds 4, collectives 2
// CHECK-NEXT: @total = 10
// LOG: "rank":0,{{.*}}"op":"await","of":"all_reduce","scalars":[2,0],"done":500000,
// LOG: "rank":0,{{.*}}"op":"next","go":true,"cells":{"total":2}
// LOG: "rank":2,{{.*}}"round":2,"op":"join","from":{{[01]}}
// LOG: "rank":2,{{.*}}"round":2,"op":"next","go":true,"cells":{"total":7}
// ABSENT: rank 2 @worker absent
// FIRST: error: --join {{.*}}: expected RANK@ROUND of a rank from 1 to 2 and a round from 1 on

// Whose futures would a joiner carry?
// RUN: rubato-opt %S/../Sync/Inputs/training.mlir --choose-algorithm="algorithm=abs-sgd" --expand-algorithm -o %t.abs.mlir
// RUN: not rubato-interp %t.abs.mlir --ranks 3 --rounds 4 --join 1@2 2>&1 | FileCheck %s --check-prefix=CARRIED
// CARRIED: error: rank 1 cannot join: only a role of one strand that carries no futures

gsync.group @world elastic(1 to 4)
gsync.channel @all on @world kind(collective)
gsync.cell @total : tensor<i64> role(counter)

gsync.role @worker on @world {
  gsync.strand {
    %one = arith.constant dense<1> : tensor<i64>
    %stop = gsync.stop_requested : tensor<i64>
    %f = gsync.all_reduce sum on @all (%one, %stop) : (tensor<i64>, tensor<i64>) -> !gsync.future<tensor<i64>, tensor<i64>>
    %members, %stops = gsync.await %f : !gsync.future<tensor<i64>, tensor<i64>>
    gsync.atomic (@total) {
    ^bb0(%total: tensor<i64>):
      %next = arith.addi %total, %members : tensor<i64>
      gsync.yield cells(%next : tensor<i64>)
    }
    %n = tensor.extract %stops[] : tensor<i64>
    %zero = arith.constant 0 : i64
    %go = arith.cmpi eq, %n, %zero : i64
    gsync.next %go
  }
}
