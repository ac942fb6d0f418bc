// The rendezvous of computing and averaging at a given rate.
#include "policy/gossip_quota.h"

#include "policy/ask.h"
#include "policy/random.h"
#include "policy/settings.h"

#include <cmath>

namespace rubato::policy {

Status GossipQuota::create(const QuotaOptions &options,
                           std::unique_ptr<GossipQuota> &quota) {
  if (!(options.rate >= 1e-3 && options.rate <= 1e3))
    return badSetting("gossip.quota", "rate",
                      "from 0.001 to 1000 averagings per gradient, not " +
                          std::to_string(options.rate));
  quota.reset(new GossipQuota(options));
  return Status::ok();
}

Status GossipQuota::count(Asker asker, bool &due) {
  RB_TRY(checkCall(*this, asker, lastCall));
  if (asker.call > lastCall) {
    double mean = options.rate >= 1 ? options.rate : 1 / options.rate;
    lastCall = asker.call;
    lastDue = static_cast<double>(++done) >= next;
    if (lastDue) {
      CounterRandom random(options.seed, name(), asker);
      next += options.deterministic ? mean
                                    : static_cast<double>(random.poisson(mean));
    }
  }
  due = lastDue;
  return Status::ok();
}

Status GossipQuota::averaged(Asker asker, bool &due) {
  if (options.rate >= 1)
    return count(asker, due);
  due = true;
  return Status::ok();
}

Status GossipQuota::computed(Asker asker, bool &due) {
  if (options.rate < 1)
    return count(asker, due);
  due = true;
  return Status::ok();
}

const std::vector<Entry> &GossipQuota::entries() const {
  static const std::vector<Entry> list = {{"averaged", {}, {ValueType::I1}},
                                          {"computed", {}, {ValueType::I1}}};
  return list;
}

Status GossipQuota::ask(std::string_view entry, Asker asker,
                        std::span<const Value> inputs,
                        std::span<Value> outputs) {
  RB_TRY(checkAsk(*this, entry, inputs, outputs));
  bool due = false;
  RB_TRY(entry == "averaged" ? averaged(asker, due) : computed(asker, due));
  outputs[0] = due;
  return Status::ok();
}

void GossipQuota::save(StateWriter &out) const {
  out.i64(done);
  out.f64(next);
  out.i64(lastCall);
  out.i64(lastDue);
}

Status GossipQuota::load(StateReader &in) {
  int64_t readDone = 0, readCall = 0, readDue = 0;
  double readNext = 0;
  if (!in.i64(readDone) || !in.f64(readNext) || !in.i64(readCall) ||
      !in.i64(readDue) || readDone < 0 || !std::isfinite(readNext) ||
      readCall < -1 || (readDue != 0 && readDue != 1))
    return Status::user("gossip.quota: the saved state is damaged; take "
                        "another checkpoint");
  done = readDone;
  next = readNext;
  lastCall = readCall;
  lastDue = readDue;
  return Status::ok();
}

} // namespace rubato::policy
