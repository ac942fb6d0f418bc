func.func @boring(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = nn.sigmoid %x : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func @interesting(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = nn.relu %x : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
