// The inference model that a trained program writes: the original graph,
// cleaned, serialised, with holes where weights go.
#ifndef RUBATO_IMPORT_TEMPLATE_H
#define RUBATO_IMPORT_TEMPLATE_H

#include "rubato/Import/Roles.h"

namespace rubato::onnx {

/// A tensor whose bytes the template leaves out, for they stand in the weights
/// file already.
struct Hole {
  std::string tensor;
  uint64_t offset = 0, bytes = 0; // in the finished file
  DataType type = DataType::Float;
};

struct Template {
  std::string bytes;       // the file, without what belongs into the holes
  std::vector<Hole> holes; // in the order of the file
};

/// Serialises `model` without the exporter's metadata and with all data
/// inline. Tensors with their own storage become initializers of their own.
/// What the weights file keeps, in elements of type `stored`, is left out where
/// it can be put back to the bit. Fails if the finished file would be larger
/// than an ONNX file can be.
std::optional<Template> buildTemplate(const Model &model, const RolePlan &plan,
                                      DataType stored,
                                      Diagnostics &diagnostics);

} // namespace rubato::onnx

#endif // RUBATO_IMPORT_TEMPLATE_H
