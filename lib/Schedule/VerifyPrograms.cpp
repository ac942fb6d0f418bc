// sched-verify-programs: nobody touches what something in flight reads or
// brings.
#include "ProgramProof.h"

#include "rubato/Schedule/Passes.h"

using namespace mlir;

namespace rubato {
#define GEN_PASS_DEF_SCHEDVERIFYPROGRAMSPASS
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

namespace {

struct VerifyPrograms
    : rubato::impl::SchedVerifyProgramsPassBase<VerifyPrograms> {
  void runOnOperation() override {
    for (const auto &violation : rubato::checkPrograms(getOperation())) {
      InFlightDiagnostic diag = violation.op->emitOpError(violation.message);
      for (const auto &[op, note] : violation.notes)
        diag.attachNote(op->getLoc()) << note;
      signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};

} // namespace
