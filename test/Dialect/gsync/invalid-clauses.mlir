// One case per rule of the verifiers about declarations, channels and rounds;
// invalid.mlir has those about cells and the synchronous round.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics

// An elastic group has at least one member,
// expected-error@+1 {{'gsync.group' op elastic bounds must be 1 <= min <= max, got 0 to 4}}
gsync.group @world elastic(0 to 4)

// -----

// none can be negative,
// expected-error@+1 {{'gsync.group' op elastic bounds must be 1 <= min <= max, got -2 to -1}}
gsync.group @world elastic(-2 to -1)

// -----

// and its bounds have an order,
// expected-error@+1 {{'gsync.group' op elastic bounds must be 1 <= min <= max, got 5 to 4}}
gsync.group @world elastic(5 to 4)

// -----

// and come in pairs.
// expected-error@+1 {{'gsync.group' op elastic bounds come in pairs: min and max}}
"gsync.group"() <{sym_name = "world", min = 1 : i64}> : () -> ()

// -----

// One role takes all the members that the others leave.
// expected-error@+1 {{'gsync.group' op needs exactly one role with = rest, has 0}}
gsync.group @all roles(@a = 1)
gsync.role @a on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}

// -----

// Not two.
// expected-error@+1 {{'gsync.group' op needs exactly one role with = rest, has 2}}
gsync.group @all roles(@a = rest, @b = rest)
gsync.role @a on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}
gsync.role @b on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}

// -----

// A role that nobody runs.
// expected-error@+1 {{'gsync.group' op a role needs at least one member}}
gsync.group @all roles(@a = 0, @b = rest)
gsync.role @a on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}
gsync.role @b on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}

// -----

// Roles are roles.
// expected-error@+1 {{'gsync.group' op names no gsync.role: @a}}
gsync.group @all roles(@a = rest)

// -----

// Every role has a number.
// expected-error@+1 {{'gsync.group' op needs one count per role}}
"gsync.group"() <{sym_name = "all", roles = [@a, @b], counts = array<i64: -1>}> : () -> ()

// -----

// A mailbox has a server,
gsync.group @all
// expected-error@+1 {{'gsync.channel' op of kind mailbox needs server(@role)}}
gsync.channel @ps on @all kind(mailbox)

// -----

// nothing else has,
gsync.group @all
// expected-error@+1 {{'gsync.channel' op of kind pair has no server; leave out server(…)}}
gsync.channel @ps on @all kind(pair) server(@a)
gsync.role @a on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}

// -----

// and the server is a role.
gsync.group @all
// expected-error@+1 {{'gsync.channel' op names no gsync.role: @a}}
gsync.channel @ps on @all kind(mailbox) server(@a)

// -----

// A policy is its questions,
gsync.policy @p "k" local {
  // expected-error@+1 {{'gsync.cell' op expects parent op 'builtin.module'}}
  gsync.cell @c : i64 role(state)
}

// -----

// and nothing else,
gsync.policy @p "k" local {
  // expected-error@+1 {{'arith.constant' op may not stand in a gsync.policy; it holds only gsync.entry}}
  %c = arith.constant 1 : i64
}

// -----

// at least one.
// expected-error@+1 {{'gsync.policy' op needs at least one gsync.entry}}
"gsync.policy"() <{sym_name = "p", kind = "k", placement = 1 : i32}> ({
^bb0:
}) : () -> ()

// -----

// Questions and answers are numbers.
gsync.policy @p "k" local {
  // expected-error@+1 {{'gsync.entry' op takes and gives i64, f64 and i1 only, got '(tensor<i64>) -> i64'}}
  gsync.entry @q : (tensor<i64>) -> i64
}

// -----

// An entry belongs to a policy.
// expected-error@+1 {{'gsync.entry' op expects parent op 'gsync.policy'}}
gsync.entry @q : () -> i64

// -----

