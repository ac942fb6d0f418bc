// What an operator's import function works with; internal to the importer.
#ifndef RUBATO_LIB_IMPORT_NODEIMPORTER_H
#define RUBATO_LIB_IMPORT_NODEIMPORTER_H

#include "Importer.h"

namespace rubato {

/// One node of the graph during its import: typed access to inputs and
/// attributes, results, and diagnostics that name the node.
class NodeImporter {
public:
  NodeImporter(Importer &importer, const onnx::Node &node);

  //===--------------------------------------------------------------------===//
  // Inputs and attributes
  //===--------------------------------------------------------------------===//

  size_t inputCount() const { return node.inputs.size(); }
  bool hasInput(size_t index) const {
    return index < node.inputs.size() && !node.inputs[index].empty();
  }
  /// The input's integers, or null if they are not known while importing.
  const Ints *ints(size_t index);
  bool allInts();
  /// The input as a run-time value; integers become a constant.
  mlir::Value value(size_t index);
  llvm::SmallVector<int64_t> shape(size_t index);

  /// Attributes with their defaults; a wrong type is an error of the file.
  llvm::FailureOr<int64_t> intAttr(llvm::StringRef name, int64_t otherwise);
  llvm::FailureOr<double> floatAttr(llvm::StringRef name, double otherwise);
  /// Empty if absent.
  llvm::FailureOr<llvm::ArrayRef<int64_t>> intsAttr(llvm::StringRef name);
  /// An axis as a number from 0 to `rank` - 1 (or `rank`, if `pastEnd`).
  llvm::FailureOr<int64_t> axis(int64_t value, int64_t rank,
                                bool pastEnd = false);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  /// Of the first input's type in the file, unless another is given.
  llvm::LogicalResult result(mlir::Value value);
  llvm::LogicalResult result(mlir::Value value, onnx::DataType type);
  llvm::LogicalResult result(Ints ints);
  /// Another name for the first input.
  llvm::LogicalResult forward();

  llvm::LogicalResult error(const llvm::Twine &message,
                            const llvm::Twine &remedy = {});
  /// The node joins the one report of what we cannot train.
  llvm::LogicalResult unsupported(const llvm::Twine &reason);

  //===--------------------------------------------------------------------===//
  // Building
  //===--------------------------------------------------------------------===//

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// NumPy's broadcasting of `value` to `shape`, which must be possible.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// `value` times a number.
  mlir::Value scale(mlir::Value value, double factor);
  mlir::RankedTensorType typeLike(mlir::Value value,
                                  llvm::ArrayRef<int64_t> shape);
  /// Whether all inputs are run-time values of one floating-point type; else
  /// reports.
  bool requireFloats();

  Importer &importer;
  const onnx::Node &node;
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// "[64, 10]", for messages.
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// The shape that NumPy's broadcasting gives, or nothing.
std::optional<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

// The import functions, one per operator (or per family of them).
llvm::LogicalResult importBinary(NodeImporter &node);
llvm::LogicalResult importUnary(NodeImporter &node);
llvm::LogicalResult importSoftmax(NodeImporter &node);
llvm::LogicalResult importCast(NodeImporter &node);
llvm::LogicalResult importIdentity(NodeImporter &node);
llvm::LogicalResult importConstant(NodeImporter &node);
llvm::LogicalResult importGemm(NodeImporter &node);
llvm::LogicalResult importMatMul(NodeImporter &node);
llvm::LogicalResult importFlatten(NodeImporter &node);
llvm::LogicalResult importReshape(NodeImporter &node);
llvm::LogicalResult importTranspose(NodeImporter &node);
llvm::LogicalResult importSqueeze(NodeImporter &node);
llvm::LogicalResult importUnsqueeze(NodeImporter &node);
llvm::LogicalResult importShape(NodeImporter &node);
llvm::LogicalResult importGather(NodeImporter &node);
llvm::LogicalResult importSlice(NodeImporter &node);
llvm::LogicalResult importConcat(NodeImporter &node);

/// Add, Sub, Mul, Div and Neg of integers known while importing.
llvm::LogicalResult importIntegerArithmetic(NodeImporter &node);

} // namespace rubato

#endif // RUBATO_LIB_IMPORT_NODEIMPORTER_H
