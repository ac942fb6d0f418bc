// Host operations of a program as calls of the C ABI.
#include "HostCalls.h"

#include "runtime/abi/rubato_abi.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::sched;

// The dialect's enums are the ABI's, so their values are passed as they are.
static_assert(int(BatchSource::Cursor) == RB_BATCH_CURSOR &&
              int(BatchSource::Queue) == RB_BATCH_QUEUE &&
              int(BatchSource::Keyed) == RB_BATCH_KEYED &&
              int(BatchSource::Range) == RB_BATCH_RANGE &&
              int(BatchSource::Peek) == RB_BATCH_PEEK &&
              int(BatchSource::Whole) == RB_BATCH_WHOLE);

SmallVector<std::array<int64_t, 4>>
rubato::rangeRows(ArrayAttr ranges, const BufferTable &buffers) {
  SmallVector<std::array<int64_t, 4>> rows;
  for (auto range : ranges.getAsRange<TypedRangeAttr>()) {
    BufferOp buffer = buffers.at(range.getBuffer().getAttr());
    int64_t dtype = range.getType().isF32()   ? RB_F32
                    : range.getType().isF64() ? RB_F64
                                              : RB_I64;
    rows.push_back({buffer.getRegionNumber(), dtype,
                    buffer.getStart() + range.getOffset(), range.getCount()});
  }
  return rows;
}

HostCalls::HostCalls(LLVM::LLVMFuncOp function, StringRef program,
                     int64_t count, const BufferTable &buffers, AbiBuilder &abi,
                     Block *fail)
    : program(program), buffers(buffers), abi(abi),
      builder(function.getContext()), loc(function.getLoc()), fail(fail),
      ctx(function.getArgument(0)) {
  builder.setInsertionPointToStart(&function.getBody().front());
  words = abi.stack(builder, loc, abi.i64, std::max<int64_t>(count, 1));
}

int64_t HostCalls::wordsOf(Operation *op) {
  if (isa<AskOp, BatchOp>(op))
    return op->getNumOperands() + op->getNumResults();
  return 1;
}

void HostCalls::finish() {
  if (!words.use_empty())
    return;
  Operation *size = words.getDefiningOp()->getOperand(0).getDefiningOp();
  words.getDefiningOp()->erase();
  size->erase();
}

//===----------------------------------------------------------------------===//
// Pieces of a call
//===----------------------------------------------------------------------===//

void HostCalls::call(StringRef callee, ValueRange args) {
  SmallVector<Value> all{ctx};
  llvm::append_range(all, args);
  abi.callChecked(builder, loc, callee, all, fail);
}

Value HostCalls::i32(int64_t value) {
  return abi.constant(builder, loc, abi.i32, value);
}

Value HostCalls::i64(int64_t value) {
  return abi.constant(builder, loc, abi.i64, value);
}

Value HostCalls::word(int64_t index) {
  if (index == 0)
    return words;
  return LLVM::GEPOp::create(
      builder, loc, abi.ptr, abi.i64, words,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
}

/// An answer of 0 or not as an i1.
Value HostCalls::flag(Value number) {
  Value zero = abi.constant(builder, loc, number.getType(), 0);
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, number,
                              zero);
}

Value HostCalls::loadFlag() {
  return flag(LLVM::LoadOp::create(builder, loc, abi.i32, words));
}

Value HostCalls::loadWord() {
  return LLVM::LoadOp::create(builder, loc, abi.i64, words);
}

HostCalls::Table HostCalls::table(ArrayAttr ranges) {
  auto rows = rangeRows(ranges, buffers);
  std::string name = ("values." + program + "." + Twine(tables++)).str();
  return {abi.records(builder, loc, name, rows),
          i64(static_cast<int64_t>(rows.size()))};
}

