// A member: a region that its strands have in common, scratch memory for each,
// and a context for each.
#include "program/member.h"

#include "context/cells.h"
#include "support/dtype.h"
#include "support/memory.h"

#include <atomic>
#include <cstring>

namespace rubato {

namespace {

struct DestroyContext {
  void operator()(rb_ctx *context) const { destroyContext(context); }
};
using ContextOwner = std::unique_ptr<rb_ctx, DestroyContext>;

class ProgramMember final : public Member {
public:
  ProgramMember(const MemberSetup &setup, const RoleSpec &role)
      : setup(setup), unit(setup.unit), role_(role),
        finished(role.strands.size()) {}

  Status start();

  const RoleSpec &role() const override { return role_; }
  int rank() const override { return setup.rank; }
  bool set(const std::string &cell,
           std::variant<int64_t, double> value) override;

  Status init() override { return part(role_.init, "init", initRound); }
  Status strand(int index) override;
  Status round(int strand, bool &go) override;
  Status drain() override { return part(role_.drain, "drain", drainRound); }
  Status model() override { return part(role_.model, "model", modelRound); }
  Status evaluate(const Dataset &data, std::span<const int64_t> rows,
                  Score &score) override;
  Status gradient(const Dataset &data, std::span<const int64_t> rows,
                  Gradient &gradient, bool adds) override;

  void *address(Place place) override {
    return rubato::address(contexts.back().get(), place);
  }
  int64_t rounds(int strand) const override {
    return finished[static_cast<size_t>(strand)].load();
  }

private:
  rb_round_fn function(int index) const {
    return unit.code->functions[static_cast<size_t>(index)].fn;
  }
  Status part(int index, const char *name, int64_t round);
  Status makeContexts();
  static Status errorOf(const rb_ctx *context, int32_t status);
  template <typename T> T valueAt(Place place) {
    T value;
    std::memcpy(&value, address(place), sizeof value);
    return value;
  }

