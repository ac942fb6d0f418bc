// The state of one import; internal to the importer.
#ifndef RUBATO_LIB_IMPORT_IMPORTER_H
#define RUBATO_LIB_IMPORT_IMPORTER_H

#include "rubato/Import/Import.h"
#include "rubato/Import/OpTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace rubato {

/// A tensor of integers that is known while importing: shapes, axes, indices.
struct Ints {
  llvm::SmallVector<int64_t> dims, values;
};

/// More integers than this are not shape arithmetic; bounds what a hostile
/// file can make us compute.
constexpr int64_t maxInts = 4096;

/// What a value of the graph has become; neither of both after a failure.
struct Imported {
  mlir::Value value;
  std::optional<Ints> ints;
  /// The type that the file gives it; ours may have another width.
  onnx::DataType type = onnx::DataType::Int64;

  explicit operator bool() const { return value || ints; }
};

/// Nodes that we cannot train, by operator, for the one report.
struct MissingNode {
  const onnx::Node *node;
  std::string reason; // empty if the operator is unknown
};
using MissingOps = std::map<std::string, std::vector<MissingNode>>;

/// The one report: a line per operator with its count and nodes.
void reportMissing(const MissingOps &missing, onnx::Diagnostics &diagnostics);

/// Sizes of the model's inputs, with symbols replaced.
struct InputShapes {
  std::vector<std::vector<int64_t>> shapes;
  int64_t batch = 0;
};
std::optional<InputShapes> resolveInputs(const onnx::Model &model,
                                         const ImportOptions &options,
                                         onnx::Diagnostics &diagnostics);

/// The nodes that an output depends on.
std::vector<bool> liveNodes(const onnx::Model &model);

class Importer {
public:
  Importer(mlir::MLIRContext &context, const onnx::Model &model,
           onnx::RolePlan &plan, const ImportOptions &options,
           onnx::Diagnostics &diagnostics);

  /// Null after a failure, which has been reported.
  mlir::OwningOpRef<mlir::ModuleOp> run();

  /// What `name` has become; initializers are imported at their first use.
  Imported &lookup(const std::string &name);
  mlir::FloatType floatType();
  mlir::Location location(llvm::StringRef name);
  /// The type of a value of `type`, or null for one that we do not have.
  mlir::Type elementType(onnx::DataType type);

  const onnx::Model &model;
  onnx::RolePlan &plan;
  const ImportOptions &options;
  onnx::Diagnostics &diagnostics;
  mlir::OpBuilder builder;
  MissingOps missing;
  /// Whether `run` reports `missing`; `check` adds to it first.
  bool reportsMissing = true;

private:
  void importNode(const onnx::Node &node);
  Imported importStored(const onnx::StoredTensor &stored);
  bool createFunction(mlir::ModuleOp module);
  bool createResults();
  /// Declares what the function reads; the rest stays out of the module.
  void createParameters(mlir::ModuleOp module);
  bool attachWeights(mlir::ModuleOp module, int64_t batch);

  mlir::func::FuncOp function;
  llvm::StringMap<Imported> values;
  llvm::StringMap<const onnx::StoredTensor *> stored;
  llvm::StringMap<const onnx::Tensor *> initializers;
  InputShapes inputs;
};

} // namespace rubato

#endif // RUBATO_LIB_IMPORT_IMPORTER_H
