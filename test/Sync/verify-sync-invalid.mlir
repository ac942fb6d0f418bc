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
gsync.train algorithm(#allreduce.algorithm) learning_rate(1.0)

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

// A future that nobody awaits.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.stop_requested : tensor<i64>
    // expected-error@+1 {{'gsync.all_reduce' op sync stage: its future must be awaited exactly once, in the same block, but has 0 uses}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    %go = arith.constant true
    gsync.next %go
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}

// -----

// A future awaited twice.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.stop_requested : tensor<i64>
    // expected-error@+1 {{'gsync.all_reduce' op sync stage: its future must be awaited exactly once, in the same block, but has 2 uses}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    // expected-note@+1 {{used here}}
    %s = gsync.await %f : !gsync.future<tensor<i64>>
    // expected-note@+1 {{used here}}
    %t = gsync.await %f : !gsync.future<tensor<i64>>
    %go = arith.constant true
    gsync.next %go
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}

// -----

// A future awaited under a condition.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.stop_requested : tensor<i64>
    %yes = arith.constant true
    // expected-error@+1 {{'gsync.all_reduce' op sync stage: its future must be awaited exactly once, in the same block, but has 1 uses}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    scf.if %yes {
      // expected-note@+1 {{used here}}
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    %go = arith.constant true
    gsync.next %go
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}

// -----

// A future handed to something else than an await.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
func.func private @keep(!gsync.future<tensor<i64>>)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.stop_requested : tensor<i64>
    // expected-error@+1 {{'gsync.all_reduce' op sync stage: its future must be awaited exactly once, in the same block, but has 1 uses}}
    %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    // expected-note@+1 {{used here}}
    func.call @keep(%f) : (!gsync.future<tensor<i64>>) -> ()
    %go = arith.constant true
    gsync.next %go
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}

// -----

// A collective under a condition.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
gsync.role @worker on @world {
  gsync.strand {
    %n = gsync.stop_requested : tensor<i64>
    %yes = arith.constant true
    scf.if %yes {
      // expected-error@+1 {{'gsync.all_reduce' op sync stage: a collective may not stand under a condition or in a loop: every member must reach it; move it to the strand's body}}
      %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
      %s = gsync.await %f : !gsync.future<tensor<i64>>
    }
    %go = arith.constant true
    gsync.next %go
  }
  gsync.model {
    %w = gsync.load @w : tensor<6xf32>
    gsync.yield %w : tensor<6xf32>
  }
}

// -----

// A collective in a function, where no one sees who calls it.
nn.layout @params [#nn.slot<"w" : tensor<2x3xf32> at 0 parameter>]
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @w : tensor<6xf32> role(parameter) layout(@params)
func.func @helper(%n: tensor<i64>) {
  // expected-error@+1 {{'gsync.all_reduce' op sync stage: a collective may not stand under a condition or in a loop: every member must reach it; move it to the strand's body}}
  %f = gsync.all_reduce sum on @grads (%n) : (tensor<i64>) -> !gsync.future<tensor<i64>>
  %s = gsync.await %f : !gsync.future<tensor<i64>>
  return
}
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
