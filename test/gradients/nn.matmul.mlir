// Gradient of nn.matmul: every pair of transpose flags, and a matrix by itself.
func.func @f(%x: tensor<3x5xf64>, %y: tensor<5x4xf64>) -> tensor<3x4xf64> {
  %0 = nn.matmul %x, %y : tensor<3x5xf64>, tensor<5x4xf64> -> tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}

func.func @rhs(%x: tensor<3x5xf64>, %y: tensor<4x5xf64>) -> tensor<3x4xf64> {
  %0 = nn.matmul %x, %y {transpose_rhs} : tensor<3x5xf64>, tensor<4x5xf64> -> tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}

func.func @lhs(%x: tensor<5x3xf64>, %y: tensor<5x4xf64>) -> tensor<3x4xf64> {
  %0 = nn.matmul %x, %y {transpose_lhs} : tensor<5x3xf64>, tensor<5x4xf64> -> tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}

func.func @both(%x: tensor<5x3xf64>, %y: tensor<4x5xf64>) -> tensor<3x4xf64> {
  %0 = nn.matmul %x, %y {transpose_lhs, transpose_rhs} : tensor<5x3xf64>, tensor<4x5xf64> -> tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}

func.func @square(%x: tensor<4x4xf64>) -> tensor<4x4xf64> {
  %0 = nn.matmul %x, %x {transpose_rhs} : tensor<4x4xf64>, tensor<4x4xf64> -> tensor<4x4xf64>
  return %0 : tensor<4x4xf64>
}
