// gossip.quota: when the two strands of a member wait for each other.
//
// With a rate of at least one averaging per gradient, the computing strand
// comes to the rendezvous after every gradient and the averaging one after
// Poisson(rate) averagings; below one, the other way round, with
// Poisson(1/rate) gradients. The test follows the deed, so there is at least
// one of them between two rendezvous and a draw of zero is carried over.
#pragma once

#include "policy/policy.h"

#include <memory>

namespace rubato::policy {

struct QuotaOptions {
  /// Averagings per gradient, from 1/1000 to 1000.
  double rate = 1;
  /// Steps of exactly the rate instead of Poisson draws.
  bool deterministic = false;
  uint64_t seed = 0;
};

class GossipQuota final : public Policy {
public:
  static Status create(const QuotaOptions &options,
                       std::unique_ptr<GossipQuota> &quota);

  /// After an averaging: whether to meet the computing strand.
  Status averaged(Asker asker, bool &due);
  /// After a gradient: whether to meet the averaging strand.
  Status computed(Asker asker, bool &due);

  std::string_view name() const override { return "gossip.quota"; }
  Placement placement() const override { return Placement::Local; }
  const std::vector<Entry> &entries() const override;
  Status ask(std::string_view entry, Asker asker, std::span<const Value> inputs,
             std::span<Value> outputs) override;
  void save(StateWriter &out) const override;
  Status load(StateReader &in) override;

private:
  explicit GossipQuota(const QuotaOptions &options) : options(options) {}
  /// Counts one deed of the strand that does several between rendezvous.
  Status count(Asker asker, bool &due);

  QuotaOptions options;
  int64_t done = 0;
  /// The count at which the next rendezvous is due.
  double next = 1;
  /// The latest question and its answer, for when it is repeated.
  int64_t lastCall = -1;
  bool lastDue = false;
};

} // namespace rubato::policy
