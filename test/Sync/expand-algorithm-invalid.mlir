// What expand-algorithm cannot expand.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --expand-algorithm

// expected-error@+1 {{expected one gsync.train, found 0}}
module {}

// -----

// expected-error@+1 {{expected one gsync.train, found 2}}
module {
  gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(1.0)
  gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(1.0)
}

// -----

// expected-error@+1 {{has no training function @gradient; run build-training first}}
module {
  gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(1.0)
}

// -----

// expected-error@+1 {{training function @gradient must have one argument of role 'parameters', not 0}}
func.func private @gradient()
gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(1.0)

// -----

// A path where the edges of the file should stand, and edges in two parts.
// expected-error@+1 {{'topology-file' in an attribute is text of edges, such as "0 1, 1 2 0.5", not a file (which `--algorithm-option topology-file=FILE` reads): edge 1: an edge is two members}}
gsync.train algorithm(#gsync.algorithm<"gossip", {"topology-file" = "g.txt"}>) learning_rate(1.0)

// -----

// expected-error@+1 {{edges, such as "0 1, 1 2 0.5", not a file (which `--algorithm-option topology-file=FILE` reads): the graph is in 5 parts}}
gsync.train algorithm(#gsync.algorithm<"gossip", {"topology-file" = "0 1, 5 6"}>) learning_rate(1.0)

// -----

// A name that nobody registered; the names there are, the nearest first.
// expected-error@+1 {{'gsync.train' op unknown algorithm 'local-sdg'; this build has: local-sgd, }}
gsync.train algorithm(#gsync.algorithm<"local-sdg">) learning_rate(1.0)

// -----

// Users type names; a namespace of C++ is none.
// expected-error@+1 {{'gsync.train' op unknown algorithm 'local_sgd'; this build has: local-sgd, }}
gsync.train algorithm(#gsync.algorithm<"local_sgd">) learning_rate(1.0)

// -----

// Messages call a configuration by its own name.
// expected-error@+1 {{'gsync.train' op option 'm-min' of delayed-sgd must be a whole number, at least 1, at most 1e+09, not 2.000000e+00 : f64}}
gsync.train algorithm(#gsync.algorithm<"delayed-sgd", {"m-min" = 2.0}>) learning_rate(1.0)

// -----

// expected-error@+1 {{'gsync.train' op gossip has no option 'period'; it has topology, }}
gsync.train algorithm(#gsync.algorithm<"gossip", {period = 2 : i64}>) learning_rate(1.0)
