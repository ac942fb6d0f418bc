// Draws the tasks, and solves the one of least squares.
#include "Task.h"

#include "Normal.h"

#include "onnx.pb.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace {

constexpr size_t kRows = 2000, kInputs = 30;
using Square = std::vector<std::vector<double>>;

/// Normal numbers that are the same with every C++ library.
class Normal {
public:
  explicit Normal(uint64_t seed) : bits(seed) {}
  double operator()() {
    double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

private:
  /// In (0, 1].
  double uniform() { return (static_cast<double>(bits() >> 11) + 1) * 0x1p-53; }
  std::mt19937_64 bits;
};

struct Data {
  std::vector<float> x, y;
};

/// As examples/least-squares/make.py draws, by a generator of our own or by
/// that of the reference.
template <typename Normal> Data draw(double noise, Normal normal) {
  constexpr double spectrum = 30;
  std::vector<double> scale(kInputs), weights(kInputs), x(kRows * kInputs);
  for (size_t j = 0; j != kInputs; ++j)
    scale[j] =
        std::pow(spectrum, -0.5 * static_cast<double>(j) / (kInputs - 1));
  for (size_t i = 0; i != x.size(); ++i)
    x[i] = scale[i % kInputs] * normal();
  for (size_t j = 0; j != kInputs; ++j)
    weights[j] = normal() / scale[j];
  Data data;
  for (size_t k = 0; k != kRows; ++k) {
    double label = noise * normal();
    for (size_t j = 0; j != kInputs; ++j)
      label += x[k * kInputs + j] * weights[j];
    data.y.push_back(static_cast<float>(label));
  }
  data.x.assign(x.begin(), x.end());
  return data;
}

/// Solves a w = b for a positive definite matrix, by Cholesky's factors.
std::vector<double> solve(Square a, std::vector<double> b) {
  for (size_t j = 0; j != kInputs; ++j) {
    for (size_t k = 0; k != j; ++k)
      for (size_t i = j; i != kInputs; ++i)
        a[i][j] -= a[i][k] * a[j][k];
    double root = std::sqrt(a[j][j]);
    for (size_t i = j; i != kInputs; ++i)
      a[i][j] /= root;
  }
  for (size_t i = 0; i != kInputs; ++i) {
    for (size_t k = 0; k != i; ++k)
      b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (size_t i = kInputs; i-- != 0;) {
    for (size_t k = i + 1; k != kInputs; ++k)
      b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

double largestEigenvalue(const Square &a) {
  constexpr int iterations = 3000; // neighbours differ by a tenth
  std::vector<double> v(kInputs, 1);
  double norm = 0;
  for (int i = 0; i != iterations; ++i) {
    std::vector<double> next(kInputs);
    for (size_t r = 0; r != kInputs; ++r)
      for (size_t c = 0; c != kInputs; ++c)
        next[r] += a[r][c] * v[c];
    norm = 0;
    for (double value : next)
      norm += value * value;
    norm = std::sqrt(norm);
    for (size_t r = 0; r != kInputs; ++r)
      v[r] = next[r] / norm;
  }
  return norm;
}

/// What the realisation is like.
void describe(const Data &data, LeastSquares &task) {
  Square hessian(kInputs, std::vector<double>(kInputs));
  std::vector<double> right(kInputs);
  double squares = 0;
  for (size_t k = 0; k != kRows; ++k) {
    const float *row = &data.x[k * kInputs];
    double label = data.y[k];
    squares += label * label / kRows;
    for (size_t i = 0; i != kInputs; ++i) {
      right[i] += row[i] * label / kRows;
      for (size_t j = 0; j != kInputs; ++j)
        hessian[i][j] += static_cast<double>(row[i]) * row[j] / kRows;
    }
  }
  std::vector<double> best = solve(hessian, right);
  // At the optimum half of what the labels have is explained.
  for (size_t i = 0; i != kInputs; ++i)
    task.gap += 0.5 * right[i] * best[i];
  task.optimum = 0.5 * squares - task.gap;
  task.curvature = largestEigenvalue(hessian);
}

llvm::Error write(const std::string &path, llvm::StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (!code) {
    file << bytes;
    file.close();
    code = file.error();
    file.clear_error();
  }
  if (code)
    return llvm::createStringError(code, "cannot write '" + path +
                                             "': " + code.message());
  return llvm::Error::success();
}

/// A matrix of 32-bit floats in numpy's format.
std::string npy(const std::vector<float> &values, size_t columns) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(values.size() / columns) + ", " +
                       std::to_string(columns) + "), }";
  constexpr size_t preamble = 10, alignment = 64;
  header.append(alignment - 1 - (preamble + header.size()) % alignment, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  return bytes.append(reinterpret_cast<const char *>(values.data()),
                      values.size() * sizeof(float));
}

/// One operation on x and the weight w = 0, with a free batch dimension.
struct ModelShape {
  const char *name, *operation;
  size_t inputs, outputs;
  std::vector<size_t> weight;
};

std::string modelBytes(const ModelShape &shape) {
  namespace proto = rubato::onnx::proto;
  constexpr int32_t isFloat = 1;
  proto::Model model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  proto::Graph &graph = *model.mutable_graph();
  graph.set_name(shape.name);
  proto::Node &node = *graph.add_node();
  node.set_name("node");
  node.set_op_type(shape.operation);
  node.add_input("x");
  node.add_input("w");
  node.add_output("prediction");
  auto describe = [&](proto::ValueInfo &value, const char *name, size_t size) {
    value.set_name(name);
    proto::TensorType &type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(isFloat);
    type.mutable_shape()->add_dim()->set_dim_param("batch");
    type.mutable_shape()->add_dim()->set_dim_value(static_cast<int64_t>(size));
  };
  describe(*graph.add_input(), "x", shape.inputs);
  describe(*graph.add_output(), "prediction", shape.outputs);
  proto::Tensor &weight = *graph.add_initializer();
  weight.set_name("w");
  weight.set_data_type(isFloat);
  size_t count = 1;
  for (size_t size : shape.weight) {
    weight.add_dims(static_cast<int64_t>(size));
    count *= size;
  }
  weight.set_raw_data(std::string(count * sizeof(float), '\0'));
  return model.SerializeAsString();
}

std::string fileIn(const std::string &folder, const char *name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

} // namespace

llvm::Expected<LeastSquares> writeLeastSquares(const std::string &folder,
                                               double noise, bool ofReference) {
  auto inside = [&](const char *name) { return fileIn(folder, name); };
  constexpr uint64_t seed = 1234;
  Data data =
      ofReference ? draw(noise, ReferenceNormal()) : draw(noise, Normal(seed));
  LeastSquares task;
  task.model = inside("model.onnx");
  task.inputs = inside("x.npy");
  task.labels = inside("y.npy");
  describe(data, task);
  if (llvm::Error error = write(
          task.model,
          modelBytes({"least-squares", "MatMul", kInputs, 1, {kInputs, 1}})))
    return error;
  if (llvm::Error error = write(task.inputs, npy(data.x, kInputs)))
    return error;
  if (llvm::Error error = write(task.labels, npy(data.y, 1)))
    return error;
  return task;
}

llvm::Expected<Quadratic> writeQuadratic(const std::string &folder) {
  constexpr uint64_t seed = 1234;
  constexpr size_t rows = 4096, size = Quadratic::size;
  Normal normal(seed);
  std::vector<float> noise(rows * size), zeros(rows * size);
  for (float &value : noise)
    value = static_cast<float>(normal());
  std::vector<float> row(noise.begin(), noise.begin() + size);
  Quadratic task;
  const std::pair<std::string *, const char *> files[] = {
      {&task.model, "model.onnx"},
      {&task.inputs, "x.npy"},
      {&task.labels, "y.npy"},
      {&task.evalInputs, "eval-x.npy"},
      {&task.evalLabels, "eval-y.npy"}};
  const std::string contents[] = {
      modelBytes({"quadratic", "Add", size, size, {size}}), npy(noise, size),
      npy(zeros, size), npy(row, size), npy(std::vector<float>(size), size)};
  for (size_t i = 0; i != std::size(files); ++i) {
    *files[i].first = fileIn(folder, files[i].second);
    if (llvm::Error error = write(*files[i].first, contents[i]))
      return error;
  }
  return task;
}
