// One case per rule of the nn verifiers.
// RUN: rubato-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Stored tensors
//===----------------------------------------------------------------------===//

// expected-error@+1 {{type attribute of statically shaped tensor}}
nn.parameter @dynamic parameter : tensor<?xf32>

// -----

func.func @parameter_outside_module() {
  // expected-error@+1 {{expects parent op 'builtin.module'}}
  nn.parameter @inner parameter : tensor<4xf32>
  return
}

// -----

func.func @get_of_nothing() {
  // expected-error@+1 {{'nn.get' op names no nn.parameter: @missing}}
  %0 = nn.get @missing : tensor<4xf32>
  return
}

// -----

func.func private @other()
func.func @get_of_a_function() {
  // expected-error@+1 {{'nn.get' op names no nn.parameter: @other}}
  %0 = nn.get @other : tensor<4xf32>
  return
}

// -----

nn.parameter @w parameter : tensor<4xf32>
func.func @get_of_another_type() {
  // expected-error@+1 {{'nn.get' op has type 'tensor<5xf32>' but the parameter has 'tensor<4xf32>'}}
  %0 = nn.get @w : tensor<5xf32>
  return
}

// -----

// expected-error@+1 {{'nn.layout' op has two slots called 'a'}}
nn.layout @twice [#nn.slot<"a" : tensor<4xf32> at 0 parameter>,
                  #nn.slot<"a" : tensor<4xf32> at 4 parameter>]

// -----

// expected-error@+1 {{'nn.layout' op slot 'a' must have a static shape}}
nn.layout @dynamic [#nn.slot<"a" : tensor<?xf32> at 0 parameter>]

// -----

// expected-error@+1 {{'nn.layout' op slot 'b' lies at 5, expected 4 (slots are contiguous)}}
nn.layout @gap [#nn.slot<"a" : tensor<4xf32> at 0 parameter>,
                #nn.slot<"b" : tensor<4xf32> at 5 parameter>]

// -----

// expected-error@+1 {{'nn.layout' op slot 'a' lies at -4, expected 0 (slots are contiguous)}}
nn.layout @before [#nn.slot<"a" : tensor<4xf32> at -4 parameter>]

// -----

// expected-error@+1 {{'nn.layout' op slot 'b' has another element type than the others}}
nn.layout @mixed [#nn.slot<"a" : tensor<4xf32> at 0 parameter>,
                  #nn.slot<"b" : tensor<4xf64> at 4 parameter>]

// -----

func.func @unpack_without_layout(%flat: tensor<4xf32>) {
  // expected-error@+1 {{'nn.unpack' op names no nn.layout: @params}}
  %0 = nn.unpack %flat @params["a"] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

nn.layout @params [#nn.slot<"a" : tensor<4xf32> at 0 parameter>]
func.func @unpack_of_wrong_length(%flat: tensor<5xf32>) {
  // expected-error@+1 {{'nn.unpack' op flat vector has 5 elements but @params has 4}}
  %0 = nn.unpack %flat @params["a"] : tensor<5xf32> -> tensor<4xf32>
  return
}

// -----

nn.layout @params [#nn.slot<"a" : tensor<4xf32> at 0 parameter>]
func.func @unpack_of_unknown_slot(%flat: tensor<4xf32>) {
  // expected-error@+1 {{'nn.unpack' op names no slot of @params: 'b'}}
  %0 = nn.unpack %flat @params["b"] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

nn.layout @params [#nn.slot<"a" : tensor<4xf32> at 0 parameter>]
func.func @unpack_to_another_shape(%flat: tensor<4xf32>) {
  // expected-error@+1 {{'nn.unpack' op has type 'tensor<2x2xf32>' but the slot has 'tensor<4xf32>'}}
  %0 = nn.unpack %flat @params["a"] : tensor<4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @pack_without_layout(%a: tensor<4xf32>) {
  // expected-error@+1 {{'nn.pack' op names no nn.layout: @params}}
  %0 = nn.pack @params(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

nn.layout @params [#nn.slot<"a" : tensor<4xf32> at 0 parameter>]
func.func @pack_to_wrong_length(%a: tensor<4xf32>) {
  // expected-error@+1 {{'nn.pack' op flat vector has 8 elements but @params has 4}}
  %0 = nn.pack @params(%a) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

nn.layout @params [#nn.slot<"a" : tensor<4xf32> at 0 parameter>,
                   #nn.slot<"b" : tensor<4xf32> at 4 parameter>]
func.func @pack_of_too_few(%a: tensor<4xf32>) {
  // expected-error@+1 {{'nn.pack' op packs 1 values but @params has 2 slots}}
  %0 = nn.pack @params(%a) : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

nn.layout @params [#nn.slot<"a" : tensor<4xf32> at 0 parameter>]
func.func @pack_of_another_shape(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{'nn.pack' op value for slot 'a' has type 'tensor<2x2xf32>', expected 'tensor<4xf32>'}}
  %0 = nn.pack @params(%a) : (tensor<2x2xf32>) -> tensor<4xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Products, shapes
//===----------------------------------------------------------------------===//

func.func @matmul_of_a_vector(%a: tensor<3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{operand #0 must be matrix of floating-point numbers}}
  %0 = nn.matmul %a, %b : tensor<3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
  return
}

// -----

func.func @matmul_of_integers(%a: tensor<2x2xi32>) {
  // expected-error@+1 {{operand #0 must be matrix of floating-point numbers}}
  %0 = nn.matmul %a, %a : tensor<2x2xi32>, tensor<2x2xi32> -> tensor<2x2xi32>
  return
}

// -----

func.func @matmul_sums(%a: tensor<2x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error@+1 {{'nn.matmul' op sums over 3 columns of the left but 4 rows of the right operand}}
  %0 = nn.matmul %a, %b : tensor<2x3xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @matmul_flags_count(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{'nn.matmul' op sums over 2 columns of the left but 4 rows of the right operand}}
  %0 = nn.matmul %a, %b {transpose_lhs, transpose_rhs} : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @matmul_result(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{'nn.matmul' op must give 'tensor<2x4xf32>', not 'tensor<4x2xf32>'}}
  %0 = nn.matmul %a, %b : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_mixed(%a: tensor<2x3xf32>, %b: tensor<3x4xf64>) {
  // expected-error@+1 {{'nn.matmul' op mixes element types}}
  %0 = nn.matmul %a, %b : tensor<2x3xf32>, tensor<3x4xf64> -> tensor<2x4xf32>
  return
}

// -----

func.func @broadcast_dims_per_operand(%a: tensor<3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op needs one entry of dims per dimension of its operand}}
  %0 = nn.broadcast %a dims [0, 1] : tensor<3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @broadcast_dims_ascend(%a: tensor<3x3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op dims must ascend and lie inside the result's rank}}
  %0 = nn.broadcast %a dims [1, 0] : tensor<3x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @broadcast_dims_inside(%a: tensor<3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op dims must ascend and lie inside the result's rank}}
  %0 = nn.broadcast %a dims [2] : tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_dims_negative(%a: tensor<3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op dims must ascend and lie inside the result's rank}}
  %0 = nn.broadcast %a dims [-1] : tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_sizes(%a: tensor<3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op dimension 0 of the operand is 3 but dimension 0 of the result is 2}}
  %0 = nn.broadcast %a dims [0] : tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_element(%a: tensor<3xf32>) {
  // expected-error@+1 {{'nn.broadcast' op must keep the element type}}
  %0 = nn.broadcast %a dims [1] : tensor<3xf32> -> tensor<2x3xf64>
  return
}

// -----

func.func @reduce_twice(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reduce' op dims must be distinct and inside the operand's rank}}
  %0 = nn.reduce sum %a dims [0, 0] : tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @reduce_outside(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reduce' op dims must be distinct and inside the operand's rank}}
  %0 = nn.reduce sum %a dims [2] : tensor<2x3xf32> -> tensor<3xf32>
  return
}

// -----

func.func @reduce_negative(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reduce' op dims must be distinct and inside the operand's rank}}
  %0 = nn.reduce sum %a dims [-1] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @reduce_result(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reduce' op must give 'tensor<3xf32>', not 'tensor<2xf32>'}}
  %0 = nn.reduce sum %a dims [0] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @transpose_not_a_permutation(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.transpose' op perm must be a permutation of the operand's dimensions}}
  %0 = nn.transpose %a perm [1, 1] : tensor<2x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_too_short(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.transpose' op perm must be a permutation of the operand's dimensions}}
  %0 = nn.transpose %a perm [0] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @transpose_result(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.transpose' op must give 'tensor<3x2xf32>', not 'tensor<2x3xf32>'}}
  %0 = nn.transpose %a perm [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @reshape_count(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reshape' op cannot view 6 elements as 8}}
  %0 = nn.reshape %a : tensor<2x3xf32> -> tensor<8xf32>
  return
}

// -----

func.func @reshape_element(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.reshape' op must keep the element type}}
  %0 = nn.reshape %a : tensor<2x3xf32> -> tensor<6xf64>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Activations, scores and losses
//===----------------------------------------------------------------------===//

func.func @relu_of_integers(%a: tensor<2xi64>) {
  // expected-error@+1 {{operand #0 must be statically shaped tensor of 32-bit float or 64-bit float values}}
  %0 = nn.relu %a : tensor<2xi64>
  return
}

// -----

func.func @sigmoid_of_dynamic(%a: tensor<?xf32>) {
  // expected-error@+1 {{operand #0 must be statically shaped tensor of 32-bit float or 64-bit float values}}
  %0 = nn.sigmoid %a : tensor<?xf32>
  return
}

// -----

func.func @softmax_axis(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.softmax' op axis 2 lies outside 'tensor<2x3xf32>'}}
  %0 = nn.softmax %a axis 2 : tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax_axis(%a: tensor<f32>) {
  // expected-error@+1 {{'nn.log_softmax' op axis 0 lies outside 'tensor<f32>'}}
  %0 = nn.log_softmax %a axis 0 : tensor<f32>
  return
}

// -----

func.func @log_softmax_negative_axis(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{'nn.log_softmax' op axis -1 lies outside 'tensor<2x3xf32>'}}
  %0 = nn.log_softmax %a axis -1 : tensor<2x3xf32>
  return
}

// -----

func.func @loss_label_kind(%x: tensor<2x3xf32>, %y: tensor<2xi32>) {
  // expected-error@+1 {{operand #1 must be vector of i64 class indices}}
  %0 = nn.softmax_cross_entropy %x, %y : tensor<2x3xf32>, tensor<2xi32> -> tensor<2xf32>
  return
}

// -----

func.func @loss_labels(%x: tensor<2x3xf32>, %y: tensor<3xi64>) {
  // expected-error@+1 {{'nn.softmax_cross_entropy' op has 2 rows but 'tensor<3xi64>' as values per sample}}
  %0 = nn.softmax_cross_entropy %x, %y : tensor<2x3xf32>, tensor<3xi64> -> tensor<2xf32>
  return
}

// -----

func.func @loss_result(%x: tensor<2x3xf32>, %y: tensor<2xi64>) {
  // expected-error@+1 {{'nn.softmax_cross_entropy' op has 2 rows but 'tensor<3xf32>' as values per sample}}
  %0 = nn.softmax_cross_entropy %x, %y : tensor<2x3xf32>, tensor<2xi64> -> tensor<3xf32>
  return
}

// -----

func.func @loss_element(%x: tensor<2x3xf32>, %y: tensor<2xi64>) {
  // expected-error@+1 {{'nn.softmax_cross_entropy' op mixes element types}}
  %0 = nn.softmax_cross_entropy %x, %y : tensor<2x3xf32>, tensor<2xi64> -> tensor<2xf64>
  return
}

// -----

func.func @loss_gradient(%x: tensor<2x3xf32>, %y: tensor<2xi64>, %g: tensor<3xf32>) {
  // expected-error@+1 {{'nn.softmax_cross_entropy_grad' op has 2 rows but 'tensor<3xf32>' as values per sample}}
  %0 = nn.softmax_cross_entropy_grad %x, %y, %g : tensor<2x3xf32>, tensor<2xi64>, tensor<3xf32>
  return
}

// -----

func.func @count_weights(%x: tensor<2x3xf32>, %y: tensor<2xi64>, %w: tensor<1xf32>) {
  // expected-error@+1 {{'nn.count_correct' op has 2 rows but 'tensor<1xf32>' as values per sample}}
  %0 = nn.count_correct %x, %y, %w : tensor<2x3xf32>, tensor<2xi64>, tensor<1xf32> -> tensor<i64>
  return
}

// -----

func.func @count_mixed(%x: tensor<2x3xf32>, %y: tensor<2xi64>, %w: tensor<2xf64>) {
  // expected-error@+1 {{'nn.count_correct' op mixes element types}}
  %0 = nn.count_correct %x, %y, %w : tensor<2x3xf32>, tensor<2xi64>, tensor<2xf64> -> tensor<i64>
  return
}

// -----

// expected-error@+1 {{argument 0 has the unknown attribute "nn.roll"; nn has nn.name and nn.role}}
func.func private @f(tensor<6xf32> {nn.roll = "parameters"})

// -----

// expected-error@+1 {{result 1 has the unknown attribute "nn.classes"; nn has nn.name and nn.role}}
func.func private @f() -> (tensor<6xf32>, tensor<4xi64> {nn.classes = 2})

// -----

// expected-error@+1 {{nn.name of argument 0 must be a string}}
func.func private @f(tensor<6xf32> {nn.name = 1})

// -----

// expected-error@+1 {{nn.role of argument 1 must be a #nn.argument, not "input"}}
func.func private @f(tensor<6xf32>, tensor<6xf32> {nn.role = "input"})

// -----

// expected-error@+1 {{nn.role of argument 0 must be a #nn.argument, not #nn.result<gradient>}}
func.func private @f(tensor<6xf32> {nn.role = #nn.result<gradient>})

// -----

// expected-error@+1 {{nn.role of result 0 must be a #nn.result, not #nn.argument<gradient>}}
func.func private @f() -> (tensor<6xf32> {nn.role = #nn.argument<gradient>})

// -----

// expected-error@+1 {{argument 0 is a label of 2 classes, so its elements are i64, not 'tensor<4xf32>'}}
func.func private @f(tensor<4xf32> {nn.role = #nn.argument<label classes 2>})

// -----

// expected-error@+1 {{only a label has classes, not 'input'}}
func.func private @f(tensor<4xi64> {nn.role = #nn.argument<input classes 2>})

// -----

// expected-error@+1 {{a label has at least 2 classes, not 1}}
func.func private @f(tensor<4xi64> {nn.role = #nn.argument<label classes 1>})

// -----

// expected-error@+2 {{expected ::rubato::nn::ArgumentRole to be one of}}
// expected-error@+1 {{failed to parse}}
func.func private @f(tensor<4xi64> {nn.role = #nn.argument<rank>})
