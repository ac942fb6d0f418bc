// convert-sched-to-llvm: segments and programs become functions that call the
// runtime, buffers become offsets.
#include "AbiCalls.h"
#include "Lowering.h"

#include "rubato/Schedule/Passes.h"
#include "rubato/Schedule/Unit.h"
#include "rubato/Support/KernelType.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace rubato::sched;

namespace rubato {
#define GEN_PASS_DEF_CONVERTSCHEDTOLLVMPASS
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

namespace {

struct SchedToLLVM : rubato::impl::ConvertSchedToLLVMPassBase<SchedToLLVM> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    rubato::AbiBuilder abi(module);
    if (failed(checkReservedNames(module, abi.symbols)) ||
        failed(takeKernels(module, abi)))
      return signalPassFailure();

    int64_t events = rubato::countEvents(module);
    rubato::BufferTable buffers = rubato::collectBuffers(module);
    int32_t nextEvent = 0;
    for (auto segment : module.getOps<SegmentOp>())
      rubato::lowerSegment(segment, buffers, nextEvent, abi);
    for (auto program : llvm::to_vector(module.getOps<ProgramOp>()))
      if (failed(rubato::lowerProgram(program, buffers, abi)))
        return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<SchedDialect>(op.getDialect()))
        op.erase();
    rubato::setEvents(module, events);
  }

  /// Names that the result defines or imports must be free.
  LogicalResult checkReservedNames(ModuleOp module,
                                   const SymbolTable &symbols) {
    SmallVector<std::string> reserved;
    for (auto segment : module.getOps<SegmentOp>())
      reserved.push_back(rubato::segmentSymbol(segment.getSymName()));
    for (auto program : module.getOps<ProgramOp>())
      reserved.push_back(rubato::programSymbol(program.getSymName()));
    for (StringRef name : rubato::abiNames())
      reserved.push_back(name.str());
    for (StringRef name : reserved)
      if (Operation *taken = symbols.lookup(name))
        return taken->emitError("the name '")
               << name << "' is reserved for the lowered schedule: rename it";
    return success();
  }

  /// Every launched kernel becomes an `llvm.func` in C form: declarations are
  /// rewritten, definitions must have been lowered before.
  LogicalResult takeKernels(ModuleOp module, rubato::AbiBuilder &abi) {
    LLVM::LLVMFunctionType cForm = rubato::kernelType(&getContext());
    SmallVector<LaunchOp> launches;
    module.walk([&](LaunchOp launch) { launches.push_back(launch); });
    for (LaunchOp launch : launches) {
      Operation *kernel = abi.symbols.lookup(launch.getKernel());
      if (auto function = dyn_cast<LLVM::LLVMFuncOp>(kernel)) {
        if (function.getFunctionType() != cForm)
          return function.emitError("kernel '")
                 << function.getSymName() << "' must have the C form " << cForm
                 << ", it has " << function.getFunctionType();
        continue;
      }
      auto function = dyn_cast<func::FuncOp>(kernel);
      if (!function || !function.isExternal())
        return launch.emitError("kernel '")
               << launch.getKernel()
               << "' is not in C form yet: lower kernels before the schedule";
      OpBuilder builder(&getContext());
      auto declaration = LLVM::LLVMFuncOp::create(builder, function.getLoc(),
                                                  function.getSymName(), cForm);
      Block::iterator place(function);
      abi.symbols.remove(function);
      abi.symbols.insert(declaration, place);
      function.erase();
    }
    return success();
  }
};

} // namespace
