// Channels on which somebody would wait for ever.
// RUN: rubato-opt %s --split-input-file --gsync-verify-channels --verify-diagnostics

// The first grant is forgotten.
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
// expected-error@+1 {{'gsync.role' op sync stage: serves @ps but hands out no first model: every worker would wait for ever; end its gsync.init with a gsync.grant to all}}
gsync.role @server on @all device(host) {
  gsync.init {
    %one = arith.constant 1 : i64
    %z = gsync.zero : tensor<8xf32>
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

// So it is without an init.
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
// expected-error@+1 {{'gsync.role' op sync stage: serves @ps but hands out no first model: every worker would wait for ever; end its gsync.init with a gsync.grant to all}}
gsync.role @server on @all device(host) {
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

// A first grant under a condition.
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
// expected-error@+1 {{'gsync.role' op sync stage: serves @ps but hands out no first model: every worker would wait for ever; end its gsync.init with a gsync.grant to all}}
gsync.role @server on @all device(host) {
  gsync.init {
    %one = arith.constant 1 : i64
    %z = gsync.zero : tensor<8xf32>
    %yes = arith.constant true
    scf.if %yes {
      gsync.grant on @ps (%z) stale_after(%one) : tensor<8xf32>
    }
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

// The close is forgotten.
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
// expected-error@+1 {{'gsync.role' op sync stage: serves @ps but never closes it: workers that pull would wait for ever; put gsync.close into its gsync.drain, under no condition}}
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
    gsync.yield
  }
}

// -----

// There is no drain.
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
// expected-error@+1 {{'gsync.role' op sync stage: serves @ps but never closes it: workers that pull would wait for ever; put gsync.close into its gsync.drain, under no condition}}
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
}

// -----

// A close under a condition.
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
// expected-error@+1 {{'gsync.role' op sync stage: serves @ps but never closes it: workers that pull would wait for ever; put gsync.close into its gsync.drain, under no condition}}
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
    scf.if %yes {
      gsync.close on @ps
    }
    gsync.yield
  }
}

// -----

// Closed while rounds may follow.
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
    // expected-error@+1 {{'gsync.close' op sync stage: stands in the strand of role @server, where rounds may still follow; close a mailbox in the drain}}
    gsync.close on @ps
    gsync.next %more
  }
  gsync.drain {
    %yes = arith.constant true
    gsync.close on @ps
    gsync.yield
  }
}

// -----

// The answer is forgotten.
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
    // expected-error@+1 {{'gsync.collect' op sync stage: is followed by no gsync.grant on a path that goes on: the workers it answers would wait for ever; grant behind it, under no condition or under the one that gsync.next takes}}
    %sum, %who = gsync.collect sum on @ps first(%one) : tensor<8xf32>, !gsync.members
    %more = gsync.ask @rule::@round() : () -> i1
    // expected-note@+1 {{goes on here}}
    gsync.next %more
  }
  gsync.drain {
    %yes = arith.constant true
    gsync.close on @ps
    gsync.yield
  }
}

// -----

// Answered only now and then.
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
    // expected-error@+1 {{'gsync.collect' op sync stage: is followed by no gsync.grant on a path that goes on: the workers it answers would wait for ever; grant behind it, under no condition or under the one that gsync.next takes}}
    %sum, %who = gsync.collect sum on @ps first(%one) : tensor<8xf32>, !gsync.members
    %more = gsync.ask @rule::@round() : () -> i1
    %luck = gsync.ask @rule::@round() : () -> i1
    scf.if %luck {
      gsync.grant on @ps (%sum) to(%who) stale_after(%one) : tensor<8xf32>
    }
    // expected-note@+1 {{goes on here}}
    gsync.next %more
  }
  gsync.drain {
    %yes = arith.constant true
    gsync.close on @ps
    gsync.yield
  }
}

// -----

// Answered on the wrong side.
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
    // expected-error@+1 {{'gsync.collect' op sync stage: is followed by no gsync.grant on a path that goes on: the workers it answers would wait for ever; grant behind it, under no condition or under the one that gsync.next takes}}
    %sum, %who = gsync.collect sum on @ps first(%one) : tensor<8xf32>, !gsync.members
    %more = gsync.ask @rule::@round() : () -> i1
    scf.if %more {
    } else {
      gsync.grant on @ps (%sum) to(%who) stale_after(%one) : tensor<8xf32>
    }
    // expected-note@+1 {{goes on here}}
    gsync.next %more
  }
  gsync.drain {
    %yes = arith.constant true
    gsync.close on @ps
    gsync.yield
  }
}

// -----

