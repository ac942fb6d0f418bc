// The server's rule of bounded staleness: how many uploads the next round
// waits for, and how stale a running job may be before it is restarted.
//
// Entries
//   start    : alive -> count, bound
//   start_at : alive, loss before training -> count, bound
//   round    : loss, participants, alive, samples, stop -> count, bound, go
#pragma once

#include "policy/policy.h"
#include "policy/staleness_options.h"

namespace rubato::policy {

class StalenessRule final : public Policy {
public:
  /// What the rule remembers. Losses are above the floor of the options.
  struct State {
    int64_t count = 0;    ///< uploads to wait for; 0 before the start
    int64_t k0 = 0;       ///< the first count
    int64_t expected = 0; ///< reports that make the initial loss
    int64_t reports = 0;  ///< those that came, at most `expected`
    int64_t rounds = 0;
    double reported = 0; ///< their sum, then the initial loss
    double smoothed = 0, smallest = 0;
    bool operator==(const State &) const = default;
  };

  /// The options must have passed their check.
  explicit StalenessRule(StalenessOptions options);

  std::string_view name() const override { return "staleness.rule"; }
  Placement placement() const override { return Placement::Local; }
  const std::vector<Entry> &entries() const override;
  Status ask(std::string_view entry, Asker asker, std::span<const Value> inputs,
             std::span<Value> outputs) override;
  void save(StateWriter &out) const override;
  Status load(StateReader &in) override;

  /// How stale a job may be while a round waits for `count` of `alive`.
  int64_t bound(int64_t count, int64_t alive) const;
  const State &state() const { return s; }

private:
  void start(int64_t alive, std::optional<double> loss);
  void round(double loss, int64_t participants, int64_t alive);
  void noteReports(double loss, int64_t participants);
  void adaptCount(int64_t alive);
  bool goOn(int64_t samples, int64_t stop) const;

  StalenessOptions options;
  State s;
};

} // namespace rubato::policy
