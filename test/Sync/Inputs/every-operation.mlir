// Two groups whose roles use, between them, every operation of gsync and every
// source of batches; sound by every rule of the sync stage.
!F = !gsync.future<tensor<8xf32>, tensor<i64>>
!M = !gsync.future<tensor<8xf32>, i64, i1>
nn.layout @params [#nn.slot<"w" : tensor<8xf32> at 0 parameter>]

func.func private @gradient(%w: tensor<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %g = arith.mulf %w, %x : tensor<8xf32>
  return %g : tensor<8xf32>
}
func.func private @reduce(%g: tensor<8xf32>, %n: tensor<i64>) -> !F {
  %f = gsync.all_reduce sum on @grads (%g, %n) : (tensor<8xf32>, tensor<i64>) -> !F
  return %f : !F
}

//===----------------------------------------------------------------------===//
// Peers
//===----------------------------------------------------------------------===//

gsync.group @world elastic(1 to 8)
gsync.channel @grads on @world kind(collective)
gsync.channel @start on @world kind(collective)
gsync.channel @gossip on @world kind(pair)
gsync.rendezvous @turn
gsync.policy @match "gossip.matcher" central with {topology = "ring"} {
  gsync.entry @next : () -> (i64, i64, i1)
  gsync.entry @report : (i64) -> i1
}
gsync.policy @ramp "dynamic.ramp" replicated {
  gsync.entry @factor : (i64) -> (f64, i1)
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.cell @w : tensor<8xf32> role(parameter) layout(@params)
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @last : f64 role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @budget : tensor<i64> role(setting)
gsync.role @peer on @world {
  gsync.init {
    %zero = arith.constant 0 : i64
    %w = gsync.load @w : tensor<8xf32>
    %f = gsync.broadcast from(%zero) on @start (%w) : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
    %same = gsync.await %f : !gsync.future<tensor<8xf32>>
    gsync.atomic (@w, @x) {
    ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
      gsync.yield cells(%same, %same : tensor<8xf32>, tensor<8xf32>)
    }
    // Measured, not applied: nobody reads the result.
    %b = gsync.next_batch from(peek) : tensor<8xf32>
    %g = func.call @gradient(%w, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %now = gsync.now : f64
    gsync.atomic (@last) {
    ^bb0(%a: f64):
      gsync.yield cells(%now : f64)
    }
    %ready = gsync.ready : !F
    gsync.yield %ready : !F
  }
  gsync.strand @compute (%prev: !F) {
    %one = arith.constant 1 : i64
    %members, %rank = gsync.view @world : i64, i64
    %quanta = gsync.quanta : i64
    %expected = gsync.round_samples : i64
    %samples = gsync.data_samples : i64
    %w = gsync.load @w : tensor<8xf32>
    %z = gsync.zero : tensor<8xf32>
    %acc, %k = gsync.repeat until(%prev : !F) at_least(%one) at_most(%quanta) iter(%z : tensor<8xf32>) {
    ^bb0(%i: i64, %a: tensor<8xf32>):
      %b = gsync.next_batch from(queue acked_by(@grads)) : tensor<8xf32>
      %g = func.call @gradient(%w, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      %n = arith.addf %a, %g : tensor<8xf32>
      gsync.yield %n : tensor<8xf32>
    }
    // Repeated for its batches alone.
    %again = gsync.repeat at_least(%quanta) at_most(%quanta) {
    ^bb0(%i: i64):
      %skipped = gsync.next_batch from(cursor) : tensor<8xf32>
    }
    %claimed = gsync.next_batch from(range(%rank, %members)) : tensor<8xf32>
    %first = gsync.next_batch from(whole(%samples)) : tensor<8xf32>
    %stop = gsync.stop_requested : tensor<i64>
    %next = func.call @reduce(%acc, %stop) : (tensor<8xf32>, tensor<i64>) -> !F
    %late = gsync.done %prev : !F
    %sum, %n = gsync.await %prev : !F
    %all = gsync.all_gather on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<?xi64>>
    %counts = gsync.await %all : !gsync.future<tensor<?xi64>>
    %part = gsync.reduce_scatter sum on @grads (%sum) : (tensor<8xf32>) -> !gsync.future<tensor<?xf32>>
    %mine = gsync.await %part : !gsync.future<tensor<?xf32>>
    %ids = gsync.zero : tensor<2xi64>
    %rows = gsync.zero : tensor<2x3xf32>
    %sparse = gsync.all_reduce sum on @grads () sparse(%ids, %rows) : (tensor<2xi64>, tensor<2x3xf32>) -> !gsync.future<tensor<?xi64>, tensor<?x3xf32>>
    %si, %sr = gsync.await %sparse : !gsync.future<tensor<?xi64>, tensor<?x3xf32>>
    %got = tensor.extract %n[] : tensor<i64>
    %ok = gsync.commit on @world expect(%got, %expected) : i1
    %factor, %reset = gsync.ask @ramp::@factor(%members) : (i64) -> (f64, i1)
    scf.if %ok {
      gsync.atomic (@w, @seen) repeatable {
      ^bb0(%a: tensor<8xf32>, %s: tensor<i64>):
        %a1 = arith.subf %a, %sum : tensor<8xf32>
        %s1 = arith.addi %s, %n : tensor<i64>
        gsync.yield cells(%a1, %s1 : tensor<8xf32>, tensor<i64>)
      }
    }
    scf.if %late {
      gsync.atomic (@x) repeatable {
      ^bb0(%a: tensor<8xf32>):
        %a1 = arith.addf %a, %acc : tensor<8xf32>
        gsync.yield cells(%a1 : tensor<8xf32>)
      }
    } else {
      %live = gsync.ask @match::@report(%k) : (i64) -> i1
    }
    %met = gsync.meet @turn : i1
    %seen = gsync.load @seen : tensor<i64>
    %budget = gsync.load @budget : tensor<i64>
    %si64 = tensor.extract %seen[] : tensor<i64>
    %bi64 = tensor.extract %budget[] : tensor<i64>
    %go = arith.cmpi slt, %si64, %bi64 : i64
    gsync.next %go (%next : !F)
  }
  gsync.strand @talk {
    %peer, %tag, %go = gsync.ask @match::@next() : () -> (i64, i64, i1)
    %zero = arith.constant 0 : i64
    %has = arith.cmpi sge, %peer, %zero : i64
    scf.if %go {
      scf.if %has {
        %mine = gsync.atomic (@x, @last) repeatable -> (tensor<8xf32>) {
        ^bb0(%a: tensor<8xf32>, %t: f64):
          %now = gsync.now : f64
          gsync.yield cells(%a, %now : tensor<8xf32>, f64) %a : tensor<8xf32>
        }
        %f = gsync.exchange (%mine) with(%peer) tag(%tag) on @gossip : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
        %theirs = gsync.await %f : !gsync.future<tensor<8xf32>>
        gsync.atomic (@x) {
        ^bb0(%a: tensor<8xf32>):
          %d = arith.subf %mine, %theirs : tensor<8xf32>
          %a1 = arith.subf %a, %d : tensor<8xf32>
          gsync.yield cells(%a1 : tensor<8xf32>)
        }
      }
    }
    %lo = arith.constant 0 : index
    %up = arith.index_cast %tag : i64 to index
    %st = arith.constant 1 : index
    scf.for %i = %lo to %up step %st {
      %unused = gsync.ask @quota::@averaged() : () -> i1
    }
    scf.while : () -> () {
      %more = gsync.ask @quota::@averaged() : () -> i1
      scf.condition(%more)
    } do {
      %b = gsync.next_batch from(queue) : tensor<8xf32>
      scf.yield
    }
    %met = gsync.meet @turn : i1
    gsync.next %met
  }
  gsync.drain (%last: !F) {
    %sum, %n = gsync.await %last : !F
    gsync.atomic (@w) {
    ^bb0(%a: tensor<8xf32>):
      %a1 = arith.subf %a, %sum : tensor<8xf32>
      gsync.yield cells(%a1 : tensor<8xf32>)
    }
    gsync.yield
  }
  gsync.model {
    %x = gsync.load @x : tensor<8xf32>
    %f = gsync.all_reduce sum on @start (%x) : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
    %s = gsync.await %f : !gsync.future<tensor<8xf32>>
    gsync.yield %s : tensor<8xf32>
  }
}

//===----------------------------------------------------------------------===//
// A server and its workers
//===----------------------------------------------------------------------===//

gsync.group @all roles(@server = 1, @worker = rest)
gsync.channel @ps on @all kind(mailbox) server(@server)
gsync.cell @served : tensor<8xf32> role(state)
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
      %b = gsync.next_batch from(keyed(%ticket)) : tensor<8xf32>
      %l = gsync.next_batch from(queue lease(%ticket)) : tensor<8xf32>
      %g = func.call @gradient(%w, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      gsync.push on @ps (%g) ticket(%ticket) : tensor<8xf32>
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
    %w = gsync.load @served : tensor<8xf32>
    gsync.grant on @ps (%w) stale_after(%one) : tensor<8xf32>
    gsync.yield
  }
  gsync.strand {
    %one = arith.constant 1 : i64
    %alive = gsync.workers on @ps : i64
    %sum, %who = gsync.collect sum on @ps first(%alive) by_staleness : tensor<8xf32>, !gsync.members
    %w = gsync.atomic (@served) -> (tensor<8xf32>) {
    ^bb0(%a: tensor<8xf32>):
      %a1 = arith.addf %a, %sum : tensor<8xf32>
      gsync.yield cells(%a1 : tensor<8xf32>) %a1 : tensor<8xf32>
    }
    %size = gsync.size %who : i64
    %more = arith.cmpi sle, %size, %alive : i64
    scf.if %more {
      gsync.grant on @ps (%w) to(%who) stale_after(%one) : tensor<8xf32>
    }
    gsync.next %more
  }
  gsync.drain {
    gsync.close on @ps
    gsync.yield
  }
}
