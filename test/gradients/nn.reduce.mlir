// Gradient of nn.reduce.
func.func @f(%x: tensor<2x3x4xf64>) -> tensor<3xf64> {
  %0 = nn.reduce sum %x dims [0, 2] : tensor<2x3x4xf64> -> tensor<3xf64>
  return %0 : tensor<3xf64>
}

func.func @all(%x: tensor<2x3xf64>) -> tensor<f64> {
  %0 = nn.reduce sum %x dims [0, 1] : tensor<2x3xf64> -> tensor<f64>
  return %0 : tensor<f64>
}
