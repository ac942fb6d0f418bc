// A vote on the samples of a round. A member that dies before it posts makes
// them too few: nothing is applied and the same samples come again.
// RUN: rubato-interp %s --ranks 3 --rounds 4 --samples 12 --check-samples | FileCheck %s
// RUN: rubato-interp %s --ranks 3 --rounds 7 --samples 12 --kill 1@1 --check-samples --log %t.jsonl | FileCheck %s --check-prefix=DEATH
// RUN: FileCheck %s --check-prefix=LOG < %t.jsonl
// RUN: rubato-interp %s --ranks 3 --rounds 7 --samples 12 --kill 1@1.1 --check-samples | FileCheck %s --check-prefix=POSTED

// Four rounds of three samples: 0 + … + 11.
// CHECK: @applied = 66
// CHECK-NEXT: @seen = 12
// CHECK-NEXT: @refused = 0
// CHECK: sample accounting: 1 whole epochs of 12, lost 0, twice 0, given back 0

// Three samples, a refused round, then two a round of what is left: round 1
// + 1 + 5 = 7 rounds for 12 samples, the last with one.
// DEATH: rank 0 @worker ended: rounds 7
// DEATH-NEXT: @applied = 66
// DEATH-NEXT: @seen = 12
// DEATH-NEXT: @refused = 1
// DEATH: sample accounting: 1 whole epochs of 12, lost 0, twice 0, given back 0
// LOG: "rank":1,{{.*}}"op":"die"}
// LOG: "rank":0,"strand":0,"round":1,"op":"commit","ok":false}
// LOG: "rank":0,"strand":0,"round":2,"op":"next_batch","source":"cursor","ids":[3]}
// LOG: "rank":2,"strand":0,"round":2,"op":"next_batch","source":"cursor","ids":[4]}
// LOG: "rank":0,"strand":0,"round":2,"op":"commit","ok":true}

// What it had posted counts, so nothing is refused: 3 + 3 + 3 rounds of 2, and
// one more epoch has begun.
// POSTED: @refused = 0
// POSTED: lost 0, twice 0

gsync.group @world elastic(1 to 8)
gsync.channel @all on @world kind(collective)
gsync.cell @applied : tensor<i64> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @refused : i64 role(state)

gsync.role @worker on @world {
  gsync.strand {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %B = gsync.round_samples : i64
    %weights, %ids = gsync.next_batch from(cursor) : tensor<1xf64>, tensor<1xi64>
    %n = arith.fptosi %weights : tensor<1xf64> to tensor<1xi64>
    %x = arith.muli %n, %ids : tensor<1xi64>
    %sum = nn.reduce sum %x dims [0] : tensor<1xi64> -> tensor<i64>
    %count = nn.reduce sum %n dims [0] : tensor<1xi64> -> tensor<i64>
    %stop = gsync.stop_requested : tensor<i64>
    %f = gsync.all_reduce sum on @all (%sum, %count, %stop) : (tensor<i64>, tensor<i64>, tensor<i64>) -> !gsync.future<tensor<i64>, tensor<i64>, tensor<i64>>
    %S, %C, %Q = gsync.await %f : !gsync.future<tensor<i64>, tensor<i64>, tensor<i64>>
    %c = tensor.extract %C[] : tensor<i64>
    %ok = gsync.commit on @world expect(%c, %B) : i1
    scf.if %ok {
      gsync.atomic (@applied, @seen) {
      ^bb0(%a: tensor<i64>, %s: tensor<i64>):
        %a1 = arith.addi %a, %S : tensor<i64>
        %s1 = arith.addi %s, %C : tensor<i64>
        gsync.yield cells(%a1, %s1 : tensor<i64>, tensor<i64>)
      }
    } else {
      gsync.atomic (@refused) {
      ^bb0(%r: i64):
        %r1 = arith.addi %r, %c1 : i64
        gsync.yield cells(%r1 : i64)
      }
    }
    %q = tensor.extract %Q[] : tensor<i64>
    %go = arith.cmpi eq, %q, %c0 : i64
    gsync.next %go
  }
}
