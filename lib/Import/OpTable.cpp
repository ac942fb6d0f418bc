// The ONNX operators that the importer knows.
#include "NodeImporter.h"

using namespace rubato;

static constexpr unsigned many = 1 << 20;

static const OpSupport table[] = {
    {"Add", 2, 2, "", Gradient::Yes, importBinary},
    {"Cast", 1, 1, "to saturate", Gradient::Yes, importCast},
    {"Concat", 1, many, "axis", Gradient::Integer, importConcat},
    {"Constant", 0, 0, "value", Gradient::Integer, importConstant},
    {"Div", 2, 2, "", Gradient::Yes, importBinary},
    {"Flatten", 1, 1, "axis", Gradient::Yes, importFlatten},
    {"Gather", 2, 2, "axis", Gradient::Integer, importGather},
    {"Gemm", 2, 3, "alpha beta transA transB", Gradient::Yes, importGemm},
    {"Identity", 1, 1, "", Gradient::Yes, importIdentity},
    {"LogSoftmax", 1, 1, "axis", Gradient::AtEnd, importSoftmax},
    {"MatMul", 2, 2, "", Gradient::Yes, importMatMul},
    {"Mul", 2, 2, "", Gradient::Yes, importBinary},
    {"Neg", 1, 1, "", Gradient::Yes, importUnary},
    {"Relu", 1, 1, "", Gradient::Yes, importUnary},
    {"Reshape", 2, 2, "allowzero", Gradient::Yes, importReshape},
    {"Shape", 1, 1, "start end", Gradient::Integer, importShape},
    {"Sigmoid", 1, 1, "", Gradient::Yes, importUnary},
    {"Slice", 3, 5, "", Gradient::Integer, importSlice},
    {"Softmax", 1, 1, "axis", Gradient::AtEnd, importSoftmax},
    {"Squeeze", 1, 2, "", Gradient::Yes, importSqueeze},
    {"Sub", 2, 2, "", Gradient::Yes, importBinary},
    {"Tanh", 1, 1, "", Gradient::Yes, importUnary},
    {"Transpose", 1, 1, "perm", Gradient::Yes, importTranspose},
    {"Unsqueeze", 2, 2, "", Gradient::Yes, importUnsqueeze},
};

llvm::ArrayRef<OpSupport> rubato::supportedOps() { return table; }

const OpSupport *rubato::findOp(llvm::StringRef domain, llvm::StringRef name) {
  if (!domain.empty())
    return nullptr;
  for (const OpSupport &op : table)
    if (op.name == name)
      return &op;
  return nullptr;
}
