// Every member starts the same collectives in the same order.
#include "Uniformity.h"
#include "rubato/Sync/Passes.h"
#include "rubato/Sync/Verify.h"

namespace rubato {
#define GEN_PASS_DEF_GSYNCVERIFYUNIFORMITY
#include "rubato/Sync/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

/// What all members must reach together has a name whose order of operations
/// is one: a channel, a group that votes, a policy with replicas.
static Attribute sharedName(Operation *op) {
  if (isCollective(op))
    return channelOf(op);
  if (auto commit = dyn_cast<CommitOp>(op))
    return commit.getGroupAttr();
  if (auto ask = dyn_cast<AskOp>(op)) {
    PolicyOp policy = policyOf(ask);
    if (policy && policy.getPlacement() == Placement::Replicated)
      return FlatSymbolRefAttr::get(policy.getSymNameAttr());
  }
  return {};
}

namespace {
class UniformityChecker {
public:
  explicit UniformityChecker(ModuleOp module) : facts(module) {}

  LogicalResult run(RoleOp role) {
    // The strand that uses a name, and the operation by which it does.
    DenseMap<Attribute, Operation *> users;
    for (Operation &part : role.getBody().front()) {
      Operation *shared = nullptr;
      WalkResult walk = part.walk([&](Operation *op) {
        Attribute name = sharedName(op);
        if (!name)
          return WalkResult::advance();
        shared = op;
        if (failed(checkReached(op)) || failed(checkOperands(op)))
          return WalkResult::interrupt();
        if (!isa<StrandOp>(part))
          return WalkResult::advance();
        Operation *other = users.try_emplace(name, op).first->second;
        if (partOf(other) == &part)
          return WalkResult::advance();
        InFlightDiagnostic diag =
            op->emitOpError(kSyncStage)
            << "uses " << name
            << " in a second strand: the order of two strands differs from "
               "member to member; give every strand a name of its own";
        diag.attachNote(other->getLoc())
            << "used here in the " << describePart(partOf(other));
        return WalkResult::interrupt();
      });
      if (walk.wasInterrupted() || (shared && failed(checkEnd(&part, shared))))
        return failure();
    }
    return success();
  }

private:
  void explain(InFlightDiagnostic &diag, Operation *cause) {
    diag.attachNote(cause->getLoc())
        << "local because of '" << cause->getName()
        << "': members may see different values here";
  }

  LogicalResult checkReached(Operation *op) {
    Operation *loop = nullptr, *wrong = nullptr;
    visitEnclosing(op, [&](Operation *around) {
      if (isa<RepeatOp>(around) && !isa<AskOp>(op))
        loop = around;
      if (facts.causeOfPath(around))
        wrong = around;
    });
    if (loop)
      return op->emitOpError(kSyncStage)
             << "may not stand in a gsync.repeat: members may repeat it "
                "differently often; move it behind the loop";
    if (!wrong)
      return success();
    InFlightDiagnostic diag =
        op->emitOpError(kSyncStage)
        << (isLoop(wrong)
                ? "stands in a loop that members run differently often"
                : "stands under a local condition, by which members may "
                  "decide differently")
        << ": every member must reach it, or the others wait for ever; move "
           "it out, or decide by something uniform (let it ride in a "
           "reduction)";
    diag.attachNote(wrong->getLoc())
        << (isLoop(wrong) ? "the loop" : "the condition");
    explain(diag, facts.causeOfPath(wrong));
    return diag;
  }

  LogicalResult checkOperands(Operation *op) {
    SmallVector<Value> inputs;
    StringRef why;
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      inputs.push_back(broadcast.getRoot());
      why = "takes a local rank as its root: members must name the same one; "
            "use a constant or a reduced value";
    } else if (auto ask = dyn_cast<AskOp>(op)) {
      llvm::append_range(inputs, ask.getInputs());
      why = "asks a replicated policy with a local value: the replicas would "
            "part; pass uniform values, or make the policy local or central";
    }
    for (Value input : inputs)
      if (Operation *cause = facts.causeOf(input)) {
        InFlightDiagnostic diag = op->emitOpError(kSyncStage) << why;
        explain(diag, cause);
        return diag;
      }
    return success();
  }

  /// Members must run a strand that talks to all of them equally often.
  LogicalResult checkEnd(Operation *part, Operation *shared) {
    auto strand = dyn_cast<StrandOp>(part);
    if (!strand)
      return success();
    auto next = cast<NextOp>(strand.getBody().front().getTerminator());
    Operation *cause = facts.causeOf(next.getGo());
    if (!cause)
      return success();
    InFlightDiagnostic diag =
        next.emitOpError(kSyncStage)
        << "decides by a local value whether the round is the last, but the "
           "strand uses '"
        << shared->getName()
        << "', which every member must reach equally often; let the decision "
           "ride in a reduction";
    explain(diag, cause);
    return diag;
  }

  Uniformity facts;
};

class GsyncVerifyUniformity
    : public rubato::impl::GsyncVerifyUniformityBase<GsyncVerifyUniformity> {
  void runOnOperation() override {
    if (failed(verifyUniformity(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

LogicalResult rubato::verifyUniformity(ModuleOp module) {
  auto program = FlatProgram::get(module);
  if (failed(program))
    return failure();
  UniformityChecker checker(program->module());
  bool sound = true;
  for (auto role : program->module().getOps<RoleOp>())
    sound &= succeeded(checker.run(role));
  return success(sound);
}
