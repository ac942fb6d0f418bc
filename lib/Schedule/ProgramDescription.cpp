// The manifest of a program: roles, channels, policies and their numbers.
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

static bool contains(Operation *part, function_ref<bool(Operation *)> wanted) {
  return part
      ->walk([&](Operation *op) {
        return wanted(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool takesByCursor(Operation *op) {
  auto batch = dyn_cast<gsync::NextBatchOp>(op);
  return isa<gsync::RoundSamplesOp>(op) ||
         (batch && batch.getSource() == gsync::BatchSource::Cursor);
}

/// What all members do together makes their rounds the same ones.
static bool needsEverybody(Operation *op) {
  return takesByCursor(op) ||
         isa<gsync::AllReduceOp, gsync::BroadcastOp, gsync::CommitOp>(op);
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

/// Bytes of the largest message on a channel.
static int64_t messageBytes(ModuleOp module, StringRef channel) {
  int64_t most = 0;
  auto count = [&](StringRef on, auto types) {
    if (on != channel)
      return;
    int64_t bytes = 0;
    for (Type type : types)
      if (!isa<gsync::MembersType>(type))
        bytes += isa<RankedTensorType>(type) ? bytesOf(type) : 8;
    most = std::max(most, bytes);
  };
  module.walk([&](Operation *op) {
    if (auto each = dyn_cast<gsync::AllReduceOp>(op))
      count(each.getChannel(), each.getValues().getTypes());
    else if (auto each = dyn_cast<gsync::BroadcastOp>(op))
      count(each.getChannel(), each.getValues().getTypes());
    else if (auto each = dyn_cast<gsync::ExchangeOp>(op))
      count(each.getChannel(), each.getValues().getTypes());
    else if (auto each = dyn_cast<gsync::PushOp>(op))
      count(each.getChannel(), each.getValues().getTypes());
    else if (auto each = dyn_cast<gsync::GrantOp>(op))
      count(each.getChannel(), each.getValues().getTypes());
  });
  return most;
}

namespace {

struct DescribeProgram {
  Describe &d;
  ModuleOp module;
  ArrayRef<std::string> functions;
  Builder &b = d.b;

  int64_t function(const std::string &name) {
    const auto *found = llvm::find(functions, name);
    return found == functions.end() ? -1 : found - functions.begin();
  }

  Attribute role(gsync::RoleOp role, int64_t count) {
    SmallVector<Attribute> strands;
    Describe::Entries parts{d.entry("name", role.getSymName()),
                            d.entry("count", count)};
    llvm::StringMap<int64_t> others{{"init", -1}, {"drain", -1}, {"model", -1}};
    for (Operation &part : role.getBody().front()) {
      int64_t index = function(partName(role, &part));
      auto strand = dyn_cast<gsync::StrandOp>(part);
      if (!strand) {
        others[part.getName().stripDialect()] = index;
        continue;
      }
      strands.push_back(b.getDictionaryAttr(
          {d.entry("name", strand.getLabel().value_or("round")),
           d.entry("function", index),
           d.flag("cursor", contains(strand, takesByCursor)),
           d.flag("lockstep", contains(strand, needsEverybody)),
           d.entry("polls",
                   b.getStrArrayAttr(polledChannels(strand).getArrayRef()))}));
    }
    for (StringRef name : {"init", "drain", "model"})
      parts.push_back(d.entry(name, others.lookup(name)));
    parts.push_back(d.entry("strands", b.getArrayAttr(strands)));
    return b.getDictionaryAttr(parts);
  }

  Attribute channel(gsync::ChannelOp channel) {
    return b.getDictionaryAttr(
        {d.entry("name", channel.getSymName()),
         d.entry("kind", gsync::stringifyChannelKind(channel.getKind())),
         d.entry("server", channel.getServer().value_or("")),
         d.entry("bytes", messageBytes(module, channel.getSymName())),
         d.entry("exempt",
                 static_cast<int64_t>(channel.getExempt().value_or(0)))});
  }

  Attribute policy(gsync::PolicyOp policy) {
    SmallVector<Attribute> entries, askers;
    auto types = [&](ArrayRef<Type> list) {
      SmallVector<Attribute> names;
      for (Type type : list)
        names.push_back(b.getStringAttr(type.isF64()        ? "f64"
                                        : type.isInteger(1) ? "i1"
                                                            : "i64"));
      return b.getArrayAttr(names);
    };
    for (auto entry : policy.getEntries().front().getOps<gsync::EntryOp>()) {
      auto signature = cast<FunctionType>(entry.getSignature());
      entries.push_back(b.getDictionaryAttr(
          {d.entry("name", entry.getSymName()),
           d.entry("inputs", types(signature.getInputs())),
           d.entry("outputs", types(signature.getResults()))}));
    }
    for (auto [role, count] : rolesOf(module))
      if (contains(role, [&](Operation *op) {
            auto ask = dyn_cast<gsync::AskOp>(op);
            return ask &&
                   ask.getEntry().getRootReference() == policy.getSymNameAttr();
          }))
        askers.push_back(role.getSymNameAttr());
    Attribute settings = policy.getSettingsAttr();
    return b.getDictionaryAttr(
        {d.entry("name", policy.getSymName()),
         d.entry("kind", policy.getKind()),
         d.entry("placement", gsync::stringifyPlacement(policy.getPlacement())),
         d.entry("settings", settings ? settings : b.getDictionaryAttr({})),
         d.entry("entries", b.getArrayAttr(entries)),
         d.entry("askers", b.getArrayAttr(askers))});
  }

  Attribute rendezvous(gsync::RendezvousOp place) {
    SmallVector<Attribute> strands;
    for (auto [role, count] : rolesOf(module))
      for (gsync::StrandOp strand : role.strands())
        if (contains(strand, [&](Operation *op) {
              auto meet = dyn_cast<gsync::MeetOp>(op);
              return meet && meet.getRendezvous() == place.getSymName();
            }))
          strands.push_back(b.getStringAttr(partName(role, strand)));
    return b.getDictionaryAttr({d.entry("name", place.getSymName()),
                                d.entry("strands", b.getArrayAttr(strands))});
  }
};

} // namespace

DictionaryAttr rubato::describeProgram(ModuleOp module, ProgramPlaces &places,
                                       const ProgramNumbers &numbers,
                                       ArrayRef<std::string> functions) {
  Describe d{Builder(module.getContext()), places.places()};
  Describe::Entries entries = describeCommon(d, module);
  DescribeProgram program{d, module, functions};
  SmallVector<Attribute> roles, channels, policies, rendezvous, names;
  for (auto [role, count] : rolesOf(module))
    roles.push_back(program.role(role, count));
  for (auto channel : module.getOps<gsync::ChannelOp>())
    channels.push_back(program.channel(channel));
  for (auto policy : module.getOps<gsync::PolicyOp>())
    policies.push_back(program.policy(policy));
  for (auto place : module.getOps<gsync::RendezvousOp>())
    rendezvous.push_back(program.rendezvous(place));
  for (const std::string &name : functions)
    names.push_back(d.b.getStringAttr(name));
  bool commits =
      contains(module, [](Operation *op) { return isa<gsync::CommitOp>(op); });
  SmallVector<int64_t> values;
  for (const Buffer &buffer : places.places().allBuffers())
    if (buffer.isValue())
      values.push_back(buffer.bytes);
  entries.push_back(d.entry("values", d.b.getI64ArrayAttr(values)));
  entries.push_back(d.entry("parameters", d.place(places.parameters())));
  entries.push_back(d.entry(
      "program",
      d.b.getDictionaryAttr(
          {d.entry("functions", d.b.getArrayAttr(names)),
           d.entry("roles", d.b.getArrayAttr(roles)),
           d.entry("channels", d.b.getArrayAttr(channels)),
           d.entry("policies", d.b.getArrayAttr(policies)),
           d.entry("rendezvous", d.b.getArrayAttr(rendezvous)),
           d.entry("locks", numbers.lockCount), d.flag("commits", commits)})));
  return d.b.getDictionaryAttr(entries);
}
