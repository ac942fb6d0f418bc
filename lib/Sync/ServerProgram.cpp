// What programs with one server and many workers have in common.
#include "rubato/Sync/ServerProgram.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

ServerProgram::ServerProgram(ProgramBuilder &b) : b(b) {
  SmallVector<Type> model{b.flatType, b.counterType, b.getI64Type(),
                          b.getI1Type()};
  modelType = FutureType::get(b.getContext(), model);
}

void ServerProgram::declare(std::optional<int64_t> exempt,
                            std::optional<int64_t> ahead) {
  auto symbol = [&](StringRef name) {
    return FlatSymbolRefAttr::get(b.getContext(), name);
  };
  auto number = [&](std::optional<int64_t> given) {
    return given ? b.getI64IntegerAttr(*given) : IntegerAttr();
  };
  GroupOp::create(b, "all", IntegerAttr(), IntegerAttr(),
                  b.getArrayAttr({symbol("server"), symbol("worker")}),
                  b.getDenseI64ArrayAttr({1, -1}));
  ChannelOp::create(b, "ps", "all", ChannelKind::Mailbox, symbol("server"),
                    number(exempt), number(ahead));
}

void ServerProgram::workers(function_ref<Value(const Model &)> job) {
  b.role("worker", "all", [&] {
    b.init([&](ValueRange) {
      Value first = PullOp::create(b, modelType, "ps", b.constant(int64_t(-1)));
      YieldOp::create(b, ValueRange(first));
    });
    b.strand(
        [&](ValueRange carried) {
          ValueRange got = b.await(carried[0]);
          Model model{got[0], got[1], got[2], got[3]};
          NextOp::create(b, model.go, job(model));
        },
        modelType);
    b.drain(
        [&](ValueRange carried) {
          b.await(carried[0]);
          YieldOp::create(b);
        },
        modelType);
  });
}

Value ServerProgram::pullAfter(const Model &model) {
  return b
      .choose(
          model.go, modelType,
          [&]() -> SmallVector<Value> {
            return {PullOp::create(b, modelType, "ps", model.ticket)};
          },
          [&]() -> SmallVector<Value> {
            return {ReadyOp::create(b, modelType)};
          })
      .front();
}
