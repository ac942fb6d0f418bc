// Gradient of arith.truncf.
func.func @f(%x: tensor<7xf64>) -> tensor<7xf32> {
  %0 = arith.truncf %x : tensor<7xf64> to tensor<7xf32>
  return %0 : tensor<7xf32>
}
