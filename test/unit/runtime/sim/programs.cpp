// What the strands of hand-written programs have in common, and the synchronous
// ones.
#include "programs.h"

#include <algorithm>

namespace rubato::sim::test {

Status Self::read() {
  RB_TRY(env.lock(who, 0, nullptr));
  return env.unlock(who, 0);
}

Status Self::update(const char *names, const std::function<void()> &body) {
  RB_TRY(env.lock(who, 0, names));
  body();
  return env.unlock(who, 0);
}

void Self::work(const char *name) {
  (void)env.work(who, name, true);
  (void)env.work(who, name, false);
}

Status Self::gradient(const Vector &w, const BatchRequest &request,
                      Gradient &total) {
  std::vector<int64_t> rows(static_cast<size_t>(cells->batch));
  int64_t count = 0;
  RB_TRY(env.nextBatch(who, request, rows, count));
  work("gradient");
  addGradient(w, std::span(rows).first(static_cast<size_t>(count)),
              cells->dataByRank ? who.rank + 1 : 0, total);
  env.computed(who, count, total.loss);
  return Status::ok();
}

Status Self::repeat(FutureHandle until, int64_t atLeast, int64_t atMost,
                    const std::function<Status(int64_t)> &body,
                    int64_t &count) {
  for (count = 0;; ++count) {
    bool open = count >= atLeast;
    if (open &&
        (count >= atMost || (until != kNoFuture && env.done(who, until))))
      break;
    RB_TRY(body(count));
  }
  env.repeated(who, count);
  return Status::ok();
}

Status Self::rounds(const std::function<Status(bool &)> &round) {
  for (bool go = true; go; ++who.round) {
    go = false;
    RB_TRY(round(go));
    RB_TRY(env.next(who, go));
  }
  return Status::ok();
}

Status SimRun::start(SimSetup setup, const Cells &first) {
  if (!setup.log && !quiet)
    setup.log = [this](std::string_view line) { log += line; };
  setup.batch = first.batch;
  RB_TRY(SimEnvironment::make(setup, env));
  while (cells.size() < static_cast<size_t>(setup.members))
    cells.push_back(std::make_shared<Cells>(first));
  return Status::ok();
}

Status SimRun::run() {
  std::vector<MemberFunctions> members;
  for (size_t rank = 0; rank != cells.size(); ++rank)
    members.push_back(
        program.member(*env, static_cast<int>(rank), cells[rank]));
  Simulation simulation(*env, std::move(members));
  RB_TRY(simulation.run());
  return simulation.runModels();
}

//===----------------------------------------------------------------------===//
// allreduce, dynamic-sgd, lb-bsp
//===----------------------------------------------------------------------===//

static ProgramSpec specOf(const char *channel, bool cursor) {
  ProgramSpec spec;
  RoleSpec role;
  role.name = "worker";
  role.strands = {{"main", 0, cursor, true}};
  spec.roles = {role};
  spec.channels = {{channel, "collective", "", 0, 0}};
  return spec;
}

/// Posts a gradient and waits for the sum of all.
static Status reduce(Self &self, Gradient &sum, int64_t &stops) {
  int64_t stop = self.env.stopRequested(self.who);
  Part ins[] = {part(sum.sum), part(sum.samples), part(sum.loss), part(stop)};
  FutureHandle future = 0;
  RB_TRY(self.env.start(self.who, {Call::AllReduce, 0, 0, ins}, future));
  Part outs[] = {part(sum.sum), part(sum.samples), part(sum.loss), part(stops)};
  return self.env.await(self.who, future, outs, -1);
}

static Status apply(Self &self, const Gradient &sum, float factor) {
  Cells &cells = *self.cells;
  return self.update("w seen", [&] {
    self.work("lr");
    self.work("step");
    cells.w =
        minus(cells.w, stepOf(sum.sum, sum.samples, cells.baseLr * factor));
    cells.seen += sum.samples;
  });
}

static Status synchronousRound(Self &self, bool commits, bool &go) {
  Cells &cells = *self.cells;
  Gradient sum;
  int64_t quanta = self.env.quanta(self.who), k = 0, stops = 0;
  RB_TRY(self.repeat(
      kNoFuture, quanta - 1, quanta - 1,
      [&](int64_t) { return self.gradient(cells.w, {}, sum); }, k));
  RB_TRY(self.gradient(cells.w, {}, sum));
  RB_TRY(reduce(self, sum, stops));
  bool ok = true;
  float factor = 1;
  if (commits)
    RB_TRY(self.env.commit(self.who, sum.samples,
                           self.env.roundSamples(self.who), ok));
  if (commits && ok) {
    policy::Value members = self.env.members(self.who), answers[2];
    RB_TRY(self.env.ask(self.who, 0, 0, {&members, 1}, answers));
    factor = static_cast<float>(std::get<double>(answers[0]));
  }
  if (ok)
    RB_TRY(apply(self, sum, factor));
  go = cells.seen < cells.budget && stops == 0;
  return Status::ok();
}

static Program synchronous(bool commits) {
  Program program;
  program.spec = specOf("grads", true);
  program.spec.commits = commits;
  if (commits)
    program.spec.policies = {
        {"ramp",
         "dynamic.ramp",
         policy::Placement::Replicated,
         {{"rule", "ramp"}, {"per-ratio", 8.0}, {"shrink", "none"}},
         {{"factor",
           {policy::ValueType::I64},
           {policy::ValueType::F64, policy::ValueType::I1}}},
         {"worker"}}};
  program.member = [commits](Environment &env, int rank,
                             std::shared_ptr<Cells> cells) {
    MemberFunctions functions;
    functions.strands = {[=, &env] {
      Self self{env, {rank, 0, 0}, cells};
      return self.rounds(
          [&](bool &go) { return synchronousRound(self, commits, go); });
    }};
    return functions;
  };
  return program;
}

Program allReduce() { return synchronous(false); }
Program dynamicSgd() { return synchronous(true); }

static Status balancedRound(Self &self, bool &go) {
  Cells &cells = *self.cells;
  policy::Value measured[] = {cells.measuredSamples, cells.measuredSeconds};
  policy::Value share[2];
  RB_TRY(self.env.ask(self.who, 0, 0, measured, share));
  int64_t from = std::get<int64_t>(share[0]), to = std::get<int64_t>(share[1]);
  double start = self.now();
  Gradient sum;
  int64_t count = (to - from + cells.batch - 1) / cells.batch, k = 0, stops = 0;
  RB_TRY(self.repeat(
      kNoFuture, count, count,
      [&](int64_t i) {
        int64_t ends[] = {from + i * cells.batch,
                          std::min(from + (i + 1) * cells.batch, to)};
        return self.gradient(cells.w, {RB_BATCH_RANGE, -1, ends}, sum);
      },
      k));
  double seconds = self.now() - start;
  RB_TRY(reduce(self, sum, stops));
  RB_TRY(apply(self, sum, 1));
  RB_TRY(self.update("measured_samples measured_seconds", [&] {
    cells.measuredSamples = to - from;
    cells.measuredSeconds = seconds;
  }));
  go = cells.seen < cells.budget && stops == 0;
  return Status::ok();
}

Program lbBsp() {
  Program program;
  program.spec = specOf("grads", false);
  program.spec.policies = {
      {"shares",
       "balance.shares",
       policy::Placement::Central,
       {{"batch", int64_t{0}}, {"quantum", int64_t{2}}, {"smoothing", 0.7}},
       {{"share",
         {policy::ValueType::I64, policy::ValueType::F64},
         {policy::ValueType::I64, policy::ValueType::I64}}},
       {"worker"}}};
  program.member = [](Environment &env, int rank,
                      std::shared_ptr<Cells> cells) {
    MemberFunctions functions;
    functions.strands = {[=, &env] {
      Self self{env, {rank, 0, 0}, cells};
      return self.rounds([&](bool &go) { return balancedRound(self, go); });
    }};
    return functions;
  };
  return program;
}

} // namespace rubato::sim::test
