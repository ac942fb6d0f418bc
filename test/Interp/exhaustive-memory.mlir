// An exploration ends by itself before memory does.
// RUN: not rubato-interp %s --rounds 2 --exhaustive --max-memory 1 2>&1 | FileCheck %s
// RUN: not rubato-interp %s --rounds 2 --exhaustive --max-memory 0 2>&1 | FileCheck %s --check-prefix=USAGE

// CHECK: error: not finished: more than 1 MiB; raise --max-memory, or take fewer --ranks or --rounds, --deaths 0, or smaller batches
// USAGE: error: {{.*}}--max-memory at least 1

gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %zero = arith.constant 0 : i64
    %asked = gsync.stop_requested : tensor<i64>
    %f = gsync.all_reduce sum on @all (%asked) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %any = gsync.await %f : !gsync.future<tensor<i64>>
    %number = tensor.extract %any[] : tensor<i64>
    %go = arith.cmpi eq, %number, %zero : i64
    gsync.next %go
  }
}
