// Protocols that look incomplete and are whole.
// RUN: rubato-opt %s --split-input-file --gsync-verify-channels --verify-diagnostics -o %t

// A server that grants first, after every collect while it goes on, and closes.
!M = !gsync.future<tensor<8xf32>, i64, i1>
gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.policy @rule "staleness.rule" local {
  gsync.entry @round : () -> i1
}
gsync.role @worker on @all {
  gsync.init {
    %none = arith.constant -1 : i64
    %m = gsync.pull on @ps after(%none) : !M
    gsync.yield %m : !M
  }
  gsync.strand (%model: !M) {
    %w, %ticket, %go = gsync.await %model : !M
    %fresh = scf.if %go -> (!M) {
      %m = gsync.pull on @ps after(%ticket) : !M
      scf.yield %m : !M
    } else {
      %m = gsync.ready : !M
      scf.yield %m : !M
    }
    scf.if %go {
      gsync.push on @ps (%w) ticket(%ticket) : tensor<8xf32>
    }
    gsync.next %go (%fresh : !M)
  }
  gsync.drain (%m: !M) {
    %w, %ticket, %go = gsync.await %m : !M
    gsync.yield
  }
}
gsync.role @server on @all device(host) {
  gsync.init {
    %one = arith.constant 1 : i64
    %z = gsync.zero : tensor<8xf32>
    gsync.grant on @ps (%z) stale_after(%one) : tensor<8xf32>
    gsync.yield
  }
  gsync.strand {
    %one = arith.constant 1 : i64
    %yes = arith.constant true
    %sum, %who = gsync.collect sum on @ps first(%one) : tensor<8xf32>, !gsync.members
    %more = gsync.ask @rule::@round() : () -> i1
    scf.if %more {
      gsync.grant on @ps (%sum) to(%who) stale_after(%one) : tensor<8xf32>
    }
    gsync.next %more
  }
  gsync.drain {
    %yes = arith.constant true
    gsync.close on @ps
    gsync.yield
  }
}

// -----

// Granted under no condition.
!M = !gsync.future<tensor<8xf32>, i64, i1>
gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.policy @rule "staleness.rule" local {
  gsync.entry @round : () -> i1
}
gsync.role @worker on @all {
  gsync.init {
    %none = arith.constant -1 : i64
    %m = gsync.pull on @ps after(%none) : !M
    gsync.yield %m : !M
  }
  gsync.strand (%model: !M) {
    %w, %ticket, %go = gsync.await %model : !M
    %fresh = scf.if %go -> (!M) {
      %m = gsync.pull on @ps after(%ticket) : !M
      scf.yield %m : !M
    } else {
      %m = gsync.ready : !M
      scf.yield %m : !M
    }
    scf.if %go {
      gsync.push on @ps (%w) ticket(%ticket) : tensor<8xf32>
    }
    gsync.next %go (%fresh : !M)
  }
  gsync.drain (%m: !M) {
    %w, %ticket, %go = gsync.await %m : !M
    gsync.yield
  }
}
gsync.role @server on @all device(host) {
  gsync.init {
    %one = arith.constant 1 : i64
    %z = gsync.zero : tensor<8xf32>
    gsync.grant on @ps (%z) stale_after(%one) : tensor<8xf32>
    gsync.yield
  }
  gsync.strand {
    %one = arith.constant 1 : i64
    %yes = arith.constant true
    %sum, %who = gsync.collect sum on @ps first(%one) : tensor<8xf32>, !gsync.members
    %more = gsync.ask @rule::@round() : () -> i1
    gsync.grant on @ps (%sum) to(%who) stale_after(%one) : tensor<8xf32>
    gsync.next %more
  }
  gsync.drain {
    %yes = arith.constant true
    gsync.close on @ps
    gsync.yield
  }
}

// -----