// Parts of a role stand in their order.
gsync.group @world
gsync.role @worker on @world {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
  // expected-error@+1 {{'gsync.init' op a role holds at most one init, its strands, at most one drain and one model, in this order}}
  gsync.init {
    gsync.yield
  }
}

// -----

// A role ends once.
gsync.group @world
gsync.role @worker on @world {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
  gsync.drain {
    gsync.yield
  }
  // expected-error@+1 {{'gsync.drain' op a role holds at most one init}}
  gsync.drain {
    gsync.yield
  }
}

// -----

// The first values come from the init.
gsync.group @world
// expected-error@+1 {{'gsync.role' op carries values from round to round, so it needs a gsync.init that yields the first ones}}
gsync.role @worker on @world {
  gsync.strand (%k: i64) {
    %go = arith.constant true
    gsync.next %go (%k : i64)
  }
}

// -----

// They have the strands' types,
gsync.group @world
gsync.role @worker on @world {
  // expected-error@+1 {{'gsync.init' op must yield what the strands carry, strand by strand: 'i64'}}
  gsync.init {
    gsync.yield
  }
  gsync.strand (%k: i64) {
    %go = arith.constant true
    gsync.next %go (%k : i64)
  }
}

// -----

// so has what the drain takes,
gsync.group @world
gsync.role @worker on @world {
  gsync.init {
    %z = arith.constant 0 : i64
    gsync.yield %z : i64
  }
  gsync.strand (%k: i64) {
    %go = arith.constant true
    gsync.next %go (%k : i64)
  }
  // expected-error@+1 {{'gsync.drain' op must take what the strands carry, strand by strand: 'i64'}}
  gsync.drain {
    gsync.yield
  }
}

// -----

// and what a round carries.
gsync.group @world
gsync.role @worker on @world {
  gsync.init {
    %z = arith.constant 0 : i64
    gsync.yield %z : i64
  }
  gsync.strand (%k: i64) {
    %go = arith.constant true
    // expected-error@+1 {{'gsync.next' op must carry what the strand takes: 'i64'}}
    gsync.next %go
  }
}

// -----

// Strands with siblings have names.
gsync.group @world
gsync.role @worker on @world {
  // expected-error@+1 {{'gsync.strand' op needs a name: its role has several strands}}
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
  gsync.strand @b {
    %go = arith.constant true
    gsync.next %go
  }
}

// -----

// A drain gives nothing.
gsync.group @world
gsync.role @worker on @world {
  gsync.init {
    %z = arith.constant 0 : i64
    gsync.yield %z : i64
  }
  gsync.strand (%k: i64) {
    %go = arith.constant true
    gsync.next %go (%k : i64)
  }
  gsync.drain (%k: i64) {
    // expected-error@+1 {{'gsync.yield' op a gsync.drain yields nothing}}
    gsync.yield %k : i64
  }
}

// -----

// An init ends in a yield.
gsync.group @world
gsync.role @worker on @world {
  // expected-error@+1 {{'gsync.init' op must end in gsync.yield}}
  gsync.init {
    ub.unreachable
  }
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}

// -----

// Only an atomic changes cells.
gsync.group @world
gsync.role @worker on @world {
  gsync.init {
    %z = arith.constant 0 : i64
    // expected-error@+1 {{'gsync.yield' op yields cells only in a gsync.atomic}}
    gsync.yield cells(%z : i64)
  }
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}

// -----

// An atomic yields what it gives.
gsync.cell @seen : tensor<i64> role(counter)
func.func @f() {
  // expected-error@+1 {{'gsync.atomic' op must yield the values it gives: 'i64'}}
  %x = gsync.atomic (@seen) -> (i64) {
  ^bb0(%a: tensor<i64>):
    gsync.yield cells(%a : tensor<i64>)
  }
  return
}

// -----

