// Synchronous data-parallel SGD: the program.
#include "AllReduce.h"

#include "rubato/Sync/ProgramBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

#include "lib/Sync/AllReduce/AllReduceDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "lib/Sync/AllReduce/AllReduceAttrs.cpp.inc"

void allreduce::AllReduceDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lib/Sync/AllReduce/AllReduceAttrs.cpp.inc"
      >();
}

StringRef allreduce::AlgorithmAttr::getSummary() const {
  return "every round sums the gradients of all members";
}

/// Gradients of all micro-batches but the last, accumulated.
static ProgramBuilder::Gradient accumulate(ProgramBuilder &b, Value count,
                                           Value w, Value step) {
  SmallVector<Value> inits{b.zero(b.flatType), b.zero(b.counterType),
                           b.zero(b.lossType)};
  auto types = llvm::to_vector(ValueRange(inits).getTypes());
  auto repeat = RepeatOp::create(b, types, count, count, inits);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&repeat.getBody(), {}, types,
                              SmallVector<Location>(3, b.getLoc()));
  auto next = b.addGradient(
      w, step,
      {body->getArgument(0), body->getArgument(1), body->getArgument(2)});
  YieldOp::create(b, ValueRange{next.sum, next.samples, next.loss});
  return {repeat.getResult(0), repeat.getResult(1), repeat.getResult(2)};
}

static void buildStrand(ProgramBuilder &b) {
  auto strand = StrandOp::create(b);
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&strand.getBody());
  Value w = b.load("w", b.flatType), step = b.load("seen", b.counterType);
  // The last micro-batch stands apart: its backward pass is what the
  // reductions overlap with.
  Value count = arith::SubIOp::create(b, QuantaOp::create(b, b.getI64Type()),
                                      b.constant(1));
  auto gradient = b.addGradient(w, step, accumulate(b, count, w, step));
  Value stop = StopRequestedOp::create(b, b.counterType);

  SmallVector<Value> values{gradient.sum, gradient.samples, gradient.loss,
                            stop};
  auto types = llvm::to_vector(ValueRange(values).getTypes());
  auto future = FutureType::get(b.getContext(), types);
  Value sums = AllReduceOp::create(b, future, "grads", values);
  auto reduced = AwaitOp::create(b, types, sums);
  b.update(reduced.getResult(0), reduced.getResult(1));
  NextOp::create(b, b.withinBudget(reduced.getResult(3)));
}

LogicalResult allreduce::AlgorithmAttr::expand(Operation *op) const {
  auto train = cast<TrainOp>(op);
  auto builder = ProgramBuilder::create(op);
  if (failed(builder))
    return failure();
  ProgramBuilder &b = *builder;
  GroupOp::create(b, "world");
  ChannelOp::create(b, "grads", "world", ChannelKind::Collective);
  b.addCells(train.getLearningRate().convertToDouble());

  auto role = RoleOp::create(b, "worker", "world");
  b.createBlock(&role.getBody());
  buildStrand(b);
  auto model = ModelOp::create(b);
  b.createBlock(&model.getBody());
  YieldOp::create(b, b.load("w", b.flatType));
  train.erase();
  return success();
}