  MemberSetup setup;
  const Unit &unit;
  const RoleSpec &role_;
  Memory memory;                      // the private region
  std::vector<Memory> scratch;        // of each context, unless it was lent
  Looks looks;                        // of values at cells
  std::vector<ContextOwner> contexts; // of the strands, then of the rest
  std::vector<std::atomic<int64_t>> finished; // rounds of each strand
};

Status ProgramMember::start() {
  RB_TRY(Memory::privateMemory(unit.regionBytes[RB_PRIVATE],
                               "memory of a member", memory));
  // In a simulation it shall be seen what that costs.
  if (setup.scratch)
    memory.touch();
  RB_TRY(makeContexts());
  void *regions[RB_REGION_COUNT] = {};
  for (int region = 0; region < RB_REGION_COUNT; ++region)
    regions[region] = address({static_cast<rb_region>(region), 0});
  return initialiseCells(unit, regions);
}

Status ProgramMember::makeContexts() {
  scratch.resize(role_.strands.size() + 1);
  for (size_t i = 0; i <= role_.strands.size(); ++i) {
    if (!setup.scratch)
      RB_TRY(Memory::privateMemory(unit.regionBytes[RB_SCRATCH],
                                   "scratch memory of a member", scratch[i]));
    void *regions[RB_REGION_COUNT] = {
        memory.data(), setup.scratch ? setup.scratch : scratch[i].data()};
    auto index = static_cast<int>(i);
    bool isStrand = i < role_.strands.size();
    contexts.emplace_back(
        makeContext({.unit = unit,
                     .environment = setup.environment,
                     .caller = {setup.rank, index, isStrand ? 0 : initRound},
                     .regions = regions,
                     .data = setup.data,
                     .looks = &looks,
                     .blocks = setup.blocks,
                     .timeline = setup.timeline,
                     .timelineLane = isStrand ? index : 0,
                     .device = setup.device,
                     .trace = setup.trace}));
  }
  return Status::ok();
}

Status ProgramMember::errorOf(const rb_ctx *context, int32_t status) {
  if (const Status &error = lastError(context); !error)
    return error;
  return {ErrorCode::Internal,
          "the compiled code failed with status " + std::to_string(status)};
}

bool ProgramMember::set(const std::string &name,
                        std::variant<int64_t, double> value) {
  const Cell *cell = unit.cell(name);
  if (!cell || cell->role != "setting")
    return false;
  auto write = [&](auto number) {
    std::memcpy(address(cell->place), &number, sizeof number);
  };
  std::visit(
      [&](auto number) {
        if (cell->dtype == RB_F32)
          write(static_cast<float>(number));
        else if (cell->dtype == RB_F64)
          write(static_cast<double>(number));
        else
          write(static_cast<int64_t>(number));
      },
      value);
  return true;
}

Status ProgramMember::part(int index, const char *name, int64_t round) {
  if (index < 0)
    return Status::ok();
  rb_ctx *context = contexts.back().get();
  setRound(context, round);
  int32_t go = 0;
  int32_t status = RB_AGAIN;
  while (status == RB_AGAIN)
    status = function(index)(context, &go);
  if (status == RB_OK)
    return Status::ok();
  return errorOf(context, status).annotate(role_.name + "." + name);
}

Status ProgramMember::round(int index, bool &go) {
  auto number = static_cast<size_t>(index);
  rb_ctx *context = contexts[number].get();
  int64_t present = finished[number].load(std::memory_order_relaxed);
  int32_t status = RB_AGAIN, another = 0;
  while (status == RB_AGAIN) {
    setRound(context, present);
    status = function(role_.strands[number].function)(context, &another);
  }
  go = another != 0;
  Status result = status == RB_OK ? Status::ok() : errorOf(context, status);
  if (result)
    result = setup.environment.next({setup.rank, index, present}, go);
  if (!result)
    return std::move(result).annotate(role_.name + "." +
                                      role_.strands[number].name + ", round " +
                                      std::to_string(present));
  finished[number].store(present + 1);
  return Status::ok();
}

Status ProgramMember::strand(int index) {
  bool go = true;
  while (go)
    RB_TRY(round(index, go));
  return Status::ok();
}

Status ProgramMember::evaluate(const Dataset &data,
                               std::span<const int64_t> rows, Score &score) {
  rb_ctx *context = contexts.back().get();
  RB_TRY(writeRows(context, data, rows));
  if (int32_t status = unit.code->evaluate(context); status != RB_OK)
    return errorOf(context, status).annotate("evaluation");
  score.loss = valueAt<double>(unit.evaluateLoss);
  score.correct = valueAt<int64_t>(unit.evaluateCorrect);
  score.valid = valueAt<int64_t>(unit.evaluateValid);
  return Status::ok();
}

Status ProgramMember::gradient(const Dataset &data,
                               std::span<const int64_t> rows,
                               Gradient &gradient, bool adds) {
  rb_ctx *context = contexts.back().get();
  RB_TRY(writeRows(context, data, rows));
  int64_t bytes = unit.flatCount() * elementBytes(unit.floatType);
  if (!adds)
    std::memset(address(unit.gradient), 0, static_cast<size_t>(bytes));
  if (int32_t status = unit.code->gradient(context); status != RB_OK)
    return errorOf(context, status).annotate("gradient");
  gradient.flat = address(unit.gradient);
  gradient.samples = valueAt<int64_t>(unit.gradientSamples);
  gradient.loss = valueAt<double>(unit.gradientLoss);
  return Status::ok();
}

} // namespace

Status Member::make(const MemberSetup &setup, std::unique_ptr<Member> &member) {
  const ProgramSpec &program = setup.unit.program;
  std::vector<int> roles = program.rolesOfRanks(setup.members);
  if (setup.rank < 0 || static_cast<size_t>(setup.rank) >= roles.size())
    return {ErrorCode::Internal,
            "rank " + std::to_string(setup.rank) + " is none of " +
                std::to_string(setup.members) + " members"};
  auto role = static_cast<size_t>(roles[static_cast<size_t>(setup.rank)]);
  auto made = std::make_unique<ProgramMember>(setup, program.roles[role]);
  RB_TRY(made->start());
  member = std::move(made);
  return Status::ok();
}

} // namespace rubato
