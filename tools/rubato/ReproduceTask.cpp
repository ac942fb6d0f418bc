// Draws the least-squares task and solves it.
#include "ReproduceTask.h"

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

/// As examples/least-squares/make.py draws, by another generator.
Data draw(double noise) {
  constexpr uint64_t seed = 1234;
  constexpr double spectrum = 30;
  Normal normal(seed);
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

/// x W with W = 0, as one MatMul with a free batch dimension.
std::string modelBytes() {
  namespace proto = rubato::onnx::proto;
  constexpr int32_t isFloat = 1;
  proto::Model model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  proto::Graph &graph = *model.mutable_graph();
  graph.set_name("least-squares");
  proto::Node &node = *graph.add_node();
  node.set_name("product");
  node.set_op_type("MatMul");
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
  describe(*graph.add_input(), "x", kInputs);
  describe(*graph.add_output(), "prediction", 1);
  proto::Tensor &weight = *graph.add_initializer();
  weight.set_name("w");
  weight.set_data_type(isFloat);
  weight.add_dims(kInputs);
  weight.add_dims(1);
  weight.set_raw_data(std::string(kInputs * sizeof(float), '\0'));
  return model.SerializeAsString();
}

} // namespace

llvm::Expected<LeastSquares> writeLeastSquares(const std::string &folder,
                                               double noise) {
  auto inside = [&](const char *name) {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  };
  Data data = draw(noise);
  LeastSquares task;
  task.model = inside("model.onnx");
  task.inputs = inside("x.npy");
  task.labels = inside("y.npy");
  describe(data, task);
  if (llvm::Error error = write(task.model, modelBytes()))
    return error;
  if (llvm::Error error = write(task.inputs, npy(data.x, kInputs)))
    return error;
  if (llvm::Error error = write(task.labels, npy(data.y, 1)))
    return error;
  return task;
}
