// sched-test-break-programs: shows that the proofs notice what breaks programs.
#include "ProgramMutations.h"

#include "rubato/Schedule/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace rubato {
#define GEN_PASS_DEF_SCHEDTESTBREAKPROGRAMSPASS
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

namespace {

struct Count {
  int64_t broken = 0, rejected = 0, equivalent = 0;

  std::string text() const {
    return llvm::formatv("{0} broken, {1} rejected, {2} equivalent, {3} "
                         "survive",
                         broken, rejected, equivalent,
                         broken - rejected - equivalent);
  }
};

struct TestBreakPrograms
    : rubato::impl::SchedTestBreakProgramsPassBase<TestBreakPrograms> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (std::optional<std::string> error = check(module)) {
      module.emitError("is rejected as it is, ") << *error;
      return signalPassFailure();
    }
    rubato::Mutations mutations;
    rubato::addProgramMutations(module, mutations);
    rubato::addPartMutations(module, mutations);
    llvm::MapVector<StringRef, Count> counts;
    Count all;
    for (const rubato::Mutation &mutation : mutations)
      for (Count *count : {&counts[mutation.kind], &all})
        ++count->broken;
    for (const rubato::Mutation &mutation : mutations)
      tell(mutation, counts[mutation.kind], all);
    for (const auto &[kind, count] : counts)
      emitRemark(module.getLoc()) << kind << ": " << count.text();
    emitRemark(module.getLoc()) << all.text();
    markAllAnalysesPreserved();
  }

  void tell(const rubato::Mutation &mutation, Count &count, Count &all) {
    IRMapping copies;
    OwningOpRef<ModuleOp> copy = cast<ModuleOp>(getOperation()->clone(copies));
    mutation.apply(copies);
    InFlightDiagnostic remark = emitRemark(mutation.at->getLoc());
    remark << mutation.kind << ": ";
    if (std::optional<std::string> error = check(*copy)) {
      ++count.rejected, ++all.rejected;
      remark << "rejected " << *error;
    } else if (!mutation.equivalent.empty()) {
      ++count.equivalent, ++all.equivalent;
      remark << "equivalent: " << mutation.equivalent;
    } else {
      remark << "survives";
    }
  }

  /// The first rule that a module breaks, and whose it is. The proof of
  /// programs is asked first: that of segments often sees the form alone.
  std::optional<std::string> check(ModuleOp module) {
    auto error = run(module, rubato::createSchedVerifyProgramsPass());
    if (error)
      return "by programs: " + *error;
    error = run(module, rubato::createSchedVerifySegmentsPass());
    if (error)
      return "by segments: " + *error;
    return std::nullopt;
  }

  std::optional<std::string> run(ModuleOp module, std::unique_ptr<Pass> proof) {
    std::optional<std::string> error;
    ScopedDiagnosticHandler quiet(&getContext(), [&](Diagnostic &diagnostic) {
      if (!error && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        error = diagnostic.str();
      return success();
    });
    PassManager proofs(&getContext());
    proofs.addPass(std::move(proof));
    if (failed(proofs.run(module)) && !error)
      error = "without a reason";
    return error;
  }
};

} // namespace
