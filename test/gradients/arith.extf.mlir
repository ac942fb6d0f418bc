// Gradient of arith.extf.
func.func @f(%x: tensor<7xf32>) -> tensor<7xf64> {
  %0 = arith.extf %x : tensor<7xf32> to tensor<7xf64>
  return %0 : tensor<7xf64>
}
