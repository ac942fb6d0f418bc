// A unit compiled to an object file and run against a runtime that prints what
// it is asked for. `Inputs/printing_runtime.c` includes the real ABI header, so
// the layouts of every constant and of the unit are checked by use.
// RUN: rubato-opt %s --sched-verify-segments --convert-sched-to-llvm \
// RUN:   --sched-emit-unit='manifest={{"abi":1}} weights-size=4' -o %t.mlir
// RUN: mlir-translate --mlir-to-llvmir %t.mlir | sed 's/internal i32 @program.round/i32 @program.round/' > %t.ll
// RUN: llc -filetype=obj -relocation-model=pic %t.ll -o %t.o
// RUN: clang -std=c11 -Wall -Werror -I %source/runtime/abi %S/Inputs/printing_runtime.c %t.o -o %t.exe

// RUN: %t.exe | FileCheck %s
// CHECK: abi 3 manifest {"abi":1} (9) weights abc (4) evaluate none functions 0
// CHECK-NEXT: == round
// CHECK-NEXT: quanta
// CHECK-NEXT: batch source 0 channel -1 keys 0
// CHECK-NEXT: segment accumulate, launches 1, values{{$}}
// CHECK-NEXT: launch scale lane 0 [0, 4) private[16,16] rw
// CHECK-NEXT: end
// CHECK-NEXT: batch source 0 channel -1 keys 0
// CHECK-NEXT: segment accumulate, launches 1, values{{$}}
// CHECK-NEXT: launch scale lane 0 [0, 4) private[16,16] rw
// CHECK-NEXT: end
// CHECK-NEXT: stop requested
// CHECK-NEXT: write private[48,8] 5
// CHECK-NEXT: renew value0
// CHECK-NEXT: segment backward, launches 2, values value0
// CHECK-NEXT: launch move lane 0 [0, 2) private[16,8] r value0[0,8] w
// CHECK-NEXT: record lane 0 event 0
// CHECK-NEXT: wait lane 1 event 0
// CHECK-NEXT: ready lane 1 channel 2 bytes 0 to 8 of in value0[0] f32 x4 done 0.5
// CHECK-NEXT: launch move lane 0 [2, 4) private[24,8] r value0[8,8] w
// CHECK-NEXT: record lane 0 event 1
// CHECK-NEXT: wait lane 1 event 1
// CHECK-NEXT: ready lane 1 channel 2 bytes 8 to 16 of in value0[0] f32 x4 done 1
// CHECK-NEXT: end
// CHECK-NEXT: all-reduce channel 2 in value0[0] f32 x4 in private[48] i64 x1
// CHECK-NEXT: await 7 first 8 out value1[0] f32 x4 out private[56] i64 x1
// CHECK-NEXT: segment step, launches 2, values value1
// CHECK-NEXT: record lane 0 event 2
// CHECK-NEXT: launch move lane 0 [0, 2) value1[0,8] r private[0,8] w
// CHECK-NEXT: wait lane 1 event 2
// CHECK-NEXT: arrive lane 1 value1, 16 bytes, done 0
// CHECK-NEXT: record lane 1 event 3
// CHECK-NEXT: wait lane 0 event 3
// CHECK-NEXT: launch move lane 0 [2, 4) value1[8,8] r private[8,8] w
// CHECK-NEXT: end
// CHECK-NEXT: read private[56,8]
// CHECK-NEXT: read private[12,4]
// The stop count is 5, and 1 + 3 was doubled twice: 16.
// CHECK-NEXT: write private[40,8] 21
// CHECK-NEXT: status 0 go 1
// CHECK-NEXT: == gradient
// CHECK-NEXT: segment accumulate
// CHECK-NEXT: launch scale
// CHECK-NEXT: end
// CHECK-NEXT: status 0

