// What abs-sgd refuses.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics --expand-algorithm

// expected-error@+1 {{option 'm-min' of abs-sgd must be a whole number, at least 1, at most 1e+09, not 0 : i64}}
gsync.train algorithm(#abs_sgd.algorithm<{"m-min" = 0 : i64}>) learning_rate(1.0)

// -----

// expected-error@+1 {{option 'rule' of abs-sgd must be one of linear, mean, not "square"}}
gsync.train algorithm(#abs_sgd.algorithm<{rule = "square"}>) learning_rate(1.0)

// -----

// expected-error@+1 {{clip-low must not exceed clip-high, got 8.000000e+00 and 4.000000e+00}}
gsync.train algorithm(#abs_sgd.algorithm<{"clip-low" = 8.0}>) learning_rate(1.0)

// -----

// expected-error@+1 {{protocol=p1 lets a member compute until all are ready, which fixed=true forbids; use protocol=p0}}
gsync.train algorithm(#abs_sgd.algorithm<{fixed = true, protocol = "p1"}>) learning_rate(1.0)

// -----

nn.layout @params [#nn.slot<"mean" : tensor<6xf32> at 0 statistic>]
// expected-error@+1 {{dc-lambda compensates gradients, and the model has statistics, which have none; use dc-lambda=0}}
gsync.train algorithm(#abs_sgd.algorithm<{"dc-lambda" = 1.0}>) learning_rate(1.0)

// -----

// expected-error@+1 {{has no training function @gradient; run build-training first}}
module {
  gsync.train algorithm(#abs_sgd.algorithm) learning_rate(1.0)
}