// Granted in front of the collect instead of behind it.
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
    %z = gsync.zero : tensor<8xf32>
    gsync.grant on @ps (%z) stale_after(%one) : tensor<8xf32>
    // expected-error@+1 {{'gsync.collect' op sync stage: is followed by no gsync.grant on a path that goes on: the workers it answers would wait for ever; grant behind it, under no condition or under the one that gsync.next takes}}
    %sum, %who = gsync.collect sum on @ps first(%one) : tensor<8xf32>, !gsync.members
    %more = gsync.ask @rule::@round() : () -> i1
    // expected-note@+1 {{goes on here}}
    gsync.next %more
  }
  gsync.drain {
    %yes = arith.constant true
    gsync.close on @ps
    gsync.yield
  }
}

// -----

// A server collects in rounds.
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
    %one = arith.constant 1 : i64
    // expected-error@+1 {{'gsync.collect' op sync stage: stands in the drain of role @server, where nobody computes; collect in a strand}}
    %sum, %who = gsync.collect sum on @ps first(%one) : tensor<8xf32>, !gsync.members
    gsync.close on @ps
    gsync.yield
  }
}

// -----

// Two servers.
!M = !gsync.future<tensor<8xf32>, i64, i1>
gsync.group @all roles(@server = 2, @worker = rest)
// expected-error@+1 {{'gsync.channel' op sync stage: has the server role @server, which is not one member of @all; a mailbox has exactly one server: = 1}}
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

// A mailbox on a group where everybody is the same.
gsync.group @all
// expected-error@+1 {{'gsync.channel' op sync stage: is a mailbox, but @all has no roles for its server and its workers; give the group roles(@server = 1, @worker = rest)}}
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.policy @rule "staleness.rule" local {
  gsync.entry @round : () -> i1
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

// A worker that never pulls never learns that all is over.
!M = !gsync.future<tensor<8xf32>, i64, i1>
gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.policy @rule "staleness.rule" local {
  gsync.entry @round : () -> i1
}
// expected-error@+1 {{'gsync.role' op sync stage: is a worker of @ps but never pulls, so it never learns that the mailbox was closed; pull in its gsync.init and carry the future}}
gsync.role @worker on @all {
  gsync.strand {
    %yes = arith.constant true
    gsync.next %yes
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

// A second pull while the first is on its way.
!M = !gsync.future<tensor<8xf32>, i64, i1>
gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.policy @rule "staleness.rule" local {
  gsync.entry @round : () -> i1
}
gsync.role @worker on @all {
  gsync.init {
    %none = arith.constant -1 : i64
    // expected-note@+1 {{still on its way from here}}
    %m = gsync.pull on @ps after(%none) : !M
    gsync.yield %m : !M
  }
  gsync.strand (%model: !M) {
    %none = arith.constant -1 : i64
    // expected-error@+1 {{'gsync.pull' op sync stage: starts while one of the same kind on @ps is on its way in this strand: at most one may be; await the other first}}
    %fresh = gsync.pull on @ps after(%none) : !M
    %w, %ticket, %go = gsync.await %model : !M
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

// Two exchanges at a time.
gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %n = gsync.zero : tensor<i64>
    // expected-note@+1 {{still on its way from here}}
    %f = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
    // expected-error@+1 {{'gsync.exchange' op sync stage: starts while one of the same kind on @pair is on its way in this strand: at most one may be; await the other first}}
    %g = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    %t = gsync.await %g : !gsync.future<tensor<i64>>
    %h = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %hs = gsync.await %h : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}

// -----

// The second only on one path.
gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %n = gsync.zero : tensor<i64>
    // expected-note@+1 {{still on its way from here}}
    %f = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
    scf.if %yes {
      // expected-error@+1 {{'gsync.exchange' op sync stage: starts while one of the same kind on @pair is on its way in this strand: at most one may be; await the other first}}
      %g = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %t = gsync.await %g : !gsync.future<tensor<i64>>
    }
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    %h = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %hs = gsync.await %h : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}

// -----

// The first may come from either side of a branch.
gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %n = gsync.zero : tensor<i64>
    %f = scf.if %yes -> (!gsync.future<tensor<i64>>) {
      // expected-note@+1 {{still on its way from here}}
      %a = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
      scf.yield %a : !gsync.future<tensor<i64>>
    } else {
      %a = gsync.ready : !gsync.future<tensor<i64>>
      scf.yield %a : !gsync.future<tensor<i64>>
    }
    // expected-error@+1 {{'gsync.exchange' op sync stage: starts while one of the same kind on @pair is on its way in this strand: at most one may be; await the other first}}
    %g = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    %t = gsync.await %g : !gsync.future<tensor<i64>>
    %h = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %hs = gsync.await %h : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}

// -----

// A batch that no reduction acknowledges.
gsync.group @world
gsync.channel @pair on @world kind(pair)
gsync.channel @grads on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %zero = arith.constant 0 : i64
    %n = gsync.zero : tensor<i64>
    %h = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %hs = gsync.await %h : !gsync.future<tensor<i64>>
    // expected-error@+1 {{'gsync.next_batch' op sync stage: is acknowledged by the next reduction on @grads, but none follows on every path of the strand of role @worker: its samples would never count as done; reduce on it behind the batch, under no further condition, or leave out acked_by}}
    %b = gsync.next_batch from(queue acked_by(@grads)) : tensor<i64>
    %f = gsync.exchange (%n) with(%zero) tag(%zero) on @pair : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}

// -----

// A second role, and nobody knows who runs which.
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
    %h = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %hs = gsync.await %h : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
}
// expected-error@+1 {{'gsync.role' op sync stage: is the second role on @world, whose members do not know which to run; give the group roles(@a = 1, @b = rest)}}
gsync.role @other on @world {
  gsync.strand {
    %yes = arith.constant true
    gsync.next %yes
  }
}