// Granted on both sides of a condition that has nothing to do with going on.
!M = !gsync.future<tensor<8xf32>, i64, i1>
gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.policy @rule "staleness.rule" local {
  gsync.entry @round : () -> i1
}
gsync.role @worker on @all {
  gsync.init {
    %none = arith.constant -1 : i64
    %m = gsync.pull on @ps after(%none) : !M
    gsync.yield %m : !M
  }
  gsync.strand (%model: !M) {
    %w, %ticket, %go = gsync.await %model : !M
    %fresh = scf.if %go -> (!M) {
      %m = gsync.pull on @ps after(%ticket) : !M
      scf.yield %m : !M
    } else {
      %m = gsync.ready : !M
      scf.yield %m : !M
    }
    scf.if %go {
      gsync.push on @ps (%w) ticket(%ticket) : tensor<8xf32>
    }
    gsync.next %go (%fresh : !M)
  }
  gsync.drain (%m: !M) {
    %w, %ticket, %go = gsync.await %m : !M
    gsync.yield
  }
}
gsync.role @server on @all device(host) {
  gsync.init {
    %one = arith.constant 1 : i64
    %z = gsync.zero : tensor<8xf32>
    gsync.grant on @ps (%z) stale_after(%one) : tensor<8xf32>
    gsync.yield
  }
  gsync.strand {
    %one = arith.constant 1 : i64
    %yes = arith.constant true
    %sum, %who = gsync.collect sum on @ps first(%one) : tensor<8xf32>, !gsync.members
    %more = gsync.ask @rule::@round() : () -> i1
    %all = gsync.ask @rule::@round() : () -> i1
    scf.if %all {
      gsync.grant on @ps (%sum) stale_after(%one) : tensor<8xf32>
    } else {
      gsync.grant on @ps (%sum) to(%who) stale_after(%one) : tensor<8xf32>
    }
    gsync.next %more
  }
  gsync.drain {
    %yes = arith.constant true
    gsync.close on @ps
    gsync.yield
  }
}

// -----

// Going on is stricter than granting, or its opposite.
!M = !gsync.future<tensor<8xf32>, i64, i1>
gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.policy @rule "staleness.rule" local {
  gsync.entry @round : () -> i1
}
gsync.role @worker on @all {
  gsync.init {
    %none = arith.constant -1 : i64
    %m = gsync.pull on @ps after(%none) : !M
    gsync.yield %m : !M
  }
  gsync.strand (%model: !M) {
    %w, %ticket, %go = gsync.await %model : !M
    %fresh = scf.if %go -> (!M) {
      %m = gsync.pull on @ps after(%ticket) : !M
      scf.yield %m : !M
    } else {
      %m = gsync.ready : !M
      scf.yield %m : !M
    }
    scf.if %go {
      gsync.push on @ps (%w) ticket(%ticket) : tensor<8xf32>
    }
    gsync.next %go (%fresh : !M)
  }
  gsync.drain (%m: !M) {
    %w, %ticket, %go = gsync.await %m : !M
    gsync.yield
  }
}
gsync.role @server on @all device(host) {
  gsync.init {
    %one = arith.constant 1 : i64
    %z = gsync.zero : tensor<8xf32>
    gsync.grant on @ps (%z) stale_after(%one) : tensor<8xf32>
    gsync.yield
  }
  gsync.strand {
    %one = arith.constant 1 : i64
    %yes = arith.constant true
    %sum, %who = gsync.collect sum on @ps first(%one) : tensor<8xf32>, !gsync.members
    %more = gsync.ask @rule::@round() : () -> i1
    %luck = gsync.ask @rule::@round() : () -> i1
    %go = arith.andi %luck, %more : i1
    scf.if %more {
      gsync.grant on @ps (%sum) to(%who) stale_after(%one) : tensor<8xf32>
    }
    gsync.next %go
  }
  gsync.drain {
    %yes = arith.constant true
    gsync.close on @ps
    gsync.yield
  }
}

// -----

// The other side of a negated condition.
!M = !gsync.future<tensor<8xf32>, i64, i1>
gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.policy @rule "staleness.rule" local {
  gsync.entry @round : () -> i1
}
gsync.role @worker on @all {
  gsync.init {
    %none = arith.constant -1 : i64
    %m = gsync.pull on @ps after(%none) : !M
    gsync.yield %m : !M
  }
  gsync.strand (%model: !M) {
    %w, %ticket, %go = gsync.await %model : !M
    %fresh = scf.if %go -> (!M) {
      %m = gsync.pull on @ps after(%ticket) : !M
      scf.yield %m : !M
    } else {
      %m = gsync.ready : !M
      scf.yield %m : !M
    }
    scf.if %go {
      gsync.push on @ps (%w) ticket(%ticket) : tensor<8xf32>
    }
    gsync.next %go (%fresh : !M)
  }
  gsync.drain (%m: !M) {
    %w, %ticket, %go = gsync.await %m : !M
    gsync.yield
  }
}
gsync.role @server on @all device(host) {
  gsync.init {
    %one = arith.constant 1 : i64
    %z = gsync.zero : tensor<8xf32>
    gsync.grant on @ps (%z) stale_after(%one) : tensor<8xf32>
    gsync.yield
  }
  gsync.strand {
    %one = arith.constant 1 : i64
    %yes = arith.constant true
    %sum, %who = gsync.collect sum on @ps first(%one) : tensor<8xf32>, !gsync.members
    %more = gsync.ask @rule::@round() : () -> i1
    %over = arith.xori %more, %yes : i1
    scf.if %over {
    } else {
      gsync.grant on @ps (%sum) to(%who) stale_after(%one) : tensor<8xf32>
    }
    gsync.next %more
  }
  gsync.drain {
    %yes = arith.constant true
    gsync.close on @ps
    gsync.yield
  }
}

