// Gradient of nn.sigmoid.
func.func @f(%x: tensor<3x5xf64>) -> tensor<3x5xf64> {
  %0 = nn.sigmoid %x : tensor<3x5xf64>
  return %0 : tensor<3x5xf64>
}
