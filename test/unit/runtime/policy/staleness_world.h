// A server and its workers in virtual time: the staleness rule and the ledger
// driven by events, in the order of (time, worker, ticket).
#pragma once

#include "policy/staleness_ledger.h"
#include "policy/staleness_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <vector>

namespace rubato::policy {

class StalenessWorld {
public:
  using Upload = StalenessLedger::Upload;
  using Verdict = StalenessLedger::Verdict;

  /// One closed round, as the tables of golden runs state it.
  struct Round {
    double time = 0, loss = 0;
    int64_t count = 0, nextCount = 0, bound = 0;
    std::vector<Upload> arrivals;
    std::vector<int64_t> restarted;
    bool go = true;
  };

  StalenessWorld(int64_t workers, const StalenessOptions &options,
                 int64_t exempt = 0)
      : rule(options), ledger(workers, exempt), workers(workers) {
    EXPECT_TRUE(options.check()) << options.check().message();
  }

  StalenessRule rule;
  StalenessLedger ledger;
  double time = 0;
  int64_t count = 0, bound = 0;
  /// Uploads that were accepted though staler than the bound, found from the
  /// world's own books.
  int64_t violations = 0;
  /// A disobedient worker finishes and uploads whatever it is told.
  bool obedient = true;
  /// Time of one message; computing time; the loss after a round; what a
  /// worker does when it gets a model.
  double latency = 0;
  std::function<double(int64_t)> compute;
  std::function<double(const std::vector<Upload> &)> loss =
      [](const std::vector<Upload> &) { return 1.0; };
  std::function<void(int64_t)> download = [](int64_t) {};

  void start() {
    Value in[] = {ledger.alive()}, out[2];
    ASSERT_TRUE(rule.ask("start", {}, in, out));
    count = std::get<int64_t>(out[0]);
    bound = std::get<int64_t>(out[1]);
    for (auto grant : ledger.start(bound))
      receive(grant);
  }

  /// Runs until a round closes. Without events left the count in the answer
  /// is zero: the server would wait for ever.
  Round step() {
    while (!ledger.complete(count)) {
      if (events.empty())
        return {};
      Event event = *events.begin();
      events.erase(events.begin());
      time = event.time;
      arrive(event);
    }
    return close();
  }

  void kill(int64_t worker) {
    ledger.died(worker);
    Place &place = workers[worker];
    events.erase(place.event);
    place = {};
  }

  void join(int64_t worker) {
    if (auto grant = ledger.join(worker))
      receive(*grant);
  }

private:
  struct Event {
    double time = -1;
    int64_t worker = -1, ticket = -1;
    bool operator<(const Event &o) const {
      return std::tie(time, worker, ticket) <
             std::tie(o.time, o.worker, o.ticket);
    }
  };
  struct Place {
    Event event;         // the upload of the newest job
    double begin = 0;    // when that job starts to compute
    int64_t version = 0; // of the model it started from
  };

  void receive(StalenessLedger::Grant grant) {
    Place &place = workers[grant.worker];
    double arrival = time + latency, begin = arrival;
    // An upload that leaves the worker before the order arrives cannot be
    // called back; the ledger drops it.
    double free = place.event.time - latency;
    if (arrival < free) {
      bool begun = place.begin <= arrival;
      if (!obedient)
        begin = begun ? free : place.begin;
      if (obedient || !begun)
        events.erase(place.event);
    }
    download(grant.worker);
    double end = begin + compute(grant.worker) + latency;
    place = {{end, grant.worker, grant.ticket}, begin, ledger.version()};
    events.insert(place.event);
  }

  void arrive(const Event &event) {
    int64_t staleness = ledger.version() - workers[event.worker].version;
    Verdict verdict = ledger.push(event.worker, event.ticket);
    violations += verdict == Verdict::BeyondBound;
    if (verdict == Verdict::Accepted) {
      violations += staleness > bound;
      EXPECT_EQ(ledger.uploads().back().staleness, staleness);
      EXPECT_EQ(event.ticket, workers[event.worker].event.ticket);
    }
  }

  Round close() {
    Round round;
    round.time = time;
    round.count = count;
    round.arrivals = ledger.uploads();
    std::vector<Upload> participants = ledger.close();
    samples += static_cast<int64_t>(participants.size());
    round.loss = loss(participants);
    Value in[] = {round.loss, static_cast<int64_t>(participants.size()),
                  ledger.alive(), samples, int64_t{0}};
    Value out[3];
    Status asked = rule.ask("round", {}, in, out);
    EXPECT_TRUE(asked) << asked.message();
    round.nextCount = count = std::get<int64_t>(out[0]);
    round.bound = bound = std::get<int64_t>(out[1]);
    round.go = std::get<bool>(out[2]);
    if (!round.go) {
      ledger.stop();
      return round;
    }
    for (auto grant : ledger.grant(bound)) {
      if (std::ranges::find(participants, grant.worker, &Upload::worker) ==
          participants.end())
        round.restarted.push_back(grant.worker);
      receive(grant);
    }
    return round;
  }

  std::vector<Place> workers;
  std::set<Event> events;
  int64_t samples = 0;
};

} // namespace rubato::policy
