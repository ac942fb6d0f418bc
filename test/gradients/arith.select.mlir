// Gradient of arith.select: the condition receives none.
func.func @f(%x: tensor<9xf64>, %y: tensor<9xf64>, %z: tensor<9xf64>) -> tensor<9xf64> {
  %zero = arith.constant dense<0.0> : tensor<9xf64>
  %c = arith.cmpf ogt, %z, %zero : tensor<9xf64>
  %0 = arith.select %c, %x, %y : tensor<9xi1>, tensor<9xf64>
  return %0 : tensor<9xf64>
}
