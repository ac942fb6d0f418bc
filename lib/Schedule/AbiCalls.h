// The functions of the runtime's C ABI as LLVM sees them.
#ifndef RUBATO_LIB_SCHEDULE_ABICALLS_H
#define RUBATO_LIB_SCHEDULE_ABICALLS_H

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

namespace rubato {

/// The type of `rb_…`, as runtime/abi/calls.def declares it; null if there is
/// no such function.
mlir::LLVM::LLVMFunctionType abiSignature(llvm::StringRef name,
                                          mlir::MLIRContext *context);

/// All of them.
llvm::ArrayRef<llvm::StringRef> abiNames();

} // namespace rubato

#endif // RUBATO_LIB_SCHEDULE_ABICALLS_H
