// Every rule of the sched dialect's verifiers, broken once.
// RUN: rubato-opt %s -split-input-file -verify-diagnostics

// expected-note @+1 {{the first one is here}}
sched.arena private(64)
// expected-error @+1 {{'sched.arena' op stands twice in the module}}
sched.arena private(64)

// -----

// expected-error @+1 {{'sched.buffer' op needs a sched.arena in the module}}
sched.buffer @w private at(0) bytes(64)

// -----

// expected-note @+1 {{the arena is here}}
sched.arena private(64)
// expected-error @+1 {{needs bytes [8, 72) of the private region, which has 64}}
sched.buffer @w private at(8) bytes(64)

// -----

// expected-note @+1 {{the arena is here}}
sched.arena private(64) scratch(128)
// The end would overflow a signed 64-bit number.
// expected-error @+1 {{needs bytes [9223372036854775807, 9223372036854775808) of the scratch region, which has 128}}
sched.buffer @w scratch at(9223372036854775807) bytes(1)

// -----

// expected-note @+1 {{the arena is here}}
sched.arena private(64)
// expected-error @+1 {{needs bytes [0, 8) of the scratch region, which has 0}}
sched.buffer @w scratch at(0) bytes(8)

// -----

// expected-error @+1 {{'scratch_bytes' failed to satisfy constraint}}
sched.arena private(64) scratch(-1)

// -----

sched.arena private(64)
// expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'region' [private, scratch, host, value]}}
sched.buffer @w shared at(0) bytes(8)

// -----

// expected-error @+1 {{'private_bytes' failed to satisfy constraint}}
sched.arena private(-1)

// -----

sched.arena private(64)
// expected-error @+1 {{'bytes' failed to satisfy constraint}}
sched.buffer @w private at(0) bytes(0)

// -----

func.func private @k()
sched.segment @s {
  // expected-error @+1 {{'sched.launch' op names no sched.buffer: @w}}
  sched.launch compute @k [0, 1] args(@w)
}

// -----

sched.arena private(64) host(8)
sched.buffer @n host at(0) bytes(8)
func.func private @k()
sched.segment @s {
  // expected-error @+1 {{takes the address of @n, which is in the host region: kernels cannot reach it, put it in the private one}}
  sched.launch compute @k [0, 1] args(@n)
}

// -----

sched.arena private(64) host(8)
sched.buffer @n host at(0) bytes(8)
sched.buffer @v value at(0) bytes(8)
sched.program @p {
  // expected-error @+1 {{shows a cell that a device reaches, but @n is in the host region}}
  sched.look @n[0, 8] in @v lock(0)
  sched.return
}

// -----

// expected-error @+1 {{has numbers outside its private region of 64 bytes}}
sched.arena private(64) numbers[60, 8]

// -----

// expected-error @+1 {{needs a place and a number of bytes for its numbers}}
sched.arena private(64) numbers[8]

// -----

sched.arena private(64)
sched.buffer @w private at(0) bytes(64)
func.func private @k()
sched.segment @s {
  // expected-error @+1 {{takes the address @w[64] but the buffer has 64 bytes}}
  sched.launch compute @k [0, 1] args(@w[64])
}

// -----

