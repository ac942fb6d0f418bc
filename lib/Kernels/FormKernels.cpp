// Groups tensor operations and outlines each group as a kernel.
#include "KernelGroups.h"
#include "KernelOrder.h"

#include "dialects/gsync/Gsync.h"
#include "dialects/nn/Nn.h"
#include "rubato/Kernels/Passes.h"
#include "rubato/Kernels/SynchronousProgram.h"
#include "rubato/Support/Stage.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace rubato {
#define GEN_PASS_DEF_FORMKERNELS
#include "rubato/Kernels/Passes.h.inc"
} // namespace rubato

using namespace mlir;
using namespace rubato;

namespace {

/// The name a person gave: the innermost NameLoc, without the operator type.
std::string baseName(Location loc, bool &backward) {
  std::string name;
  LocationAttr(loc).walk([&](Location inner) {
    if (auto named = dyn_cast<NameLoc>(inner)) {
      if (named.getName() == "backward")
        backward = true;
      else if (name.empty())
        name = named.getName().getValue().split(' ').first.str();
    }
    return WalkResult::advance();
  });
  for (char &c : name)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-')
      c = '.';
  return name.empty() ? "kernel" : name;
}

/// Makes kernels out of groups, each distinct one once.
class KernelMaker {
public:
  explicit KernelMaker(ModuleOp module)
      : module(module), symbols(module),
        builder(OpBuilder::atBlockEnd(module.getBody())) {}

  /// Outlines the groups of a block and orders what is left. Fails, rather
  /// than leave something out, where groups wait for each other.
  LogicalResult run(Block &block);

private:
  void outline(KernelGroup &group, OpBuilder &at);
  func::FuncOp intern(func::FuncOp kernel, StringRef wanted);
  std::string nameOf(KernelGroup &group);

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder builder;
  llvm::StringMap<func::FuncOp> known; // by text
};

} // namespace

std::string KernelMaker::nameOf(KernelGroup &group) {
  // A gradient is called after its slot.
  for (Operation *op : group.ops)
    for (OpOperand &use : op->getUses())
      if (auto pack = dyn_cast<nn::PackOp>(use.getOwner())) {
        auto layout = symbols.lookup<nn::LayoutOp>(pack.getLayout());
        auto slot =
            cast<nn::SlotAttr>(layout.getSlots()[use.getOperandNumber()]);
        return (slot.getName() + ".gradient").str();
      }
  Operation *root = group.ops.front();
  for (Operation *op : group.ops)
    if (isa<nn::MatmulOp, nn::SoftmaxCrossEntropyOp>(op))
      root = op;
  bool backward = false;
  std::string name = baseName(root->getLoc(), backward);
  if (group.kind == KernelGroup::Kind::Contraction)
    name += backward ? ".input_gradient" : ".forward";
  else if (backward)
    name += ".gradient";
  return name;
}

/// The kernel itself, or an equal one that exists already.
func::FuncOp KernelMaker::intern(func::FuncOp kernel, StringRef wanted) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel.setName("kernel");
  kernel.print(stream, OpPrintingFlags().useLocalScope());
  auto [entry, isNew] = known.try_emplace(text, kernel);
  if (!isNew) {
    kernel.erase();
    return entry->second;
  }
  kernel.setName(wanted);
  symbols.insert(kernel); // makes the name unique
  return kernel;
}

void KernelMaker::outline(KernelGroup &group, OpBuilder &at) {
  Block *block = group.ops.front()->getBlock();
  llvm::SmallPtrSet<Operation *, 16> members(group.ops.begin(),
                                             group.ops.end());
  // Inputs: what members and the free operations they repeat take from outside.
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Operation *> repeated;
  std::function<void(Operation *)> collect = [&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && members.contains(def))
        continue;
      if (def && def->getBlock() == block && isFree(def)) {
        collect(def);
        repeated.insert(def);
      } else {
        inputs.insert(operand);
      }
    }
  };
  for (Operation *op : group.ops)
    collect(op);

  // Results: what is used outside, directly or by a repeated free operation.
  SmallVector<Value> results;
  for (Operation *op : group.ops)
    if (llvm::any_of(op->getUsers(), [&](Operation *user) {
          return !members.contains(user) && !repeated.contains(user);
        }))
      results.push_back(op->getResult(0));

  Location loc = group.ops.front()->getLoc();
  for (Operation *op : group.ops)
    if (isa<nn::MatmulOp>(op))
      loc = op->getLoc();

  auto type =
      FunctionType::get(module.getContext(), TypeRange(inputs.getArrayRef()),
                        TypeRange(ValueRange(results)));
  auto kernel = func::FuncOp::create(loc, "kernel", type);
  kernel.setPrivate();
  kernel->setAttr(kKernelAttr, builder.getUnitAttr());
  Block *body = kernel.addEntryBlock();
  OpBuilder inner = OpBuilder::atBlockEnd(body);
  IRMapping mapping;
  mapping.map(inputs.getArrayRef(), body->getArguments());
  SmallVector<Operation *> order(group.ops);
  llvm::append_range(order, repeated);
  llvm::sort(order,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : order)
    inner.clone(*op, mapping);
  SmallVector<Value> values;
  for (Value result : results)
    values.push_back(mapping.lookup(result));
  func::ReturnOp::create(inner, loc, values);

  std::string name = nameOf(group);
  kernel = intern(kernel, name);
  auto call = func::CallOp::create(at, loc, kernel, inputs.getArrayRef());
  // Equal kernels are shared, but each call keeps its own name for traces.
  if (kernel.getName() != name)
    call->setAttr(kLabelAttr, builder.getStringAttr(name));
  for (auto [old, fresh] : llvm::zip(results, call.getResults()))
    old.replaceAllUsesWith(fresh);
}

