// Gradient of arith.negf.
func.func @f(%x: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %0 = arith.negf %x : tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}
