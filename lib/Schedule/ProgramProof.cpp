// The programs of a module, role by role and round after round.
#include "ProgramProof.h"

#include "ProgramPaths.h"

using namespace mlir;
using namespace rubato;

namespace {

class Prover {
public:
  explicit Prover(ModuleOp module)
      : module(module), rules(module), paths(rules) {}

  SmallVector<ProgramViolation> prove();

private:
  void proveRole(sched::RoleOp role);

  ModuleOp module;
  ProofRules rules;
  ProgramPaths paths;
};

} // namespace

/// The next program finds nothing in values: what is carried lies in frames.
/// Another part of a role has values of its own, too; what those of this one
/// show stays shown.
static StateSet nextProgram(const StateSet &states, bool otherPart) {
  StateSet result;
  for (ProofState &state : states.list()) {
    for (auto &[name, value] : state.values) {
      value.filled = false;
      value.filledBy = nullptr;
      value.own &= !otherPart;
    }
    result.insert(state);
  }
  return result;
}

void Prover::proveRole(sched::RoleOp role) {
  SymbolTable symbols(module);
  auto find = [&](std::optional<StringRef> name) {
    return name ? symbols.lookup<sched::ProgramOp>(*name) : sched::ProgramOp();
  };
  ProofState first;
  for (sched::StrandOp strand : role.strands())
    for (sched::FrameOp frame : strand.frames())
      if (frame.getKind() == sched::FrameKind::Future)
        first.frames[frame.getBuffer().str()] = Number::exact(0);
  StateSet states;
  states.insert(first);
  auto init = find(role.getInit()), drain = find(role.getDrain());
  if (init)
    states = paths.run(init, states, /*last=*/false);
  // Strands share no value, no channel and no frame, so whatever their order
  // is, each may find what any other has left.
  for (sched::StrandOp strand : role.strands()) {
    states = nextProgram(states, /*otherPart=*/true);
    StateSet todo = states;
    while (todo.size() > 0) {
      StateSet ends =
          paths.run(find(strand.getProgram()), todo, /*last=*/false);
      todo = StateSet();
      for (ProofState &state : nextProgram(ends, /*otherPart=*/false).list())
        if (states.insert(state))
          todo.insert(state);
      if (paths.isTooMany(strand, states))
        return;
    }
  }
  states = nextProgram(states, /*otherPart=*/true);
  if (auto model = find(role.getModel()))
    paths.run(model, states, /*last=*/false);
  if (drain) {
    paths.run(drain, states, /*last=*/true);
    return;
  }
  for (ProofState &state : states.list())
    rules.applyEnd(role, state, /*last=*/true);
}

SmallVector<ProgramViolation> Prover::prove() {
  llvm::DenseSet<StringAttr> ofRoles;
  for (auto role : module.getOps<sched::RoleOp>()) {
    for (FlatSymbolRefAttr part : role.parts())
      ofRoles.insert(part.getAttr());
    proveRole(role);
  }
  StateSet nothing;
  nothing.insert(ProofState());
  for (auto program : module.getOps<sched::ProgramOp>())
    if (!ofRoles.contains(program.getSymNameAttr()))
      paths.run(program, nothing, /*last=*/true);
  return std::move(rules.violations);
}

SmallVector<ProgramViolation> rubato::checkPrograms(ModuleOp module) {
  return Prover(module).prove();
}
