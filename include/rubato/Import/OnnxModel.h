// An ONNX model in memory, checked: every name is defined once, nodes are in
// order, every tensor has exactly the bytes that its shape asks for. Needs
// protobuf and the standard library alone, no MLIR.
#ifndef RUBATO_IMPORT_ONNXMODEL_H
#define RUBATO_IMPORT_ONNXMODEL_H

#include "rubato/Import/Diagnostics.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rubato::onnx {

/// Element types, numbered as in the file.
enum class DataType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  Int32 = 6,
  Int64 = 7,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  BFloat16 = 16
};

/// Bytes of one element, 0 for a type that we do not read.
size_t byteSize(DataType type);
std::string_view typeName(DataType type);
inline bool isFloating(DataType type) {
  return type == DataType::Float || type == DataType::Double;
}

/// Product of `dims`, or nothing if one is negative or the product is so large
/// that its bytes could overflow.
std::optional<int64_t> elementCount(const std::vector<int64_t> &dims);

/// A constant tensor. `data` is little-endian, may be unaligned (it can point
/// into a mapped file) and lives as long as the model.
struct Tensor {
  std::string name;
  DataType type = DataType::Undefined;
  std::vector<int64_t> dims;
  std::string_view data;
  bool external = false;

  int64_t elements() const { return *elementCount(dims); }
  /// Elements of a floating tensor.
  double floatAt(int64_t index) const;
  /// Elements of an integer or bool tensor.
  int64_t intAt(int64_t index) const;
};

struct Attribute {
  enum class Kind { Float, Int, String, Tensor, Floats, Ints, Strings, Other };
  std::string name;
  Kind kind = Kind::Other;
  float f = 0;
  int64_t i = 0;
  std::string s;
  Tensor tensor;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
};

struct Node {
  std::string name; // never empty: an unnamed node is called by its output
  std::string opType;
  std::string domain;
  std::vector<std::string> inputs, outputs; // "" is an absent one
  std::vector<Attribute> attributes;
  std::string modulePath;  // "layer4.1.conv2", where the exporter told
  std::string rewriteRule; // what the exporter's optimizer did, if it told

  const Attribute *attribute(std::string_view key) const;
  /// "node 'fc1' (Gemm)": the place that diagnostics name.
  std::string where() const;
  /// "layer4.1/node_conv2d (Conv)": the name that later stages show.
  std::string label() const;
};

/// A dimension is a number, a symbol, or unknown (value -1, no symbol).
struct Dim {
  int64_t value = -1;
  std::string symbol;
};

struct ValueInfo {
  std::string name;
  DataType type = DataType::Undefined;
  bool hasShape = false;
  std::vector<Dim> dims;
};

/// What PyTorch's exporter says about the module's own tensors.
struct Signature {
  bool present = false;
  std::vector<std::string> parameters, buffers;
};
Signature parseSignature(std::string_view text);

/// A file mapped for reading.
class MappedFile;

struct Model {
  std::string path;
  int64_t irVersion = 0, opset = 0;
  std::string producer, producerVersion, graphName;
  std::vector<ValueInfo> inputs; // without those that are initializers
  std::vector<ValueInfo> outputs;
  std::vector<Tensor> initializers;
  std::vector<Node> nodes; // in an order in which they can run
  Signature signature;

  const Tensor *initializer(std::string_view name) const;

  Model();
  ~Model();
  Model(Model &&);
  Model &operator=(Model &&);

  /// Owners of the tensors' bytes.
  std::deque<std::string> storage;
  std::vector<std::unique_ptr<MappedFile>> files;
};

/// Reads and checks the model at `path`; on failure returns nothing and says
/// why in `diagnostics`. Memory is bounded by the sizes of the files.
std::optional<Model> loadModel(const std::string &path,
                               Diagnostics &diagnostics);

/// The same from bytes. External data is looked for beside `path`; an empty
/// `path` (standard input) has none.
std::optional<Model> loadModel(std::string_view bytes, const std::string &path,
                               Diagnostics &diagnostics);

} // namespace rubato::onnx

#endif // RUBATO_IMPORT_ONNXMODEL_H
