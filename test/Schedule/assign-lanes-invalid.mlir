// No event says when others have read what is ready: who writes to it again in the
// same segment is not ordered but refused.
// RUN: rubato-opt %s --assign-lanes --sched-verify-segments -verify-diagnostics

sched.arena private(64)
sched.buffer @g value at(0) bytes(64)
llvm.func @a(!llvm.ptr, i64, i64, !llvm.ptr)
sched.segment @again {
  sched.launch compute @a [0, 1] args(@g) writes(@g[0, 64])
  // expected-error @+1 {{ready (channel 0, bytes 0 to 32) on comm reads @g[0, 32] while @a on compute writes @g[16, 48]}}
  sched.ready comm channel(0) bytes(0, 32) ins(@g[0, 64] : f32)
  // expected-note @+1 {{@a is here; both touch bytes [16, 32) of the value region}}
  sched.launch compute @a [0, 1] args(@g) writes(@g[16, 48])
}