sched.arena private(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @w private at(0) bytes(32)
func.func private @k()
sched.segment @s {
  // expected-error @+1 {{'sched.launch' op reads @w[16, 32] but the buffer has 32 bytes}}
  sched.launch compute @k [0, 1] args(@w) reads(@w[16, 32])
}

// -----

sched.arena private(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @w private at(0) bytes(32)
func.func private @k()
sched.segment @s {
  // expected-error @+1 {{writes @w[16, 9223372036854775807] but the buffer has 32 bytes}}
  sched.launch compute @k [0, 1] args(@w) writes(@w[16, 9223372036854775807])
}

// -----

func.func private @k()
sched.segment @s {
  // expected-error @+1 {{range in @w must hold at least one byte, its size is 0}}
  sched.launch compute @k [0, 1] args() reads(@w[16, 0])
}

// -----

func.func private @k()
sched.segment @s {
  // expected-error @+1 {{offset in @w must not be negative, it is -4}}
  sched.launch compute @k [0, 1] args(@w[-4])
}

// -----

sched.segment @s {
  // expected-error @+1 {{'sched.launch' op names no function: @k}}
  sched.launch compute @k [0, 1] args()
}

// -----

sched.arena private(64)
sched.buffer @k private at(0) bytes(64)
sched.segment @s {
  // expected-error @+1 {{'sched.launch' op names no function: @k}}
  sched.launch compute @k [0, 1] args()
}

// -----

sched.arena private(64)
sched.buffer @w private at(0) bytes(64)
func.func private @k(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
sched.segment @s {
  // expected-error @+1 {{has 2 args but @k has 3 operands and results}}
  sched.launch compute @k [0, 1] args(@w, @w)
}

// -----

func.func private @k()
sched.segment @s {
  // expected-error @+1 {{has the empty part [2, 1]: lo must not exceed hi}}
  sched.launch compute @k [2, 1] args()
}

// -----

func.func private @k()
sched.segment @s {
  // expected-error @+1 {{'lo' failed to satisfy constraint}}
  sched.launch compute @k [-1, 1] args()
}

// -----

sched.segment @s {
  // expected-error @+1 {{'arith.constant' op cannot stand in a sched.segment, which holds launches, records, waits and parts of reductions only}}
  %c = arith.constant 1 : i64
}

// -----

func.func private @k()
func.func @f() {
  // expected-error @+1 {{'sched.launch' op expects parent op 'sched.segment'}}
  sched.launch compute @k [0, 1] args()
  return
}

// -----

// An event means nothing outside the segment that records it.
sched.segment @a {
  %e = sched.record compute
}
sched.segment @b {
  // expected-error @+1 {{use of undeclared SSA value name}}
  sched.wait comm, %e
}

// -----

// An event is waited for after it has been recorded, so waits are acyclic.
sched.segment @s {
  // expected-error @+1 {{operand #0 does not dominate this use}}
  sched.wait comm, %e
  // expected-note @+1 {{operand defined here}}
  %e = sched.record compute
}

// -----

sched.segment @s {
  // expected-error @+1 {{'sched.ready' op has 0 ins; it is about the first operand of a reduction only}}
  sched.ready comm channel(0) bytes(0, 8) ins()
}

// -----

sched.segment @s {
  // expected-error @+1 {{'sched.ready' op has 2 ins; it is about the first operand of a reduction only}}
  sched.ready comm channel(0) bytes(0, 8) ins(@g[0, 8] : f32, @n[0, 8] : i64)
}

// -----

sched.segment @s {
  // expected-error @+1 {{'sched.ready' op has bytes 8 to 8 of an operand of 16}}
  sched.ready comm channel(0) bytes(8, 8) ins(@g[0, 16] : f32)
}

// -----

sched.segment @s {
  // expected-error @+1 {{'sched.ready' op has bytes 8 to 4 of an operand of 16}}
  sched.ready comm channel(0) bytes(8, 4) ins(@g[0, 16] : f32)
}

// -----

sched.segment @s {
  // expected-error @+1 {{'sched.ready' op has bytes 8 to 20 of an operand of 16}}
  sched.ready comm channel(0) bytes(8, 20) ins(@g[0, 16] : f32)
}

// -----

sched.segment @s {
  // expected-error @+1 {{'sched.ready' op cuts a number in two: bytes 4 to 8 of 'f64'}}
  sched.ready comm channel(0) bytes(4, 8) ins(@g[0, 16] : f64)
}

// -----

sched.segment @s {
  // expected-error @+1 {{'sched.ready' op cuts a number in two: bytes 0 to 6 of 'f32'}}
  sched.ready comm channel(0) bytes(0, 6) ins(@g[0, 16] : f32)
}

// -----

sched.segment @s {
  // expected-error @+1 {{'channel' failed to satisfy constraint}}
  sched.ready comm channel(-1) bytes(0, 8) ins(@g[0, 8] : f32)
}

// -----

sched.segment @s {
  // expected-error @+1 {{'from' failed to satisfy constraint}}
  sched.ready comm channel(0) bytes(-4, 8) ins(@g[0, 8] : f32)
}

// -----

sched.segment @s {
  // expected-error @+1 {{elements in @g must be f32, f64 or i64, not 'i32'}}
  sched.ready comm channel(0) bytes(0, 8) ins(@g[0, 8] : i32)
}

// -----

sched.segment @s {
  // expected-error @+1 {{range in @g holds 12 bytes, which is no whole number of 'f64'}}
  sched.ready comm channel(0) bytes(0, 8) ins(@g[0, 12] : f64)
}

// -----

sched.segment @s {
  // expected-error @+1 {{'sched.ready' op names no sched.buffer: @g}}
  sched.ready comm channel(0) bytes(0, 8) ins(@g[0, 8] : f32)
}

// -----

sched.arena private(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @g value at(0) bytes(64)
sched.segment @s {
  // expected-error @+1 {{'sched.ready' op hands over @g[0, 128] but the buffer has 64 bytes}}
  sched.ready comm channel(0) bytes(0, 8) ins(@g[0, 128] : f32)
}

// -----

sched.arena private(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @g private at(0) bytes(64)
sched.segment @s {
  // expected-error @+1 {{'sched.ready' op hands over @g, which is no value: only the memory of values is handed over and brought}}
  sched.ready comm channel(0) bytes(0, 8) ins(@g[0, 64] : f32)
}

// -----

sched.arena private(64)
// The number of a value is no place.
sched.buffer @g value at(3) bytes(64)
sched.segment @s {
  // expected-error @+1 {{'sched.ready' op needs @g at 4 aligned to 8 bytes for 'f64'; the buffer begins at byte 0}}
  sched.ready comm channel(0) bytes(0, 8) ins(@g[4, 8] : f64)
}

// -----

sched.program @p {
  // expected-error @+1 {{'sched.ready' op expects parent op 'sched.segment'}}
  sched.ready comm channel(0) bytes(0, 8) ins(@g[0, 8] : f32)
  sched.return
}

// -----

sched.segment @s {
  // expected-error @+1 {{'sched.arrive' op has 0 outs; it is about one value only}}
  sched.arrive comm outs()
}

// -----

sched.segment @s {
  // expected-error @+1 {{'sched.arrive' op has 2 outs; it is about one value only}}
  sched.arrive comm outs(@g[0, 8] : f32, @g[8, 8] : f32)
}

// -----

sched.arena private(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @g value at(0) bytes(64)
sched.segment @s {
  // expected-error @+1 {{'sched.arrive' op brings @g[32, 64] but the buffer has 64 bytes}}
  sched.arrive comm outs(@g[32, 64] : f32)
}

// -----

sched.arena private(64) scratch(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @g scratch at(0) bytes(64)
sched.segment @s {
  // expected-error @+1 {{'sched.arrive' op brings @g, which is no value: only the memory of values is handed over and brought}}
  sched.arrive comm outs(@g[32, 32] : f32)
}

// -----

sched.arena private(64)
sched.buffer @g value at(0) bytes(64)
sched.segment @s {
  // expected-error @+1 {{'sched.arrive' op needs @g at 4 aligned to 8 bytes for 'f64'}}
  sched.arrive comm outs(@g[4, 8] : f64)
}

// -----

sched.arena private(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  // expected-error @+1 {{'sched.await' op has first bytes of nothing}}
  sched.await %zero first(8)
  sched.return
}

// -----

sched.arena private(64)
sched.buffer @g value at(0) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  // All of it is no part of it.
  // expected-error @+1 {{'sched.await' op waits for the first 64 of 64 bytes; they must be fewer, and whole numbers}}
  sched.await %zero outs(@g[0, 64] : f32) first(64)
  sched.return
}

// -----

sched.arena private(64)
sched.buffer @g value at(0) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  // expected-error @+1 {{'sched.await' op waits for the first 6 of 64 bytes; they must be fewer, and whole numbers}}
  sched.await %zero outs(@g[0, 64] : f32) first(6)
  sched.return
}

// -----

sched.arena private(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @g private at(0) bytes(64)
sched.buffer @v value at(0) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  // It is about the first that is brought.
  // expected-error @+1 {{'sched.await' op brings @g, which is no value: only the memory of values is handed over and brought}}
  sched.await %zero outs(@g[0, 64] : f32, @v[0, 64] : f32) first(8)
  sched.return
}

// -----

sched.program @p {
  %zero = arith.constant 0 : i64
  // expected-error @+1 {{'first' failed to satisfy constraint}}
  sched.await %zero outs(@g[0, 64] : f32) first(0)
  sched.return
}

// -----

sched.arena private(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @g private at(0) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  // expected-error @+1 {{'sched.await' op writes @g[32, 64] but the buffer has 64 bytes}}
  sched.await %zero outs(@g[32, 64] : f32)
  sched.return
}

// -----

sched.arena private(64)
sched.buffer @g private at(4) bytes(32)
sched.program @p {
  %zero = arith.constant 0 : i64
  // expected-error @+1 {{'sched.start' op needs @g at 8 aligned to 8 bytes for 'f64'; the buffer begins at byte 4}}
  %f = sched.start all_reduce channel(0) root(%zero) ins(@g[8, 8] : f64)
  sched.await %f
  sched.return
}

// -----

sched.arena private(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @seen private at(0) bytes(64)
sched.program @round {
  %c = arith.constant 1 : i64
  // expected-error @+1 {{'sched.write' op writes @seen[64, 8] but the buffer has 64 bytes}}
  sched.write %c, @seen[64, 8] : i64
  sched.return
}

// -----

func.func @f() {
  // expected-error @+1 {{'sched.batch' op is host code and must lie in a sched.program}}
  sched.batch cursor ()
  return
}

// -----

func.func private @s()
sched.program @round {
  // expected-error @+1 {{'sched.run' op names no sched.segment: @s}}
  sched.run @s
  sched.return
}

// -----

sched.program @round -> i1 {
  // expected-error @+1 {{must return the program's i1}}
  sched.return
}

// -----

sched.program @round {
  %go = arith.constant true
  // expected-error @+1 {{returns a value but the program has none}}
  sched.return %go : i1
}

// -----

sched.arena private(64)
sched.buffer @seen private at(0) bytes(64)
sched.program @round {
  // expected-error @+1 {{reads 8 bytes of @seen as 'f32', which has 4}}
  %s = sched.read @seen[0, 8] : f32
  sched.return
}

// -----

sched.arena private(64)
sched.buffer @seen private at(0) bytes(64)
sched.program @round {
  // expected-error @+1 {{needs @seen at 4 aligned to 8 bytes for 'i64'}}
  %s = sched.read @seen[4, 8] : i64
  sched.return
}

// -----

func.func @f() {
  // expected-error @+1 {{'sched.segment' op expects parent op 'builtin.module'}}
  sched.segment @s {}
  return
}

// -----

sched.arena private(64)
sched.buffer @w private at(0) bytes(64)
sched.program @p {
  // expected-error @+1 {{'sched.renew' op needs a value, but @w is in the private region}}
  sched.renew @w
  sched.return
}

// -----

sched.arena private(64)
sched.program @p {
  // expected-error @+1 {{'sched.drop' op names no sched.buffer: @w}}
  sched.drop @w
  sched.return
}

// -----

sched.arena private(64)
sched.buffer @w private at(0) bytes(64)
sched.buffer @v value at(0) bytes(64)
sched.program @p {
  // expected-error @+1 {{'sched.look' op shows 32 bytes in a value of 64}}
  sched.look @w[0, 32] in @v lock(0)
  sched.return
}

// -----

sched.arena private(64)
sched.buffer @u value at(0) bytes(64)
sched.buffer @v value at(1) bytes(64)
sched.program @p {
  // expected-error @+1 {{'sched.look' op shows a cell, but @u is a value}}
  sched.look @u[0, 64] in @v lock(0)
  sched.return
}

// -----

sched.arena private(64)
sched.buffer @w private at(0) bytes(64)
sched.program @p {
  // expected-error @+1 {{'sched.copy' op copies 8 bytes to 16}}
  sched.copy @w[0, 8] to @w[8, 16]
  sched.return
}

// -----

sched.arena private(64)
// expected-note @+1 {{the buffer is here}}
sched.buffer @w private at(0) bytes(64)
sched.program @p {
  // expected-error @+1 {{'sched.clear' op writes @w[32, 64] but the buffer has 64 bytes}}
  sched.clear @w[32, 64]
  sched.return
}

// -----

sched.arena private(64)
sched.buffer @w private at(0) bytes(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  // expected-error @+1 {{'sched.start' op needs @w at 4 aligned to 8 bytes for 'i64'}}
  %f = sched.start all_reduce channel(0) root(%zero) ins(@w[4, 8] : i64)
  sched.await %f
  sched.return
}

// -----

sched.arena private(64)
sched.program @p {
  %zero = arith.constant 0 : i64
  // expected-error @+1 {{'sched.push' op names no sched.buffer: @nothing}}
  sched.push channel(0) ticket(%zero) ins(@nothing[0, 8] : i64)
  sched.return
}

// -----

// expected-error @+1 {{'sched.meet' op is host code and must lie in a sched.program}}
%met = sched.meet 0

// -----

sched.program @p {
  // expected-error @+1 {{'channel' failed to satisfy constraint}}
  sched.close channel(-1)
  sched.return
}
