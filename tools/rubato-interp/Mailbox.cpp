// The server's end of a mailbox: the ledger of who holds which ticket. Only an
// upload with a worker's newest ticket counts.
#include "tools/rubato-interp/Arithmetic.h"
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

using Ledger = policy::StalenessLedger;

LogicalResult Machine::deliver(World &world, unsigned channel, Upload upload) {
  Mailbox &box = world.channels[channel].edit().mailbox;
  box.changedAt = world.now;
  if (box.closed)
    ++world.statistics.edit().dropped;
  else
    box.held.push_back(std::move(upload));
  return success();
}

bool Machine::canCollect(const Mailbox &box, int64_t first) const {
  if (box.ledger.complete(first))
    return true;
  Ledger ledger = box.ledger;
  for (const Upload &upload : box.held) {
    ledger.push(upload.worker, upload.ticket);
    if (ledger.complete(first))
      return true;
  }
  return false;
}

/// What the ledger says to the first upload that nobody looked at yet.
LogicalResult Machine::judge(World &world, unsigned channel) {
  ChannelInfo &info = program.channels[channel];
  Mailbox &box = world.channels[channel].edit().mailbox;
  Upload upload = std::move(box.held.front());
  box.held.erase(box.held.begin());
  Ledger::Verdict verdict = box.ledger.push(upload.worker, upload.ticket);
  int rank = info.workers[upload.worker];
  const char *said = verdict == Ledger::Verdict::Accepted ? "accepted"
                     : verdict == Ledger::Verdict::BeyondBound
                         ? "beyond the bound"
                         : "dropped";
  if (!config.abstract)
    ++world.statistics.edit().events["upload"];
  if (log)
    log->write(config.timed ? world.now : world.steps, info.server, 0,
               world.members[info.server]->strands[0]->round, "upload",
               [&](llvm::json::OStream &json) {
                 json.attribute("worker", rank);
                 json.attribute("ticket", upload.ticket);
                 json.attribute("verdict", said);
                 if (verdict == Ledger::Verdict::Accepted)
                   json.attribute("staleness",
                                  box.ledger.uploads().back().staleness);
               });
  if (verdict == Ledger::Verdict::BeyondBound)
    return info.op.emitError("rank ")
           << rank << ": an upload with the newest ticket is staler than the "
           << "bound; the program breaks it";
  if (verdict != Ledger::Verdict::Accepted) {
    ++world.statistics.edit().dropped;
    return success();
  }
  for (Holding &each : world.data.edit().holdings)
    if (each.rank == rank && each.ticket == upload.ticket)
      each.acknowledged = true;
  box.accepted[upload.worker] = std::move(upload.values);
  return success();
}

LogicalResult Machine::collect(Here &here, CollectOp op) {
  unsigned channel = program.index(op.getChannel());
  ChannelInfo &info = program.channels[channel];
  Mailbox &box = here.world.channels[channel].edit().mailbox;
  // One by one, so that a round closes with the very upload that completes it.
  FailureOr<int64_t> first = numberOf(here, op, op.getFirst());
  if (failed(first))
    return failure();
  while (!box.ledger.complete(*first) && !box.held.empty())
    if (failed(judge(here.world, channel)))
      return failure();
  if (!box.ledger.complete(*first))
    return failRound(here, "every worker is gone", /*forGood=*/true);
  std::vector<Ledger::Upload> uploads = box.ledger.close();
  uint64_t who = 0;
  Values sums;
  Data &data = here.world.data.edit();
  for (const Ledger::Upload &upload : uploads) {
    who |= uint64_t(1) << upload.worker;
    Values values = std::move(box.accepted[int(upload.worker)]);
    if (values.size() != op.getValues().size())
      return error(here, op)
             << "gives " << op.getValues().size() << " values, but rank "
             << info.workers[upload.worker] << " pushed " << values.size();
    if (op.getByStaleness() && !values.empty())
      values[0] = scaled(values[0], 1.0 / double(1 + upload.staleness));
    for (size_t i = 0; i != values.size(); ++i) {
      if (values[i].type() != op.getValues()[i].getType())
        return error(here, op)
               << "gives " << op.getValues()[i].getType() << ", but rank "
               << info.workers[upload.worker] << " pushed " << values[i].type();
      if (sums.size() == i)
        sums.push_back(values[i]);
      else
        sums[i] = sumOf(sums[i], values[i]);
    }
    ++here.world.statistics.edit().staleness[upload.staleness];
    for (auto it = data.holdings.begin(); it != data.holdings.end();)
      if (it->rank == info.workers[upload.worker] &&
          it->ticket == upload.ticket) {
        consume(data, it->places);
        it = data.holdings.erase(it);
      } else {
        ++it;
      }
  }
  box.accepted.clear();
  record(here, "collect", [&](llvm::json::OStream &json) {
    json.attribute("channel", op.getChannel());
    json.attribute("version", box.ledger.version());
    json.attributeArray("who", [&] {
      for (const Ledger::Upload &upload : uploads)
        json.value(info.workers[upload.worker]);
    });
    json.attributeArray("staleness", [&] {
      for (const Ledger::Upload &upload : uploads)
        json.value(upload.staleness);
    });
  });
  sums.push_back(Value::handle(op.getWho().getType(), 1, int64_t(who)));
  finish(here, op, sums);
  return success();
}

