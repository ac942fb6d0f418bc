// Which tensors of a model training changes, and why.
#ifndef RUBATO_IMPORT_ROLES_H
#define RUBATO_IMPORT_ROLES_H

#include "rubato/Import/OnnxModel.h"

namespace rubato::onnx {

/// Parameters are trained, frozen tensors are only stored, constants (single
/// numbers) become part of the program.
enum class Role { Parameter, Frozen, Constant };
std::string_view roleName(Role role);

/// A floating-point tensor that the model brings along.
struct StoredTensor {
  std::string name; // of the value in the graph
  Tensor tensor;
  Role role = Role::Frozen;
  std::string reason;   // why it has this role
  int64_t definer = -1; // the Constant or Identity node that gives it, if any
  bool isCopy = false;  // an Identity of an initializer: its own storage
};

struct RoleOptions {
  std::vector<std::string> trainOnly, freeze; // names, or patterns with * and ?
};

struct RolePlan {
  std::vector<StoredTensor> stored;
  /// Parameters of the exporter's signature that the file does not hold.
  std::vector<std::string> missingTargets;

  const StoredTensor *find(std::string_view name) const;
};

/// Decides the role of every floating-point tensor that a node uses: what the
/// exporter's signature says, else by use and name; the options override.
/// Warns where the file looks altered. Fails on an option that names nothing.
std::optional<RolePlan> decideRoles(const Model &model,
                                    const RoleOptions &options,
                                    Diagnostics &diagnostics);

} // namespace rubato::onnx

#endif // RUBATO_IMPORT_ROLES_H
