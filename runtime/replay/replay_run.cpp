// A replay under way: every member and every strand of it as a fiber.
#include "program/replaying_environment.h"
#include "replay/replay.h"

#include <algorithm>

using namespace rubato;

namespace {

class MemberReplay {
public:
  MemberReplay(Job &job, int rank, ReplayingStrands &strands,
               ReplayingEnvironment &environment)
      : job(job), rank(rank), strands(strands), environment(environment) {}

  Status start() {
    RB_TRY(Member::make({.unit = job.unit,
                         .environment = environment,
                         .rank = rank,
                         .members = job.members,
                         .data = &job.train},
                        member));
    member->set("budget", job.plan.budget);
    if (job.options.lr)
      member->set("base-lr", *job.options.lr);
    return strands.add([this] { return run(); });
  }

private:
  Status run() {
    RB_TRY(member->init());
    RB_TRY(runStrands());
    RB_TRY(member->drain());
    RB_TRY(member->model());
    if (std::ranges::count(job.evaluators, rank) > 0)
      RB_TRY(finish());
    return environment.checkEnd(rank);
  }

  Status runStrands() {
    size_t count = member->role().strands.size();
    for (size_t i = 0; i != count; ++i)
      RB_TRY(strands.add([this, i] {
        Status status = member->strand(static_cast<int>(i));
        ++ended;
        return status;
      }));
    return strands.waitUntil([this, count] { return ended == count; },
                             [this] {
                               return "rank " + std::to_string(rank) +
                                      ": waits for the end of its strands";
                             });
  }

  Status finish() {
    RB_TRY(environment.checkModel(
        rank, member->hostAddress(job.unit.parameters), modelBytes(job.unit)));
    if (job.eval.samples > 0)
      RB_TRY(evaluateModel(job, *member));
    return writeModel(job, *member);
  }

  Job &job;
  int rank;
  ReplayingStrands &strands;
  ReplayingEnvironment &environment;
  std::unique_ptr<Member> member;
  size_t ended = 0; // of its strands
};

} // namespace

Status rubato::replayMembers(Job &job, const RunLog &log, int64_t &events) {
  ReplayingStrands strands;
  std::unique_ptr<ReplayingEnvironment> environment;
  RB_TRY(ReplayingEnvironment::make({.program = job.unit.program,
                                     .members = job.members,
                                     .streams = log.streams,
                                     .statistics = job.statistics,
                                     .strands = strands},
                                    environment));
  std::vector<std::unique_ptr<MemberReplay>> crew;
  for (int rank = 0; rank < job.members; ++rank) {
    crew.push_back(
        std::make_unique<MemberReplay>(job, rank, strands, *environment));
    RB_TRY(crew.back()->start());
  }
  RB_TRY(strands.run());
  events = environment->events();
  return Status::ok();
}
