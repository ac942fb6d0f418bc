#include "simulate/model.h"

#include "environment/refusing_environment.h"
#include "sim/payload.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

namespace rubato {

//===----------------------------------------------------------------------===//
// An environment for models only
//===----------------------------------------------------------------------===//

class ModelObserver::Instant final : public RefusingEnvironment {
public:
  explicit Instant(int members)
      : RefusingEnvironment("a model may only load cells and reduce them"),
        memberCount(members) {}

  /// The next model is that of `rank`.
  void begin(int rank) {
    present = rank;
    started = 0;
    unanswered = false;
  }
  /// All members are forgotten, and what they brought.
  void reset() { answers.clear(); }
  /// Whether the last model came to a collective that has no result yet.
  bool waits() const { return unanswered; }
  /// Shares that were brought are forgotten.
  void discard() { gathered.reset(); }
  /// All members have brought their share, by ascending rank.
  void answer() {
    answers.push_back(std::move(*gathered));
    gathered.reset();
  }

  int64_t members(const Caller &) override { return memberCount; }
  int64_t rank(const Caller &) override { return present; }
  int64_t quanta(const Caller &) override { return 1; }
  Status work(const Caller &, const char *, bool) override {
    return Status::ok();
  }
  Status lock(const Caller &, int, const char *) override {
    return Status::ok();
  }
  Status unlock(const Caller &, int) override { return Status::ok(); }

  Status start(const Caller &, const CollectiveStart &call,
               FutureHandle &future) override {
    future = ++started;
    if (started <= static_cast<int64_t>(answers.size()))
      return Status::ok();
    if (unanswered)
      return Status::ok(); // its turn comes in the pass after this one
    unanswered = true;
    sim::Payload share(call.ins);
    if (!gathered || (call.kind == Call::Broadcast && call.root == present)) {
      gathered = std::move(share);
    } else if (call.kind == Call::AllReduce) {
      const sim::Payload *const both[] = {&*gathered, &share};
      gathered = sim::Payload::sum(both);
    }
    return Status::ok();
  }
  bool done(const Caller &, FutureHandle) override { return true; }
  /// All of it is there when it is awaited.
  Status arrive(const Caller &, FutureHandle, int64_t, double,
                Lane *) override {
    return Status::ok();
  }
  Status await(const Caller &, FutureHandle future, Parts outs,
               int64_t) override {
    if (future > static_cast<int64_t>(answers.size()))
      return {ErrorCode::Communication, "all others come first"};
    if (future)
      return answers[static_cast<size_t>(future - 1)].copyTo(outs);
    for (const Part &part : outs)
      std::memset(part.data, 0, static_cast<size_t>(bytesOf(part)));
    return Status::ok();
  }

private:
  int memberCount, present = 0;
  int64_t started = 0;
  bool unanswered = false;
  std::vector<sim::Payload> answers;    // of collectives, in their order
  std::optional<sim::Payload> gathered; // of the next one, so far
};

//===----------------------------------------------------------------------===//
// The observer
//===----------------------------------------------------------------------===//

ModelObserver::ModelObserver(
    const Unit &unit, const std::vector<std::unique_ptr<Member>> &members,
    int leader, const Dataset &eval)
    : unit(unit), members(members), leader(leader), eval(eval),
      instant(std::make_unique<Instant>(static_cast<int>(members.size()))),
      shadows(unit.program.roles.size()) {}

ModelObserver::~ModelObserver() = default;

Status ModelObserver::make(const Unit &unit,
                           const std::vector<std::unique_ptr<Member>> &members,
                           int leader, const Dataset &eval, char *scratch,
                           std::unique_ptr<ModelObserver> &made) {
  made.reset(new ModelObserver(unit, members, leader, eval));
  made->scratch = scratch;
  return Status::ok();
}

/// The shadow of a member's role, with the member's cells.
Status ModelObserver::shadowOf(int rank, Member *&shadow) {
  Member &member = *members[static_cast<size_t>(rank)];
  auto role = static_cast<size_t>(&member.role() - unit.program.roles.data());
  std::unique_ptr<Member> &made = shadows[role];
  if (!made)
    RB_TRY(Member::make({.unit = unit,
                         .environment = *instant,
                         .rank = rank,
                         .members = static_cast<int>(members.size()),
                         .scratch = scratch},
                        made));
  for (const Cell &cell : unit.cells)
    std::memcpy(made->hostAddress(cell.place), member.hostAddress(cell.place),
                static_cast<size_t>(cell.bytes));
  shadow = made.get();
  return Status::ok();
}

/// Runs the leader's model, and as much of the others' as it needs.
Status ModelObserver::runModel(Member *&shadow) {
  instant->reset();
  while (true) {
    RB_TRY(shadowOf(leader, shadow));
    instant->begin(leader);
    Status status = shadow->model();
    if (!instant->waits())
      return status;
    // Shares are summed by rank, so all are gathered again in that order.
    instant->discard();
    for (const std::unique_ptr<Member> &member : members) {
      if (member->role().model < 0)
        continue;
      RB_TRY(shadowOf(member->rank(), shadow));
      instant->begin(member->rank());
      if (status = shadow->model(); !instant->waits())
        return status ? Status(ErrorCode::Internal,
                               "models of members do not match")
                      : std::move(status);
    }
    instant->answer();
  }
}

Status ModelObserver::evaluate(EvalRecord &record) {
  Member *shadow = nullptr;
  RB_TRY(runModel(shadow));
  auto *flat = static_cast<const char *>(shadow->hostAddress(unit.parameters));
  int64_t width = unit.floatType == RB_F64 ? sizeof(double) : sizeof(float);
  std::span<const char> model(flat,
                              static_cast<size_t>(unit.flatCount() * width));
  if (std::ranges::equal(model, lastModel)) {
    record = lastRecord;
    return Status::ok();
  }
  RB_TRY(evaluateAll(unit, *shadow, eval, record));
  lastModel.assign(model.begin(), model.end());
  lastRecord = record;
  return Status::ok();
}

template <typename T>
static double spread(std::span<const T *const> all, int64_t count) {
  auto n = static_cast<double>(all.size());
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    double mean = 0;
    for (const T *values : all)
      mean += static_cast<double>(values[i]);
    mean /= n;
    for (const T *values : all) {
      double distance = static_cast<double>(values[i]) - mean;
      sum += distance * distance;
    }
  }
  return sum / (n * static_cast<double>(count));
}

