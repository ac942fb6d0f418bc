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

// expected-error@+1 {{'gsync.train' op needs the training functions @gradient, @step and @lr; run build-training first}}
gsync.train algorithm(#allreduce.algorithm) learning_rate(1.0)

// -----

func.func private @gradient()
func.func private @step()
func.func private @lr()
// expected-error@+1 {{'gsync.train' op cannot call @gradient, @step and @lr: they have other signatures than build-training gives them; verify-train says which}}
gsync.train algorithm(#allreduce.algorithm) learning_rate(1.0)
