// What a program declares: roles, channels, policies and meeting points, in
// the order of their numbers.
#include "Describe.h"
#include "UnitDescription.h"

using namespace mlir;
using namespace rubato;

/// Roles in the order in which ranks are given to them, with their counts.
static SmallVector<std::pair<gsync::RoleOp, int64_t>> rolesOf(ModuleOp module) {
  SmallVector<std::pair<gsync::RoleOp, int64_t>> roles;
  for (auto group : module.getOps<gsync::GroupOp>()) {
    if (!group.getRoles())
      continue;
    for (auto [name, count] :
         llvm::zip(group.getRoles()->getAsRange<FlatSymbolRefAttr>(),
                   *group.getCounts()))
      roles.push_back({module.lookupSymbol<gsync::RoleOp>(name), count});
  }
  if (roles.empty())
    for (auto role : module.getOps<gsync::RoleOp>())
      roles.push_back({role, -1});
  return roles;
}

static std::string partName(gsync::RoleOp role, Operation *part) {
  std::string name = role.getSymName().str();
  auto strand = dyn_cast<gsync::StrandOp>(part);
  if (strand && strand.getLabel())
    return name + "." + strand.getLabel()->str();
  return name + "." + (strand ? "round" : part->getName().stripDialect().str());
}

SmallVector<std::pair<Operation *, std::string>>
rubato::partsOf(ModuleOp module) {
  SmallVector<std::pair<Operation *, std::string>> parts;
  for (auto [role, count] : rolesOf(module))
    for (Operation &part : role.getBody().front())
      parts.push_back({&part, partName(role, &part)});
  return parts;
}

/// Channels whose reduction a strand carries over its boundary and computes
/// through: it repeats, with no other end, until that has arrived.
static SetVector<StringRef> polledChannels(gsync::StrandOp strand) {
  SetVector<StringRef> channels;
  Block &body = strand.getBody().front();
  auto next = cast<gsync::NextOp>(body.getTerminator());
  strand.walk([&](gsync::RepeatOp repeat) {
    auto carried = dyn_cast_or_null<BlockArgument>(repeat.getUntil());
    if (!carried || carried.getOwner() != &body || repeat.getAtMost())
      return;
    Value follows = next.getCarried()[carried.getArgNumber()];
    if (auto reduction = follows.getDefiningOp<gsync::AllReduceOp>())
      channels.insert(reduction.getChannel());
  });
  return channels;
}

void rubato::describeChannels(Describe &d, ModuleOp module) {
  for (auto channel : module.getOps<gsync::ChannelOp>())
    sched::ChannelOp::create(
        d.b, d.loc, channel.getSymNameAttr(),
        *sched::symbolizeChannelKind(
            gsync::stringifyChannelKind(channel.getKind())),
        channel.getServerAttr(), channel.getExemptAttr(),
        channel.getAheadAttr(),
        /*bytes=*/IntegerAttr());
}

/// What a strand carries: names are positions at its boundary.
static void describeFrames(Describe &d, gsync::StrandOp strand,
                           ArrayRef<Address> places) {
  for (auto [i, argument] : llvm::enumerate(strand.getBody().getArguments())) {
    Type type = argument.getType();
    auto kind = sched::FrameKind::Number;
    SmallVector<Type> types{d.stored(type)};
    if (auto future = dyn_cast<gsync::FutureType>(type)) {
      kind = sched::FrameKind::Future;
      types.clear();
      for (Type brought : future.getTypes())
        types.push_back(d.stored(brought));
    } else if (isa<RankedTensorType>(type)) {
      kind = sched::FrameKind::Tensor;
    }
    sched::FrameOp::create(d.b, d.loc, "carried" + std::to_string(i), kind,
                           d.buffer(places[i]).getValue(),
                           d.b.getTypeArrayAttr(types));
  }
}

static void describeRole(Describe &d, gsync::RoleOp role, int64_t count,
                         ProgramPlaces &places) {
  auto partOf = [&](Operation *part) {
    return part ? d.symbol(partName(role, part)) : FlatSymbolRefAttr();
  };
  auto described = sched::RoleOp::create(
      d.b, d.loc, role.getSymNameAttr(), d.b.getI64IntegerAttr(count),
      role.getOnHostAttr(), partOf(role.part<gsync::InitOp>()),
      partOf(role.part<gsync::DrainOp>()), partOf(role.part<gsync::ModelOp>()));
  OpBuilder::InsertionGuard guard(d.b);
  d.b.createBlock(&described.getBody());
  for (gsync::StrandOp strand : role.strands()) {
    SmallVector<Attribute> polls;
    for (StringRef channel : polledChannels(strand))
      polls.push_back(d.symbol(channel));
    auto inner = sched::StrandOp::create(
        d.b, d.loc, strand.getLabel().value_or("round"), partName(role, strand),
        /*cursor=*/false, /*lockstep=*/false,
        polls.empty() ? ArrayAttr() : d.b.getArrayAttr(polls));
    if (strand.getBody().getNumArguments() == 0)
      continue;
    OpBuilder::InsertionGuard guard(d.b);
    d.b.createBlock(&inner.getBody());
    describeFrames(d, strand, places.carried(strand));
  }
}

static void describePolicy(Describe &d, gsync::PolicyOp policy) {
  auto described = sched::PolicyOp::create(
      d.b, d.loc, policy.getSymNameAttr(), policy.getKindAttr(),
      *sched::symbolizePolicyPlacement(
          gsync::stringifyPlacement(policy.getPlacement())),
      policy.getSettingsAttr(), /*askers=*/ArrayAttr());
  OpBuilder::InsertionGuard guard(d.b);
  d.b.createBlock(&described.getEntries());
  for (auto entry : policy.getEntries().front().getOps<gsync::EntryOp>())
    sched::EntryOp::create(d.b, d.loc, entry.getSymNameAttr(),
                           entry.getSignatureAttr());
}

std::unique_ptr<Block> rubato::describeProgram(ModuleOp module,
                                               ProgramPlaces &places) {
  Describe d(module, places.places());
  describeCommon(d, module);
  // The model that is looked at is that of the last role that has one.
  std::string model;
  for (auto role : module.getOps<gsync::RoleOp>())
    if (auto part = role.part<gsync::ModelOp>())
      model = partName(role, part);
  if (!model.empty())
    d.result(
        model, sched::ResultKind::Parameters, places.parameters(),
        nn::TrainingSignature::findDefined(module, nn::TrainingKind::Evaluate)
            ->type(nn::ArgumentRole::Parameters));
  for (auto [role, count] : rolesOf(module))
    describeRole(d, role, count, places);
  describeChannels(d, module);
  for (auto policy : module.getOps<gsync::PolicyOp>())
    describePolicy(d, policy);
  for (auto place : module.getOps<gsync::RendezvousOp>())
    sched::RendezvousOp::create(d.b, d.loc, place.getSymNameAttr(),
                                /*strands=*/ArrayAttr());
  return std::move(d.entries);
}
