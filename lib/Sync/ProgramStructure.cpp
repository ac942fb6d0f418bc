// Structured control flow of programs, and helpers inlined.
#include "ProgramStructure.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::gsync;

bool rubato::isBranch(Operation *op) {
  return isa<scf::IfOp, scf::IndexSwitchOp>(op);
}

bool rubato::isLoop(Operation *op) {
  return isa<RepeatOp, scf::ForOp, scf::WhileOp>(op);
}

bool rubato::maySkip(Operation *branch) {
  auto condition = dyn_cast<scf::IfOp>(branch);
  return condition && condition.getElseRegion().empty();
}

bool rubato::isAction(Operation *op) {
  return isa_and_nonnull<GsyncDialect>(op->getDialect()) &&
         !isa<ZeroOp, SizeOp, YieldOp>(op);
}

void rubato::visitEnclosing(Operation *op,
                            function_ref<void(Operation *)> visit) {
  Operation *part = partOf(op);
  for (Operation *at = op->getParentOp(); at && at != part;
       at = at->getParentOp())
    visit(at);
}

Operation *rubato::partOf(Operation *op) {
  while (op && !isa<InitOp, StrandOp, DrainOp, ModelOp>(op))
    op = op->getParentOp();
  return op;
}

std::string rubato::describePart(Operation *part) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << part->getName().stripDialect();
  auto strand = dyn_cast<StrandOp>(part);
  if (strand && strand.getLabel())
    out << " @" << *strand.getLabel();
  if (auto role = part->getParentOfType<RoleOp>())
    out << " of role @" << role.getSymName();
  return text;
}

bool rubato::sharesRounds(Operation *part) {
  WalkResult walk = part->walk([](Operation *op) {
    auto batch = dyn_cast<NextBatchOp>(op);
    bool shares = isCollective(op) || isa<CommitOp, RoundSamplesOp>(op) ||
                  (batch && batch.getSource() == BatchSource::Cursor);
    return shares ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static bool isFuture(Type type) { return isa<FutureType>(type); }

namespace {
/// Finds the functions that communicate, and puts their bodies in place of
/// their calls.
class HelperInliner {
public:
  /// Helpers touch more than their arguments, themselves or by a call.
  explicit HelperInliner(ModuleOp module) : module(module) {
    for (auto function : module.getOps<func::FuncOp>()) {
      bool talks = llvm::any_of(function.getArgumentTypes(), isFuture) ||
                   llvm::any_of(function.getResultTypes(), isFuture);
      function.walk([&](Operation *op) { talks |= isAction(op); });
      if (talks)
        helpers.insert(function);
    }
    for (size_t before = 0; before != helpers.size();) {
      before = helpers.size();
      for (auto function : module.getOps<func::FuncOp>())
        function.walk([&](func::CallOp call) {
          if (isHelper(module.lookupSymbol<func::FuncOp>(call.getCallee())))
            helpers.insert(function);
        });
    }
  }

  /// Whether any role calls a helper.
  bool isNeeded() {
    bool needed = false;
    forCalls(
        [&](func::CallOp, func::FuncOp callee) { needed |= isHelper(callee); });
    return needed;
  }

  LogicalResult run() {
    SmallVector<std::pair<func::CallOp, unsigned>> work;
    forCalls(
        [&](func::CallOp call, func::FuncOp) { work.push_back({call, 0}); });
    while (!work.empty()) {
      auto [call, depth] = work.pop_back_val();
      auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
      if (!callee || !isHelper(callee))
        continue;
      // More calls within each other than functions: one was met twice.
      if (depth > functionCount())
        return call.emitOpError(kSyncStage)
               << "calls the recursive helper @" << call.getCallee()
               << ", which communicates; write the recursion as a loop";
      if (callee.isExternal() || !callee.getBody().hasOneBlock())
        return call.emitOpError(kSyncStage)
               << "calls the helper @" << call.getCallee()
               << ", which cannot be looked into: it needs a body of one "
                  "block; "
                  "write branches with scf.if";
      inlineCall(call, callee, depth + 1, work);
    }
    return success();
  }

private:
  void forCalls(function_ref<void(func::CallOp, func::FuncOp)> visit) {
    for (auto role : module.getOps<RoleOp>())
      role.walk([&](func::CallOp call) {
        if (auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee()))
          visit(call, callee);
      });
  }

  unsigned functionCount() {
    return llvm::range_size(module.getOps<func::FuncOp>());
  }

  bool isHelper(func::FuncOp function) { return helpers.contains(function); }

  void inlineCall(func::CallOp call, func::FuncOp callee, unsigned depth,
                  SmallVectorImpl<std::pair<func::CallOp, unsigned>> &work) {
    OpBuilder b(call);
    IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    for (Operation &op : callee.getBody().front().without_terminator()) {
      Operation *clone = b.clone(op, mapping);
      clone->walk([&](Operation *inner) {
        inner->setLoc(CallSiteLoc::get(inner->getLoc(), call.getLoc()));
        if (auto next = dyn_cast<func::CallOp>(inner))
          work.push_back({next, depth});
      });
    }
    Operation *end = callee.getBody().front().getTerminator();
    for (auto [result, value] :
         llvm::zip(call.getResults(), end->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
  }

  ModuleOp module;
  DenseSet<Operation *> helpers;
};
} // namespace

/// Every action stands in control flow that the verifiers follow.
static LogicalResult checkControl(ModuleOp module) {
  WalkResult walk = module.walk([](RoleOp role) {
    return role.walk([](Operation *op) {
      if (!isAction(op) || !partOf(op) || partOf(op) == op)
        return WalkResult::advance();
      Operation *wrong = nullptr;
      visitEnclosing(op, [&](Operation *around) {
        if (!isBranch(around) && !isLoop(around) && !isa<AtomicOp>(around))
          wrong = around;
      });
      if (!wrong)
        return WalkResult::advance();
      op->emitOpError(kSyncStage)
          << "stands in '" << wrong->getName()
          << "', whose paths are not followed; use scf.if, scf.for, scf.while "
             "or gsync.repeat";
      return WalkResult::interrupt();
    });
  });
  return failure(walk.wasInterrupted());
}

FailureOr<FlatProgram> FlatProgram::get(ModuleOp module) {
  FlatProgram flat;
  flat.original = module;
  if (HelperInliner(module).isNeeded()) {
    flat.copy = module.clone();
    if (failed(HelperInliner(*flat.copy).run()))
      return failure();
  }
  if (failed(checkControl(flat.module())))
    return failure();
  return flat;
}
