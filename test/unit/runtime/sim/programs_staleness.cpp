// bounded-staleness by hand.
#include "programs.h"

#include <algorithm>
#include <bit>

namespace rubato::sim::test {

static Status workerRound(Self &self, const StalenessProgram &options,
                          bool &go) {
  Cells &cells = *self.cells;
  Vector w;
  int64_t seen = 0, ticket = 0, more = 0, k = 0;
  Part outs[] = {part(w), part(seen), part(ticket), part(more)};
  RB_TRY(self.env.await(self.who, cells.carried, outs, -1));
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
      return env.await({rank, 1, -2}, cells->carried, outs, -1);
    };
    return functions;
  };
  return program;
}

} // namespace rubato::sim::test
