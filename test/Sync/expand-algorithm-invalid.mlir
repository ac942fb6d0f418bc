// What expand-algorithm cannot expand.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --expand-algorithm

// expected-error@+1 {{expected one gsync.train, found 0}}
module {}

// -----

// expected-error@+1 {{expected one gsync.train, found 2}}
module {
  gsync.train algorithm(#allreduce.algorithm) learning_rate(1.0)
  gsync.train algorithm(#allreduce.algorithm) learning_rate(1.0)
}

// -----

// expected-error@+1 {{has no training function @gradient; run build-training first}}
module {
  gsync.train algorithm(#allreduce.algorithm) learning_rate(1.0)
}

// -----

// expected-error@+1 {{training function @gradient must have one argument of role 'parameters', not 0}}
func.func private @gradient()
gsync.train algorithm(#allreduce.algorithm) learning_rate(1.0)
