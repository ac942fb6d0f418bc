// A unit compiled to an object file and run against a runtime that prints what
// it is asked for. `Inputs/printing_runtime.c` includes the real ABI header, so
// the layouts of every constant and of the unit are checked by use.
// RUN: rubato-opt %s --sched-verify-segments --convert-sched-to-llvm \
// RUN:   --sched-emit-unit='manifest={{"abi":1}} weights-size=4' -o %t.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.mlir -o %t.ll
// RUN: llc -filetype=obj -relocation-model=pic %t.ll -o %t.o
// RUN: clang -std=c11 -Wall -Werror -I %source/runtime/abi %S/Inputs/printing_runtime.c %t.o -o %t.exe

// RUN: %t.exe | FileCheck %s
// CHECK: abi 3 manifest {"abi":1} (9) weights abc (4) evaluate none
// CHECK-NEXT: == round
// CHECK-NEXT: quanta
// CHECK-NEXT: batch
// CHECK-NEXT: segment accumulate, launches 1, collectives 0
// CHECK-NEXT: launch scale lane 0 [0, 4) private[16,16] rw
// CHECK-NEXT: end
// CHECK-NEXT: batch
// CHECK-NEXT: segment accumulate, launches 1, collectives 0
// CHECK-NEXT: launch scale lane 0 [0, 4) private[16,16] rw
// CHECK-NEXT: end
// CHECK-NEXT: stop requested
// CHECK-NEXT: write shared[32,8] 5
// CHECK-NEXT: segment reduce, launches 1, collectives 1
// CHECK-NEXT: launch move lane 0 [0, 4) private[16,16] r shared[0,16] w
// CHECK-NEXT: record lane 0 event 0
// CHECK-NEXT: wait lane 1 event 0
// CHECK-NEXT: collective kind 0 lane 1 channel 2 seq 0 future 1 in shared[0] f32 x4 in shared[32] i64 x1 out result[0] f32 x4 out result[32] i64 x1
// CHECK-NEXT: record lane 1 event 1
// CHECK-NEXT: wait lane 0 event 1
// CHECK-NEXT: end
// CHECK-NEXT: read result[32,8]
// CHECK-NEXT: read result[4,4]
// The stop count is 5, and 1 + 1 was doubled twice: 8.
// CHECK-NEXT: write private[40,8] 13
// CHECK-NEXT: status 0 go 1
// CHECK-NEXT: == gradient
// CHECK-NEXT: segment accumulate
// CHECK-NEXT: launch scale
// CHECK-NEXT: end
// CHECK-NEXT: status 0

// A segment that the device has replayed has nothing left to do.
// RUN: %t.exe again | FileCheck %s --check-prefix=AGAIN
// AGAIN: == gradient
// AGAIN-NEXT: segment accumulate, launches 1, collectives 0
// AGAIN-NEXT: status 0

// A call that fails is the last one, and its status comes back.
// RUN: %t.exe 0 | FileCheck %s --check-prefix=FAIL0
// FAIL0: == round
// FAIL0-NEXT: quanta
// FAIL0-NEXT: batch
// FAIL0-NEXT: status 2 go -1
// RUN: %t.exe 3 | FileCheck %s --check-prefix=FAIL3
// FAIL3: == round
// FAIL3: launch scale
// FAIL3-NEXT: end
// FAIL3-NEXT: batch
// FAIL3-NEXT: status 2 go -1
// RUN: %t.exe 10 | FileCheck %s --check-prefix=FAIL10
// FAIL10: == round
// FAIL10: wait lane 1 event 0
// FAIL10-NEXT: status 2 go -1
// RUN: %t.exe 11 | FileCheck %s --check-prefix=FAIL11
// FAIL11: collective kind 0
// FAIL11-NEXT: status 2 go -1
// RUN: %t.exe 14 | FileCheck %s --check-prefix=FAIL14
// FAIL14: read result[32,8]
// FAIL14-NEXT: status 2 go -1

sched.arena private(64) shared(64) result(64)
sched.buffer @pad private at(0) bytes(32)
sched.buffer @x private at(16) bytes(16)
sched.buffer @out private at(40) bytes(8)
sched.buffer @grad shared at(0) bytes(16)
sched.buffer @meta shared at(32) bytes(8)
sched.buffer @sum result at(0) bytes(16)
sched.buffer @meta.sum result at(32) bytes(8)

// Kernels of printing_runtime.c.
func.func private @scale(tensor<4xf32>) -> tensor<4xf32>
llvm.func @move(!llvm.ptr, i64, i64)

sched.segment @accumulate {
  sched.launch compute @scale [0, 4] args(@x, @x) reads(@x[0, 16]) writes(@x[0, 16])
}
sched.segment @reduce {
  sched.launch compute @move [0, 4] args(@pad[16], @grad) reads(@x[0, 16]) writes(@grad[0, 16])
  %0 = sched.record compute
  sched.wait comm, %0
  sched.collective comm all_reduce channel(2) seq(0) future(1)
      ins(@grad[0, 16] : f32, @meta[0, 8] : i64) outs(@sum[0, 16] : f32, @meta.sum[0, 8] : i64)
  %1 = sched.record comm
  sched.wait compute, %1
}

sched.program @round -> i1 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : i64
  %quanta = sched.quanta : i64
  %doubled = arith.muli %quanta, %two : i64
  %pairs = arith.ceildivsi %doubled, %two : i64
  %n = arith.index_cast %pairs : i64 to index
  scf.for %i = %zero to %n step %one {
    sched.next_batch
    sched.run @accumulate
  }
  %stop = sched.stop_requested : i64
  sched.write %stop, @meta[0, 8] : i64
  sched.run @reduce
  %stops = sched.read @meta.sum[0, 8] : i64
  %value = sched.read @sum[4, 4] : f32
  %integer = arith.fptosi %value : f32 to i64
  %both = arith.addi %stops, %integer : i64
  sched.write %both, @out[0, 8] : i64
  %go = arith.cmpi sgt, %both, %two : i64
  sched.return %go : i1
}
sched.program @gradient {
  sched.run @accumulate
  sched.return
}