/// Hands a model to those who got tickets.
void Machine::issue(World &world, unsigned channel,
                    ArrayRef<Ledger::Grant> grants, const Values &values) {
  ChannelInfo &info = program.channels[channel];
  Mailbox &box = world.channels[channel].edit().mailbox;
  for (const Ledger::Grant &each : grants) {
    int rank = info.workers[each.worker];
    box.granted[each.worker] = {
        each.ticket, box.ledger.version(),
        grantDone(world, info.server, rank, each.ticket), values};
    voidLeases(world, rank, each.ticket);
  }
}

/// What a log says of a grant.
static void writeGrant(llvm::json::OStream &json, ChannelInfo &info,
                       const Mailbox &box, ArrayRef<Ledger::Grant> grants) {
  json.attribute("channel", info.op.getSymName());
  json.attribute("version", box.ledger.version());
  json.attributeArray("to", [&] {
    for (const Ledger::Grant &each : grants)
      json.value(info.workers[each.worker]);
  });
  json.attributeArray("tickets", [&] {
    for (const Ledger::Grant &each : grants)
      json.value(each.ticket);
  });
}

LogicalResult Machine::grant(Here &here, GrantOp op) {
  unsigned channel = program.index(op.getChannel());
  ChannelInfo &info = program.channels[channel];
  Mailbox &box = here.world.channels[channel].edit().mailbox;
  FailureOr<int64_t> bound = numberOf(here, op, op.getStaleAfter());
  if (failed(bound))
    return failure();
  Values values = operands(here, op.getValues());
  // Without a set: all workers, and a round that is open begins anew.
  std::vector<Ledger::Grant> grants =
      op.getTo() ? box.ledger.grant(*bound) : box.ledger.start(*bound);
  issue(here.world, channel, grants, values);
  if (info.op.getAhead())
    box.newest = std::move(values);
  record(here, "grant", [&](llvm::json::OStream &json) {
    writeGrant(json, info, box, grants);
  });
  finish(here, op, {});
  settlePulls(here.world, channel);
  return success();
}

LogicalResult Machine::close(Here &here, CloseOp op) {
  unsigned channel = program.index(op.getChannel());
  Strand &strand = here.strand();
  if (strand.wait == Wait::Close) {
    strand.wait = Wait::None;
    finish(here, op, {});
    return success();
  }
  record(here, "close", [&](llvm::json::OStream &json) {
    json.attribute("channel", op.getChannel());
  });
  Mailbox &box = here.world.channels[channel].edit().mailbox;
  box.closed = true;
  box.ledger.stop();
  here.world.statistics.edit().dropped += box.held.size();
  box.held.clear();
  box.accepted.clear();
  for (int rank : program.channels[channel].workers)
    voidLeases(here.world, rank, INT64_MAX);
  strand.wait = Wait::Close;
  settlePulls(here.world, channel);
  return success();
}

LogicalResult Machine::leaveMailboxes(World &world, int rank) {
  for (unsigned i = 0; i != program.channels.size(); ++i) {
    ChannelInfo &info = program.channels[i];
    if (info.server < 0)
      continue;
    Mailbox &box = world.channels[i].edit().mailbox;
    if (int worker = info.workerIndex(rank); worker >= 0) {
      box.gone[worker] = true;
      box.ledger.died(worker);
      box.changedAt = world.now;
      // The server has nothing to collect, so it would never grant again.
      std::vector<Ledger::Grant> grants = box.ledger.release();
      issue(world, i, grants, box.newest);
      if (log && !grants.empty())
        log->write(config.timed ? world.now : world.steps, info.server, 0,
                   world.members[info.server]->strands[0]->round, "grant",
                   [&](llvm::json::OStream &json) {
                     writeGrant(json, info, box, grants);
                   });
    }
    settlePulls(world, i);
  }
  return success();
}

} // namespace rubato::interp
