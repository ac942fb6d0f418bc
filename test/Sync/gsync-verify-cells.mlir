// Uses of cells that look dangerous and are not.
// RUN: rubato-opt %s --split-input-file --gsync-verify-cells --verify-diagnostics -o %t

// A snapshot is used, but the change starts from the cell's value under the lock.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    %s = gsync.load @x : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      %d = arith.subf %s, %s : tensor<8xf32>
      %n = arith.subf %v, %d : tensor<8xf32>
      gsync.yield cells(%n : tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// A snapshot of one cell changes another.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    %s = gsync.load @y : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%s : tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// Two strands, but only this one changes the cell.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    %x = gsync.load @x : tensor<8xf32>
    %n = arith.addf %x, %x : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%n : tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %r = gsync.load @x : tensor<8xf32>
    gsync.next %yes
  }
}

// -----

// One strand: nobody comes in between.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    %x = gsync.load @x : tensor<8xf32>
    %n = arith.addf %x, %x : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%n : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// In the drain all strands have ended.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.drain {
    %x = gsync.load @x : tensor<8xf32>
    %n = arith.addf %x, %x : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%n : tensor<8xf32>)
    }
    gsync.yield
  }
}

// -----

// The cell's value passes through unchanged beside another that is overwritten.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.strand @a {
    %yes = arith.constant true
    %s = gsync.load @y : tensor<8xf32>
    gsync.atomic (@x, @y) {
    ^bb0(%v: tensor<8xf32>, %w: tensor<8xf32>):
      gsync.yield cells(%v, %s : tensor<8xf32>, tensor<8xf32>)
    }
    gsync.next %yes
  }
  gsync.strand @b {
    %yes = arith.constant true
    %z = gsync.zero : tensor<8xf32>
    gsync.atomic (@x) {
    ^bb0(%v: tensor<8xf32>):
      gsync.yield cells(%z : tensor<8xf32>)
    }
    gsync.next %yes
  }
}

// -----

// Roles with cells of their own, and a setting that both read.
gsync.group @world roles(@a = 1, @b = rest)
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.cell @rate : tensor<8xf32> role(setting)
gsync.role @a on @world {
  gsync.strand {
    %yes = arith.constant true
    %x = gsync.load @x : tensor<8xf32>
    %r = gsync.load @rate : tensor<8xf32>
    gsync.next %yes
  }
}
gsync.role @b on @world {
  gsync.strand {
    %yes = arith.constant true
    %y = gsync.load @y : tensor<8xf32>
    %r = gsync.load @rate : tensor<8xf32>
    gsync.next %yes
  }
}

// -----

// A model may read and reduce.
gsync.group @world
gsync.cell @x : tensor<8xf32> role(state)
gsync.cell @y : tensor<8xf32> role(state)
gsync.cell @seen : tensor<i64> role(counter)
gsync.channel @ch on @world kind(collective)
gsync.policy @quota "gossip.quota" local {
  gsync.entry @averaged : () -> i1
}
gsync.role @worker on @world {
  gsync.strand {
    %yes = arith.constant true
    gsync.next %yes
  }
  gsync.model {
    %z = gsync.zero : tensor<8xf32>
    %x = gsync.load @x : tensor<8xf32>
    %f = gsync.all_reduce sum on @ch (%x) : (tensor<8xf32>) -> !gsync.future<tensor<8xf32>>
    %s = gsync.await %f : !gsync.future<tensor<8xf32>>
    gsync.yield %z : tensor<8xf32>
  }
}

// -----

// A helper that is called under a lock and only reads.
gsync.group @world
gsync.cell @x : i64 role(counter)
gsync.cell @pace : i64 role(setting)
func.func private @step() -> i64 {
  %s = gsync.load @pace : i64
  return %s : i64
}
gsync.role @worker on @world {
  gsync.strand {
    %no = arith.constant false
    gsync.atomic (@x) {
    ^bb0(%v: i64):
      %s = func.call @step() : () -> i64
      %w = arith.addi %v, %s : i64
      gsync.yield cells(%w : i64)
    }
    gsync.next %no
  }
}

// -----

// What the init read is compared with, and the sibling's value is another's.
gsync.group @world
gsync.cell @x : tensor<i64> role(counter)
gsync.role @worker on @world {
  gsync.init {
    %z = gsync.zero : tensor<i64>
    %s = gsync.load @x : tensor<i64>
    gsync.yield %s, %z : tensor<i64>, tensor<i64>
  }
  gsync.strand @a (%s: tensor<i64>) {
    %yes = arith.constant true
    gsync.atomic (@x) {
    ^bb0(%v: tensor<i64>):
      %n = arith.maxsi %v, %s : tensor<i64>
      gsync.yield cells(%n : tensor<i64>)
    }
    gsync.next %yes (%s : tensor<i64>)
  }
  gsync.strand @b (%z: tensor<i64>) {
    %yes = arith.constant true
    gsync.atomic (@x) {
    ^bb0(%v: tensor<i64>):
      gsync.yield cells(%z : tensor<i64>)
    }
    gsync.next %yes (%z : tensor<i64>)
  }
}
