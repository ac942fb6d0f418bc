// Gradient of nn.reshape.
func.func @f(%x: tensor<6x4xf64>) -> tensor<3x8xf64> {
  %0 = nn.reshape %x : tensor<6x4xf64> -> tensor<3x8xf64>
  return %0 : tensor<3x8xf64>
}

func.func @flatten(%x: tensor<2x3x4xf64>) -> tensor<2x12xf64> {
  %0 = nn.reshape %x : tensor<2x3x4xf64> -> tensor<2x12xf64>
  return %0 : tensor<2x12xf64>
}
