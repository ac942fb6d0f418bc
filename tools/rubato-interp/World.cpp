// The fingerprint of a world: everything that decides what it does next.
#include "tools/rubato-interp/World.h"

#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace rubato::interp {

namespace {

/// Collects a canonical serialisation.
class Writer {
public:
  explicit Writer(const Program &program) : program(program) {}

  void number(int64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void text(StringRef value) {
    number(value.size());
    bytes += value;
  }
  void value(const Value &value) { number(int64_t(value.hash())); }
  void values(ArrayRef<Value> list) {
    number(list.size());
    for (const Value &each : list)
      value(each);
  }
  void numbers(ArrayRef<int64_t> list) {
    number(list.size());
    for (int64_t each : list)
      number(each);
  }
  void policy(const PolicyBox &box) {
    policy::StateWriter out;
    if (box)
      (*box).save(out);
    text(out.bytes());
  }
  void strand(const Strand &strand);
  void member(const Member &member, bool abstract);
  void channel(const ChannelState &channel);
  void data(const Data &data, bool abstract);

  std::string bytes;

private:
  const Program &program;
};

void Writer::strand(const Strand &strand) {
  number(int64_t(strand.status));
  number(strand.frames.size());
  for (const Frame &frame : strand.frames) {
    number(frame.next ? program.id(frame.next)
                      : -int64_t(program.id(frame.block->getParentOp())));
    numbers({int64_t(frame.base), frame.count, frame.allowed});
  }
  values(strand.slots);
  values(strand.carried);
  numbers({strand.round, strand.taken, int64_t(strand.wait), strand.call,
           int64_t(strand.answer.has_value())});
  if (strand.answer)
    values(*strand.answer);
}

void Writer::member(const Member &member, bool abstract) {
  numbers({member.alive, member.stopRequested, int64_t(member.phase)});
  // Nobody hears of what a dead member did last; one that has ended comes back
  // for its model only.
  if (abstract && !member.alive)
    return;
  if (abstract && member.phase == Phase::Ended) {
    values(*member.cells);
    numbers(member.posted);
    number(member.futures->size());
    value(member.model);
    return;
  }
  for (const Cow<Strand> &each : member.strands)
    strand(*each);
  values(*member.cells);
  for (const auto &[id, future] : *member.futures) {
    numbers({id, int64_t(future.kind), int64_t(future.state),
             int64_t(future.channel), future.number, future.peer, future.seen,
             future.consumed, future.strand, future.round,
             int64_t(program.id(future.op))});
    values(future.values);
  }
  numbers(member.posted);
  numbers(member.votes);
  numbers(member.calls);
  for (const PolicyBox &each : member.policies)
    policy(each);
  for (int each : member.meeting)
    number(each);
  value(member.model);
}

void Writer::channel(const ChannelState &channel) {
  number(channel.collectives.size());
  for (const auto &[id, collective] : channel.collectives) {
    numbers({id, int64_t(collective.parts.size())});
    for (const auto &[rank, part] : collective.parts) {
      numbers({rank, int64_t(program.id(part.op)), part.root, part.future});
      values(part.values);
    }
  }
  number(channel.exchanges.size());
  for (const Posted &each : channel.exchanges) {
    numbers({each.rank, each.peer, each.tag, each.future});
    values(each.values);
  }
  const Mailbox &box = channel.mailbox;
  policy::StateWriter ledger;
  box.ledger.save(ledger);
  text(ledger.bytes());
  number(box.closed);
  for (bool each : box.gone)
    number(each);
  for (const Mailbox::Granted &each : box.granted) {
    numbers({each.ticket, each.version});
    values(each.values);
  }
  values(box.newest);
  for (const auto *uploads : {&box.flying, &box.held})
    for (const Upload &each : *uploads) {
      numbers({each.worker, each.ticket});
      values(each.values);
    }
  for (const auto &[worker, each] : box.accepted) {
    number(worker);
    values(each);
  }
}

void Writer::data(const Data &data, bool abstract) {
  number(data.rounds.size());
  for (const auto &[key, plan] : data.rounds) {
    numbers(key);
    for (int each : plan.members)
      number(each);
    for (const Places &share : plan.shares)
      if (abstract)
        number(share.size());
      else
        numbers(share);
    numbers(plan.acknowledged);
  }
  if (abstract)
    return;
  number(data.fresh);
  numbers(data.returned);
  number(data.holdings.size());
  for (const Holding &each : data.holdings) {
    numbers({each.rank, each.strand, int64_t(each.source), each.channel,
             each.ticket, each.round, each.acknowledged});
    numbers(each.places);
  }
  text(StringRef(reinterpret_cast<const char *>(data.consumed.data()),
                 data.consumed.size()));
}

} // namespace

std::pair<uint64_t, uint64_t> World::fingerprint(const Program &program,
                                                 bool abstract) const {
  Writer writer(program);
  for (const Cow<Member> &each : members)
    writer.member(*each, abstract);
  for (const Cow<ChannelState> &each : channels)
    writer.channel(*each);
  for (const PolicyBox &each : policies)
    writer.policy(each);
  for (const auto &[key, vote] : *votes) {
    writer.numbers({int64_t(key.first), key.second});
    for (const auto &[rank, ballot] : vote.ballots)
      writer.numbers({rank, ballot.strand, ballot.seen, ballot.expected});
  }
  writer.data(*data, abstract);
  llvm::XXH128_hash_t hash =
      llvm::xxh3_128bits(llvm::arrayRefFromStringRef(writer.bytes));
  return {hash.low64, hash.high64};
}

} // namespace rubato::interp