// No question under a lock.
gsync.group @world
gsync.rendezvous @turn
gsync.policy @p "k" local {
  gsync.entry @q : () -> i64
}
gsync.cell @seen : tensor<i64> role(counter)
func.func @f(%n: i64, %f: !gsync.future<i64>) {
  gsync.atomic (@seen) {
  ^bb0(%a: tensor<i64>):
    // expected-error@+1 {{'gsync.ask' op may not stand in a gsync.atomic}}
    %q = gsync.ask @p::@q() : () -> i64
    gsync.yield cells(%a : tensor<i64>)
  }
  return
}

// -----

// No meeting under a lock.
gsync.group @world
gsync.rendezvous @turn
gsync.policy @p "k" local {
  gsync.entry @q : () -> i64
}
gsync.cell @seen : tensor<i64> role(counter)
func.func @f(%n: i64, %f: !gsync.future<i64>) {
  gsync.atomic (@seen) {
  ^bb0(%a: tensor<i64>):
    // expected-error@+1 {{'gsync.meet' op may not stand in a gsync.atomic}}
    %q = gsync.meet @turn : i1
    gsync.yield cells(%a : tensor<i64>)
  }
  return
}

// -----

// No vote under a lock.
gsync.group @world
gsync.rendezvous @turn
gsync.policy @p "k" local {
  gsync.entry @q : () -> i64
}
gsync.cell @seen : tensor<i64> role(counter)
func.func @f(%n: i64, %f: !gsync.future<i64>) {
  gsync.atomic (@seen) {
  ^bb0(%a: tensor<i64>):
    // expected-error@+1 {{'gsync.commit' op may not stand in a gsync.atomic}}
    %q = gsync.commit on @world expect(%n, %n) : i1
    gsync.yield cells(%a : tensor<i64>)
  }
  return
}

// -----

// No poll under a lock.
gsync.group @world
gsync.rendezvous @turn
gsync.policy @p "k" local {
  gsync.entry @q : () -> i64
}
gsync.cell @seen : tensor<i64> role(counter)
func.func @f(%n: i64, %f: !gsync.future<i64>) {
  gsync.atomic (@seen) {
  ^bb0(%a: tensor<i64>):
    // expected-error@+1 {{'gsync.done' op may not stand in a gsync.atomic}}
    %q = gsync.done %f : !gsync.future<i64>
    gsync.yield cells(%a : tensor<i64>)
  }
  return
}

// -----

// A collective needs a collective channel,
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.all_reduce' op needs a collective channel, @p is a pair channel}}
  %f = gsync.all_reduce sum on @p (%v) : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
  return
}

// -----

// all of them,
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.broadcast' op needs a collective channel, @p is a pair channel}}
  %f = gsync.broadcast from(%n) on @p (%v) : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
  return
}

// -----

// each,
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.all_gather' op needs a collective channel}}
  %f = gsync.all_gather on @p (%v) : (tensor<8xf32>) -> !gsync.future<tensor<?x8xf32>>
  return
}

// -----

// without exception.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.reduce_scatter' op needs a collective channel}}
  %f = gsync.reduce_scatter sum on @p (%v) : (tensor<8xf32>) -> !gsync.future<tensor<?xf32>>
  return
}

// -----

// An exchange needs a pair,
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.exchange' op needs a pair channel, @c is a collective channel}}
  %f = gsync.exchange (%v) with(%n) tag(%n) on @c : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
  return
}

// -----

// a pull a mailbox.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.pull' op needs a mailbox channel, @c is a collective channel}}
  %f = gsync.pull on @c after(%n) : !gsync.future<tensor<8xf32>, i64, i1>
  return
}

// -----

// A mailbox has two ends: gsync.pull.
gsync.group @all roles(@a = 1, @b = rest)
gsync.channel @ps on @all kind(mailbox) server(@a)
gsync.role @b on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}
gsync.role @a on @all {
  gsync.strand {
    %go = arith.constant true
    %n = arith.constant 0 : i64
    %v = gsync.zero : tensor<8xf32>
    // expected-error@+1 {{'gsync.pull' op belongs to a worker of @ps, but stands in role @a}}
    %f = gsync.pull on @ps after(%n) : !gsync.future<tensor<8xf32>, i64, i1>
    gsync.next %go
  }
}

