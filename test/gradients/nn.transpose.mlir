// Gradient of nn.transpose: a permutation that is not its own inverse.
func.func @f(%x: tensor<2x3x4xf64>) -> tensor<4x2x3xf64> {
  %0 = nn.transpose %x perm [2, 0, 1] : tensor<2x3x4xf64> -> tensor<4x2x3xf64>
  return %0 : tensor<4x2x3xf64>
}
