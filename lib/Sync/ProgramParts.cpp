// How algorithms write the regions of their programs.
#include "rubato/Sync/ProgramBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

/// Opens the only block of a region for writing.
static Block *open(ProgramBuilder &b, Region &region, TypeRange arguments) {
  return b.createBlock(&region, {}, arguments,
                       SmallVector<Location>(arguments.size(), b.getLoc()));
}

RoleOp ProgramBuilder::role(StringRef name, StringRef group,
                            function_ref<void()> body, bool onHost) {
  auto op = RoleOp::create(*this, name, group, onHost);
  OpBuilder::InsertionGuard guard(*this);
  open(*this, op.getBody(), {});
  body();
  return op;
}

void ProgramBuilder::init(Body body) {
  auto op = InitOp::create(*this);
  OpBuilder::InsertionGuard guard(*this);
  body(open(*this, op.getBody(), {})->getArguments());
}

void ProgramBuilder::strand(Body body, TypeRange carried, StringRef label) {
  auto op = StrandOp::create(*this, label.empty() ? StringAttr()
                                                  : getStringAttr(label));
  OpBuilder::InsertionGuard guard(*this);
  body(open(*this, op.getBody(), carried)->getArguments());
}

void ProgramBuilder::drain(Body body, TypeRange carried) {
  auto op = DrainOp::create(*this);
  OpBuilder::InsertionGuard guard(*this);
  body(open(*this, op.getBody(), carried)->getArguments());
}

void ProgramBuilder::model(Body body) {
  auto op = ModelOp::create(*this);
  OpBuilder::InsertionGuard guard(*this);
  body(open(*this, op.getBody(), {})->getArguments());
}

void ProgramBuilder::modelOfCell() {
  model([&](ValueRange) {
    YieldOp::create(*this, ValueRange(load("w", flatType)));
  });
}

ValueRange ProgramBuilder::repeat(Value until, Value atLeast, Value atMost,
                                  ValueRange inits, Iterate body) {
  auto op = RepeatOp::create(*this, until, atLeast, atMost, inits);
  OpBuilder::InsertionGuard guard(*this);
  SmallVector<Type> types{getI64Type()};
  llvm::append_range(types, inits.getTypes());
  Block *block = open(*this, op.getBody(), types);
  SmallVector<Value> next =
      body(block->getArgument(0), block->getArguments().drop_front());
  YieldOp::create(*this, ValueRange(next));
  return op->getResults();
}

AtomicOp ProgramBuilder::atomic(ArrayRef<std::string> cells, Change body,
                                TypeRange results) {
  SmallVector<Attribute> names;
  SmallVector<Type> types;
  for (const std::string &cell : cells) {
    names.push_back(FlatSymbolRefAttr::get(getContext(), cell));
    types.push_back(cellType(cell));
  }
  auto op = AtomicOp::create(*this, results, getArrayAttr(names), false);
  OpBuilder::InsertionGuard guard(*this);
  AtomicResult result = body(open(*this, op.getBody(), types)->getArguments());
  YieldOp::create(*this, ValueRange(result.cells), ValueRange(result.values));
  return op;
}

ValueRange ProgramBuilder::choose(Value condition, TypeRange types,
                                  function_ref<SmallVector<Value>()> yes,
                                  function_ref<SmallVector<Value>()> no) {
  auto op = scf::IfOp::create(*this, types, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(*this);
  auto side = [&](Block *block, function_ref<SmallVector<Value>()> values) {
    setInsertionPointToStart(block);
    scf::YieldOp::create(*this, values());
  };
  side(op.thenBlock(), yes);
  side(op.elseBlock(), no);
  return op.getResults();
}

void ProgramBuilder::when(Value condition, function_ref<void()> body) {
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  body();
}

void ProgramBuilder::policy(StringRef name, StringRef kind, Placement placement,
                            ArrayRef<NamedAttribute> settings,
                            Entries entries) {
  auto op = PolicyOp::create(*this, name, kind, placement,
                             settings.empty() ? DictionaryAttr()
                                              : getDictionaryAttr(settings));
  OpBuilder::InsertionGuard guard(*this);
  open(*this, op.getEntries(), {});
  for (auto [entry, type] : entries)
    EntryOp::create(*this, entry, type);
}

ValueRange ProgramBuilder::ask(StringRef policy, StringRef entry,
                               ValueRange inputs, TypeRange answers) {
  auto name = SymbolRefAttr::get(getContext(), policy,
                                 {FlatSymbolRefAttr::get(getContext(), entry)});
  return AskOp::create(*this, answers, name, inputs).getResults();
}

Value ProgramBuilder::allReduce(StringRef channel, ValueRange values) {
  auto type =
      FutureType::get(getContext(), SmallVector<Type>(values.getTypes()));
  return AllReduceOp::create(*this, type, channel, values);
}

ValueRange ProgramBuilder::await(Value future) {
  return AwaitOp::create(*this, future).getResults();
}
