// What the stages before code generation may ask of a target, and how they
// hand their work over to it. They know targets by name only.
#ifndef RUBATO_TARGET_TARGETMODEL_H
#define RUBATO_TARGET_TARGETMODEL_H

#include "rubato/Kernels/KernelFacts.h"

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace rubato {

/// Starts a diagnostic at the place that the caller thinks right.
using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// What a user may choose about code.
struct TargetOptions {
  bool fastKernels = true; // else plain loops for every kernel
  std::string march;       // empty: as the target likes
};

/// Which code a kernel becomes.
struct KernelCode {
  std::string emitter;  // empty: none, plain loops
  std::string obstacle; // then: what stopped the emitters
};

/// What an executable holds beside its core.
struct LinkOptions {
  bool simulator = true; // the command `simulate`
  bool symbols = false;  // names of functions, for debuggers and profilers
};

class TargetModel {
public:
  virtual ~TargetModel() = default;

  /// The target of this name; null if there is none. Targets live as long as
  /// the process.
  static const TargetModel *find(llvm::StringRef name);
  /// The same, with an error at `op` that says which there are.
  static const TargetModel *findOrReport(llvm::StringRef name,
                                         mlir::Operation *op);
  /// "cpu", or "cpu, cuda"
  static std::string names();
  static void add(std::unique_ptr<TargetModel> target);

  virtual llvm::StringRef name() const = 0;

  /// Kernels.
  /// Elements of a reduction that another one may compute inside itself.
  virtual int64_t mostRecomputed() const = 0;
  /// What a kernel is here: units and workspace are the target's decision.
  virtual KernelFacts describe(mlir::func::FuncOp kernel) const = 0;
  /// Which code a kernel in linalg form becomes.
  virtual KernelCode codeOf(mlir::func::FuncOp kernel,
                            const TargetOptions &options) const = 0;

  /// Schedules.
  /// Bodies of a gsync.repeat that may run ahead of its poll.
  virtual int64_t mostAhead() const = 0;
  /// The size at which a bucket is closed unless the user says.
  virtual int64_t bucketBytes() const = 0;
  /// Where buffers begin: at most what the arena keeps for every target.
  virtual int64_t alignment() const = 0;

  /// Code.
  /// Passes that take a module of kernels to the LLVM dialect, in C form.
  virtual void addKernelPasses(mlir::OpPassManager &pm,
                               const TargetOptions &options) const = 0;
  virtual mlir::LogicalResult
  emitObject(mlir::ModuleOp module, const TargetOptions &options,
             llvm::SmallVectorImpl<char> &object) const = 0;
  /// The object with the weights of a model.
  virtual mlir::LogicalResult
  emitWeights(llvm::StringRef bytes, EmitError emitError,
              llvm::SmallVectorImpl<char> &object) const = 0;
  /// The folder with what executables are linked with, for a compiler at
  /// `executable`.
  virtual std::string linkFiles(llvm::StringRef executable) const = 0;
  virtual mlir::LogicalResult link(llvm::ArrayRef<llvm::StringRef> objects,
                                   llvm::StringRef linkFiles,
                                   llvm::StringRef output, EmitError emitError,
                                   const LinkOptions &options) const = 0;
};

} // namespace rubato

#endif // RUBATO_TARGET_TARGETMODEL_H
