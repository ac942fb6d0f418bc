// Operations of gsync that are calls of the runtime.
#include "ProgramEmitter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace rubato;

static bool isTensor(Type type) { return isa<RankedTensorType>(type); }

void ProgramEmitter::emitLoad(gsync::LoadOp op) {
  auto cell =
      SymbolTable::lookupNearestSymbolFrom<gsync::CellOp>(op, op.getCellAttr());
  auto role = op->getParentOfType<gsync::RoleOp>();
  // In an atomic the lock is held; alone, a strand needs none.
  bool shared = llvm::range_size(role.strands()) > 1 &&
                cell.getRole() != gsync::CellRole::Setting &&
                cell.getRole() != gsync::CellRole::Frozen &&
                !op->getParentOfType<gsync::AtomicOp>() &&
                !op->getParentOfType<gsync::InitOp>() &&
                !op->getParentOfType<gsync::DrainOp>() &&
                !op->getParentOfType<gsync::ModelOp>();
  auto lock = static_cast<int32_t>(numbers.locks.lookup(op.getCell()));
  if (shared)
    sched::LockOp::create(b, lock, StringAttr());
  Value value = op.getValue();
  if (!isTensor(value.getType()))
    mapping.map(value, read(places.cell(op.getCell()), value.getType()));
  else if (!places.isAlias(op))
    emitSnapshot(op, lock);
  if (shared)
    sched::UnlockOp::create(b, lock);
}

/// The content that a cell has now.
void ProgramEmitter::emitSnapshot(gsync::LoadOp op, int32_t lock) {
  Address to = addressOf(op.getValue());
  int64_t size = bytesOf(op.getValue().getType());
  sched::RangeAttr from = bytes(places.cell(op.getCell()), size);
  const Buffer &buffer = places.places().buffer(to.buffer);
  // In an atomic nobody takes the lock again before the cell changes.
  if (buffer.isValue() && !op->getParentOfType<gsync::AtomicOp>())
    sched::LookOp::create(b, from, buffer.name, lock);
  else
    sched::CopyOp::create(b, from, bytes(to, size));
}

void ProgramEmitter::emitAsk(gsync::AskOp op) {
  auto [policy, entry] = numbers.entry(op);
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(get(input));
  auto ask = sched::AskOp::create(b, op.getResultTypes(),
                                  static_cast<uint32_t>(policy),
                                  static_cast<uint32_t>(entry), inputs);
  for (auto [result, answer] : llvm::zip(op.getAnswers(), ask.getAnswers()))
    mapping.map(result, answer);
}

void ProgramEmitter::emitBatch(gsync::NextBatchOp op) {
  SmallVector<Value> keys;
  for (Value key : op.getKeys())
    keys.push_back(get(key));
  IntegerAttr channel;
  if (op.getAckedBy())
    channel = b.getI32IntegerAttr(
        static_cast<int32_t>(numbers.channel(*op.getAckedBy())));
  sched::BatchOp::create(b, static_cast<sched::BatchSource>(op.getSource()),
                         channel, keys);
}

static_assert(
    int(gsync::BatchSource::Cursor) == int(sched::BatchSource::Cursor) &&
    int(gsync::BatchSource::Queue) == int(sched::BatchSource::Queue) &&
    int(gsync::BatchSource::Keyed) == int(sched::BatchSource::Keyed) &&
    int(gsync::BatchSource::Range) == int(sched::BatchSource::Range) &&
    int(gsync::BatchSource::Peek) == int(sched::BatchSource::Peek) &&
    int(gsync::BatchSource::Whole) == int(sched::BatchSource::Whole));

void ProgramEmitter::emitWork(gsync::WorkOp op) {
  // Names of segments say what they compute.
  work = op.getEnds() ? StringRef() : op.getName();
  sched::WorkOp::create(b, op.getEnds(), op.getName());
  if (op.getCounts().size() == 2) {
    Value samples = read(addressOf(op.getCounts()[0]), b.getI64Type());
    Value loss = read(addressOf(op.getCounts()[1]), b.getF64Type());
    sched::ComputedOp::create(b, samples, loss);
  }
}

void ProgramEmitter::emitAwait(gsync::AwaitOp op) {
  sched::AwaitOp::create(b, get(op.getFuture()), resultRanges(op.getValues()));
  readNumbers(op.getValues());
}

void ProgramEmitter::emitCollect(gsync::CollectOp op) {
  auto collect = sched::CollectOp::create(
      b, b.getI64Type(),
      static_cast<uint32_t>(numbers.channel(op.getChannel())),
      get(op.getFirst()), op.getByStaleness(), resultRanges(op.getValues()));
  readNumbers(op.getValues());
  mapping.map(op.getWho(), collect.getWho());
}

