// Changes that a failed round would make twice.
// RUN: rubato-opt %s --split-input-file --gsync-verify-failure --verify-diagnostics -o %t

// A counter is reset before the await.
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
    // expected-warning@+1 {{'gsync.atomic' op sync stage: changes cells in front of 'gsync.await', which may fail: the round then runs again and changes them twice; move the atomic behind it, or mark it repeatable where that does no harm}}
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      %t = arith.addi %s, %s : tensor<i64>
      gsync.yield cells(%t : tensor<i64>)
    }
    // expected-note@+1 {{may fail}}
    %g = gsync.await %f : !F
    gsync.next %yes
  }
}

// -----

// Before a central question,
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
    // expected-warning@+1 {{'gsync.atomic' op sync stage: changes cells in front of 'gsync.ask', which may fail: the round then runs again and changes them twice; move the atomic behind it, or mark it repeatable where that does no harm}}
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      %t = arith.addi %s, %s : tensor<i64>
      gsync.yield cells(%t : tensor<i64>)
    }
    // expected-note@+1 {{may fail}}
    %c = gsync.ask @match::@next() : () -> i1
    gsync.next %yes
  }
}

// -----

// before a vote.
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
    // expected-warning@+1 {{'gsync.atomic' op sync stage: changes cells in front of 'gsync.commit', which may fail: the round then runs again and changes them twice; move the atomic behind it, or mark it repeatable where that does no harm}}
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      %t = arith.addi %s, %s : tensor<i64>
      gsync.yield cells(%t : tensor<i64>)
    }
    // expected-note@+1 {{may fail}}
    %c = gsync.commit on @world expect(%one, %one) : i1
    gsync.next %yes
  }
}

// -----

// The last fallible operation is named, for it is the one to get behind.
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
    // expected-warning@+1 {{'gsync.atomic' op sync stage: changes cells in front of 'gsync.commit', which may fail: the round then runs again and changes them twice; move the atomic behind it, or mark it repeatable where that does no harm}}
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      %t = arith.addi %s, %s : tensor<i64>
      gsync.yield cells(%t : tensor<i64>)
    }
    %g = gsync.await %f : !F
    // expected-note@+1 {{may fail}}
    %c = gsync.commit on @world expect(%one, %one) : i1
    gsync.next %yes
  }
}

// -----

// On one path only.
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
    scf.if %yes {
      // expected-warning@+1 {{'gsync.atomic' op sync stage: changes cells in front of 'gsync.await', which may fail: the round then runs again and changes them twice; move the atomic behind it, or mark it repeatable where that does no harm}}
      gsync.atomic (@seen) {
      ^bb0(%s: tensor<i64>):
        %t = arith.addi %s, %s : tensor<i64>
        gsync.yield cells(%t : tensor<i64>)
      }
    }
    // expected-note@+1 {{may fail}}
    %g = gsync.await %f : !F
    gsync.next %yes
  }
}

// -----

// In front of a branch that may fail.
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
    // expected-warning@+1 {{'gsync.atomic' op sync stage: changes cells in front of 'gsync.ask', which may fail: the round then runs again and changes them twice; move the atomic behind it, or mark it repeatable where that does no harm}}
    gsync.atomic (@seen) {
    ^bb0(%s: tensor<i64>):
      %t = arith.addi %s, %s : tensor<i64>
      gsync.yield cells(%t : tensor<i64>)
    }
    scf.if %yes {
      // expected-note@+1 {{may fail}}
      %c = gsync.ask @match::@next() : () -> i1
    }
    gsync.next %yes
  }
}

// -----

// In a loop the change of one run stands in front of the await of the next.
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
    %lo = arith.constant 0 : index
    %up = arith.constant 2 : index
    %st = arith.constant 1 : index
    scf.for %i = %lo to %up step %st {
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
      // expected-note@+1 {{may fail}}
      %g = gsync.await %f : !F
      // expected-warning@+1 {{'gsync.atomic' op sync stage: changes cells in front of 'gsync.await', which may fail: the round then runs again and changes them twice; move the atomic behind it, or mark it repeatable where that does no harm}}
      gsync.atomic (@seen) {
      ^bb0(%s: tensor<i64>):
        %t = arith.addi %s, %s : tensor<i64>
        gsync.yield cells(%t : tensor<i64>)
      }
    }
    gsync.next %yes
  }
}

// -----

// In a helper.
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
func.func @count() {
  // expected-warning@+1 {{'gsync.atomic' op sync stage: changes cells in front of 'gsync.await', which may fail: the round then runs again and changes them twice; move the atomic behind it, or mark it repeatable where that does no harm}}
  gsync.atomic (@seen) {
  ^bb0(%s: tensor<i64>):
    %t = arith.addi %s, %s : tensor<i64>
    gsync.yield cells(%t : tensor<i64>)
  }
  return
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %one = arith.constant 1 : i64
    %n = gsync.zero : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !F
    func.call @count() : () -> ()
    // expected-note@+1 {{may fail}}
    %g = gsync.await %f : !F
    gsync.next %yes
  }
}
