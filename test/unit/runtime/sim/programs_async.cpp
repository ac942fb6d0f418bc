// abs-sgd, adaptive-sgd and bounded-staleness by hand.
#include "programs.h"

#include <algorithm>
#include <bit>
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
  RB_TRY(self.env.await(self.who, cells.carried, outs));
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
  RB_TRY(self.env.start(self.who, {RB_START_ALL_REDUCE, 0, 0, ins}, next));
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
  RB_TRY(self.env.start(self.who, {RB_START_ALL_REDUCE, 0, 0, ins}, future));
  RB_TRY(self.env.await(self.who, future, ins));
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

//===----------------------------------------------------------------------===//
// bounded-staleness
//===----------------------------------------------------------------------===//

static Status workerRound(Self &self, const StalenessProgram &options,
                          bool &go) {
  Cells &cells = *self.cells;
  Vector w;
  int64_t seen = 0, ticket = 0, more = 0, k = 0;
  Part outs[] = {part(w), part(seen), part(ticket), part(more)};
  RB_TRY(self.env.await(self.who, cells.carried, outs));
  FutureHandle model = 0;
  if (more)
    RB_TRY(self.env.pull(self.who, 0, ticket, model));
  Vector x = w;
  Gradient all;
  RB_TRY(self.repeat(
      model, 0, more ? options.steps : 0,
      [&](int64_t i) -> Status {
        Gradient sum;
        int64_t keys[] = {self.env.rank(self.who), ticket, i};
        std::span<const int64_t> every(keys);
        RB_TRY(self.gradient(
            x,
            options.leased
                ? BatchRequest{RB_BATCH_QUEUE, -1, every.subspan(1, 1)}
                : BatchRequest{RB_BATCH_KEYED, -1, every},
            sum));
        self.work("lr");
        self.work("step");
        x = minus(x, stepOf(sum.sum, sum.samples, cells.baseLr));
        all.samples += sum.samples;
        if (i == 0)
          all.loss = sum.loss / static_cast<double>(sum.samples);
        return Status::ok();
      },
      k));
  if (more && k == options.steps) {
    Vector change = minus(x, w);
    int64_t stop = self.env.stopRequested(self.who);
    Part ins[] = {part(change), part(all.loss), part(all.samples), part(stop)};
    RB_TRY(self.env.push(self.who, 0, ticket, ins));
  }
  cells.carried = model;
  go = more;
  return Status::ok();
}

static Status serverRound(Self &self, const StalenessProgram &options,
                          bool &go) {
  Cells &cells = *self.cells;
  Gradient sum;
  int64_t stops = 0, who = 0;
  Part outs[] = {part(sum.sum), part(sum.loss), part(sum.samples), part(stops)};
  RB_TRY(self.env.collect(self.who, 0, cells.first, options.byStaleness, outs,
                          who));
  int64_t size = std::popcount(static_cast<uint64_t>(who));
  RB_TRY(self.update("w seen", [&] {
    for (size_t j = 0; j != cells.w.size(); ++j)
      cells.w[j] += sum.sum[j] / static_cast<double>(size);
    cells.seen += sum.samples;
  }));
  int64_t stop = stops + self.env.stopRequested(self.who);
  policy::Value question[] = {sum.loss / static_cast<double>(size), size,
                              self.env.workers(self.who, 0), cells.seen,
                              cells.seen >= cells.budget ? int64_t{1} : stop};
  policy::Value answer[3];
  RB_TRY(self.env.ask(self.who, 0, 1, question, answer));
  go = std::get<bool>(answer[2]);
  cells.first = std::get<int64_t>(answer[0]);
  if (!go)
    return Status::ok();
  Part ins[] = {part(cells.w), part(cells.seen)};
  return self.env.grant(self.who, 0, false, who, std::get<int64_t>(answer[1]),
                        ins);
}

static MemberFunctions serverOf(Environment &env, int rank,
                                std::shared_ptr<Cells> cells,
                                const StalenessProgram &options) {
  MemberFunctions functions;
  functions.init = [=, &env]() -> Status {
    Self self{env, {rank, 1, -1}, cells};
    policy::Value workers = std::max<int64_t>(env.workers(self.who, 0), 1);
    policy::Value answer[2];
    RB_TRY(env.ask(self.who, 0, 0, {&workers, 1}, answer));
    cells->first = std::get<int64_t>(answer[0]);
    Part ins[] = {part(cells->w), part(cells->seen)};
    return env.grant(self.who, 0, true, 0, std::get<int64_t>(answer[1]), ins);
  };
  functions.strands = {[=, &env] {
    Self self{env, {rank, 0, 0}, cells};
    return self.rounds(
        [&](bool &go) { return serverRound(self, options, go); });
  }};
  functions.drain = [=, &env] { return env.close({rank, 1, -2}, 0); };
  return functions;
}

Program boundedStaleness(const StalenessProgram &options) {
  using enum policy::ValueType;
  Program program;
  RoleSpec server, worker;
  server.name = "server";
  server.count = 1;
  server.init = 3;
  server.drain = 5;
  server.strands = {{"main", 4, false, false}};
  worker.name = "worker";
  worker.init = 0;
  worker.drain = 2;
  worker.strands = {{"main", 1, false, false}};
  program.spec.roles = {server, worker};
  program.spec.channels = {{"ps", "mailbox", "server", 0, 0}};
  program.spec.policies = {
      {"rule",
       "staleness.rule",
       policy::Placement::Local,
       options.rule,
       {{"start", {I64}, {I64, I64}},
        {"round", {F64, I64, I64, I64, I64}, {I64, I64, I1}}},
       {"server"}}};
  program.member = [options](Environment &env, int rank,
                             std::shared_ptr<Cells> cells) {
    if (rank == 0)
      return serverOf(env, rank, cells, options);
    MemberFunctions functions;
    functions.init = [=, &env] {
      return env.pull({rank, 1, -1}, 0, -1, cells->carried);
    };
    functions.strands = {[=, &env] {
      Self self{env, {rank, 0, 0}, cells};
      return self.rounds(
          [&](bool &go) { return workerRound(self, options, go); });
    }};
    functions.drain = [=, &env] {
      Vector w;
      int64_t seen = 0, ticket = 0, more = 0;
      Part outs[] = {part(w), part(seen), part(ticket), part(more)};
      return env.await({rank, 1, -2}, cells->carried, outs);
    };
    return functions;
  };
  return program;
}

} // namespace rubato::sim::test
