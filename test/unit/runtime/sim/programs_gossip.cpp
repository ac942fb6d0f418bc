// a2cid2 by hand.
#include "programs.h"

#include <algorithm>
#include <cmath>

namespace rubato::sim::test {

/// Channels of the program.
enum { kStart, kGossip, kAverage };

static void mix(Self &self, double now) {
  Cells &c = *self.cells;
  self.work("mix");
  double elapsed = c.dt > 0 ? (now - c.last) / c.dt : 0.0;
  double share = std::expm1(c.eta * -2.0 * elapsed) * -0.5;
  for (size_t j = 0; j != c.w.size(); ++j) {
    double d = share * (c.xt[j] - c.w[j]);
    c.w[j] += d;
    c.xt[j] -= d;
  }
  c.last = now;
}

static Status init(Self self) {
  Cells &c = *self.cells;
  RB_TRY(self.read());
  Vector got = c.w;
  Part values[] = {part(got)};
  FutureHandle copy = 0;
  RB_TRY(self.env.start(self.who, {Call::Broadcast, kStart, 0, values}, copy));
  RB_TRY(self.env.await(self.who, copy, values, -1));
  RB_TRY(self.read());
  policy::Value constants[2];
  RB_TRY(self.env.ask(self.who, 0, 0, {}, constants));
  Gradient unused;
  double began = 0;
  int64_t k = 0;
  RB_TRY(self.repeat(
      kNoFuture, 2, 2,
      [&](int64_t) {
        began = self.now();
        return self.gradient(got, {RB_BATCH_PEEK, -1, {}}, unused);
      },
      k));
  return self.update("w xt last dt eta eta_graph alpha members", [&] {
    double now = self.now();
    c.w = c.xt = got;
    c.last = now;
    c.dt = now - began;
    c.eta = c.etaGraph = std::get<double>(constants[0]);
    c.alpha = std::get<double>(constants[1]);
    c.members = self.env.members(self.who);
  });
}

static Status computeRound(Self &self, bool &go) {
  Cells &c = *self.cells;
  double start = self.now();
  RB_TRY(self.read()); // members
  RB_TRY(self.read());
  Vector w = c.w;
  RB_TRY(self.read());
  int64_t seen = c.seen;
  Gradient sum;
  RB_TRY(self.gradient(w, {RB_BATCH_QUEUE, -1, {}}, sum));
  double parts = std::ceil(static_cast<double>(seen + sum.samples) * 0x1p40 /
                           static_cast<double>(std::max<int64_t>(c.budget, 1)));
  policy::Value report[] = {static_cast<int64_t>(parts),
                            self.env.stopRequested(self.who)};
  policy::Value more;
  RB_TRY(self.env.ask(self.who, 0, 1, report, {&more, 1}));
  RB_TRY(self.update("w seen xt last dt eta gradients", [&] {
    mix(self, self.now());
    self.work("lr");
    self.work("step");
    Vector d = stepOf(sum.sum, sum.samples, c.baseLr);
    c.w = minus(c.w, d);
    c.xt = minus(c.xt, d);
    c.seen += sum.samples;
    ++c.gradients;
  }));
  if (std::get<bool>(more))
    RB_TRY(self.env.meet(self.who, 0, go));
  return self.update("dt eta eta_graph gradients averagings", [&] {
    c.dt = c.dt * 0.5 + (self.now() - start) * 0.5;
    double share = (static_cast<double>(c.averagings) + 1.0) /
                   (static_cast<double>(c.gradients) + 1.0);
    c.eta = c.etaGraph * std::min(share, 1.0);
  });
}

static Status averageWith(Self &self, int64_t peer, int64_t tag, bool &met) {
  Cells &c = *self.cells;
  Vector mine, theirs;
  RB_TRY(self.update("w xt last dt eta", [&] {
    mix(self, self.now());
    mine = c.w;
  }));
  Part ins[] = {part(mine)}, outs[] = {part(theirs)};
  FutureHandle future = 0;
  RB_TRY(self.env.exchange(self.who, {kGossip, peer, tag, ins}, future));
  RB_TRY(self.env.await(self.who, future, outs, -1));
  RB_TRY(self.update("w xt last dt eta alpha averagings", [&] {
    mix(self, self.now());
    Vector difference = minus(mine, theirs);
    for (size_t j = 0; j != c.w.size(); ++j) {
      c.w[j] -= difference[j] * 0.5;
      c.xt[j] -= c.alpha * difference[j];
    }
    ++c.averagings;
  }));
  policy::Value averaged;
  RB_TRY(self.env.ask(self.who, 1, 0, {}, {&averaged, 1}));
  met = std::get<bool>(averaged);
  return Status::ok();
}

static Status gossipRound(Self &self, bool &go) {
  policy::Value next[3];
  RB_TRY(self.env.ask(self.who, 0, 2, {}, next));
  go = std::get<bool>(next[2]);
  int64_t peer = std::get<int64_t>(next[0]);
  bool turn = go;
  if (go && peer >= 0)
    RB_TRY(averageWith(self, peer, std::get<int64_t>(next[1]), turn));
  bool met = false;
  if (turn)
    RB_TRY(self.env.meet(self.who, 0, met));
  return Status::ok();
}

/// The average over members.
static Status average(Self &self, Vector &sum) {
  RB_TRY(self.read());
  sum = self.cells->w;
  int64_t count = 1;
  Part values[] = {part(sum), part(count)};
  FutureHandle future = 0;
  RB_TRY(
      self.env.start(self.who, {Call::AllReduce, kAverage, 0, values}, future));
  RB_TRY(self.env.await(self.who, future, values, -1));
  for (double &each : sum)
    each /= static_cast<double>(count);
  return Status::ok();
}

static Status drain(Self self) {
  Vector mean;
  RB_TRY(average(self, mean));
  return self.update("w xt", [&] { self.cells->w = self.cells->xt = mean; });
}

Program a2cid2() {
  using enum policy::ValueType;
  Program program;
  RoleSpec role;
  role.name = "worker";
  role.init = 0;
  role.drain = 3;
  role.strands = {{"compute", 1, false, false}, {"gossip", 2, false, false}};
  program.spec.roles = {role};
  program.spec.channels = {{"start", "collective", "", 0, 0},
                           {"gossip", "pair", "", 0, 0},
                           {"average", "collective", "", 0, 0}};
  program.spec.rendezvous = {{"turn", {"worker.compute", "worker.gossip"}}};
  program.spec.locks = 1;
  program.spec.policies = {{"match",
                            "gossip.matcher",
                            policy::Placement::Central,
                            {{"accelerate", true},
                             {"goal", int64_t{1} << 40},
                             {"rate", 1.0},
                             {"repair", "close"},
                             {"topology", "ring"}},
                            {{"constants", {}, {F64, F64}},
                             {"report", {I64, I64}, {I1}},
                             {"next", {}, {I64, I64, I1}}},
                            {"worker"}},
                           {"quota",
                            "gossip.quota",
                            policy::Placement::Local,
                            {{"deterministic", false}, {"rate", 1.0}},
                            {{"averaged", {}, {I1}}},
                            {"worker"}}};
  program.member = [](Environment &env, int rank,
                      std::shared_ptr<Cells> cells) {
    MemberFunctions functions;
    functions.init = [=, &env] { return init({env, {rank, 2, -1}, cells}); };
    functions.strands = {
        [=, &env] {
          Self self{env, {rank, 0, 0}, cells};
          return self.rounds([&](bool &go) { return computeRound(self, go); });
        },
        [=, &env] {
          Self self{env, {rank, 1, 0}, cells};
          return self.rounds([&](bool &go) { return gossipRound(self, go); });
        }};
    functions.drain = [=, &env] { return drain({env, {rank, 2, -2}, cells}); };
    functions.model = [=, &env] {
      Self self{env, {rank, 2, -3}, cells};
      return average(self, cells->model);
    };
    return functions;
  };
  return program;
}

} // namespace rubato::sim::test
