// One place where every tool registers the same dialects and passes.
#ifndef RUBATO_SUPPORT_REGISTER_H
#define RUBATO_SUPPORT_REGISTER_H

namespace mlir {
class DialectRegistry;
}

namespace rubato {

/// All targets (TargetModel::find); a second call changes nothing.
void registerTargets();

/// All dialects a Rubato module may hold, their interfaces, and all targets.
void registerDialects(mlir::DialectRegistry &registry);

/// All passes, ours and upstream's.
void registerPasses();

} // namespace rubato

#endif // RUBATO_SUPPORT_REGISTER_H
