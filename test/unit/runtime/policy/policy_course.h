// A fixed course of questions for every policy, asked in steps, so that two
// policies can be compared and a course can go on with another object.
#pragma once

#include "policy/ask.h"
#include "policy/factory.h"

#include <gtest/gtest.h>

#include <array>

namespace rubato::policy {

inline std::unique_ptr<Policy> make(std::string_view name,
                                    std::vector<NamedSetting> settings = {},
                                    World world = {{0, 1, 2}, 1, 1000}) {
  std::unique_ptr<Policy> policy;
  Status status = makePolicy(name, settings, world, policy);
  EXPECT_TRUE(status) << status.message();
  return policy;
}

/// Makes a policy of the same settings and lets it take the state of another.
inline std::unique_ptr<Policy>
clone(const Policy &from, std::vector<NamedSetting> settings, uint64_t seed) {
  auto copy = make(from.name(), std::move(settings), {{0, 1, 2}, seed, 1000});
  StateWriter out;
  from.save(out);
  StateReader in(out.bytes());
  Status status = copy->load(in);
  EXPECT_TRUE(status) << status.message();
  EXPECT_TRUE(in.atEnd());
  return copy;
}

/// Three members, whose speeds are as 1 : 3 : 8. What they ask follows from
/// the number of the step and from the answers.
class PolicyCourse {
public:
  /// The answers of the next `steps` steps, with a 1 in front of each that was
  /// given and a 0 for one that is pending.
  std::vector<double> run(Policy &policy, int64_t steps) {
    log.clear();
    for (int64_t end = step + steps; step < end; ++step)
      one(policy);
    return log;
  }

private:
  struct Member {
    int64_t call = 0, updates = 0, samples = 0;
    bool waits = false, claims = true;
  };

  bool ask(Policy &policy, std::string_view entry, int64_t id, int64_t call,
           std::vector<Value> inputs, size_t outputs) {
    out.assign(outputs, Value());
    Status status = policy.ask(entry, {id, call}, inputs, out);
    EXPECT_TRUE(status || isPending(status)) << status.message();
    log.push_back(bool(status));
    for (size_t i = 0; status && i < outputs; ++i)
      log.push_back(std::visit(
          [](auto each) { return static_cast<double>(each); }, out[i]));
    return bool(status);
  }
  int64_t integer(size_t i) const { return std::get<int64_t>(out[i]); }

  void one(Policy &policy) {
    static constexpr int64_t turns[12] = {2, 1, 2, 2, 0, 2, 1, 2, 2, 1, 2, 2};
    int64_t id = turns[step % 12];
    Member &member = members[static_cast<size_t>(id)];
    if (!member.waits)
      ++member.call;
    std::string_view name = policy.name();
    if (name == "adaptive.dispatch") {
      if (member.claims) {
        member.waits =
            !ask(policy, "claim", id, member.call, {member.updates}, 4);
        if (!member.waits)
          member.claims = std::get<bool>(out[3]);
        member.updates += !member.waits && member.claims;
      } else {
        // Small norms and large ones, to both sides of a threshold.
        double norm = step % 200 < 100 ? 0.05 : 0.15;
        member.waits =
            !ask(policy, "weight", id, member.call, {member.updates, norm}, 2);
        member.claims = !member.waits;
        member.updates = member.waits ? member.updates : 0;
      }
    } else if (name == "balance.shares") {
      double speed = 1.0 + static_cast<double>(id * (id + 5)) / 2;
      if (step > 100) // the first becomes faster
        speed += id == 0 ? 5 : 0;
      member.waits = !ask(policy, "share", id, member.call,
                          {member.samples, double(member.samples) / speed}, 2);
      if (!member.waits)
        member.samples = integer(1) - integer(0);
    } else if (name == "gossip.matcher") {
      if (step % 5 == 4) {
        ask(policy, "constants", id, step, {}, 2);
        ask(policy, "report", id, step, {step, int64_t(0)}, 1);
      }
      member.waits = !ask(policy, "next", id, member.call, {}, 3);
    } else if (name == "gossip.quota") {
      ask(policy, "averaged", 0, step, {}, 1);
      ask(policy, "computed", 0, step, {}, 1);
    } else if (name == "dynamic.ramp") {
      static constexpr int64_t sizes[] = {2, 4, 8, 3};
      ask(policy, "factor", 0, step, {sizes[step / 10 % 4]}, 2);
    } else if (step == 0) {
      ask(policy, "start", 0, 0, {int64_t(40)}, 2);
    } else {
      // Falls, and rises again for a while.
      double loss =
          4.0 / static_cast<double>(step + 1) + (step % 50 > 40 ? 2.0 : 0.1);
      ask(policy, "round", 0, step,
          {loss, int64_t(4), int64_t(40), step * 10, int64_t(0)}, 3);
    }
  }

  std::array<Member, 3> members;
  std::vector<Value> out;
  std::vector<double> log;
  int64_t step = 0;
};

} // namespace rubato::policy
