// Reads a program: symbols, roles of ranks, slots of values, pure functions.
#include "tools/rubato-interp/Program.h"

#include "tools/rubato-interp/Evaluate.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

int ChannelInfo::workerIndex(int rank) const {
  auto it = llvm::find(workers, rank);
  return it == workers.end() ? -1 : int(it - workers.begin());
}

ArrayRef<unsigned> Program::killsAfter(Operation *op) const {
  auto it = kills.find(op);
  return it == kills.end() ? ArrayRef<unsigned>() : it->second;
}

func::FuncOp Program::callee(func::CallOp call) const {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
}

ArrayRef<StringRef> Program::callsOf(func::FuncOp function) const {
  auto it = called.find(function);
  return it == called.end() ? ArrayRef<StringRef>()
                            : ArrayRef<StringRef>(it->second);
}

static std::vector<policy::NamedSetting> settingsOf(PolicyOp op) {
  std::vector<policy::NamedSetting> result;
  DictionaryAttr settings = op.getSettingsAttr();
  for (NamedAttribute each :
       settings ? settings.getValue() : ArrayRef<NamedAttribute>()) {
    std::string name = each.getName().str();
    Attribute value = each.getValue();
    if (auto boolean = dyn_cast<BoolAttr>(value))
      result.push_back({name, boolean.getValue()});
    else if (auto integer = dyn_cast<IntegerAttr>(value))
      result.push_back({name, integer.getInt()});
    else if (auto real = dyn_cast<FloatAttr>(value))
      result.push_back({name, real.getValueAsDouble()});
    else if (auto text = dyn_cast<StringAttr>(value))
      result.push_back({name, text.str()});
  }
  return result;
}

LogicalResult Program::readSymbols() {
  for (Operation &op : *module.getBody()) {
    StringRef name;
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      name = symbol.getName();
    if (auto group = dyn_cast<GroupOp>(op)) {
      byName[name] = groups.size();
      groups.push_back(group);
    } else if (auto cell = dyn_cast<CellOp>(op)) {
      byName[name] = cells.size();
      cells.push_back(cell);
    } else if (auto meeting = dyn_cast<RendezvousOp>(op)) {
      byName[name] = rendezvous.size();
      rendezvous.push_back(meeting);
    } else if (auto policy = dyn_cast<PolicyOp>(op)) {
      byName[name] = policies.size();
      policies.push_back({policy, settingsOf(policy)});
    } else if (isa<TrainOp>(op)) {
      return op.emitError("is not a program yet; expand its algorithm first "
                          "(rubato compile --emit sync)");
    }
  }
  // After the groups, whichever order they stand in.
  for (auto channel : module.getOps<ChannelOp>()) {
    byName[channel.getSymName()] = channels.size();
    channels.push_back({channel, index(channel.getGroup()), -1, {}});
  }
  for (auto op : module.getOps<RoleOp>()) {
    byName[op.getSymName()] = roles.size();
    RoleInfo role;
    role.op = op;
    role.init = op.part<InitOp>();
    role.drain = op.part<DrainOp>();
    role.model = op.part<ModelOp>();
    role.group = index(op.getGroup());
    llvm::append_range(role.strands, op.strands());
    roles.push_back(role);
  }
  if (roles.empty())
    return module.emitError("has no gsync.role, so there is nothing to run");
  return success();
}

LogicalResult Program::assignRoles() {
  GroupOp group = groups[roles.front().group];
  for (RoleInfo &role : roles)
    if (groups[role.group] != group)
      return role.op.emitError("is of another group than the role before; "
                               "rubato-interp runs programs of one group");
  if (!group.getRoles()) {
    if (roles.size() > 1)
      return group.emitError("says not who runs which of ")
             << roles.size() << " roles; add roles(…)";
    roleOfRank.assign(ranks, 0);
  } else {
    int64_t fixed = 0;
    ArrayRef<int64_t> counts = *group.getCounts();
    for (int64_t count : counts)
      fixed += std::max<int64_t>(count, 0);
    if (fixed >= ranks)
      return group.emitError("needs more than ")
             << fixed << " members, there are " << ranks
             << "; run it with --ranks " << fixed + 1 << " or more";
    for (auto [name, count] :
         llvm::zip(group.getRoles()->getAsRange<FlatSymbolRefAttr>(), counts))
      roleOfRank.insert(roleOfRank.end(), count < 0 ? ranks - fixed : count,
                        index(name.getValue()));
  }
  for (ChannelInfo &channel : channels) {
    if (channel.op.getKind() != ChannelKind::Mailbox)
      continue;
    unsigned server = index(*channel.op.getServer());
    for (int rank = 0; rank != ranks; ++rank) {
      if (roleOfRank[rank] != server)
        channel.workers.push_back(rank);
      else if (channel.server >= 0)
        return channel.op.emitError("has more than one server");
      else
        channel.server = rank;
    }
    if (channel.server < 0 || channel.workers.empty() ||
        channel.workers.size() > 62)
      return channel.op.emitError("needs one server and 1 to 62 workers");
  }
  return success();
}