// -----

// A pull when the one before has been awaited; exchanges one after the other, and on two channels at a time.
gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.channel @grads on @world kind(collective)
gsync.channel @second on @world kind(pair)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %n = gsync.zero : tensor<i64>
    %f = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %x = gsync.exchange (%n) with(%zero) tag(%zero) on @second : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    %g = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %t = gsync.await %g : !gsync.future<tensor<i64>>
    %xs = gsync.await %x : !gsync.future<tensor<i64>>
    %h = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %hs = gsync.await %h : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}

// -----

// One exchange on each path.
gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %n = gsync.zero : tensor<i64>
    scf.if %yes {
      %f = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    } else {
      %f = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    %h = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %hs = gsync.await %h : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}

// -----

// A batch in a loop, acknowledged by the reduction behind it.
gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %n = gsync.zero : tensor<i64>
    %f = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    %one = arith.constant 1 : i64
    %c = gsync.repeat at_least(%one) at_most(%one) {
    ^bb0(%i: i64):
      %b = gsync.next_batch from(queue acked_by(@grads)) : tensor<i64>
    }
    %h = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %hs = gsync.await %h : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}

// -----

// Two strands that meet, one of them at two places.
gsync.group @world
gsync.rendezvous @turn
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    %m = gsync.meet @turn : i1
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    scf.if %yes {
      %m = gsync.meet @turn : i1
    } else {
      %m = gsync.meet @turn : i1
    }
    gsync.next %yes
  }
}

// -----

// With a vote, or from a queue that gives lost samples out again, an elastic
// group is sound.
gsync.group @world elastic(1 to 8)
gsync.role @worker on @world {
  gsync.strand {
    %batch:3 = gsync.next_batch from(cursor) : tensor<2x4xf32>, tensor<2xf32>, tensor<2xi64>
    %total = gsync.round_samples : i64
    %go = gsync.commit on @world expect(%total, %total) : i1
    gsync.next %go
  }
}

// -----

gsync.group @world elastic(1 to 8)
gsync.role @worker on @world {
  gsync.strand {
    %batch:3 = gsync.next_batch from(queue) : tensor<2x4xf32>, tensor<2xf32>, tensor<2xi64>
    %go = arith.constant false
    gsync.next %go
  }
}

// -----

// Two groups, each among itself; a helper is used by both.
!F = !gsync.future<tensor<i64>>
gsync.group @a
gsync.group @b
gsync.channel @ca on @a kind(collective)
gsync.channel @cb on @b kind(collective)
func.func private @stop() -> tensor<i64> {
  %s = gsync.stop_requested : tensor<i64>
  return %s : tensor<i64>
}
gsync.role @first on @a {
  gsync.strand {
    %no = arith.constant false
    %n, %r = gsync.view @a : i64, i64
    %s = func.call @stop() : () -> tensor<i64>
    %f = gsync.all_reduce sum on @ca (%s) : (tensor<i64>) -> !F
    %t = gsync.await %f : !F
    gsync.next %no
  }
}
gsync.role @second on @b {
  gsync.strand {
    %no = arith.constant false
    %s = func.call @stop() : () -> tensor<i64>
    %f = gsync.all_reduce sum on @cb (%s) : (tensor<i64>) -> !F
    %t = gsync.await %f : !F
    gsync.next %no
  }
}

// -----

// A batch that is acknowledged on each path behind it.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @x : i64 role(counter)
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    %zero = arith.constant 0 : i64
    %n = gsync.zero : tensor<i64>
    %x = gsync.load @x : i64
    %c = arith.cmpi eq, %x, %zero : i64
    %b = gsync.next_batch from(queue acked_by(@grads)) : tensor<i64>
    scf.if %c {
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
      %s = gsync.await %f : !F
    } else {
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
      %s = gsync.await %f : !F
    }
    gsync.next %no
  }
}

// -----

// A batch under a condition, and a vote under none.
gsync.group @world elastic(1 to 8)
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    %total = gsync.round_samples : i64
    %c = arith.cmpi eq, %total, %total : i64
    scf.if %c {
      %batch:3 = gsync.next_batch from(cursor) : tensor<2x4xf32>, tensor<2xf32>, tensor<2xi64>
    }
    %ok = gsync.commit on @world expect(%total, %total) : i1
    gsync.next %no
  }
}