// -----

// A mailbox has two ends: gsync.push.
gsync.group @all roles(@a = 1, @b = rest)
gsync.channel @ps on @all kind(mailbox) server(@a)
gsync.role @b on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}
gsync.role @a on @all {
  gsync.strand {
    %go = arith.constant true
    %n = arith.constant 0 : i64
    %v = gsync.zero : tensor<8xf32>
    // expected-error@+1 {{'gsync.push' op belongs to a worker of @ps, but stands in role @a}}
    gsync.push on @ps (%v) ticket(%n) : tensor<8xf32>
    gsync.next %go
  }
}

// -----

// A mailbox has two ends: gsync.collect.
gsync.group @all roles(@a = 1, @b = rest)
gsync.channel @ps on @all kind(mailbox) server(@a)
gsync.role @a on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}
gsync.role @b on @all {
  gsync.strand {
    %go = arith.constant true
    %n = arith.constant 0 : i64
    %v = gsync.zero : tensor<8xf32>
    // expected-error@+1 {{'gsync.collect' op belongs to the server of @ps, but stands in role @b}}
    %s, %w = gsync.collect sum on @ps first(%n) : tensor<8xf32>, !gsync.members
    gsync.next %go
  }
}

// -----

// A mailbox has two ends: gsync.grant.
gsync.group @all roles(@a = 1, @b = rest)
gsync.channel @ps on @all kind(mailbox) server(@a)
gsync.role @a on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}
gsync.role @b on @all {
  gsync.strand {
    %go = arith.constant true
    %n = arith.constant 0 : i64
    %v = gsync.zero : tensor<8xf32>
    // expected-error@+1 {{'gsync.grant' op belongs to the server of @ps, but stands in role @b}}
    gsync.grant on @ps (%v) stale_after(%n) : tensor<8xf32>
    gsync.next %go
  }
}

// -----

// A mailbox has two ends: gsync.workers.
gsync.group @all roles(@a = 1, @b = rest)
gsync.channel @ps on @all kind(mailbox) server(@a)
gsync.role @a on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}
gsync.role @b on @all {
  gsync.strand {
    %go = arith.constant true
    %n = arith.constant 0 : i64
    %v = gsync.zero : tensor<8xf32>
    // expected-error@+1 {{'gsync.workers' op belongs to the server of @ps, but stands in role @b}}
    %k = gsync.workers on @ps : i64
    gsync.next %go
  }
}

// -----

// A mailbox has two ends: gsync.close.
gsync.group @all roles(@a = 1, @b = rest)
gsync.channel @ps on @all kind(mailbox) server(@a)
gsync.role @a on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}
gsync.role @b on @all {
  gsync.strand {
    %go = arith.constant true
    %n = arith.constant 0 : i64
    %v = gsync.zero : tensor<8xf32>
    // expected-error@+1 {{'gsync.close' op belongs to the server of @ps, but stands in role @b}}
    gsync.close on @ps
    gsync.next %go
  }
}

// -----

// A reduction reduces something.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.all_reduce' op needs something to sum}}
  %f = gsync.all_reduce sum on @c () : () -> !gsync.future<>
  return
}

// -----

// Sparse operands are indices and rows,
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%i: tensor<3xi64>) {
  // expected-error@+1 {{'gsync.all_reduce' op sparse operands come in pairs (indices, rows)}}
  %f = gsync.all_reduce sum on @c () sparse(%i) : (tensor<3xi64>) -> !gsync.future<tensor<?xi64>>
  return
}

// -----

// as many of one as of the other,
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%i: tensor<3xi64>, %r: tensor<4x2xf32>) {
  // expected-error@+1 {{'gsync.all_reduce' op sparse operands need i64 indices and one row for each, got 'tensor<3xi64>' and 'tensor<4x2xf32>'}}
  %f = gsync.all_reduce sum on @c () sparse(%i, %r) : (tensor<3xi64>, tensor<4x2xf32>) -> !gsync.future<tensor<?xi64>, tensor<?x2xf32>>
  return
}

