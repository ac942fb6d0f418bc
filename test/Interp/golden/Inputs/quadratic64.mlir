// Training functions in double precision, so that references can be followed
// to the last digits: the loss of a sample x is ½|w − x|², two samples make a
// micro-batch, the optimizer is plain SGD.
nn.layout @params [#nn.slot<"w" : tensor<4xf64> at 0 parameter>]
func.func @gradient(%w: tensor<4xf64> {nn.role = #nn.argument<parameters>}, %x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %weights: tensor<2xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<2xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<4xf64> {nn.role = #nn.argument<accumulator>}) -> (tensor<4xf64> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) {
  %rows = nn.broadcast %w dims [1] : tensor<4xf64> -> tensor<2x4xf64>
  %wide = arith.extf %x : tensor<2x4xf32> to tensor<2x4xf64>
  %difference = arith.subf %rows, %wide : tensor<2x4xf64>
  %factors = arith.extf %weights : tensor<2xf32> to tensor<2xf64>
  %weight = nn.broadcast %factors dims [0] : tensor<2xf64> -> tensor<2x4xf64>
  %weighted = arith.mulf %difference, %weight : tensor<2x4xf64>
  %sum = nn.reduce sum %weighted dims [0] : tensor<2x4xf64> -> tensor<4xf64>
  %acc1 = arith.addf %acc, %sum : tensor<4xf64>
  %none = arith.constant dense<0.0> : tensor<2xf32>
  %valid = arith.cmpf ogt, %weights, %none : tensor<2xf32>
  %ones = arith.extui %valid : tensor<2xi1> to tensor<2xi64>
  %n = nn.reduce sum %ones dims [0] : tensor<2xi64> -> tensor<i64>
  %squares = arith.mulf %weighted, %difference : tensor<2x4xf64>
  %total = nn.reduce sum %squares dims [0, 1] : tensor<2x4xf64> -> tensor<f64>
  %half = arith.constant dense<0.5> : tensor<f64>
  %loss = arith.mulf %total, %half : tensor<f64>
  return %acc1, %n, %n, %loss : tensor<4xf64>, tensor<i64>, tensor<i64>, tensor<f64>
}
func.func @evaluate(%w: tensor<4xf64> {nn.role = #nn.argument<parameters>}, %x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %weights: tensor<2xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<2xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>}) {
  %zero = arith.constant dense<0> : tensor<i64>
  %acc = arith.constant dense<0.0> : tensor<4xf64>
  %g, %n, %divisor, %loss = func.call @gradient(%w, %x, %weights, %ids, %zero, %acc) : (tensor<4xf64>, tensor<2x4xf32>, tensor<2xf32>, tensor<2xi64>, tensor<i64>, tensor<4xf64>) -> (tensor<4xf64>, tensor<i64>, tensor<i64>, tensor<f64>)
  return %loss, %zero, %divisor : tensor<f64>, tensor<i64>, tensor<i64>
}
func.func @step(%w: tensor<4xf64> {nn.role = #nn.argument<parameters>}, %g: tensor<4xf64> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<4xf64> {nn.role = #nn.result<displacement>}) {
  %count = arith.sitofp %n : tensor<i64> to tensor<f64>
  %counts = nn.broadcast %count dims [] : tensor<f64> -> tensor<4xf64>
  %mean = arith.divf %g, %counts : tensor<4xf64>
  %wide = arith.extf %lr : tensor<f32> to tensor<f64>
  %rate = nn.broadcast %wide dims [] : tensor<f64> -> tensor<4xf64>
  %d = arith.mulf %rate, %mean : tensor<4xf64>
  return %d : tensor<4xf64>
}
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) {
  return %base : tensor<f32>
}
