#include "program/synchronous.h"

namespace rubato {

Status asProgram(const Unit &unit, Unit &program) {
  const Cell *parameters = unit.cell("w");
  if (!unit.program.empty() || !unit.code->round || !parameters)
    return {ErrorCode::Internal,
            "unit '" + unit.model + "' is no synchronous round"};
  program = unit;
  RoleSpec worker;
  worker.name = "worker";
  worker.strands = {{"round", 0, /*cursor=*/true, /*lockstep=*/true, {}}};
  program.program.roles = {worker};
  // All operands of a round lie in the shared region, each once.
  program.program.channels = {
      {synchronousChannel, "collective", "", unit.regionBytes[RB_SHARED], 0}};
  program.program.functions = {"worker.round"};
  program.program.locks = 1;
  program.parameters = parameters->place;
  return Status::ok();
}

bool isSynchronous(const Unit &unit) {
  return !unit.program.empty() && unit.code->function_count == 0;
}

} // namespace rubato
