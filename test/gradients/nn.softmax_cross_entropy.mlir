// Gradient of nn.softmax_cross_entropy: labels of the cases lie in 0 to 3.
func.func @f(%x: tensor<5x4xf64>, %y: tensor<5xi64>) -> tensor<5xf64> {
  %0 = nn.softmax_cross_entropy %x, %y : tensor<5x4xf64>, tensor<5xi64> -> tensor<5xf64>
  return %0 : tensor<5xf64>
}
