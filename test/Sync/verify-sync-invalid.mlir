// What the sync stage promises, one broken promise per case.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --verify-sync

// The contract holds.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.stop_requested : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    %go = arith.constant true
    gsync.next %go
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}

// -----

// expected-error@+1 {{'gsync.train' op sync stage: the algorithm was not expanded; run expand-algorithm}}
gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(1.0)

// -----

// expected-error@+1 {{sync stage: has no gsync.role}}
module {}

// -----

// A stored cell whose layout is missing.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
// expected-error@+1 {{'gsync.cell' op sync stage: names no nn.layout: @others}}
gsync.cell @w : tensor<6xf32> role(parameter) layout(@others)
gsync.role @worker on @world {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}

// -----

// A stored cell of another length than its slots.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
// expected-error@+1 {{'gsync.cell' op sync stage: has type 'tensor<7xf32>' but @params describes a vector of 6 elements}}
gsync.cell @w : tensor<7xf32> role(parameter) layout(@params)
gsync.role @worker on @world {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
  gsync.model {
    %w = gsync.load @w : tensor<7xf32>
    gsync.yield %w : tensor<7xf32>
  }
}

// -----

// No model to evaluate.
// expected-error@+1 {{sync stage: no role has a gsync.model, so nothing could be evaluated or exported; add one that yields the flat parameters}}
module {
  gsync.group @world
  gsync.role @worker on @world {
    gsync.strand {
      %yes = arith.constant true
      gsync.next %yes
    }
  }
}

// -----

// One case of each rule that has a pass of its own: futures,
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
gsync.cell @x : tensor<i64> role(state)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %n = gsync.stop_requested : tensor<i64>
    // expected-error@+1 {{'gsync.all_reduce' op sync stage: its future is never consumed}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    gsync.next %yes
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}

// -----

// uniformity,
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
gsync.cell @x : tensor<i64> role(state)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    // expected-note@+1 {{local because of 'gsync.stop_requested'}}
    %n = gsync.stop_requested : tensor<i64>
    %x = tensor.extract %n[] : tensor<i64>
    %zero = arith.constant 0 : i64
    %c = arith.cmpi eq, %x, %zero : i64
    // expected-note@+1 {{the condition}}
    scf.if %c {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: stands under a local condition}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    gsync.next %yes
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}

// -----

// cells,
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
gsync.cell @x : tensor<i64> role(state)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    %n = gsync.stop_requested : tensor<i64>
    // expected-note@+1 {{read here}}
    %x = gsync.load @x : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    // expected-error@+1 {{'gsync.atomic' op sync stage: changes @x by a value read before}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<i64>):
      gsync.yield cells(%x : tensor<i64>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<i64>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<i64>):
      gsync.yield cells(%z : tensor<i64>)
    }
    gsync.next %yes
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}

// -----

// channels,
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
gsync.cell @x : tensor<i64> role(state)
gsync.rendezvous @turn
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %n = gsync.stop_requested : tensor<i64>
    // expected-error@+1 {{'gsync.meet' op sync stage: meets at @turn, which 1 strand uses}}
    %m = gsync.meet @turn : i1
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}

// -----

// and, as a warning, failure.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
gsync.cell @x : tensor<i64> role(state)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %n = gsync.stop_requested : tensor<i64>
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    // expected-warning@+1 {{'gsync.atomic' op sync stage: changes cells in front of 'gsync.await', which may fail}}
    gsync.atomic (@x) {
    ^bb0(%v: tensor<i64>):
      gsync.yield cells(%n : tensor<i64>)
    }
    // expected-note@+1 {{may fail}}
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.next %yes
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}
