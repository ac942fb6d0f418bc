module @mlp {
  nn.parameter @fc1.weight parameter : tensor<6x5xf32>
  nn.parameter @fc1.bias parameter : tensor<6xf32>
  nn.parameter @fc2.weight parameter : tensor<3x6xf32>
  nn.parameter @fc2.bias parameter : tensor<3xf32>
  func.func @forward(%x: tensor<4x5xf32> {nn.name = "x"}) -> tensor<4x3xf32> {
    %w1 = nn.get @fc1.weight : tensor<6x5xf32>
    %b1 = nn.get @fc1.bias : tensor<6xf32>
    %w2 = nn.get @fc2.weight : tensor<3x6xf32>
    %b2 = nn.get @fc2.bias : tensor<3xf32>
    %0 = nn.matmul %x, %w1 {transpose_rhs} : tensor<4x5xf32>, tensor<6x5xf32> -> tensor<4x6xf32> loc("fc1/linear (Gemm)")
    %1 = nn.broadcast %b1 dims [1] : tensor<6xf32> -> tensor<4x6xf32>
    %2 = arith.addf %0, %1 : tensor<4x6xf32>
    %3 = nn.relu %2 : tensor<4x6xf32>
    %4 = nn.matmul %3, %w2 {transpose_rhs} : tensor<4x6xf32>, tensor<3x6xf32> -> tensor<4x3xf32> loc("fc2/linear (Gemm)")
    %5 = nn.broadcast %b2 dims [1] : tensor<3xf32> -> tensor<4x3xf32>
    %6 = arith.addf %4, %5 : tensor<4x3xf32>
    return %6 : tensor<4x3xf32>
  }
}
