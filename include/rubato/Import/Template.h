// The inference model that a trained program writes: the original graph,
// cleaned, serialised, with the places where trained weights go.
#ifndef RUBATO_IMPORT_TEMPLATE_H
#define RUBATO_IMPORT_TEMPLATE_H

#include "rubato/Import/Roles.h"

namespace rubato::onnx {

/// Where the bytes of one parameter lie in the template.
struct Patch {
  std::string slot;
  uint64_t offset = 0, bytes = 0;
  DataType type = DataType::Float;
};

struct Template {
  std::string bytes;
  std::vector<Patch> patches; // one per tensor of role parameter
};

/// Serialises `model` without the exporter's metadata and with all data
/// inline. Tensors with their own storage become initializers of their own.
/// Fails if the result would be larger than an ONNX file can be.
std::optional<Template> buildTemplate(const Model &model, const RolePlan &plan,
                                      Diagnostics &diagnostics);

} // namespace rubato::onnx

#endif // RUBATO_IMPORT_TEMPLATE_H
