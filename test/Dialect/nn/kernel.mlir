// RUN: rubato-opt --split-input-file --verify-diagnostics %s | FileCheck %s

// Facts with their usual value are not printed.
// CHECK: rubato.a = #nn.kernel<contraction>
// CHECK: rubato.b = #nn.kernel<elementwise, split = 8, index_by_index>
// CHECK: rubato.c = #nn.kernel<columns, workspace = 64>
// CHECK: rubato.d = #nn.kernel<rows>
func.func private @a() attributes {rubato.a = #nn.kernel<contraction, split = 1>}
func.func private @b() attributes {rubato.b = #nn.kernel<elementwise, index_by_index, split = 8>}
func.func private @c() attributes {rubato.c = #nn.kernel<columns, workspace = 64>}
func.func private @d() attributes {rubato.d = #nn.kernel<rows, workspace = 0>}

// -----

// expected-error @+1 {{expected one of [contraction, rows, columns, elementwise] for what a kernel computes, got: window}}
func.func private @f() attributes {rubato.kernel = #nn.kernel<window>}

// -----

// expected-error @+1 {{a launch has at least one unit, not 0}}
func.func private @f() attributes {rubato.kernel = #nn.kernel<rows, split = 0>}

// -----

// expected-error @+1 {{workspace is a number of bytes, not -64}}
func.func private @f() attributes {rubato.kernel = #nn.kernel<rows, workspace = -64>}

// -----

// expected-error @+1 {{only an elementwise kernel is computed index by index, not one of kind rows}}
func.func private @f() attributes {rubato.kernel = #nn.kernel<rows, index_by_index>}

// -----

// expected-error @+1 {{is said twice}}
func.func private @f() attributes {rubato.kernel = #nn.kernel<rows, split = 2, split = 2>}

// -----

// expected-error @+1 {{expected split, index_by_index or workspace, each at most once}}
func.func private @f() attributes {rubato.kernel = #nn.kernel<rows, extent = 2>}
