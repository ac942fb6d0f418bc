// The passes of each stage.
#ifndef RUBATO_LIB_DRIVER_PIPELINE_H
#define RUBATO_LIB_DRIVER_PIPELINE_H

#include "rubato/Driver/CompileOptions.h"
#include "rubato/Support/Stage.h"
#include "rubato/Target/TargetModel.h"

#include "mlir/Pass/PassManager.h"

namespace rubato {

/// Passes that lead from the stage before to `stage` (Train to Schedule).
void addStagePasses(mlir::OpPassManager &pm, Stage stage,
                    const CompileOptions &options);

/// The pass that states the contract of `stage`, where there is one: run on
/// files that come from outside, which may have been edited.
void addStageVerifier(mlir::OpPassManager &pm, Stage stage);

/// What a target needs to know of `options`.
TargetOptions targetOptions(const CompileOptions &options);

/// Lowers a schedule-stage module to the LLVM dialect, kernels included, and
/// adds the unit. `weightsSize` is that of the weights file.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp module,
                                const TargetModel &target,
                                const CompileOptions &options,
                                uint64_t weightsSize,
                                mlir::TimingScope &timing);

} // namespace rubato

#endif // RUBATO_LIB_DRIVER_PIPELINE_H
