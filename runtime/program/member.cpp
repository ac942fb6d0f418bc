// A member: a region that its strands have in common, scratch memory for each,
// and a context for each.
#include "program/member.h"

#include "context/cells.h"
#include "support/dtype.h"
#include "support/memory.h"

#include <atomic>
#include <cassert>
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

  Status contents(Place place, int64_t bytes, const void *&data) override;
  void *hostAddress(Place place) override {
    assert(device->onHost());
    return address(place);
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
  Status write(Place place, const void *from, int64_t bytes) {
    if (place.region != RB_HOST)
      return device->write(address(place), from, bytes);
    std::memcpy(address(place), from, static_cast<size_t>(bytes));
    return Status::ok();
  }
  void *address(Place place) {
    return rubato::address(contexts.back().get(), place);
  }
  template <typename T> Status read(Place place, T &value) {
    const void *bytes = nullptr;
    RB_TRY(contents(place, sizeof value, bytes));
    std::memcpy(&value, bytes, sizeof value);
    return Status::ok();
  }

  MemberSetup setup;
  const Unit &unit;
  const RoleSpec &role_;
  std::unique_ptr<MemberDevice> cpu;  // unless another was given
  MemberDevice *device = nullptr;     // outlives the contexts
  Memory numbers;                     // the region of the host
  std::vector<char> copy;             // of what the host cannot reach
  Looks looks;                        // of values at cells
  std::vector<ContextOwner> contexts; // of the strands, then of the rest
  std::vector<std::atomic<int64_t>> finished; // rounds of each strand
};

Status ProgramMember::start() {
  device = setup.device;
  if (!device) {
    cpu = makeCpuDevice();
    device = cpu.get();
  }
  RB_TRY(makeContexts());
  return initialiseCells(unit, [&](const Cell &cell, const char *bytes) {
    return write(cell.place, bytes, cell.bytes);
  });
}

Status ProgramMember::makeContexts() {
  void *regions[RB_REGION_COUNT] = {};
  RB_TRY(Memory::privateMemory(unit.regionBytes[RB_HOST], "numbers of a member",
                               numbers));
  regions[RB_HOST] = numbers.data();
  // In a simulation, which lends scratch, it shall be seen what memory costs.
  bool simulated = setup.scratch != nullptr;
  RB_TRY(device->memory(unit.regionBytes[RB_PRIVATE], "memory of a member",
                        /*atOnce=*/simulated, regions[RB_PRIVATE]));
  for (size_t i = 0; i <= role_.strands.size(); ++i) {
    regions[RB_SCRATCH] = setup.scratch;
    if (!setup.scratch)
      RB_TRY(device->memory(unit.regionBytes[RB_SCRATCH],
                            "scratch memory of a member", /*atOnce=*/false,
                            regions[RB_SCRATCH]));
    auto index = static_cast<int>(i);
    bool isStrand = i < role_.strands.size();
    contexts.emplace_back(
        makeContext({.unit = unit,
                     .environment = setup.environment,
                     .caller = {setup.rank, index, isStrand ? 0 : initRound},
                     .device = *device,
                     .regions = regions,
                     .data = setup.data,
                     .looks = &looks,
                     .blocks = setup.blocks,
                     .timeline = setup.timeline,
                     .timelineLane = isStrand ? index : 0}));
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
  bool written = true;
  auto store = [&](auto number) {
    written = bool(write(cell->place, &number, sizeof number));
  };
  std::visit(
      [&](auto number) {
        if (cell->dtype == RB_F32)
          store(static_cast<float>(number));
        else if (cell->dtype == RB_F64)
          store(static_cast<double>(number));
        else
          store(static_cast<int64_t>(number));
      },
      value);
  return written;
}

Status ProgramMember::contents(Place place, int64_t bytes, const void *&data) {
  data = address(place);
  if (place.region == RB_HOST || device->onHost())
    return Status::ok();
  copy.resize(static_cast<size_t>(bytes));
  RB_TRY(device->read(copy.data(), data, bytes));
  data = copy.data();
  return Status::ok();
}

Status ProgramMember::part(int index, const char *name, int64_t round) {
  if (index < 0)
    return Status::ok();
  rb_ctx *context = contexts.back().get();
  setRound(context, round);
  // It has lanes of its own, which nothing orders with those of the strands.
  RB_TRY(device->settle());
  int32_t go = 0;
  int32_t status = RB_AGAIN;
  while (status == RB_AGAIN)
    status = function(index)(context, &go);
  if (status == RB_OK)
    return device->settle();
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
  // The boundary may be a place to wait for others.
  if (result)
    result = device->flush();
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
  RB_TRY(read(unit.evaluateLoss, score.loss));
  RB_TRY(read(unit.evaluateCorrect, score.correct));
  return read(unit.evaluateValid, score.valid);
}

Status ProgramMember::gradient(const Dataset &data,
                               std::span<const int64_t> rows,
                               Gradient &gradient, bool adds) {
  rb_ctx *context = contexts.back().get();
  RB_TRY(writeRows(context, data, rows));
  int64_t bytes = unit.flatCount() * elementBytes(unit.floatType);
  if (!adds && rb_clear(context, unit.gradient.region, unit.gradient.offset,
                        bytes) != RB_OK)
    return errorOf(context, RB_INVALID).annotate("gradient");
  if (int32_t status = unit.code->gradient(context); status != RB_OK)
    return errorOf(context, status).annotate("gradient");
  RB_TRY(read(unit.gradientSamples, gradient.samples));
  RB_TRY(read(unit.gradientLoss, gradient.loss));
  return contents(unit.gradient, bytes, gradient.flat);
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
