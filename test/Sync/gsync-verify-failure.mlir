// Changes of cells beside operations that may fail, where no failure repeats them.
// RUN: rubato-opt %s --split-input-file --gsync-verify-failure --verify-diagnostics -o %t

// Behind the last operation that may fail.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.policy @match "gossip.matcher" central {
  gsync.entry @next : () -> i1
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    %g = gsync.await %f : !F
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      %t = arith.addi %s, %s : tensor<i64>
      gsync.yield cells(%t : tensor<i64>)
    }
    gsync.next %yes
  }
}

// -----

// Said to be harmless.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.policy @match "gossip.matcher" central {
  gsync.entry @next : () -> i1
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    gsync.atomic (@seen) repeatable {
    ^bb0(%s: tensor<i64>):
      %t = arith.addi %s, %s : tensor<i64>
      gsync.yield cells(%t : tensor<i64>)
    }
    %g = gsync.await %f : !F
    gsync.next %yes
  }
}

// -----

// Local questions, polls, starts, batches and the clock do not fail.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.policy @match "gossip.matcher" central {
  gsync.entry @next : () -> i1
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      %t = arith.addi %s, %s : tensor<i64>
      gsync.yield cells(%t : tensor<i64>)
    }
    %c = gsync.ask @quota::@averaged() : () -> i1
    %b = gsync.next_batch from(cursor) : tensor<i64>
    %t = gsync.now : f64
    gsync.next %yes
  }
}

// -----

// The change and the fallible operation stand on different paths.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.policy @match "gossip.matcher" central {
  gsync.entry @next : () -> i1
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    scf.if %yes {
      gsync.atomic (@seen) {
      ^bb0(%s: tensor<i64>):
        %t = arith.addi %s, %s : tensor<i64>
        gsync.yield cells(%t : tensor<i64>)
      }
    } else {
      %c = gsync.ask @match::@next() : () -> i1
    }
    gsync.next %yes
  }
}

// -----

// A branch that may fail is over before the change.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.policy @match "gossip.matcher" central {
  gsync.entry @next : () -> i1
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    scf.if %yes {
      %c = gsync.ask @match::@next() : () -> i1
      gsync.atomic (@seen) {
      ^bb0(%s: tensor<i64>):
        %t = arith.addi %s, %s : tensor<i64>
        gsync.yield cells(%t : tensor<i64>)
      }
    }
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      %t = arith.addi %s, %s : tensor<i64>
      gsync.yield cells(%t : tensor<i64>)
    }
    gsync.next %yes
  }
}

// -----

// Inits and drains are not rounds.
!F = !gsync.future<tensor<i64>>
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
gsync.policy @match "gossip.matcher" central {
  gsync.entry @next : () -> i1
}
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.init {
    %n = gsync.zero : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      %t = arith.addi %s, %s : tensor<i64>
      gsync.yield cells(%t : tensor<i64>)
    }
    %g = gsync.await %f : !F
    gsync.yield
  }
  gsync.strand {
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %c = arith.constant true
    gsync.next %yes
  }
  gsync.drain {
    %n = gsync.zero : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      %t = arith.addi %s, %s : tensor<i64>
      gsync.yield cells(%t : tensor<i64>)
    }
    %g = gsync.await %f : !F
    gsync.yield
  }
}
