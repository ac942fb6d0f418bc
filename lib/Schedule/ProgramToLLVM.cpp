// A program as a function: its control flow as blocks, its host operations as
// calls of the runtime, each fallible one with a way out.
#include "HostCalls.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::sched;

namespace {

class ProgramLowering {
public:
  ProgramLowering(LLVM::LLVMFuncOp function, StringRef name, int64_t words,
                  const BufferTable &buffers, AbiBuilder &abi)
      : buffers(buffers), abi(abi), builder(function.getContext()),
        ctx(function.getArgument(0)), fail(abi.failBlock(function)),
        calls(function, name, words, buffers, abi, fail) {
    // Room for the one scalar that is being read or written.
    builder.setInsertionPointToStart(&function.getBody().front());
    slot = abi.stack(builder, function.getLoc(), abi.i64, 1);
    if (function.getNumArguments() > 1)
      go = function.getArgument(1);
  }

  void lower(Operation *op) {
    if (calls.lower(op))
      return;
    builder.setInsertionPoint(op);
    TypeSwitch<Operation *>(op)
        .Case([&](RunOp op) { call(op, segmentSymbol(op.getSegment()), ctx); })
        .Case<ReadOp, WriteOp, ReturnOp>([&](auto op) { lowerOne(op); });
    op->erase();
  }

  /// Drops what turned out to be of no use.
  void finish() {
    if (slot.use_empty()) {
      Operation *size = slot.getDefiningOp()->getOperand(0).getDefiningOp();
      slot.getDefiningOp()->erase();
      size->erase();
    }
    calls.finish();
    if (fail->hasNoPredecessors())
      fail->erase();
  }

private:
  void call(Operation *op, StringRef callee, ValueRange args) {
    abi.callChecked(builder, op->getLoc(), callee, args, fail);
  }
  void copy(Operation *op, StringRef callee, RangeAttr range) {
    BufferOp buffer = buffers.at(range.getBuffer().getAttr());
    auto number = [&](Type type, int64_t value) {
      return abi.constant(builder, op->getLoc(), type, value);
    };
    call(op, callee,
         {ctx, number(abi.i32, buffer.getRegionNumber()),
          number(abi.i64, buffer.getStart() + range.getOffset()), slot,
          number(abi.i64, range.getSize())});
  }
  void lowerOne(ReadOp op) {
    copy(op, "rb_read", op.getRange());
    Value value =
        LLVM::LoadOp::create(builder, op.getLoc(), op.getType(), slot);
    op.replaceAllUsesWith(value);
  }
  void lowerOne(WriteOp op) {
    LLVM::StoreOp::create(builder, op.getLoc(), op.getValue(), slot);
    copy(op, "rb_write", op.getRange());
  }
  void lowerOne(ReturnOp op) {
    if (op.getGo()) {
      Value wide =
          LLVM::ZExtOp::create(builder, op.getLoc(), abi.i32, op.getGo());
      LLVM::StoreOp::create(builder, op.getLoc(), wide, go);
    }
    LLVM::ReturnOp::create(builder, op.getLoc(),
                           abi.constant(builder, op.getLoc(), abi.i32, 0));
  }

  const BufferTable &buffers;
  AbiBuilder &abi;
  OpBuilder builder;
  Value ctx, slot, go;
  Block *fail;
  HostCalls calls;
};

/// Structured control flow becomes blocks, so that a failed call can leave.
LogicalResult lowerStructuredControlFlow(ProgramOp program) {
  ConversionTarget target(*program.getContext());
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  RewritePatternSet patterns(program.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  return applyPartialConversion(program, target, std::move(patterns));
}

/// LLVM would make expm1 an exp that loses the digits it is there for.
void callMathLibrary(LLVM::LLVMFuncOp function, AbiBuilder &abi) {
  function.walk([&](math::ExpM1Op op) {
    OpBuilder builder(op);
    abi.declare(op.getLoc(), "expm1",
                LLVM::LLVMFunctionType::get(op.getType(), op.getType()));
    op.replaceAllUsesWith(
        abi.call(builder, op.getLoc(), "expm1", op.getOperand()));
    op.erase();
  });
}

/// The arithmetic and the branches that are left.
LogicalResult lowerToLLVM(LLVM::LLVMFuncOp function) {
  LLVMConversionTarget target(*function.getContext());
  LLVMTypeConverter types(function.getContext());
  RewritePatternSet patterns(function.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  return applyFullConversion(function, target, std::move(patterns));
}

} // namespace

LogicalResult rubato::lowerProgram(ProgramOp program,
                                   const BufferTable &buffers,
                                   AbiBuilder &abi) {
  if (failed(lowerStructuredControlFlow(program)))
    return failure();

  SmallVector<Type> more;
  if (program.getResult())
    more.push_back(abi.ptr); // where a round says whether there is another
  LLVM::LLVMFuncOp function =
      abi.function(program.getLoc(), programSymbol(program.getSymName()), more);

  // The entry block of the function keeps its arguments and goes to the body.
  Block *entry = &function.getBody().front();
  function.getBody().getBlocks().splice(function.getBody().end(),
                                        program.getBody().getBlocks());
  Block *first = entry->getNextNode();
  SmallVector<Operation *> ops;
  for (Block &block : function.getBody())
    for (Operation &op : block)
      if (isa<SchedDialect>(op.getDialect()))
        ops.push_back(&op);

  int64_t words = 0;
  for (Operation *op : ops)
    words = std::max(words, HostCalls::wordsOf(op));
  ProgramLowering lowering(function, program.getSymName(), words, buffers, abi);
  OpBuilder builder = OpBuilder::atBlockEnd(entry);
  LLVM::BrOp::create(builder, function.getLoc(), first);
  for (Operation *op : ops)
    lowering.lower(op);
  lowering.finish();
  callMathLibrary(function, abi);
  return lowerToLLVM(function);
}