// A segment that the device has replayed has nothing left to do.
// RUN: %t.exe again | FileCheck %s --check-prefix=AGAIN
// AGAIN: == gradient
// AGAIN-NEXT: segment accumulate, launches 1, values
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
// RUN: %t.exe 11 | FileCheck %s --check-prefix=FAIL11
// FAIL11: == round
// FAIL11: wait lane 1 event 0
// FAIL11-NEXT: status 2 go -1
// RUN: %t.exe 12 | FileCheck %s --check-prefix=FAIL12
// FAIL12: ready lane 1 channel 2 bytes 0 to 8
// FAIL12-NEXT: status 2 go -1
// RUN: %t.exe 18 | FileCheck %s --check-prefix=FAIL18
// FAIL18: await 7
// FAIL18-NEXT: status 2 go -1
// RUN: %t.exe 23 | FileCheck %s --check-prefix=FAIL23
// FAIL23: arrive lane 1
// FAIL23-NEXT: status 2 go -1
// RUN: %t.exe 27 | FileCheck %s --check-prefix=FAIL27
// FAIL27: read private[56,8]
// FAIL27-NEXT: status 2 go -1

sched.arena private(64)
sched.buffer @pad private at(0) bytes(32)
sched.buffer @w private at(0) bytes(16)
sched.buffer @x private at(16) bytes(16)
sched.buffer @out private at(40) bytes(8)
sched.buffer @meta private at(48) bytes(8)
sched.buffer @meta.sum private at(56) bytes(8)
sched.buffer @grad value at(0) bytes(16)
sched.buffer @sum value at(1) bytes(16)

// Kernels of printing_runtime.c.
func.func private @scale(tensor<4xf32>) -> tensor<4xf32>
llvm.func @move(!llvm.ptr, i64, i64, !llvm.ptr)

sched.segment @accumulate {
  sched.launch compute @scale [0, 4] args(@x, @x) reads(@x[0, 16]) writes(@x[0, 16])
}
sched.segment @backward {
  sched.launch compute @move [0, 2] args(@pad[16], @grad) reads(@x[0, 8]) writes(@grad[0, 8])
  %0 = sched.record compute
  sched.wait comm, %0
  sched.ready comm channel(2) bytes(0, 8) ins(@grad[0, 16] : f32) done(0.5)
  sched.launch compute @move [2, 4] args(@pad[16], @grad) reads(@x[8, 8]) writes(@grad[8, 8])
  %1 = sched.record compute
  sched.wait comm, %1
  sched.ready comm channel(2) bytes(8, 16) ins(@grad[0, 16] : f32)
}
sched.segment @step {
  %0 = sched.record compute
  sched.launch compute @move [0, 2] args(@sum, @w) reads(@sum[0, 8]) writes(@w[0, 8])
  sched.wait comm, %0
  sched.arrive comm outs(@sum[8, 8] : f32)
  %1 = sched.record comm
  sched.wait compute, %1
  sched.launch compute @move [2, 4] args(@sum, @w) reads(@sum[8, 8]) writes(@w[8, 8])
}

sched.program @round -> i1 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %root = arith.constant 0 : i64
  %two = arith.constant 2 : i64
  %quanta = sched.quanta : i64
  %doubled = arith.muli %quanta, %two : i64
  %pairs = arith.ceildivsi %doubled, %two : i64
  %n = arith.index_cast %pairs : i64 to index
  scf.for %i = %zero to %n step %one {
    sched.batch cursor ()
    sched.run @accumulate
  }
  %stop = sched.stop_requested : i64
  sched.write %stop, @meta[0, 8] : i64
  sched.renew @grad
  sched.run @backward
  %f = sched.start all_reduce channel(2) root(%root) ins(@grad[0, 16] : f32, @meta[0, 8] : i64)
  sched.await %f outs(@sum[0, 16] : f32, @meta.sum[0, 8] : i64) first(8)
  sched.run @step
  %stops = sched.read @meta.sum[0, 8] : i64
  %value = sched.read @w[12, 4] : f32
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
