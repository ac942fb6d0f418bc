// Gradient of arith.subf: apart, and with one value as both operands.
func.func @f(%x: tensor<3x4xf64>, %y: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %0 = arith.subf %x, %y : tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}

func.func @twice(%x: tensor<5xf64>) -> tensor<5xf64> {
  %0 = arith.subf %x, %x : tensor<5xf64>
  return %0 : tensor<5xf64>
}
