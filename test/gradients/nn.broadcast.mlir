// Gradient of nn.broadcast.
func.func @f(%x: tensor<3xf64>) -> tensor<2x3x4xf64> {
  %0 = nn.broadcast %x dims [1] : tensor<3xf64> -> tensor<2x3x4xf64>
  return %0 : tensor<2x3x4xf64>
}

func.func @scalar(%x: tensor<f64>) -> tensor<5xf64> {
  %0 = nn.broadcast %x dims [] : tensor<f64> -> tensor<5xf64>
  return %0 : tensor<5xf64>
}
