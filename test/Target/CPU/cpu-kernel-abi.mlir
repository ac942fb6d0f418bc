// RUN: rubato-opt --cpu-kernel-abi --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK:       llvm.func internal @fc1.forward.body(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK-SAME:    always_inline
// CHECK-LABEL: llvm.func @fc1.forward(
// CHECK-SAME:    %[[ARGS:.*]]: !llvm.ptr, %[[LO:.*]]: i64, %[[HI:.*]]: i64, %{{.*}}: !llvm.ptr)
// CHECK-SAME:    rubato.kernel = #nn.kernel<elementwise, split = 8, index_by_index>
// CHECK:         %[[P0:.*]] = llvm.getelementptr %[[ARGS]][0]
// CHECK:         %[[X:.*]] = llvm.load %[[P0]]
// CHECK:         %[[P1:.*]] = llvm.getelementptr %[[ARGS]][1]
// CHECK:         %[[Y:.*]] = llvm.load %[[P1]]
// CHECK:         llvm.call @fc1.forward.body(%[[X]], %[[Y]], %[[LO]], %[[HI]])
// CHECK:         llvm.return
llvm.func @fc1.forward(%x: !llvm.ptr, %y: !llvm.ptr, %lo: i64, %hi: i64) attributes {rubato.kernel = #nn.kernel<elementwise, split = 8, index_by_index>} {
  llvm.return
}

// CHECK:         llvm.mlir.addressof @fc1.forward :
llvm.func @host() -> !llvm.ptr {
  %0 = llvm.mlir.addressof @fc1.forward : !llvm.ptr
  llvm.return %0 : !llvm.ptr
}

// -----

// expected-error @below {{kernel 'odd' has the type '!llvm.func<void (f32)>'; expected addresses followed by two i64}}
llvm.func @odd(%x: f32) attributes {rubato.kernel} {
  llvm.return
}

// -----

// expected-error @below {{'func.func' is left after lowering to the LLVM dialect; no conversion of the CPU target takes it}}
func.func @left(%x: memref<?xf32>) {
  return
}
