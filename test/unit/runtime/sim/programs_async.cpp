// abs-sgd and adaptive-sgd by hand.
#include "programs.h"

#include <algorithm>
#include <cmath>

namespace rubato::sim::test {

//===----------------------------------------------------------------------===//
// abs-sgd
//===----------------------------------------------------------------------===//

/// Awaits the carried sum and applies it by the linear rule.
static Status applyCarried(Self &self, int64_t &stops) {
  Cells &cells = *self.cells;
  Gradient got;
  Part outs[] = {part(got.sum), part(got.samples), part(got.loss), part(stops)};
  RB_TRY(self.env.await(self.who, cells.carried, outs, -1));
  if (got.samples == 0)
    return Status::ok();
  int64_t reference =
      cells.bRef ? cells.bRef : self.env.members(self.who) * cells.batch;
  double ratio =
      static_cast<double>(got.samples) / static_cast<double>(reference);
  auto factor = static_cast<float>(std::min(std::max(ratio, 0.25), 4.0));
  return self.update("w seen", [&] {
    self.work("lr");
    self.work("step");
    cells.w =
        minus(cells.w, stepOf(got.sum, got.samples, cells.baseLr * factor));
    cells.seen += got.samples;
  });
}

static Status absRound(Self &self, bool &go) {
  Cells &cells = *self.cells;
  Gradient sum;
  int64_t k = 0, stops = 0;
  RB_TRY(self.repeat(
      cells.carried, 1, kNoBound,
      [&](int64_t) {
        return self.gradient(cells.w, {RB_BATCH_QUEUE, 0, {}}, sum);
      },
      k));
  int64_t stop = self.env.stopRequested(self.who);
  Part ins[] = {part(sum.sum), part(sum.samples), part(sum.loss), part(stop)};
  FutureHandle next = 0;
  RB_TRY(self.env.start(self.who, {Call::AllReduce, 0, 0, ins}, next));
  RB_TRY(applyCarried(self, stops));
  cells.carried = next;
  go = cells.seen < cells.budget && stops == 0;
  return Status::ok();
}

Program absSgd() {
  Program program;
  RoleSpec role;
  role.name = "worker";
  role.init = 0;
  role.drain = 2;
  role.strands = {{"main", 1, false, true}};
  program.spec.roles = {role};
  program.spec.channels = {{"grads", "collective", "", 0, 0}};
  program.member = [](Environment &env, int rank,
                      std::shared_ptr<Cells> cells) {
    MemberFunctions functions;
    functions.init = [] { return Status::ok(); };
    functions.strands = {[=, &env] {
      Self self{env, {rank, 0, 0}, cells};
      return self.rounds([&](bool &go) { return absRound(self, go); });
    }};
    functions.drain = [=, &env] {
      Self self{env, {rank, 1, -2}, cells};
      int64_t stops = 0;
      return applyCarried(self, stops);
    };
    return functions;
  };
  return program;
}

//===----------------------------------------------------------------------===//
// adaptive-sgd
//===----------------------------------------------------------------------===//

static Status adaptiveRound(Self &self, bool &go) {
  Cells &cells = *self.cells;
  Vector replica = cells.w;
  int64_t updates = 0, position = cells.seen;
  Gradient all;
  while (position < cells.budget) {
    policy::Value input = updates, claim[4];
    RB_TRY(self.env.ask(self.who, 0, 0, {&input, 1}, claim));
    if (!std::get<bool>(claim[3]))
      break;
    int64_t from = std::get<int64_t>(claim[0]);
    int64_t to = std::get<int64_t>(claim[1]);
    int64_t count = (to - from + cells.batch - 1) / cells.batch, k = 0;
    Gradient sum;
    RB_TRY(self.repeat(
        kNoFuture, count, count,
        [&](int64_t i) {
          int64_t ends[] = {from + i * cells.batch,
                            std::min(from + (i + 1) * cells.batch, to)};
          return self.gradient(replica, {RB_BATCH_RANGE, -1, ends}, sum);
        },
        k));
    self.work("lr");
    float rate = cells.baseLr * (static_cast<float>(sum.samples) / 4.0f);
    self.work("step");
    replica = minus(replica, stepOf(sum.sum, sum.samples, rate));
    ++updates;
    all.samples += sum.samples;
    all.loss += sum.loss;
    position = std::get<int64_t>(claim[2]) + (to - from);
  }
  self.work("norm");
  double squares = 0;
  for (double each : replica)
    squares += each * each;
  policy::Value question[] = {updates, std::sqrt(squares)}, weights[2];
  RB_TRY(self.env.ask(self.who, 0, 1, question, weights));
  double weight = std::get<double>(weights[0]);
  Vector change = minus(cells.w, replica);
  for (double &each : change)
    each = weight * each;
  int64_t stop = self.env.stopRequested(self.who);
  Part ins[] = {part(change), part(weight), part(all.samples), part(all.loss),
                part(stop)};
  FutureHandle future = 0;
  RB_TRY(self.env.start(self.who, {Call::AllReduce, 0, 0, ins}, future));
  RB_TRY(self.env.await(self.who, future, ins, -1));
  double divisor = 1.0 / (weight > 0 ? weight : 1.0);
  for (double &each : change)
    each = divisor * each;
  if (all.samples > 0)
    RB_TRY(self.update("w seen wprev", [&] {
      Vector old = cells.w;
      for (size_t j = 0; j != old.size(); ++j)
        cells.w[j] = (old[j] - change[j]) + (old[j] - cells.wprev[j]) * 0.9;
      cells.wprev = old;
      cells.seen += all.samples;
    }));
  go = cells.seen < cells.budget && stop == 0 && all.samples > 0;
  return Status::ok();
}

Program adaptiveSgd() {
  using enum policy::ValueType;
  Program program;
  RoleSpec role;
  role.name = "worker";
  role.init = 0;
  role.strands = {{"main", 1, false, true}};
  program.spec.roles = {role};
  program.spec.channels = {{"merge", "collective", "", 0, 0}};
  program.spec.policies = {{"dispatch",
                            "adaptive.dispatch",
                            policy::Placement::Central,
                            {{"dimension", 4.0},
                             {"max-batch", int64_t{4}},
                             {"mega-batch", int64_t{16}},
                             {"min-batch", int64_t{2}},
                             {"quantum", int64_t{2}}},
                            {{"claim", {I64}, {I64, I64, I64, I1}},
                             {"weight", {I64, F64}, {F64, F64}}},
                            {"worker"}}};
  program.member = [](Environment &env, int rank,
                      std::shared_ptr<Cells> cells) {
    MemberFunctions functions;
    functions.init = [=, &env] {
      Self self{env, {rank, 1, -1}, cells};
      return self.update("wprev", [&] { cells->wprev = cells->w; });
    };
    functions.strands = {[=, &env] {
      Self self{env, {rank, 0, 0}, cells};
      return self.rounds([&](bool &go) { return adaptiveRound(self, go); });
    }};
    return functions;
  };
  return program;
}

} // namespace rubato::sim::test