/// Numbers of the host as words: floats by their bits, i1 as 0 or 1.
void HostCalls::store(ValueRange values, int64_t first) {
  for (auto [i, value] : llvm::enumerate(values)) {
    Value wide = value;
    if (value.getType().isF64())
      wide = LLVM::BitcastOp::create(builder, loc, abi.i64, value);
    else if (value.getType().isInteger(1))
      wide = LLVM::ZExtOp::create(builder, loc, abi.i64, value);
    LLVM::StoreOp::create(builder, loc, wide,
                          word(first + static_cast<int64_t>(i)));
  }
}

Value HostCalls::load(Type type, int64_t index) {
  Value wide = LLVM::LoadOp::create(builder, loc, abi.i64, word(index));
  if (type.isF64())
    return LLVM::BitcastOp::create(builder, loc, type, wide);
  return type.isInteger(1) ? flag(wide) : wide;
}

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

void HostCalls::lowerMemory(CopyOp op) {
  auto at = [&](RangeAttr range) -> std::pair<Value, Value> {
    BufferOp buffer = buffers.at(range.getBuffer().getAttr());
    return {i32(buffer.getRegionNumber()),
            i64(buffer.getStart() + range.getOffset())};
  };
  auto [toRegion, toOffset] = at(op.getTo());
  auto [fromRegion, fromOffset] = at(op.getFrom());
  call("rb_copy",
       {toRegion, toOffset, fromRegion, fromOffset, i64(op.getTo().getSize())});
}

void HostCalls::lowerMemory(ClearOp op) {
  BufferOp buffer = buffers.at(op.getRange().getBuffer().getAttr());
  call("rb_clear", {i32(buffer.getRegionNumber()),
                    i64(buffer.getStart() + op.getRange().getOffset()),
                    i64(op.getRange().getSize())});
}

Value HostCalls::regionOf(FlatSymbolRefAttr buffer) {
  BufferOp op = buffers.at(buffer.getAttr());
  return i32(op.getRegionNumber());
}

void HostCalls::lowerAsk(AskOp op) {
  int64_t inputs = op.getInputs().size();
  store(op.getInputs(), 0);
  call("rb_ask", {i32(op.getPolicy()), i32(op.getEntry()), words, i64(inputs),
                  word(inputs), i64(op.getNumResults())});
  SmallVector<Value> answers;
  for (auto [i, type] : llvm::enumerate(op.getResultTypes()))
    answers.push_back(load(type, inputs + static_cast<int64_t>(i)));
  op->replaceAllUsesWith(answers);
}

void HostCalls::lowerGrant(GrantOp op) {
  Table ins = table(op.getIns());
  Value to = op.getTo() ? Value(op.getTo()) : i64(0);
  call("rb_grant", {i32(op.getChannel()), i32(!op.getTo()), to,
                    op.getStaleAfter(), ins.rows, ins.count});
}

void HostCalls::lowerBatch(BatchOp op) {
  store(op.getKeys(), 0);
  call("rb_batch", {i32(int64_t(op.getSource())),
                    i32(op.getAckedBy() ? int64_t(*op.getAckedBy()) : -1),
                    words, i64(op.getKeys().size())});
}