double ModelObserver::consensus() const {
  const Cell *cell = nullptr;
  for (const Cell &each : unit.cells)
    if (each.role == "parameter" && !cell)
      cell = &each;
  // Where there is a server, its workers compute with copies of its own.
  if (!cell || unit.program.roles.size() != 1)
    return -1;
  auto gather = [&]<typename T>(T) {
    std::vector<const T *> all;
    for (const std::unique_ptr<Member> &member : members)
      all.push_back(static_cast<const T *>(member->hostAddress(cell->place)));
    return spread<T>(all, cell->bytes / static_cast<int64_t>(sizeof(T)));
  };
  return cell->dtype == RB_F64 ? gather(double()) : gather(float());
}

Status evaluateAll(const Unit &unit, Member &member, const Dataset &data,
                   EvalRecord &record) {
  double loss = 0;
  std::vector<int64_t> rows;
  for (int64_t done = 0; done < data.samples; done += unit.quantum) {
    rows.resize(
        static_cast<size_t>(std::min(unit.quantum, data.samples - done)));
    std::iota(rows.begin(), rows.end(), done);
    Member::Score score;
    RB_TRY(member.evaluate(data, rows, score));
    loss += score.loss;
    record.correct += score.correct;
    record.samples += score.valid;
  }
  record.loss = record.samples ? loss / static_cast<double>(record.samples) : 0;
  for (const BatchBuffer &label : unit.labels)
    record.hasAccuracy |= label.classes > 0;
  return Status::ok();
}

} // namespace rubato
