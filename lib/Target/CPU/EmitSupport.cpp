// From tensor to memref form: the function's new signature and body, and the
// small building blocks of emitted loops.
#include "rubato/Target/CPU/EmitSupport.h"

#include "rubato/Support/Stage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace rubato::cpu {

bool isTensorKernel(func::FuncOp func) {
  if (!func->hasAttr(kKernelAttr) || !func.getBody().hasOneBlock() ||
      func.getNumResults() == 0)
    return false;
  FunctionType type = func.getFunctionType();
  auto isStatic = [](Type t) {
    auto tensor = dyn_cast<RankedTensorType>(t);
    return tensor && tensor.hasStaticShape() && tensor.getNumElements() > 0;
  };
  return llvm::all_of(type.getInputs(), isStatic) &&
         llvm::all_of(type.getResults(), isStatic);
}

MemrefKernel::MemrefKernel(func::FuncOp func)
    : func(func), operands(func.getNumArguments()) {
  SmallVector<DictionaryAttr> attrs;
  func.getAllArgAttrs(attrs);
  func.removeResAttrsAttr();
  SmallVector<Type> types;
  for (Type t : llvm::concat<const Type>(func.getArgumentTypes(),
                                         func.getResultTypes())) {
    auto tensor = cast<RankedTensorType>(t);
    types.push_back(
        MemRefType::get(tensor.getShape(), tensor.getElementType()));
  }
  types.append(2, IndexType::get(func.getContext()));
  attrs.resize(types.size(), DictionaryAttr::get(func.getContext()));

  tensorBody.takeBody(func.getBody());
  func.removeArgAttrsAttr();
  func.setFunctionType(FunctionType::get(func.getContext(), types, {}));
  func.setAllArgAttrs(attrs);
  OpBuilder b(func.getContext());
  b.setInsertionPointToStart(func.addEntryBlock());
  func::ReturnOp::create(b, func.getLoc());
}

MemrefKernel::~MemrefKernel() { tensorBody.dropAllReferences(); }

Value MemrefKernel::operand(Value tensor) const {
  return func.getArgument(cast<BlockArgument>(tensor).getArgNumber());
}
Value MemrefKernel::destination(unsigned index) const {
  return func.getArgument(operands + index);
}
Value MemrefKernel::lo() const {
  return func.getArgument(func.getNumArguments() - 2);
}
Value MemrefKernel::hi() const {
  return func.getArgument(func.getNumArguments() - 1);
}
OpBuilder MemrefKernel::builder() const {
  return OpBuilder(func.front().getTerminator());
}

Value constantIndex(OpBuilder &b, Location loc, int64_t v) {
  return arith::ConstantIndexOp::create(b, loc, v);
}

Value addIndex(OpBuilder &b, Location loc, Value x, int64_t y) {
  if (y == 0)
    return x;
  return addIndex(b, loc, x, constantIndex(b, loc, y));
}

Value addIndex(OpBuilder &b, Location loc, Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}

Value mulIndex(OpBuilder &b, Location loc, Value x, int64_t y) {
  return b.createOrFold<arith::MulIOp>(loc, x, constantIndex(b, loc, y));
}

SmallVector<int64_t> splitLanes(int64_t count, int64_t widest) {
  SmallVector<int64_t> parts;
  while (count > 0) {
    int64_t part = std::min<int64_t>(widest, llvm::bit_floor<uint64_t>(count));
    parts.push_back(part);
    count -= part;
  }
  return parts;
}

Value zeroVector(OpBuilder &b, Location loc, int64_t lanes) {
  auto type = VectorType::get({lanes}, b.getF32Type());
  return arith::ConstantOp::create(b, loc, type, b.getZeroAttr(type));
}

Value sliceLanes(OpBuilder &b, Location loc, Value vector, int64_t offset,
                 int64_t count) {
  if (cast<VectorType>(vector.getType()).getNumElements() == count)
    return vector;
  return vector::ExtractStridedSliceOp::create(b, loc, vector, {offset},
                                               {count}, {1});
}

} // namespace rubato::cpu
