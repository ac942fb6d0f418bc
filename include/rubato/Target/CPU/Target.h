// The CPU as a target.
#ifndef RUBATO_TARGET_CPU_TARGET_H
#define RUBATO_TARGET_CPU_TARGET_H

namespace rubato {

/// Adds the target `cpu` to those that TargetModel::find knows.
void registerCPUTarget();

} // namespace rubato

#endif // RUBATO_TARGET_CPU_TARGET_H
