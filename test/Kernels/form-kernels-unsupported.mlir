// Programs that are sound but have no native form are refused by name, before
// anything is changed.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --form-kernels

// expected-error@+1 {{has no gsync.role; this pass takes a module of the sync stage}}
module {
}

// -----

// expected-error@+1 {{has no training function @gradient; run build-training first}}
module {
  gsync.group @world
  gsync.role @worker on @world {
    gsync.strand {
      %go = arith.constant false
      gsync.next %go
    }
  }
}

// -----

func.func private @gradient()
func.func private @evaluate()
gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %go = arith.constant false
    %x = gsync.zero : tensor<3xf32>
    // expected-error@+1 {{'gsync.all_gather' op kernels stage: cannot be compiled to native code: the size of its result depends on the number of members; run the program of the sync stage with rubato-interp}}
    %f = gsync.all_gather on @all (%x) : (tensor<3xf32>) -> !gsync.future<tensor<?x3xf32>>
    %y = gsync.await %f : !gsync.future<tensor<?x3xf32>>
    gsync.next %go
  }
}

// -----

func.func private @gradient()
func.func private @evaluate()
gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.role @worker on @world {
  gsync.strand {
    %go = arith.constant false
    %x = gsync.zero : tensor<8xf32>
    // expected-error@+1 {{'gsync.reduce_scatter' op kernels stage: cannot be compiled to native code: the size of its result}}
    %f = gsync.reduce_scatter sum on @all (%x) : (tensor<8xf32>) -> !gsync.future<tensor<?xf32>>
    %y = gsync.await %f : !gsync.future<tensor<?xf32>>
    gsync.next %go
  }
}

// -----

func.func private @gradient()
func.func private @evaluate()
gsync.group @world
gsync.channel @all on @world kind(collective)
gsync.role @worker on @world {
  gsync.init {
    %f = gsync.ready : !gsync.future<tensor<i64>>
    gsync.yield %f : !gsync.future<tensor<i64>>
  }
  gsync.strand (%f: !gsync.future<tensor<i64>>) {
    %go = arith.constant false
    %one = arith.constant 1 : i64
    // expected-error@+1 {{'gsync.repeat' op kernels stage: cannot be compiled to native code: on cpu at most 0 bodies run ahead of a poll}}
    %k = gsync.repeat until(%f : !gsync.future<tensor<i64>>) at_least(%one) ahead(2) {
    ^bb0(%i: i64):
      gsync.yield
    }
    gsync.next %go (%f : !gsync.future<tensor<i64>>)
  }
}

// -----

func.func private @gradient()
func.func private @evaluate()
gsync.group @world
gsync.role @worker on @world {
  gsync.strand {
    %go = arith.constant false
    %lo = arith.constant 0 : index
    %hi = arith.constant 4 : index
    %step = arith.constant 1 : index
    // expected-error@+1 {{'scf.for' op kernels stage: cannot be compiled to native code: of the structured control flow only scf.if and scf.while are lowered}}
    scf.for %i = %lo to %hi step %step {
      %now = gsync.now : f64
    }
    gsync.next %go
  }
}