LogicalResult KernelMaker::run(Block &block) {
  KernelGroups groups(block);
  auto items = orderItems(block, groups);
  if (failed(items))
    return failure();
  Operation *end = &block.back();
  OpBuilder at(end);
  for (const KernelItem &item : *items) {
    if (item.group)
      outline(*item.group, at);
    else if (item.op != end)
      item.op->moveBefore(end);
  }
  // Members and free operations without users left.
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(block.getOperations())))
      if (&op != end && isOpTriviallyDead(&op)) {
        op.erase();
        changed = true;
      }
  }
  return success();
}

namespace {

/// Copies the body of `call`'s function to where the call stands.
void inlineCall(func::CallOp call, func::FuncOp callee) {
  OpBuilder b(call);
  IRMapping mapping;
  mapping.map(callee.getArguments(), call.getOperands());
  Block &body = callee.getBody().front();
  for (Operation &op : body.without_terminator())
    b.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookup(value));
  call.erase();
}

/// Which operands of `call` are slots of `accumulator` that the kernel adds a
/// gradient to.
SmallVector<int64_t> accumulators(func::CallOp call, func::FuncOp kernel,
                                  Value accumulator) {
  SmallVector<int64_t> found;
  for (auto [index, operand] : llvm::enumerate(call.getOperands())) {
    auto unpack = operand.getDefiningOp<nn::UnpackOp>();
    if (!unpack || unpack.getFlat() != accumulator)
      continue;
    BlockArgument argument = kernel.getArgument(index);
    if (argument.hasOneUse() && isa<arith::AddFOp>(*argument.user_begin()))
      found.push_back(index);
  }
  return found;
}

/// Kernels that add gradients to accumulators get a variant that starts from
/// zero, so that the first micro-batch of a round neither clears nor reads
/// them.
void addFreshVariants(ModuleOp module, func::FuncOp gradient) {
  SymbolTable symbols(module);
  gradient.walk([&](func::CallOp call) {
    auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
    SmallVector<int64_t> indices =
        accumulators(call, kernel, gradient.getArguments().back());
    if (kernel->hasAttr(kFreshAttr) || indices.empty())
      return;
    func::FuncOp fresh = kernel.clone();
    fresh.setName((kernel.getName() + ".fresh").str());
    for (int64_t index : llvm::reverse(indices)) {
      BlockArgument unused = fresh.getArgument(index);
      auto add = cast<arith::AddFOp>(*unused.user_begin());
      add.replaceAllUsesWith(add.getLhs() == unused ? add.getRhs()
                                                    : add.getLhs());
      add.erase();
      (void)fresh.eraseArgument(index);
    }
    symbols.insert(fresh);
    kernel->setAttr(kFreshAttr, FlatSymbolRefAttr::get(fresh));
    kernel->setAttr(kAccumulatorsAttr,
                    DenseI64ArrayAttr::get(module.getContext(), indices));
  });
}

class FormKernels : public rubato::impl::FormKernelsBase<FormKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto role = module.getOps<gsync::RoleOp>();
    if (role.empty()) {
      module.emitError("has no gsync.role; this pass takes a module of the "
                       "sync stage");
      return signalPassFailure();
    }
    if (failed(checkSynchronous(module, "kernels stage")))
      return signalPassFailure();
    // The optimizer step fuses with what the program does around it, so it is
    // inlined first; gradients are made of kernels once and inlined then.
    inlineCalls(module, {"step", "lr"});
    KernelMaker maker(module);
    for (StringRef name : {"gradient", "evaluate"})
      if (failed(maker.run(
              module.lookupSymbol<func::FuncOp>(name).getBody().front())))
        return signalPassFailure();
    addFreshVariants(module, module.lookupSymbol<func::FuncOp>("gradient"));
    inlineCalls(module, {"gradient"});
    auto form = [&](auto op) {
      return WalkResult(maker.run(op.getBody().front()));
    };
    // From the inside out.
    if (module.walk([&](gsync::AtomicOp op) { return form(op); })
            .wasInterrupted() ||
        module.walk([&](gsync::RepeatOp op) { return form(op); })
            .wasInterrupted() ||
        module.walk([&](gsync::StrandOp op) { return form(op); })
            .wasInterrupted())
      return signalPassFailure();
    for (StringRef name : {"step", "lr"})
      module.lookupSymbol(name)->erase();
    module->setAttr(kStageAttr,
                    StringAttr::get(&getContext(), stageName(Stage::Kernels)));
  }

  void inlineCalls(ModuleOp module, ArrayRef<StringRef> names) {
    for (auto role : module.getOps<gsync::RoleOp>())
      role.walk([&](func::CallOp call) {
        if (llvm::is_contained(names, call.getCallee()))
          inlineCall(call, module.lookupSymbol<func::FuncOp>(call.getCallee()));
      });
  }
};

} // namespace
