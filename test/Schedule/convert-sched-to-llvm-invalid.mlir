// What the lowering refuses, each with a place and a remedy.
// RUN: rubato-opt %s --convert-sched-to-llvm -split-input-file -verify-diagnostics

func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
sched.arena private(64)
sched.buffer @x private at(0) bytes(64)
sched.segment @s {
  // expected-error @+1 {{kernel 'k' is not in C form yet: lower kernels before the schedule}}
  sched.launch compute @k [0, 1] args(@x, @x)
}

// -----

// expected-error @+1 {{kernel 'k' must have the C form '!llvm.func<void (ptr, i64, i64, ptr)>', it has '!llvm.func<void (ptr)>'}}
llvm.func @k(!llvm.ptr)
sched.segment @s {
  sched.launch compute @k [0, 1]
}

// -----

// expected-error @+1 {{the name 'rb_launch' is reserved for the lowered schedule: rename it}}
llvm.func @rb_launch(!llvm.ptr, i64, i64)

// -----

// expected-error @+1 {{the name 'segment.s' is reserved for the lowered schedule: rename it}}
llvm.func @segment.s(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @s {}

// -----

func.func private @other()
sched.program @p {
  // expected-error @+1 {{failed to legalize operation 'func.call'}}
  func.call @other() : () -> ()
  sched.return
}