// -----

// A role that the group does not name.
!M = !gsync.future<tensor<8xf32>, i64, i1>
gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.policy @rule "staleness.rule" local {
  gsync.entry @round : () -> i1
}
// expected-error@+1 {{'gsync.role' op sync stage: is run by nobody: the roles of @all do not name it; add it to roles(…)}}
gsync.role @third on @all {
  gsync.strand {
    %yes = arith.constant true
    gsync.next %yes
  }
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

// A collective among members that run different roles.
!M = !gsync.future<tensor<8xf32>, i64, i1>
gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
// expected-error@+1 {{'gsync.channel' op sync stage: is collective, but the members of @all run several roles, which do not use it in one order; use a mailbox, or a group of one role}}
gsync.channel @grads on @all kind(collective)
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
    %n = gsync.zero : tensor<i64>
    %h = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %hs = gsync.await %h : !gsync.future<tensor<i64>>
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

// Nobody to meet.
gsync.group @world
gsync.rendezvous @turn
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    // expected-error@+1 {{'gsync.meet' op sync stage: meets at @turn, which 1 strand uses; a rendezvous is for exactly two strands of one role}}
    %m = gsync.meet @turn : i1
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    gsync.next %yes
  }
}

// -----

// One too many.
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
    %m = gsync.meet @turn : i1
    gsync.next %yes
  }
  gsync.strand @c {
    %yes = arith.constant true
    // expected-error@+1 {{'gsync.meet' op sync stage: meets at @turn, which 3 strands use; a rendezvous is for exactly two strands of one role}}
    %m = gsync.meet @turn : i1
    gsync.next %yes
  }
}

// -----

// In a drain no strand runs.
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
    %m = gsync.meet @turn : i1
    gsync.next %yes
  }
  gsync.drain {
    // expected-error@+1 {{'gsync.meet' op sync stage: waits for another strand, but none runs during the drain of role @worker; meet in strands only}}
    %m = gsync.meet @turn : i1
    gsync.yield
  }
}

// -----

// A channel for nothing.
gsync.group @world
// expected-warning@+1 {{'gsync.channel' op sync stage: is never used; remove it}}
gsync.channel @spare on @world kind(collective)

// -----

// More is pushed than is collected.
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
      // expected-note@+1 {{expected here}}
      gsync.push on @ps (%w, %ticket) ticket(%ticket) : tensor<8xf32>, i64
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
    // expected-error@+1 {{'gsync.collect' op sync stage: moves ('tensor<8xf32>') over @ps, but the other end expects ('tensor<8xf32>', 'i64'); let both name the same types}}
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