void Program::numberBlock(Block &block, unsigned &next) {
  auto define = [&](mlir::Value value) {
    slots[value] = next++;
    Operation *last = value.getDefiningOp();
    for (Operation *user : value.getUsers()) {
      Operation *here = block.findAncestorOpInBlock(*user);
      if (here && (!last || last->isBeforeInBlock(here)))
        last = here;
    }
    if (last)
      kills[last].push_back(slots[value]);
  };
  for (BlockArgument argument : block.getArguments())
    define(argument);
  for (Operation &op : block) {
    ids[&op] = ids.size() + 1;
    for (OpResult result : op.getResults())
      define(result);
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        numberBlock(inner, next);
  }
}

void Program::numberRegion(Region &root) {
  unsigned next = 0;
  for (Block &block : root)
    numberBlock(block, next);
  sizes[&root] = next;
}

LogicalResult Program::checkFunctions() {
  // Calls may be nested; a cycle is found as a depth.
  std::function<LogicalResult(func::FuncOp, int)> visit =
      [&](func::FuncOp function, int depth) -> LogicalResult {
    if (pure.count(function))
      return success();
    if (depth > 64)
      return function.emitError("calls itself");
    if (function.isExternal())
      return success();
    if (!function.getBody().hasOneBlock())
      return function.emitError("has ")
             << function.getBody().getBlocks().size()
             << " blocks; rubato-interp runs functions of one block";
    bool simple = true;
    std::vector<StringRef> names;
    auto result = function.walk([&](Operation *op) -> WalkResult {
      if (op == function)
        return WalkResult::advance();
      if (auto call = dyn_cast<func::CallOp>(op)) {
        func::FuncOp target = callee(call);
        if (!target)
          return WalkResult::advance(); // reported below
        if (failed(visit(target, depth + 1)))
          return WalkResult::interrupt();
        simple &= pure.lookup(target);
        names.push_back(target.getSymName());
        llvm::append_range(names, callsOf(target));
      }
      // Those that evaluateFunction has no rule for run step by step.
      if (isa<scf::WhileOp>(op) ||
          (isa_and_nonnull<GsyncDialect>(op->getDialect())))
        simple = false;
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
    pure[function] = simple;
    called[function] = std::move(names);
    return success();
  };
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(visit(function, 0)))
      return failure();
  auto walk = module.walk([&](func::CallOp call) -> WalkResult {
    func::FuncOp target = callee(call);
    if (target && !target.isExternal())
      return WalkResult::advance();
    return call.emitError("calls '@")
           << call.getCallee()
           << (target ? "', which has no body"
                      : "', which is no function of this module");
  });
  return failure(walk.wasInterrupted());
}

bool Program::reaches(Operation *op, function_ref<bool(Operation *)> wanted,
                      int depth) const {
  return op
      ->walk([&](Operation *inner) {
        auto call = dyn_cast<func::CallOp>(inner);
        bool found =
            wanted(inner) || (call && depth < 64 && !isPure(callee(call)) &&
                              reaches(callee(call), wanted, depth + 1));
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool takesByCursor(Operation *op) {
  auto batch = dyn_cast<NextBatchOp>(op);
  return isa<RoundSamplesOp>(op) ||
         (batch && batch.getSource() == BatchSource::Cursor);
}

static bool needsEverybody(Operation *op) {
  return takesByCursor(op) || isCollective(op) || isa<CommitOp>(op);
}

void Program::findMeeters(RoleInfo &role) {
  for (RendezvousOp place : rendezvous) {
    auto meetsThere = [&](Operation *op) {
      auto meet = dyn_cast<MeetOp>(op);
      return meet && meet.getRendezvous() == place.getSymName();
    };
    auto &strands = role.meeters.emplace_back();
    for (auto [index, strand] : llvm::enumerate(role.strands))
      if (reaches(strand, meetsThere))
        strands.push_back(index);
  }
}

FailureOr<std::unique_ptr<Program>> Program::analyse(ModuleOp module,
                                                     int ranks) {
  auto program = std::make_unique<Program>();
  program->module = module;
  program->ranks = ranks;
  if (failed(program->readSymbols()) || failed(program->assignRoles()) ||
      failed(program->checkFunctions()))
    return failure();
  for (RoleInfo &role : program->roles) {
    program->findMeeters(role);
    for (Operation &part : role.op.getBody().front()) {
      program->numberRegion(part.getRegion(0));
      if (program->reaches(&part, takesByCursor))
        program->cursors.insert(&part.getRegion(0));
      if (program->reaches(&part, needsEverybody))
        program->shared.insert(&part.getRegion(0));
    }
  }
  module.walk([&](CommitOp) { program->hasCommit = true; });
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      program->numberRegion(function.getBody());
  if (auto batch = module->getAttrOfType<IntegerAttr>("rubato.batch"))
    program->batch = batch.getInt();
  else
    module.walk([&](NextBatchOp op) {
      if (!op.getIds())
        return;
      auto ids = dyn_cast<RankedTensorType>(op.getIds().getType());
      if (ids && ids.getRank() == 1 && !ids.isDynamicDim(0))
        program->batch = ids.getDimSize(0);
    });
  if (program->batch < 1)
    return module.emitError("has rubato.batch ")
           << program->batch << "; a batch has at least one sample";
  return program;
}

} // namespace rubato::interp