// -----

// and indices are i64.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%i: tensor<3xi32>, %r: tensor<3x2xf32>) {
  // expected-error@+1 {{'gsync.all_reduce' op sparse operands need i64 indices}}
  %f = gsync.all_reduce sum on @c () sparse(%i, %r) : (tensor<3xi32>, tensor<3x2xf32>) -> !gsync.future<tensor<?xi32>, tensor<?x2xf32>>
  return
}

// -----

// Everybody's operand arrives,
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.all_gather' op future must carry 'tensor<?x8xf32>', got}}
  %f = gsync.all_gather on @c (%v) : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
  return
}

// -----

// a part of the sum does,
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.reduce_scatter' op future must carry 'tensor<?xf32>', got}}
  %f = gsync.reduce_scatter sum on @c (%v) : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
  return
}

// -----

// but not of a scalar.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%v: tensor<f32>) {
  // expected-error@+1 {{'gsync.reduce_scatter' op cannot scatter a scalar: 'tensor<f32>'}}
  %f = gsync.reduce_scatter sum on @c (%v) : (tensor<f32>) -> !gsync.future<tensor<f32>>
  return
}

// -----

// One member's operands arrive.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.broadcast' op future must carry 'tensor<8xf32>', got}}
  %f = gsync.broadcast from(%n) on @c (%v) : (tensor<8xf32>) -> !gsync.future<i64>
  return
}

// -----

// The other's operands arrive.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.exchange' op future must carry 'tensor<8xf32>', got}}
  %f = gsync.exchange (%v) with(%n) tag(%n) on @p : (tensor<8xf32>) -> !gsync.future<i64>
  return
}

// -----

// A pull gives a ticket and whether to go on.
gsync.group @all roles(@a = 1, @b = rest)
gsync.channel @ps on @all kind(mailbox) server(@a)
gsync.role @a on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}
gsync.role @b on @all {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
}
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.pull' op future must end in the ticket (i64) and whether to go on (i1), got}}
  %f = gsync.pull on @ps after(%n) : !gsync.future<tensor<8xf32>, i1>
  return
}

// -----

// Not everything has a zero.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.ready' op has no zero of type 'tensor<?xf32>'}}
  %f = gsync.ready : !gsync.future<tensor<?xf32>>
  return
}

// -----

// A loop does not run back.
func.func @f(%n: i64, %f: !gsync.future<i64>) {
  // expected-error@+1 {{'gsync.repeat' op ahead must not be negative, got -1}}
  %k = gsync.repeat until(%f : !gsync.future<i64>) at_least(%n) ahead(-1) {
  ^bb0(%i: i64):
  }
  return
}

// -----

// A loop ends.
func.func @f(%n: i64, %f: !gsync.future<i64>) {
  // expected-error@+1 {{'gsync.repeat' op would never end: it needs until or at_most}}
  %k = gsync.repeat at_least(%n) {
  ^bb0(%i: i64):
  }
  return
}

// -----

// A cursor knows its place.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.next_batch' op from cursor takes no operands}}
  %b = gsync.next_batch from(cursor(%n)) : tensor<2xi64>
  return
}

// -----

// So does a peek.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.next_batch' op from peek takes no operands}}
  %b = gsync.next_batch from(peek(%n)) : tensor<2xi64>
  return
}

// -----

// The whole data set comes by the number of the micro-batch.
func.func @whole_without_number() {
  // expected-error@+1 {{'gsync.next_batch' op from whole takes the number of the micro-batch}}
  %b = gsync.next_batch from(whole) : tensor<2xi64>
  return
}

// -----

// A lease is one ticket.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.next_batch' op from queue takes one lease or one acked_by}}
  %b = gsync.next_batch from(queue lease(%n, %n)) : tensor<2xi64>
  return
}

