// One case per rule of the gsync verifiers.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics

// An algorithm is a name with options, in an attribute of its own.
// expected-error@+1 {{invalid kind of attribute specified}}
gsync.train algorithm("allreduce") learning_rate(1.0)

// -----

// Its name is text, whether there is such an algorithm or not.
// expected-error@+2 {{expected string}}
// expected-error@+1 {{failed to parse Gsync_AlgorithmAttr parameter 'name'}}
gsync.train algorithm(#gsync.algorithm<allreduce>) learning_rate(1.0)

// -----

// Options are a dictionary.
// expected-error@+2 {{invalid kind of attribute specified}}
// expected-error@+1 {{failed to parse Gsync_AlgorithmAttr parameter 'options'}}
gsync.train algorithm(#gsync.algorithm<"allreduce", 3>) learning_rate(1.0)

// -----

// Training is asked for once per module, not inside it.
func.func @f() {
  // expected-error@+1 {{expects parent op 'builtin.module'}}
  gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(1.0)
  return
}

// -----

// A channel belongs to a group.
// expected-error@+1 {{'gsync.channel' op names no gsync.group: @world}}
gsync.channel @grads on @world kind(collective)

// -----

// A group is a gsync.group, not any symbol.
func.func private @world()
// expected-error@+1 {{'gsync.channel' op names no gsync.group: @world}}
gsync.channel @grads on @world kind(collective)

// -----

// Parameters are stored under names, so the layout must be known.
// expected-error@+1 {{'gsync.cell' op of role parameter needs the layout of its slots}}
gsync.cell @w : tensor<8xf32> role(parameter)

// -----

// So are frozen tensors.
// expected-error@+1 {{'gsync.cell' op of role frozen needs the layout of its slots}}
gsync.cell @w : tensor<8xf32> role(frozen)

// -----

// Nothing else has slots.
// expected-error@+1 {{'gsync.cell' op of role counter takes no layout}}
gsync.cell @seen : tensor<i64> role(counter) layout(@params)

// -----

// Only the command line sets values.
// expected-error@+1 {{'gsync.cell' op only a setting has a default}}
gsync.cell @seen : tensor<i64> role(counter) default(1.0)

// -----

// A role belongs to a group.
gsync.cell @w : tensor<8xf32> role(parameter) layout(@params)
// expected-error@+1 {{'gsync.role' op names no gsync.group: @world}}
gsync.role @worker on @world {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
  gsync.model {
    %w = gsync.load @w : tensor<8xf32>
    gsync.yield %w : tensor<8xf32>
  }
}

// -----

// A member that runs nothing is no member.
gsync.group @world
gsync.cell @w : tensor<8xf32> role(parameter) layout(@params)
// expected-error@+1 {{'gsync.role' op needs at least one gsync.strand}}
gsync.role @worker on @world {
  gsync.model {
    %w = gsync.load @w : tensor<8xf32>
    gsync.yield %w : tensor<8xf32>
  }
}

// -----

// Two models would be ambiguous.
gsync.group @world
gsync.cell @w : tensor<8xf32> role(parameter) layout(@params)
gsync.role @worker on @world {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
  gsync.model {
    %w = gsync.load @w : tensor<8xf32>
    gsync.yield %w : tensor<8xf32>
  }
  // expected-error@+1 {{'gsync.model' op a role holds at most one init, its strands, at most one drain and one model, in this order}}
  gsync.model {
    %w = gsync.load @w : tensor<8xf32>
    gsync.yield %w : tensor<8xf32>
  }
}

// -----

// Work stands in strands.
gsync.group @world
gsync.cell @w : tensor<8xf32> role(parameter) layout(@params)
gsync.role @worker on @world {
  // expected-error@+1 {{'gsync.quanta' op may not stand directly in a role}}
  %n = gsync.quanta : i64
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
  gsync.model {
    %w = gsync.load @w : tensor<8xf32>
    gsync.yield %w : tensor<8xf32>
  }
}

// -----

// A strand stands in a role.
func.func @f() {
  // expected-error@+1 {{'gsync.strand' op expects parent op 'gsync.role'}}
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
  return
}

// -----

// A round ends in gsync.next.
gsync.group @world
gsync.cell @w : tensor<8xf32> role(parameter) layout(@params)
gsync.role @worker on @world {
  // expected-error@+1 {{'gsync.strand' op must end in gsync.next}}
  gsync.strand {
    ub.unreachable
  }
  gsync.model {
    %w = gsync.load @w : tensor<8xf32>
    gsync.yield %w : tensor<8xf32>
  }
}

// -----

// The model is one flat vector.
gsync.group @world
gsync.role @worker on @world {
  gsync.strand {
    %go = arith.constant true
    gsync.next %go
  }
  // expected-error@+1 {{'gsync.model' op must end in gsync.yield of the flat parameters}}
  gsync.model {
    gsync.yield
  }
}

// -----

// gsync.next ends a strand and nothing else.
func.func @f(%go: i1) {
  // expected-error@+1 {{'gsync.next' op expects parent op 'gsync.strand'}}
  gsync.next %go
  return
}

// -----

// Cells are read by their name.
func.func @f() {
  // expected-error@+1 {{'gsync.load' op names no gsync.cell: @w}}
  %w = gsync.load @w : tensor<8xf32>
  return
}

// -----

// A cell has one type.
gsync.cell @w : tensor<8xf32> role(parameter) layout(@params)
func.func @f() {
  // expected-error@+1 {{'gsync.load' op has type 'tensor<4xf32>' but the cell has 'tensor<8xf32>'}}
  %w = gsync.load @w : tensor<4xf32>
  return
}

// -----

// Every cell enters the atomic as an argument.
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @w : tensor<8xf32> role(parameter) layout(@params)
func.func @f() {
  // expected-error@+1 {{'gsync.atomic' op body needs one argument per cell}}
  gsync.atomic (@w, @seen) {
  ^bb0(%w: tensor<8xf32>):
    gsync.yield cells(%w : tensor<8xf32>)
  }
  return
}

// -----

// Only cells change.
gsync.group @w
func.func @f() {
  // expected-error@+1 {{'gsync.atomic' op names no gsync.cell: @w}}
  gsync.atomic (@w) {
  ^bb0(%w: tensor<8xf32>):
    gsync.yield cells(%w : tensor<8xf32>)
  }
  return
}

// -----

// A cell gets one new value.
gsync.cell @seen : tensor<i64> role(counter)
func.func @f() {
  // expected-error@+1 {{'gsync.atomic' op names cell @seen twice}}
  gsync.atomic (@seen, @seen) {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    gsync.yield cells(%a, %b : tensor<i64>, tensor<i64>)
  }
  return
}

// -----

// Settings belong to the user.
gsync.cell @lr : tensor<f32> role(setting)
func.func @f() {
  // expected-error@+1 {{'gsync.atomic' op may not change @lr: its role is setting}}
  gsync.atomic (@lr) {
  ^bb0(%a: tensor<f32>):
    gsync.yield cells(%a : tensor<f32>)
  }
  return
}

// -----

// Frozen tensors stay.
gsync.cell @w : tensor<8xf32> role(frozen) layout(@frozen)
func.func @f() {
  // expected-error@+1 {{'gsync.atomic' op may not change @w: its role is frozen}}
  gsync.atomic (@w) {
  ^bb0(%a: tensor<8xf32>):
    gsync.yield cells(%a : tensor<8xf32>)
  }
  return
}

// -----

// Arguments have the types of their cells.
gsync.cell @seen : tensor<i64> role(counter)
func.func @f() {
  // expected-error@+1 {{'gsync.atomic' op argument for @seen has type 'tensor<f32>', expected 'tensor<i64>'}}
  gsync.atomic (@seen) {
  ^bb0(%a: tensor<f32>):
    gsync.yield cells(%a : tensor<f32>)
  }
  return
}

// -----

// Every cell leaves the atomic.
gsync.cell @seen : tensor<i64> role(counter)
func.func @f() {
  // expected-error@+1 {{'gsync.atomic' op must yield one new value per cell, of its type}}
  gsync.atomic (@seen) {
  ^bb0(%a: tensor<i64>):
    gsync.yield
  }
  return
}

// -----

// Nobody waits under the lock: no batch,
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
func.func @f() {
  gsync.atomic (@seen) {
  ^bb0(%a: tensor<i64>):
    // expected-error@+1 {{'gsync.next_batch' op may not stand in a gsync.atomic: it could wait; move it in front of the atomic}}
    %b = gsync.next_batch from(cursor) : tensor<i64>
    gsync.yield cells(%a : tensor<i64>)
  }
  return
}

// -----

// no future,
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
func.func @f(%f: !gsync.future<tensor<i64>>) {
  gsync.atomic (@seen) {
  ^bb0(%a: tensor<i64>):
    // expected-error@+1 {{'gsync.await' op may not stand in a gsync.atomic: it could wait; move it in front of the atomic}}
    %b = gsync.await %f : !gsync.future<tensor<i64>>
    gsync.yield cells(%a : tensor<i64>)
  }
  return
}

// -----

// no reduction,
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
func.func @f() {
  gsync.atomic (@seen) {
  ^bb0(%a: tensor<i64>):
    // expected-error@+1 {{'gsync.all_reduce' op may not stand in a gsync.atomic: it could wait; move it in front of the atomic}}
    %b = gsync.all_reduce sum on @grads (%a) : (tensor<i64>) -> !gsync.future<tensor<i64>>
    gsync.yield cells(%a : tensor<i64>)
  }
  return
}

// -----

// no loop,
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
func.func @f(%n: i64) {
  gsync.atomic (@seen) {
  ^bb0(%a: tensor<i64>):
    // expected-error@+1 {{'gsync.repeat' op may not stand in a gsync.atomic: it could wait; move it in front of the atomic}}
    gsync.repeat at_least(%n) at_most(%n) {
    ^bb0(%i: i64):
    }
    gsync.yield cells(%a : tensor<i64>)
  }
  return
}

// -----

// no other lock.
gsync.group @world
gsync.channel @grads on @world kind(collective)
gsync.cell @seen : tensor<i64> role(counter)
func.func @f() {
  gsync.atomic (@seen) {
  ^bb0(%a: tensor<i64>):
    // expected-error@+1 {{'gsync.atomic' op may not stand in a gsync.atomic: it could wait; move it in front of the atomic}}
    gsync.atomic (@seen) {
    ^bb0(%b: tensor<i64>):
      gsync.yield cells(%b : tensor<i64>)
    }
    gsync.yield cells(%a : tensor<i64>)
  }
  return
}

// -----

// A reduction names its channel.
func.func @f(%a: tensor<i64>) {
  // expected-error@+1 {{'gsync.all_reduce' op names no gsync.channel: @grads}}
  %f = gsync.all_reduce sum on @grads (%a) : (tensor<i64>) -> !gsync.future<tensor<i64>>
  return
}

// -----

// What arrives is what was sent.
gsync.group @world
gsync.channel @grads on @world kind(collective)
func.func @f(%a: tensor<i64>) {
  // expected-error@+1 {{'gsync.all_reduce' op future must carry 'tensor<i64>', got '!gsync.future<tensor<f64>>'}}
  %f = gsync.all_reduce sum on @grads (%a) : (tensor<i64>) -> !gsync.future<tensor<f64>>
  return
}

// -----

// A stop request is one number.
func.func @f() {
  // expected-error@+1 {{result #0 must be 0D tensor of 64-bit signless integer values}}
  %q = gsync.stop_requested : tensor<2xi64>
  return
}

// -----

// Zeros have a shape.
func.func @f() {
  // expected-error@+1 {{result #0 must be statically shaped tensor of any type values}}
  %z = gsync.zero : tensor<?xf32>
  return
}

// -----

// Carried values enter a loop as arguments,
func.func @f(%n: i64, %a: tensor<i64>) {
  // expected-error@+1 {{'gsync.repeat' op body takes its index (i64) and one argument per carried value}}
  %r, %k = gsync.repeat at_least(%n) at_most(%n) iter(%a : tensor<i64>) {
    gsync.yield %a : tensor<i64>
  }
  return
}

// -----

// and leave it by the yield.
func.func @f(%n: i64, %a: tensor<i64>) {
  // expected-error@+1 {{'gsync.repeat' op body must yield one value per carried value}}
  %r, %k = gsync.repeat at_least(%n) at_most(%n) iter(%a : tensor<i64>) {
  ^bb0(%i: i64, %x: tensor<i64>):
    gsync.yield
  }
  return
}

// -----

// A yield ends regions of gsync only.
func.func @f() {
  // expected-error@+1 {{'gsync.yield' op expects parent op to be one of 'gsync.atomic, gsync.repeat, gsync.init, gsync.drain, gsync.model'}}
  gsync.yield
  return
}
