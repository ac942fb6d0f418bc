// What is wrong with a program is said in one line that names the place.
// RUN: split-file %s %t
// RUN: not rubato-interp %t/deadlock.mlir --ranks 2 2>&1 | FileCheck %s --check-prefix=DEADLOCK
// RUN: not rubato-interp %t/order.mlir --ranks 2 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not rubato-interp %t/lost.mlir --ranks 1 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: not rubato-interp %t/twice.mlir --ranks 1 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not rubato-interp %t/policy.mlir --ranks 1 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not rubato-interp %t/function.mlir --ranks 1 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not rubato-interp %t/endless.mlir --ranks 1 --max-steps 100 2>&1 | FileCheck %s --check-prefix=ENDLESS
// RUN: not rubato-interp %t/spin.mlir --ranks 1 2>&1 | FileCheck %s --check-prefix=SPIN
// RUN: not rubato-interp %t/ungranted.mlir --ranks 2 2>&1 | FileCheck %s --check-prefix=UNGRANTED
// RUN: not rubato-interp %t/ungranted.mlir --ranks 1 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not rubato-interp %t/atomic.mlir --ranks 2 2>&1 | FileCheck %s --check-prefix=ATOMIC
// RUN: not rubato-interp %t/undrained.mlir --ranks 2 --rounds 3 2>&1 | FileCheck %s --check-prefix=UNDRAINED
// RUN: not rubato-interp %t/placement.mlir --ranks 2 2>&1 | FileCheck %s --check-prefix=PLACEMENT
// RUN: not rubato-interp %t/endless.mlir --cell nothing=1 2>&1 | FileCheck %s --check-prefix=CELL
// RUN: not rubato-interp %t/endless.mlir --kill 7@0 2>&1 | FileCheck %s --check-prefix=KILL
// RUN: echo 'speed = 3' > %t/bad.cost
// RUN: not rubato-interp %t/endless.mlir --cost %t/bad.cost 2>&1 | FileCheck %s --check-prefix=COST

//--- deadlock.mlir
// DEADLOCK: error: deadlock: no strand can go on
// DEADLOCK-NEXT: rank 0, strand 0, round 0: gsync.await at {{.*}}deadlock.mlir":17:{{.*}}: number 0 on @all waits for rank 1 (which has ended)
// DEADLOCK: rank 0 @worker running
gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %false = arith.constant false
    %c0 = arith.constant 0 : i64
    %n, %rank = gsync.view @world : i64, i64
    %first = arith.cmpi eq, %rank, %c0 : i64
    scf.if %first {
      %f = gsync.all_reduce sum on @all (%n) : (i64) -> !gsync.future<i64>



      %s = gsync.await %f : !gsync.future<i64>
    }
    gsync.next %false
  }
}

//--- order.mlir
// ORDER: error: rank 1, strand 0, round 0: 'gsync.broadcast' is number 0 on @all, but rank 0 has 'gsync.all_reduce' there; all members must use a channel in one order
// ORDER: note: of rank 0
gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %false = arith.constant false
    %c0 = arith.constant 0 : i64
    %n, %rank = gsync.view @world : i64, i64
    %first = arith.cmpi eq, %rank, %c0 : i64
    %f = scf.if %first -> !gsync.future<i64> {
      %f = gsync.all_reduce sum on @all (%n) : (i64) -> !gsync.future<i64>
      scf.yield %f : !gsync.future<i64>
    } else {
      %f = gsync.broadcast from(%c0) on @all (%n) : (i64) -> !gsync.future<i64>
      scf.yield %f : !gsync.future<i64>
    }
    %s = gsync.await %f : !gsync.future<i64>
    gsync.next %false
  }
}

//--- lost.mlir
// LOST: lost.mlir:{{.*}}: error: rank 0, strand 0, round 0: lost future: it is neither awaited nor carried over the boundary; await it on every path
gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %false = arith.constant false
    %c0 = arith.constant 0 : i64
    %f = gsync.all_reduce sum on @all (%c0) : (i64) -> !gsync.future<i64>
    gsync.next %false
  }
}

//--- twice.mlir
// TWICE: error: rank 0, strand 0, round 0: future is awaited twice
gsync.group @world
gsync.role @worker on @world {
  gsync.strand {
    %false = arith.constant false
    %f = gsync.ready : !gsync.future<i64>
    %a = gsync.await %f : !gsync.future<i64>
    %b = gsync.await %f : !gsync.future<i64>
    gsync.next %false
  }
}