// More is granted than is pulled.
!M = !gsync.future<tensor<8xf32>, i64, i1>
gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.policy @rule "staleness.rule" local {
  gsync.entry @round : () -> i1
}
gsync.role @worker on @all {
  gsync.init {
    %none = arith.constant -1 : i64
    // expected-note@+1 {{expected here}}
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
    // expected-error@+1 {{'gsync.grant' op sync stage: moves ('tensor<8xf32>', 'i64') over @ps, but the other end expects ('tensor<8xf32>'); let both name the same types}}
    gsync.grant on @ps (%z, %one) stale_after(%one) : tensor<8xf32>, i64
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

// A decision that nobody takes.
gsync.group @world
gsync.policy @rule "some.rule" local {
  gsync.entry @asked : () -> i1
  // expected-warning @below {{'gsync.entry' op sync stage: is never asked: what @rule decides has no effect; ask it, or remove it}}
  gsync.entry @forgotten : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %go = gsync.ask @rule::@asked() : () -> i1
    gsync.next %go
  }
}

// -----

// Members come and go, and nobody asks whether all samples arrived.
gsync.group @world elastic(1 to 8)
gsync.role @worker on @world {
  gsync.strand {
    // expected-error @below {{'gsync.next_batch' op sync stage: reserves samples of a round in the elastic group @world, but no vote on the round follows it: where a member is lost, its samples would be left out; add gsync.commit behind it, under no condition}}
    %batch:3 = gsync.next_batch from(cursor) : tensor<2x4xf32>, tensor<2xf32>, tensor<2xi64>
    %go = arith.constant false
    gsync.next %go
  }
}

// -----

// A channel among others,
gsync.group @a
gsync.group @b
gsync.channel @c on @b kind(collective)
gsync.role @worker on @a {
  gsync.strand {
    %no = arith.constant false
    %n = gsync.zero : tensor<i64>
    // expected-error@+1 {{'gsync.all_reduce' op sync stage: uses @c of group @b, but role @worker runs on @a, whose members are not in it; use a channel on @a, or put the role on @b}}
    %f = gsync.all_reduce sum on @c (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.next %no
  }
}

// -----

// a place among others,
gsync.group @a
gsync.group @b
gsync.role @worker on @a {
  gsync.strand {
    %no = arith.constant false
    // expected-error@+1 {{'gsync.view' op sync stage: uses @b, but role @worker runs on @a, whose members are not in it; name @a, or put the role on @b}}
    %n, %r = gsync.view @b : i64, i64
    gsync.next %no
  }
}

// -----

// a vote of others.
gsync.group @a
gsync.group @b
gsync.role @worker on @a {
  gsync.strand {
    %no = arith.constant false
    %n, %r = gsync.view @a : i64, i64
    // expected-error@+1 {{'gsync.commit' op sync stage: uses @b, but role @worker runs on @a, whose members are not in it; name @a, or put the role on @b}}
    %ok = gsync.commit on @b expect(%n, %n) : i1
    gsync.next %no
  }
}

// -----

// The reduction stands on the other path,
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
    scf.if %c {
      // expected-error@+1 {{'gsync.next_batch' op sync stage: is acknowledged by the next reduction on @grads, but none follows on every path of the strand of role @worker}}
      %b = gsync.next_batch from(queue acked_by(@grads)) : tensor<i64>
    } else {
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
      %s = gsync.await %f : !F
    }
    gsync.next %no
  }
}

// -----

// or on one that may be skipped.
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
    // expected-error@+1 {{'gsync.next_batch' op sync stage: is acknowledged by the next reduction on @grads, but none follows on every path of the strand of role @worker}}
    %b = gsync.next_batch from(queue acked_by(@grads)) : tensor<i64>
    scf.if %c {
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
      %s = gsync.await %f : !F
    }
    gsync.next %no
  }
}

// -----

// The vote comes before the samples,
gsync.group @world elastic(1 to 8)
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    %total = gsync.round_samples : i64
    %ok = gsync.commit on @world expect(%total, %total) : i1
    // expected-error @below {{'gsync.next_batch' op sync stage: reserves samples of a round in the elastic group @world, but no vote on the round follows it}}
    %batch:3 = gsync.next_batch from(cursor) : tensor<2x4xf32>, tensor<2xf32>, tensor<2xi64>
    gsync.next %no
  }
}

// -----

// or is taken now and then,
gsync.group @world elastic(1 to 8)
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    %total = gsync.round_samples : i64
    // expected-error @below {{'gsync.next_batch' op sync stage: reserves samples of a round in the elastic group @world, but no vote on the round follows it}}
    %batch:3 = gsync.next_batch from(cursor) : tensor<2x4xf32>, tensor<2xf32>, tensor<2xi64>
    %c = arith.cmpi eq, %total, %total : i64
    scf.if %c {
      %ok = gsync.commit on @world expect(%total, %total) : i1
    }
    gsync.next %no
  }
}

// -----

// or knows of the first batch only.
gsync.group @world elastic(1 to 8)
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    %total = gsync.round_samples : i64
    %batch:3 = gsync.next_batch from(cursor) : tensor<2x4xf32>, tensor<2xf32>, tensor<2xi64>
    %ok = gsync.commit on @world expect(%total, %total) : i1
    // expected-error @below {{'gsync.next_batch' op sync stage: reserves samples of a round in the elastic group @world, but no vote on the round follows it}}
    %more:3 = gsync.next_batch from(cursor) : tensor<2x4xf32>, tensor<2xf32>, tensor<2xi64>
    gsync.next %no
  }
}
