#include "launch/trace.h"

#include "environment/refusing_environment.h"
#include "launch/plan.h"
#include "program/member.h"
#include "support/dtype.h"

#include <algorithm>
#include <cinttypes>

using namespace rubato;

namespace {

/// Prints what a strand asks of its surroundings, and lets it go on at once:
/// futures are done, locks are free, batches stay as they are.
class TracingEnvironment final : public RefusingEnvironment {
public:
  TracingEnvironment(const Unit &unit, int64_t members, int64_t quanta)
      : RefusingEnvironment("a trace cannot know what comes of it"), unit(unit),
        count(members), quanta_(quanta) {}

  int64_t members(const Caller &) override { return count; }
  int64_t quanta(const Caller &) override { return quanta_; }
  int64_t roundSamples(const Caller &) override {
    return count * quanta_ * unit.quantum;
  }

  Status work(const Caller &, const char *, bool) override { return {}; }
  void computed(const Caller &, int64_t, double) override {}
  void repeated(const Caller &, int64_t) override {}
  Status lock(const Caller &, int, const char *) override { return {}; }
  Status unlock(const Caller &, int) override { return {}; }
  Status next(const Caller &, bool) override { return {}; }

  Status nextBatch(const Caller &, const BatchRequest &, std::span<int64_t>,
                   int64_t &samples) override {
    samples = -1;
    std::puts("batch");
    return Status::ok();
  }

  Status ready(const Caller &, int channel, const Part &operand, int64_t bytes,
               double) override {
    std::printf("ready comm @%s %" PRId64 " of %" PRId64 " bytes\n",
                nameOf(channel), bytes, bytesOf(operand));
    return Status::ok();
  }

  Status start(const Caller &, const CollectiveStart &call,
               FutureHandle &future) override {
    future = ++started;
    std::printf("%s @%s", callName(call.kind), nameOf(call.channel));
    print(call.ins);
    return Status::ok();
  }

  bool done(const Caller &, FutureHandle) override { return true; }

  Status await(const Caller &, FutureHandle, Parts outs,
               int64_t first) override {
    std::fputs("await", stdout);
    if (first >= 0)
      std::printf(" first %" PRId64 " bytes of", first);
    print(outs);
    return Status::ok();
  }

  Status arrive(const Caller &, FutureHandle, int64_t bytes, double,
                Lane *) override {
    std::printf("arrive comm %" PRId64 " bytes\n", bytes);
    return Status::ok();
  }

private:
  const char *nameOf(int channel) const {
    return unit.program.channels[static_cast<size_t>(channel)].name.c_str();
  }
  static void print(Parts parts) {
    for (const Part &part : parts)
      std::printf(" %" PRId64 " %s", part.count, dtypeName(part.dtype));
    std::puts("");
  }

  const Unit &unit;
  int64_t count, quanta_, started = 0;
};

} // namespace

Status rubato::traceRound(const Unit &unit, const TrainOptions &options) {
  const ProgramSpec &program = unit.program;
  if (!program.policies.empty() || program.roles.size() > 1 ||
      std::ranges::any_of(program.channels, [](const ProgramChannel &channel) {
        return channel.kind != "collective";
      })) {
    auto algorithm = unit.options.find("algorithm");
    return {ErrorCode::Unsupported,
            "--device trace prints a round of members that only reduce; this "
            "algorithm (" +
                (algorithm == unit.options.end() ? "?" : algorithm->second) +
                ") has channels or policies that decide what happens"};
  }
  TrainPlan plan;
  RB_TRY(planQuanta(unit, options, plan));
  auto members = static_cast<int>(options.workers);
  TracingEnvironment environment(unit, members, plan.quanta);
  std::unique_ptr<MemberDevice> device = makeTraceDevice(stdout);
  std::unique_ptr<Member> member;
  RB_TRY(Member::make({.unit = unit,
                       .environment = environment,
                       .rank = 0,
                       .members = members,
                       .device = device.get()},
                      member));
  RB_TRY(member->init());
  bool go = false;
  return member->round(0, go);
}