LogicalResult ProgramEmitter::emitGsync(Operation *op) {
  auto channel = [&](StringRef name) {
    return static_cast<uint32_t>(numbers.channel(name));
  };
  auto start = [&](auto op, sched::StartKind kind, Value root) {
    auto ins = rangesOf(op.getValues());
    mapping.map(op.getFuture(),
                sched::StartOp::create(b, b.getI64Type(), kind,
                                       channel(op.getChannel()), root, ins)
                    .getFuture());
  };
  LogicalResult result = success();
  TypeSwitch<Operation *>(op)
      .Case([&](gsync::AtomicOp op) { result = emitAtomic(op); })
      .Case([&](gsync::RepeatOp op) { result = emitRepeat(op); })
      .Case([&](gsync::LoadOp op) { emitLoad(op); })
      .Case([&](gsync::AskOp op) { emitAsk(op); })
      .Case([&](gsync::NextBatchOp op) { emitBatch(op); })
      .Case([&](gsync::WorkOp op) { emitWork(op); })
      .Case([&](gsync::AwaitOp op) { emitAwait(op); })
      .Case([&](gsync::CollectOp op) { emitCollect(op); })
      .Case([&](gsync::AllReduceOp op) {
        start(op, sched::StartKind::AllReduce, constant(0));
      })
      .Case([&](gsync::BroadcastOp op) {
        start(op, sched::StartKind::Broadcast, get(op.getRoot()));
      })
      .Case([&](gsync::ExchangeOp op) {
        auto ins = rangesOf(op.getValues());
        mapping.map(op.getFuture(),
                    sched::ExchangeOp::create(
                        b, b.getI64Type(), channel(op.getChannel()),
                        get(op.getPeer()), get(op.getTag()), ins)
                        .getFuture());
      })
      .Case([&](gsync::PullOp op) {
        mapping.map(op.getFuture(),
                    sched::PullOp::create(b, b.getI64Type(),
                                          channel(op.getChannel()),
                                          get(op.getAfter()))
                        .getFuture());
      })
      .Case([&](gsync::PushOp op) {
        auto ins = rangesOf(op.getValues());
        sched::PushOp::create(b, channel(op.getChannel()), get(op.getTicket()),
                              ins);
      })
      .Case([&](gsync::GrantOp op) {
        auto ins = rangesOf(op.getValues());
        sched::GrantOp::create(b, channel(op.getChannel()),
                               op.getTo() ? get(op.getTo()) : Value(),
                               get(op.getStaleAfter()), ins);
      })
      .Case([&](gsync::CloseOp op) {
        sched::CloseOp::create(b, channel(op.getChannel()));
      })
      .Case([&](gsync::WorkersOp op) {
        mapping.map(op.getCount(),
                    sched::WorkersOp::create(b, b.getI64Type(),
                                             channel(op.getChannel()))
                        .getCount());
      })
      .Case([&](gsync::DoneOp op) {
        mapping.map(op.getDone(),
                    sched::DoneOp::create(b, b.getI1Type(), get(op.getFuture()))
                        .getDone());
      })
      .Case(
          [&](gsync::ReadyOp op) { mapping.map(op.getFuture(), constant(0)); })
      .Case([&](gsync::MeetOp op) {
        auto place = static_cast<uint32_t>(
            numbers.rendezvous.lookup(op.getRendezvous()));
        mapping.map(op.getMet(),
                    sched::MeetOp::create(b, b.getI1Type(), place).getMet());
      })
      .Case([&](gsync::CommitOp op) {
        mapping.map(op.getOk(),
                    sched::CommitOp::create(b, b.getI1Type(), get(op.getSeen()),
                                            get(op.getExpected()))
                        .getOk());
      })
      .Case([&](gsync::NowOp op) {
        mapping.map(op.getTime(),
                    sched::NowOp::create(b, b.getF64Type()).getTime());
      })
      .Case([&](gsync::ViewOp op) {
        mapping.map(op.getMembers(),
                    Value(sched::MembersOp::create(b, b.getI64Type())));
        mapping.map(op.getRank(),
                    Value(sched::RankOp::create(b, b.getI64Type())));
      })
      .Case([&](gsync::QuantaOp op) {
        mapping.map(op.getCount(),
                    Value(sched::QuantaOp::create(b, b.getI64Type())));
      })
      .Case([&](gsync::RoundSamplesOp op) {
        mapping.map(op.getCount(),
                    Value(sched::RoundSamplesOp::create(b, b.getI64Type())));
      })
      .Case([&](gsync::DataSamplesOp op) {
        mapping.map(op.getCount(),
                    Value(sched::DataSamplesOp::create(b, b.getI64Type())));
      })
      .Case([&](gsync::SizeOp op) {
        mapping.map(op.getCount(), sched::SetSizeOp::create(
                                       b, b.getI64Type(), get(op.getMembers()))
                                       .getCount());
      })
      .Case([&](gsync::StopRequestedOp op) {
        Value stop = sched::StopRequestedOp::create(b, b.getI64Type());
        if (isTensor(op.getType()))
          write(stop, addressOf(op.getValue()));
        else
          mapping.map(op.getValue(), stop);
      })
      .Default([&](Operation *op) {
        result = op->emitOpError("schedule: is not lowered");
      });
  return result;
}
