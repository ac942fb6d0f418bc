// Training functions that use every argument. remove-dead-values of MLIR 22
// breaks calls of functions that do not, whatever the dialect.
nn.layout @params [#nn.slot<"w" : tensor<4xf32> at 0 parameter>]
func.func @gradient(%w: tensor<4xf32> {nn.role = #nn.argument<parameters>}, %x: tensor<2x4xf32> {nn.name = "x", nn.role = #nn.argument<input>}, %weights: tensor<2xf32> {nn.role = #nn.argument<weights>}, %ids: tensor<2xi64> {nn.role = #nn.argument<ids>}, %step: tensor<i64> {nn.role = #nn.argument<step>}, %acc: tensor<4xf32> {nn.role = #nn.argument<accumulator>}) -> (tensor<4xf32> {nn.role = #nn.result<gradient>}, tensor<i64> {nn.role = #nn.result<samples>}, tensor<i64> {nn.role = #nn.result<divisor>}, tensor<f64> {nn.role = #nn.result<loss>}) {
  %rows = nn.broadcast %w dims [1] : tensor<4xf32> -> tensor<2x4xf32>
  %difference = arith.subf %rows, %x : tensor<2x4xf32>
  %weight = nn.broadcast %weights dims [0] : tensor<2xf32> -> tensor<2x4xf32>
  %weighted = arith.mulf %difference, %weight : tensor<2x4xf32>
  %sum = nn.reduce sum %weighted dims [0] : tensor<2x4xf32> -> tensor<4xf32>
  %acc1 = arith.addf %acc, %sum : tensor<4xf32>
  %id = nn.reduce sum %ids dims [0] : tensor<2xi64> -> tensor<i64>
  %n = arith.addi %id, %step : tensor<i64>
  %loss = arith.sitofp %n : tensor<i64> to tensor<f64>
  return %acc1, %n, %n, %loss : tensor<4xf32>, tensor<i64>, tensor<i64>, tensor<f64>
}
func.func private @evaluate(tensor<4xf32> {nn.role = #nn.argument<parameters>}, tensor<2x4xf32> {nn.name = "x", nn.role = #nn.argument<input>}, tensor<2xf32> {nn.role = #nn.argument<weights>}, tensor<2xi64> {nn.role = #nn.argument<ids>}) -> (tensor<f64> {nn.role = #nn.result<loss>}, tensor<i64> {nn.role = #nn.result<correct>}, tensor<i64> {nn.role = #nn.result<valid>})
func.func @step(%w: tensor<4xf32> {nn.role = #nn.argument<parameters>}, %g: tensor<4xf32> {nn.role = #nn.argument<gradient>}, %n: tensor<i64> {nn.role = #nn.argument<divisor>}, %lr: tensor<f32> {nn.role = #nn.argument<rate>}) -> (tensor<4xf32> {nn.role = #nn.result<displacement>}) {
  %count = arith.sitofp %n : tensor<i64> to tensor<f32>
  %counts = nn.broadcast %count dims [] : tensor<f32> -> tensor<4xf32>
  %mean = arith.divf %g, %counts : tensor<4xf32>
  %decayed = arith.addf %mean, %w : tensor<4xf32>
  %rate = nn.broadcast %lr dims [] : tensor<f32> -> tensor<4xf32>
  %d = arith.mulf %rate, %decayed : tensor<4xf32>
  return %d : tensor<4xf32>
}
func.func @lr(%seen: tensor<i64> {nn.role = #nn.argument<seen>}, %n: tensor<i64> {nn.role = #nn.argument<samples>}, %base: tensor<f32> {nn.role = #nn.argument<base_rate>}, %budget: tensor<i64> {nn.role = #nn.argument<budget>}) -> (tensor<f32> {nn.role = #nn.result<rate>}) {
  %done = arith.addi %seen, %n : tensor<i64>
  %left = arith.subi %budget, %done : tensor<i64>
  %factor = arith.sitofp %left : tensor<i64> to tensor<f32>
  %rate = arith.mulf %base, %factor : tensor<f32>
  return %rate : tensor<f32>
}
