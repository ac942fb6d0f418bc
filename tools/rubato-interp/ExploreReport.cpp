// How a trace reads.
#include "tools/rubato-interp/Explore.h"

#include "mlir/IR/AsmState.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

/// "rank 1, strand @talk, round 0".
static void printWho(Program &program, const World &world, int rank, int index,
                     llvm::raw_ostream &os) {
  RoleInfo &role = program.roleOf(rank);
  os << "rank " << rank;
  if (index == int(role.strands.size())) {
    Phase phase = world.members[rank]->phase;
    os << (phase == Phase::Init    ? ", init"
           : phase == Phase::Drain ? ", drain"
                                   : ", model");
    return;
  }
  if (role.strands.size() > 1) {
    os << ", strand ";
    if (auto label = role.strands[index].getLabel())
      os << '@' << *label;
    else
      os << index;
  }
  os << ", round " << world.members[rank]->strands[index]->round;
}

static void printWhere(Operation *op, llvm::raw_ostream &os) {
  os << op->getName();
  for (StringRef name : {"channel", "cell", "entry", "rendezvous", "group"})
    if (auto symbol = op->getAttrOfType<SymbolRefAttr>(name))
      os << ' ' << symbol;
  if (auto location = dyn_cast<FileLineColLoc>(op->getLoc()))
    os << " (line " << location.getLine() << ')';
}

std::vector<std::string> Explorer::waiting(const World &world) {
  std::vector<std::string> lines;
  for (auto [rank, member] : llvm::enumerate(world.members)) {
    if (!member->alive) {
      lines.push_back("rank " + std::to_string(rank) + " is dead");
      continue;
    }
    for (size_t index = 0; index != member->strands.size(); ++index) {
      Operation *op = machine.operationOf(world, rank, index);
      if (!op)
        continue;
      std::string line, why;
      llvm::raw_string_ostream os(line);
      printWho(machine.program, world, rank, index, os);
      os << " waits at ";
      printWhere(op, os);
      if (!machine.isEnabled(world, rank, index, &why) && !why.empty())
        os << ": " << why;
      lines.push_back(line);
    }
  }
  return lines;
}

void Explorer::describe(const World &world, const Move &move,
                        llvm::raw_ostream &os) {
  int rank = move.choice.rank;
  switch (move.kind) {
  case Move::Kind::Stop:
    os << "rank " << rank << " is asked to stop";
    return;
  case Move::Kind::Death:
    os << "rank " << rank << " dies";
    return;
  case Move::Kind::Model:
    os << "all have ended; their models are looked at";
    return;
  case Move::Kind::Step:
    break;
  }
  if (move.stopFirst)
    os << "rank " << rank << " is asked to stop; then ";
  printWho(machine.program, world, rank, move.choice.strand, os);
  os << ": ";
  Operation *op = machine.operationOf(world, rank, move.choice.strand);
  if (!op)
    return;
  printWhere(op, os);
  if (isa<RepeatOp, DoneOp>(op))
    os << (move.choice.variant ? ", not yet" : "");
  else if (move.choice.variant)
    os << ", the other side";
}

void Explorer::print(const Violation &violation, llvm::raw_ostream &os,
                     EventLog *log) {
  os << "error: " << violation.what << '\n';
  for (const std::string &line : violation.details)
    os << "  " << line << '\n';
  ScopedDiagnosticHandler silent(machine.program.module.getContext(),
                                 [](Diagnostic &) { return success(); });
  machine.setLog(log);
  FailureOr<World> world = machine.start();
  if (succeeded(world) && !violation.trace.empty()) {
    os << "trace of " << violation.trace.size() << " steps:\n";
    for (auto [number, move] : llvm::enumerate(violation.trace)) {
      os << "  " << number + 1 << ". ";
      describe(*world, move, os);
      os << '\n';
      if (failed(apply(*world, move)))
        break;
    }
  }
  machine.setLog(nullptr);
}

} // namespace rubato::interp