bool HostCalls::lower(Operation *op) {
  builder.setInsertionPoint(op);
  loc = op->getLoc();
  // Calls that bring back one word.
  auto bring = [&](StringRef callee, ValueRange args) {
    SmallVector<Value> all(args);
    all.push_back(words);
    call(callee, all);
    op->getResult(0).replaceAllUsesWith(
        op->getResult(0).getType().isInteger(1) ? loadFlag() : loadWord());
  };
  if (op->hasTrait<IsFact>()) {
    // The operation has the name of its call.
    std::string callee = ("rb_" + op->getName().stripDialect()).str();
    op->replaceAllUsesWith(ValueRange(abi.call(builder, loc, callee, ctx)));
    op->erase();
    return true;
  }
  bool mine = true;
  TypeSwitch<Operation *>(op)
      .Case<CopyOp, ClearOp>([&](auto op) { lowerMemory(op); })
      .Case([&](RenewOp op) {
        call("rb_renew", {regionOf(op.getBufferAttr()), i32(op.getKeep())});
      })
      .Case([&](DropOp op) { call("rb_drop", regionOf(op.getBufferAttr())); })
      .Case([&](LookOp op) {
        BufferOp from = buffers.at(op.getFrom().getBuffer().getAttr());
        call("rb_look",
             {regionOf(op.getBufferAttr()), i32(from.getRegionNumber()),
              i64(from.getStart() + op.getFrom().getOffset()),
              i32(op.getLock())});
      })
      .Case([&](WorkOp op) {
        call("rb_work",
             {abi.string(builder, loc, op.getName()), i32(!op.getEnds())});
      })
      .Case([&](ComputedOp op) {
        call("rb_computed", {op.getSamples(), op.getLoss()});
      })
      .Case([&](LockOp op) {
        Value cells = op.getCells() ? abi.string(builder, loc, *op.getCells())
                                    : abi.null(builder, loc);
        call("rb_lock", {i32(op.getLock()), cells});
      })
      .Case([&](UnlockOp op) { call("rb_unlock", i32(op.getLock())); })
      .Case([&](StartOp op) {
        Table ins = table(op.getIns());
        if (op.getKind() == StartKind::AllReduce)
          bring("rb_all_reduce", {i32(op.getChannel()), ins.rows, ins.count});
        else
          bring("rb_broadcast",
                {i32(op.getChannel()), op.getRoot(), ins.rows, ins.count});
      })
      .Case([&](ExchangeOp op) {
        Table ins = table(op.getIns());
        bring("rb_exchange", {i32(op.getChannel()), op.getPeer(), op.getTag(),
                              ins.rows, ins.count});
      })
      .Case([&](PullOp op) {
        bring("rb_pull", {i32(op.getChannel()), op.getAfter()});
      })
      .Case([&](DoneOp op) {
        Value done = abi.call(builder, loc, "rb_done", {ctx, op.getFuture()});
        op.replaceAllUsesWith(flag(done));
      })
      .Case([&](PollOp op) {
        bring("rb_poll", {op.getFuture(), i32(op.getAhead())});
      })
      .Case([&](BodyOp) { call("rb_body", {}); })
      .Case([&](AwaitOp op) {
        Table outs = table(op.getOuts());
        int64_t first = op.getFirst() ? int64_t(*op.getFirst()) : -1;
        call("rb_await", {op.getFuture(), outs.rows, outs.count, i64(first)});
      })
      .Case([&](RepeatedOp op) { call("rb_repeated", op.getCount()); })
      .Case([&](PushOp op) {
        Table ins = table(op.getIns());
        call("rb_push",
             {i32(op.getChannel()), op.getTicket(), ins.rows, ins.count});
      })
      .Case([&](CollectOp op) {
        Table outs = table(op.getOuts());
        bring("rb_collect", {i32(op.getChannel()), op.getFirst(),
                             i32(op.getByStaleness()), outs.rows, outs.count});
      })
      .Case([&](SetSizeOp op) {
        op.replaceAllUsesWith(
            abi.call(builder, loc, "rb_set_size", {ctx, op.getSet()}));
      })
      .Case([&](GrantOp op) { lowerGrant(op); })
      .Case([&](CloseOp op) { call("rb_close", i32(op.getChannel())); })
      .Case([&](WorkersOp op) {
        op.replaceAllUsesWith(
            abi.call(builder, loc, "rb_workers", {ctx, i32(op.getChannel())}));
      })
      .Case([&](AskOp op) { lowerAsk(op); })
      .Case([&](MeetOp op) { bring("rb_meet", i32(op.getRendezvous())); })
      .Case([&](CommitOp op) {
        bring("rb_commit", {op.getSeen(), op.getExpected()});
      })
      .Case([&](BatchOp op) { lowerBatch(op); })
      .Default([&](Operation *) { mine = false; });
  if (mine)
    op->erase();
  return mine;
}
