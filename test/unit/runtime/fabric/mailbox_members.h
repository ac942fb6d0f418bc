// The members of a mailbox in tests: what they send and how they call.
#pragma once

#include "transports.h"

inline rubato::ChannelSpec mailOf(int server, int64_t exempt = 0) {
  return {"mail", rubato::ChannelSpec::Kind::Mailbox, 1 << 18, server, exempt};
}

/// What a worker gets: two values, the ticket and whether to go on.
struct Model {
  std::vector<float> weights;
  int64_t version = 0, ticket = 0, go = 0;

  explicit Model(size_t count) : weights(count) {}
  std::vector<rubato::Part> sent() {
    return {partOf(weights), partOf(version)};
  }
  std::vector<rubato::Part> pulled() {
    return {partOf(weights), partOf(version), partOf(ticket), partOf(go)};
  }
};

/// What a worker uploads.
struct Report {
  std::vector<double> gradient;
  int64_t count = 0;

  explicit Report(double value = 0, int64_t count = 0, size_t size = 300)
      : gradient(size, value), count(count) {}
  std::vector<rubato::Part> parts() {
    return {partOf(gradient), partOf(count)};
  }
  bool is(double value, int64_t many) const {
    return count == many &&
           gradient == std::vector<double>(gradient.size(), value);
  }
};

class Mailbox : public Transports {
protected:
  rubato::Status pull(int rank, int64_t after, Model &model) {
    int64_t future = 0;
    RB_TRY(fabric->startPull(rank, 0, after, future));
    return fabric->await(rank, future, model.pulled(), soon());
  }
  rubato::Status push(int rank, int64_t ticket, double value) {
    Report report(value, 1);
    return fabric->push(rank, 0, ticket, report.parts());
  }
  rubato::Status collect(int rank, int64_t first, Report &sum,
                         rubato::Collected &collected,
                         bool byStaleness = false) {
    return fabric->collect(rank, 0, first, byStaleness, sum.parts(), collected,
                           soon());
  }
  rubato::Status grant(int rank, bool toAll, int64_t staleAfter,
                       rubato::Granted &granted, int64_t version = 0,
                       size_t size = 500) {
    Model model(size);
    model.version = version;
    std::ranges::fill(model.weights, float(version));
    return fabric->grant(rank, 0, toAll, staleAfter, model.sent(), granted);
  }
  rubato::Status meet(int rank) { return fabric->barrier(rank, soon()); }
};
