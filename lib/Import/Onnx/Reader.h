// The steps of reading a model; internal to the reader.
#ifndef RUBATO_LIB_IMPORT_ONNX_READER_H
#define RUBATO_LIB_IMPORT_ONNX_READER_H

#include "rubato/Import/OnnxModel.h"

#include "onnx.pb.h"

#include <unordered_map>

namespace rubato::onnx {

/// Turns the parsed file into a Model. Every step returns false after it has
/// reported what is wrong.
class Reader {
public:
  Reader(Model &model, Diagnostics &diagnostics)
      : model(model), diagnostics(diagnostics) {}

  /// Versions and the graph; moves large data out of `file`.
  bool read(proto::Model &file);

private:
  bool readVersions(const proto::Model &file);
  bool readGraph(proto::Graph &graph);
  bool readNode(proto::Node &from, size_t index);
  bool readAttribute(proto::Attribute &from, const std::string &where,
                     Attribute &to);
  /// All forms of Constant become the one with a tensor called `value`.
  void normalizeConstant(Node &node);
  bool readValueInfo(const proto::ValueInfo &from, const char *what,
                     ValueInfo &to);
  /// Every value is defined once and before its use; sorts the nodes.
  bool orderNodes();
  /// Names a node of the cycle; `missing` counts the inputs each waits for.
  bool reportCycle(const std::unordered_map<std::string, int64_t> &definer,
                   const std::vector<size_t> &missing);

  bool readTensor(proto::Tensor &from, const std::string &where, Tensor &to);
  bool readExternal(const proto::Tensor &from, const std::string &where,
                    size_t bytes, Tensor &to);
  bool readTyped(const proto::Tensor &from, const std::string &where,
                 int64_t count, Tensor &to);
  /// The file called `location` beside the model, never outside its folder.
  MappedFile *openBeside(const std::string &location, const std::string &where);

  Model &model;
  Diagnostics &diagnostics;
};

/// "layer4.1.conv2" from the exporter's metadata of a node.
std::string modulePath(const proto::Node &node);

} // namespace rubato::onnx

#endif // RUBATO_LIB_IMPORT_ONNX_READER_H
