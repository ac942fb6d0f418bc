// Groups tensor operations and outlines each group as a kernel.
#include "KernelGroups.h"
#include "KernelOrder.h"
#include "PrepareProgram.h"

#include "dialects/gsync/Gsync.h"
#include "dialects/nn/Nn.h"
#include "rubato/Kernels/Passes.h"
#include "rubato/Support/Stage.h"
#include "rubato/Target/TargetModel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
  KernelMaker(ModuleOp module, const TargetModel &target)
      : module(module), target(target), wholeModel(module.getLoc()),
        symbols(module), builder(OpBuilder::atBlockEnd(module.getBody())) {}

  /// Outlines the groups of a block and orders what is left. Fails, rather
  /// than leave something out, where groups wait for each other. `part` is what
  /// kernels are called that no node of the model gives a name.
  LogicalResult run(Block &block, StringRef part = "kernel");

private:
  void outline(KernelGroup &group, OpBuilder &at, StringRef part);
  func::FuncOp intern(func::FuncOp kernel, StringRef wanted);
  std::string nameOf(KernelGroup &group, StringRef part);

  ModuleOp module;
  const TargetModel &target;
  Location wholeModel;
  SymbolTable symbols;
  OpBuilder builder;
  llvm::StringMap<func::FuncOp> known; // by text
};

} // namespace

std::string KernelMaker::nameOf(KernelGroup &group, StringRef part) {
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
  // What an algorithm adds has the place of the whole model.
  std::string name = root->getLoc() == wholeModel
                         ? part.str()
                         : baseName(root->getLoc(), backward);
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

void KernelMaker::outline(KernelGroup &group, OpBuilder &at, StringRef part) {
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

  std::string name = nameOf(group, part);
  kernel = intern(kernel, name);
  auto call = func::CallOp::create(at, loc, kernel, inputs.getArrayRef());
  // Equal kernels are shared, but each call keeps its own name for traces.
  if (kernel.getName() != name)
    call->setAttr(kLabelAttr, builder.getStringAttr(name));
  for (auto [old, fresh] : llvm::zip(results, call.getResults()))
    old.replaceAllUsesWith(fresh);
}

static void eraseDead(Block &block) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(block.getOperations())))
      if (isOpTriviallyDead(&op)) {
        op.erase();
        changed = true;
      }
  }
}

LogicalResult KernelMaker::run(Block &block, StringRef part) {
  eraseDead(block);
  KernelGroups groups(block, target);
  auto items = orderItems(block, groups);
  if (failed(items))
    return failure();
  Operation *end = &block.back();
  OpBuilder at(end);
  for (const KernelItem &item : *items) {
    if (item.group)
      outline(*item.group, at, part);
    else if (item.op != end)
      item.op->moveBefore(end);
  }
  eraseDead(block); // members, and free operations without users left
  return success();
}

namespace {

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
void addFreshVariants(ModuleOp module, const nn::TrainingSignature &gradient) {
  SymbolTable symbols(module);
  gradient.getFunction()->walk([&](func::CallOp call) {
    auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
    SmallVector<int64_t> indices = accumulators(
        call, kernel, gradient.argument(nn::ArgumentRole::Accumulator));
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
public:
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const TargetModel *model = TargetModel::findOrReport(target, module);
    if (!model)
      return signalPassFailure();
    if (module.getOps<gsync::RoleOp>().empty()) {
      module.emitError("has no gsync.role; this pass takes a module of the "
                       "sync stage");
      return signalPassFailure();
    }
    if (failed(checkCompilable(module, *model)))
      return signalPassFailure();
    auto gradient =
        nn::TrainingSignature::findDefined(module, nn::TrainingKind::Gradient);
    if (failed(gradient))
      return signalPassFailure();
    auto evaluate =
        nn::TrainingSignature::findDefined(module, nn::TrainingKind::Evaluate);
    if (failed(evaluate) || failed(nn::verifySameBatch(*gradient, *evaluate)))
      return signalPassFailure();
    // What fuses with its surroundings is inlined first; gradients are made of
    // kernels once and inlined then.
    inlineOthers(module, *gradient);
    bringNumbersIntoTensors(module);
    sinkFreeOperations(module);
    computeHandedOutValues(module);
    KernelMaker maker(module, *model);
    for (FunctionOpInterface function :
         {gradient->getFunction(), evaluate->getFunction()})
      if (failed(maker.run(function.getFunctionBody().front())))
        return signalPassFailure();
    addFreshVariants(module, *gradient);
    inlineGradients(module, *gradient);
    for (auto role : module.getOps<gsync::RoleOp>())
      if (failed(formInside(role, maker, role.getSymName().str())))
        return signalPassFailure();
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!function->hasAttr(kKernelAttr) &&
          function != gradient->getFunction() &&
          function != evaluate->getFunction())
        function.erase(); // inlined
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(kKernelAttr))
        function->setAttr(kKernelAttr,
                          model->describe(function).toAttribute(&getContext()));
    module->setAttr(kStageAttr,
                    StringAttr::get(&getContext(), stageName(Stage::Kernels)));
  }

  /// Every block of the program, from the inside out.
  LogicalResult formInside(Operation *op, KernelMaker &maker,
                           const std::string &part) {
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (Operation &inner : block)
          if (!isa<linalg::LinalgOp>(inner) &&
              failed(formInside(&inner, maker, nameInside(&inner, part))))
            return failure();
        if (!isa<gsync::RoleOp>(op) && failed(maker.run(block, part)))
          return failure();
      }
    return success();
  }

  /// "worker", "worker.talk", "worker.talk.update"
  static std::string nameInside(Operation *op, const std::string &part) {
    if (auto strand = dyn_cast<gsync::StrandOp>(op);
        strand && strand.getLabel())
      return part + "." + strand.getLabel()->str();
    if (isa<gsync::InitOp, gsync::DrainOp, gsync::ModelOp>(op))
      return part + "." + op->getName().stripDialect().str();
    return isa<gsync::AtomicOp>(op) ? part + ".update" : part;
  }
};

} // namespace
