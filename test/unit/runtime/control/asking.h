// A program with every central policy there is, and members that ask them:
// what one asks follows from the answers it got, as in the algorithms.
#pragma once

#include "control/decisions.h"

#include <gtest/gtest.h>

#include <random>

namespace rubato {

/// Numbers of the policies of `askingProgram`.
enum Asked { Quota = 0, Match = 1, Dispatch = 2, Shares = 3 };
/// Numbers of the entries of the matcher and of the dispatcher.
enum MatchEntry { Constants = 0, Next = 1, Report = 2 };
enum DispatchEntry { Claim = 0, Weight = 1 };

inline constexpr int64_t askedRows = 4000;

inline ProgramSpec askingProgram(std::vector<policy::NamedSetting> matcher = {
                                     {"topology", "ring"}}) {
  using enum policy::ValueType;
  using enum policy::Placement;
  ProgramSpec spec;
  RoleSpec role;
  role.name = "worker";
  role.strands = {{"compute", 0, false, false}, {"gossip", 1, false, false}};
  spec.roles = {role};
  spec.policies = {
      {"quota", "gossip.quota", Local, {}, {{"averaged", {}, {I1}}}, {}},
      {"match",
       "gossip.matcher",
       Central,
       std::move(matcher),
       {{"constants", {}, {F64, F64}},
        {"next", {}, {I64, I64, I1}},
        {"report", {I64, I64}, {I1}}},
       {"worker"}},
      {"dispatch",
       "adaptive.dispatch",
       Central,
       {{"max-batch", 64},
        {"min-batch", 8},
        {"quantum", 1},
        {"mega-batch", 300},
        {"total-samples", askedRows}},
       {{"claim", {I64}, {I64, I64, I64, I1}},
        {"weight", {I64, F64}, {F64, F64}}},
       {"worker"}},
      {"shares",
       "balance.shares",
       Central,
       {{"batch", 50}, {"total-samples", askedRows}},
       {{"share", {I64, F64}, {I64, I64}}},
       {"worker"}}};
  for (PolicySpec &policy : spec.policies)
    policy.askers = {"worker"};
  return spec;
}

inline std::unique_ptr<Decisions> decisionsOf(const ProgramSpec &spec,
                                              int members, uint64_t seed = 1) {
  std::unique_ptr<Decisions> made;
  Status status = Decisions::make(spec, members, seed, 1000, made);
  EXPECT_TRUE(status) << status.message();
  return made;
}

struct Asking {
  int entry = 0;
  std::vector<policy::Value> inputs;
};

/// One strand of a member that asks one policy.
class AskingStrand {
public:
  AskingStrand(Asked policy, int rank) : policy(policy), rank(rank) {}

  Asking next() {
    switch (policy) {
    case Match:
      return {Next, {}};
    case Dispatch:
      if (claims)
        return {Claim, {updates}};
      return {Weight, {updates, 0.05 * (1 + rank)}};
    default:
      return {0, {rows, static_cast<double>(rows) / (1.0 + 2.0 * rank)}};
    }
  }

  void take(std::span<const policy::Value> answers) {
    if (policy == Dispatch && claims) {
      claims = std::get<bool>(answers[3]);
      updates += claims;
    } else if (policy == Dispatch) {
      claims = true;
      updates = 0;
    } else if (policy == Shares) {
      rows = std::get<int64_t>(answers[1]) - std::get<int64_t>(answers[0]);
    }
  }

private:
  Asked policy;
  int rank;
  int64_t updates = 0, rows = 0;
  bool claims = true;
};

} // namespace rubato
