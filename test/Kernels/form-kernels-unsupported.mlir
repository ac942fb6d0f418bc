// Programs that are sound but not synchronous are refused by name, before
// anything is changed; so does the schedule when it is started from.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --form-kernels
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --build-schedule

gsync.group @world
// expected-error-re@+1 {{'gsync.policy' op {{kernels stage|schedule}}: cannot be compiled to native code: only the synchronous program can}}
gsync.policy @match "gossip.matcher" central {
  gsync.entry @next : () -> (i64, i64, i1)
}
gsync.role @worker on @world {
  gsync.strand {
    %peer, %tag, %go = gsync.ask @match::@next() : () -> (i64, i64, i1)
    gsync.next %go
  }
}

// -----

gsync.group @world
gsync.role @worker on @world {
  // expected-error-re@+1 {{'gsync.init' op {{kernels stage|schedule}}: cannot be compiled}}
  gsync.init {
    %f = gsync.ready : !gsync.future<tensor<i64>>
    gsync.yield %f : !gsync.future<tensor<i64>>
  }
  gsync.strand (%f: !gsync.future<tensor<i64>>) {
    %go = arith.constant false
    gsync.next %go (%f : !gsync.future<tensor<i64>>)
  }
}

// -----

gsync.group @world
gsync.role @worker on @world {
  gsync.strand {
    %go = arith.constant false
    // expected-error-re@+1 {{'scf.if' op {{kernels stage|schedule}}: cannot be compiled}}
    scf.if %go {
    }
    gsync.next %go
  }
}

// -----

gsync.group @world
// expected-error-re@+1 {{'gsync.role' op {{kernels stage|schedule}}: cannot be compiled}}
gsync.role @worker on @world {
  gsync.strand @a {
    %go = arith.constant false
    gsync.next %go
  }
  gsync.strand @b {
    %go = arith.constant false
    gsync.next %go
  }
}
