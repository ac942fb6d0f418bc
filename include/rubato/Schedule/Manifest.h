// The manifest of a compiled unit (docs/unit.md).
#ifndef RUBATO_SCHEDULE_MANIFEST_H
#define RUBATO_SCHEDULE_MANIFEST_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace rubato {

struct ManifestExtras {
  int64_t events = 0;
  std::string producer;
};

/// Writes the manifest of a schedule-stage module as JSON.
std::string buildManifest(mlir::ModuleOp module, const ManifestExtras &extras);

} // namespace rubato

#endif // RUBATO_SCHEDULE_MANIFEST_H