//--- policy.mlir
// POLICY: error: cannot make its policy: {{.*}}oracle
gsync.group @world
gsync.policy @p "oracle" local {
  gsync.entry @ask : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %go = gsync.ask @p::@ask() : () -> i1
    gsync.next %go
  }
}

//--- function.mlir
// FUNCTION: error: calls '@gradient', which has no body
gsync.group @world
func.func private @gradient() -> i1
gsync.role @worker on @world {
  gsync.strand {
    %go = func.call @gradient() : () -> i1
    gsync.next %go
  }
}

//--- endless.mlir
// ENDLESS: error: not over after 100 steps; give --rounds, or raise --max-steps
// CELL: error: --cell: the program has no cell @nothing
// KILL: error: --kill 7@0: expected RANK@ROUND or RANK@ROUND.STEP of a rank below 2
// COST: error: --cost: {{.*}}bad.cost:1: unknown key 'speed'; it has gradient, step
gsync.group @world
gsync.role @worker on @world {
  gsync.strand {
    %true = arith.constant true
    gsync.next %true
  }
}

//--- spin.mlir
// SPIN: error: rank 0, strand 0, round 0: runs for ever without a visible step
gsync.group @world
gsync.role @worker on @world {
  gsync.strand {
    %true = arith.constant true
    %r = scf.while (%a = %true) : (i1) -> i1 {
      scf.condition(%a) %a : i1
    } do {
    ^bb0(%b: i1):
      scf.yield %b : i1
    }
    gsync.next %r
  }
}

//--- ungranted.mlir
// UNGRANTED: error: deadlock: no strand can go on
// UNGRANTED-NEXT: rank 0, strand 0, round 0: gsync.collect at {{.*}}: collect waits for 1 uploads, has 0, and 0 workers compute
// UNGRANTED-NEXT: rank 1, strand 0, round 0: gsync.await at {{.*}}: pull on @ps waits for a ticket after -1 from rank 0
// FEW: error: needs more than 1 members, there are 1; run it with --ranks 2 or more
!M = !gsync.future<i64, i1>
gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.role @server on @all {
  gsync.strand {
    %false = arith.constant false
    %c1 = arith.constant 1 : i64
    %sum, %who = gsync.collect sum on @ps first(%c1) : i64, !gsync.members
    gsync.next %false
  }
  gsync.drain {
    gsync.close on @ps
    gsync.yield
  }
}
gsync.role @worker on @all {
  gsync.strand {
    %none = arith.constant -1 : i64
    %m = gsync.pull on @ps after(%none) : !M
    %ticket, %go = gsync.await %m : !M
    gsync.push on @ps (%ticket) ticket(%ticket) : i64
    gsync.next %go
  }
}

//--- atomic.mlir
// ATOMIC: atomic.mlir:{{.*}}: error: rank 0, strand 0, round 0: 'gsync.all_reduce' may not stand in a gsync.atomic, nor in a function that is called there: it could wait; move it in front of the atomic
gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.cell @x : i64 role(counter)
func.func private @bump() {
  %c1 = arith.constant 1 : i64
  %f = gsync.all_reduce sum on @all (%c1) : (i64) -> !gsync.future<i64>
  %w = gsync.await %f : !gsync.future<i64>
  return
}
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    gsync.atomic (@x) {
    ^bb0(%v: i64):
      func.call @bump() : () -> ()
      gsync.yield cells(%v : i64)
    }
    gsync.next %no
  }
}

//--- undrained.mlir
// UNDRAINED: undrained.mlir:{{.*}}: error: lost future: rank 0 ended without awaiting it; await it in gsync.drain
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.role @worker on @world {
  gsync.init {
    %first = gsync.ready : !F
    gsync.yield %first : !F
  }
  gsync.strand (%last: !F) {
    %zero = arith.constant 0 : i64
    %asked = gsync.await %last : !F
    %number = tensor.extract %asked[] : tensor<i64>
    %stop = gsync.stop_requested : tensor<i64>
    %f = gsync.all_reduce sum on @all (%stop) : (tensor<i64>) -> !F
    %go = arith.cmpi eq, %number, %zero : i64
    gsync.next %go (%f : !F)
  }
}

//--- placement.mlir
// PLACEMENT: placement.mlir:{{.*}}: error: is declared local, but policies of kind "gossip.matcher" are central; declare it central
gsync.group @world
gsync.policy @match "gossip.matcher" local {
  gsync.entry @constants : () -> (f64, f64)
}
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    %constants:2 = gsync.ask @match::@constants() : () -> (f64, f64)
    gsync.next %no
  }
}