// -----

// A key is needed.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.next_batch' op from keyed takes at least one key}}
  %b = gsync.next_batch from(keyed) : tensor<2xi64>
  return
}

// -----

// A range has two ends.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.next_batch' op from range takes where the rows begin and end}}
  %b = gsync.next_batch from(range(%n)) : tensor<2xi64>
  return
}

// -----

// Only a queue waits for acknowledgement.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f() {
  // expected-error@+1 {{'gsync.next_batch' op from cursor takes no acked_by; only a queue does}}
  %b = "gsync.next_batch"() <{source = 0 : i32, acked_by = @c}> : () -> tensor<2xi64>
  return
}

// -----

// Reductions acknowledge.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.next_batch' op is acknowledged by a reduction, so acked_by must name a collective channel, not @p}}
  %b = gsync.next_batch from(queue acked_by(@p)) : tensor<2xi64>
  return
}

// -----

// On a channel that exists.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.next_batch' op is acknowledged by a reduction, so acked_by must name a collective channel, not @none}}
  %b = gsync.next_batch from(queue acked_by(@none)) : tensor<2xi64>
  return
}

// -----

// Sources have names.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f() {
  // expected-error@+1 {{expected cursor, queue, keyed, range, peek or whole as the source of a batch}}
  %b = gsync.next_batch from(nowhere) : tensor<2xi64>
  return
}

// -----

// A question is an entry of a policy,
gsync.policy @p "k" local {
  gsync.entry @q : (i64) -> i1
}
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.ask' op names no gsync.entry of a gsync.policy: @p::@other}}
  %a = gsync.ask @p::@other(%n) : (i64) -> i1
  return
}

// -----

// not the policy,
gsync.policy @p "k" local {
  gsync.entry @q : (i64) -> i1
}
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.ask' op names no gsync.entry of a gsync.policy: @p}}
  %a = gsync.ask @p(%n) : (i64) -> i1
  return
}

// -----

// and is asked as it is declared.
gsync.policy @p "k" local {
  gsync.entry @q : (i64) -> i1
}
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.ask' op asks @p::@q with other types than it has: '(i64) -> i1'}}
  %a = gsync.ask @p::@q(%n) : (i64) -> i64
  return
}

// -----

// Strands meet somewhere.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.meet' op names no gsync.rendezvous: @world}}
  %a = gsync.meet @world : i1
  return
}

// -----

// A view is of a group,
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.view' op names no gsync.group: @c}}
  %a, %b = gsync.view @c : i64, i64
  return
}

// -----

// a vote in one.
gsync.group @world
gsync.channel @c on @world kind(collective)
gsync.channel @p on @world kind(pair)
func.func @f(%n: i64, %v: tensor<8xf32>) {
  // expected-error@+1 {{'gsync.commit' op names no gsync.group: @c}}
  %a = gsync.commit on @c expect(%n, %n) : i1
  return
}

// -----

gsync.group @world
// expected-error @below {{'gsync.channel' op of kind collective restarts nobody; leave out exempt(…)}}
gsync.channel @c on @world kind(collective) exempt(2)

// -----

gsync.group @all roles(@server = 1, @worker = rest)
// expected-error @below {{'gsync.channel' op exempt must be at least 1, got 0}}
gsync.channel @ps on @all kind(mailbox) server(@server) exempt(0)

// -----

gsync.group @world
// expected-error @below {{'gsync.channel' op of kind pair holds nobody back; leave out ahead(…)}}
gsync.channel @c on @world kind(pair) ahead(0)

// -----

gsync.group @all roles(@server = 1, @worker = rest)
// expected-error @below {{'gsync.channel' op ahead must be at least 0, got -1}}
gsync.channel @ps on @all kind(mailbox) server(@server) ahead(-1)

// -----

func.func @f() {
  // expected-error @below {{'gsync.atomic' op changes no cell; use gsync.load to read one}}
  gsync.atomic () {
  }
  return
}
