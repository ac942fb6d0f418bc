// RUN: rubato-opt %s --gsync-test-mutate=kind=drop-await 2>&1 | FileCheck %s --check-prefix=DROP
// RUN: rubato-opt %s --gsync-test-mutate=kind=await-twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not rubato-opt %s --gsync-test-mutate="kind=drop-await site=1" 2>&1 | FileCheck %s --check-prefix=SITE
// RUN: not rubato-opt %s --gsync-test-mutate=kind=nonsense 2>&1 | FileCheck %s --check-prefix=KIND

// DROP: remark: mutated: drop-await
// DROP: gsync.all_reduce
// DROP-NOT: gsync.await
// TWICE: gsync.all_reduce
// TWICE-NEXT: gsync.await
// TWICE-NEXT: gsync.await
// SITE: mutation 'drop-await' has 1 sites, not 2
// KIND: unknown mutation 'nonsense'; there are: drop-await await-twice

gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %q = gsync.stop_requested : tensor<i64>
    %f = gsync.all_reduce sum on @c(%q) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    %n = tensor.extract %s[] : tensor<i64>
    %zero = arith.constant 0 : i64
    %go = arith.cmpi eq, %n, %zero : i64
    gsync.next %go
  }
}
