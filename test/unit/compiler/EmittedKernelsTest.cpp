// The emitters against straightforward C++. Sums run in the order of k with
// one rounding per step, so results are compared bit by bit; operands end at a
// page that cannot be touched, so a read past them is a crash.
#include "CompiledKernels.h"
#include "GuardedBuffer.h"

#include "rubato/Kernels/Passes.h"
#include "rubato/Target/CPU/Passes.h"

#include "gtest/gtest.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>

using namespace rubato::test;

namespace {

/// Compiles `text` and expects that emitters took every kernel of it.
std::unique_ptr<CompiledKernels> compileEmitted(const std::string &text) {
  auto context = createContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  if (!module)
    return nullptr;
  mlir::PassManager pm(context.get());
  pm.addNestedPass<mlir::func::FuncOp>(rubato::createNnToLinalgPass());
  rubato::buildEmitKernelsPipeline(pm);
  if (failed(pm.run(*module)))
    return nullptr;
  module->walk([](mlir::func::FuncOp func) {
    EXPECT_EQ(func.getNumResults(), 0u) << func.getSymName().str();
  });
  auto kernels = std::make_unique<CompiledKernels>(*context, *module);
  EXPECT_TRUE(kernels->ok()) << kernels->error;
  return kernels;
}

/// What the kernels need from elsewhere, apart from the two that the code
/// generator may call for any loop: no heap, no libm.
std::vector<std::string> needs(const CompiledKernels &kernels) {
  std::vector<std::string> names = kernels.undefinedSymbols();
  std::erase_if(names, [](const std::string &name) {
    return name == "memset" || name == "memcpy";
  });
  return names;
}

enum class Epilogue { None, BiasRelu, Accumulate, Mask, Several };

struct Product {
  int64_t m, n, k;
  bool transposeA, transposeB;
  Epilogue epilogue;

  std::string name() const {
    return "k" + std::to_string(m) + "x" + std::to_string(n) + "x" +
           std::to_string(k) + (transposeA ? "t" : "n") +
           (transposeB ? "t" : "n") + std::to_string(int(epilogue));
  }
  std::string text() const;
  void check(const CompiledKernels &kernels, bool alias) const;
};

std::string shape(int64_t rows, int64_t cols) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(cols) +
         "xf32>";
}

std::string Product::text() const {
  std::string head = R"(
    func.func private @NAME(%a: AT, %b: BT EXTRA) -> RESULT attributes {rubato.kernel} {
      %p = nn.matmul %a, %b {FLAGS} : AT, BT -> CT
)";
  std::string extra, body, result = "CT";
  switch (epilogue) {
  case Epilogue::None:
    body = "return %p : CT";
    break;
  case Epilogue::BiasRelu:
    extra = ", %c: tensor<COLSxf32>";
    body = R"(
      %0 = nn.broadcast %c dims [1] : tensor<COLSxf32> -> CT
      %1 = arith.addf %p, %0 : CT
      %2 = nn.relu %1 : CT
      return %2 : CT)";
    break;
  case Epilogue::Accumulate:
    extra = ", %c: CT";
    body = R"(
      %0 = arith.addf %c, %p : CT
      return %0 : CT)";
    break;
  case Epilogue::Mask:
    extra = ", %c: CT";
    body = R"(
      %zero = arith.constant dense<0.0> : CT
      %0 = arith.cmpf ogt, %c, %zero : CT
      %1 = arith.select %0, %p, %zero : tensor<ROWSxCOLSxi1>, CT
      return %1 : CT)";
    break;
  case Epilogue::Several:
    extra = ", %c: CT, %d: tensor<ROWSxf32>, %e: tensor<f32>";
    body = R"(
      %0 = nn.broadcast %d dims [0] : tensor<ROWSxf32> -> CT
      %1 = nn.broadcast %e dims [] : tensor<f32> -> CT
      %2 = arith.addf %p, %c : CT
      %3 = arith.mulf %2, %0 : CT
      %4 = arith.subf %p, %1 : CT
      return %3, %4 : CT, CT)";
    result = "(CT, CT)";
    break;
  }
  std::string flags;
  if (transposeA)
    flags += "transpose_lhs";
  if (transposeB)
    flags += flags.empty() ? "transpose_rhs" : ", transpose_rhs";
  std::string all = head + body + "\n    }\n";
  for (auto [from, to] :
       std::initializer_list<std::pair<std::string, std::string>>{
           {"NAME", name()},
           {"EXTRA", extra},
           {"RESULT", result},
           {"FLAGS", flags},
           {"AT", transposeA ? shape(k, m) : shape(m, k)},
           {"BT", transposeB ? shape(n, k) : shape(k, n)},
           {"CT", shape(m, n)},
           {"ROWS", std::to_string(m)},
           {"COLS", std::to_string(n)}})
    all = substitute(all, from, to);
  return all;
}

void Product::check(const CompiledKernels &kernels, bool alias) const {
  size_t size = m * n;
  GuardedBuffer a(m * k, 1), b(n * k, 2), bias(n, 3), c(size, 4), rows(m, 5),
      scalar(1, 6), out(size, 7), second(size, 8);
  std::vector<float> old(c.data(), c.data() + size);
  float *result = alias ? c.data() : out.data();
  std::vector<void *> arguments{a.data(), b.data()};
  if (epilogue == Epilogue::BiasRelu)
    arguments.push_back(bias.data());
  else if (epilogue != Epilogue::None)
    arguments.push_back(c.data());
  if (epilogue == Epilogue::Several)
    arguments.insert(arguments.end(), {rows.data(), scalar.data()});
  arguments.push_back(result);
  if (epilogue == Epilogue::Several)
    arguments.push_back(second.data());
  kernels.call(name(), arguments);

  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t t = 0; t < k; ++t)
        sum = std::fma(a[transposeA ? t * m + i : i * k + t],
                       b[transposeB ? j * k + t : t * n + j], sum);
      float x = old[i * n + j], want = sum;
      if (epilogue == Epilogue::BiasRelu)
        want = 0 > sum + bias[j] ? 0 : sum + bias[j];
      else if (epilogue == Epilogue::Accumulate)
        want = x + sum;
      else if (epilogue == Epilogue::Mask)
        want = x > 0 ? sum : 0;
      else if (epilogue == Epilogue::Several)
        want = (sum + x) * rows[i];
      ASSERT_EQ(result[i * n + j], want)
          << name() << " alias " << alias << " at " << i << ", " << j;
      if (epilogue == Epilogue::Several)
        ASSERT_EQ(second[i * n + j], sum - scalar[0]) << name();
    }
}

/// Every transposition of each size; the epilogue goes round.
void checkProducts(std::initializer_list<std::array<int64_t, 3>> sizes) {
  std::vector<Product> products;
  std::string text;
  for (auto [m, n, k] : sizes)
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        products.push_back({m, n, k, ta, tb, Epilogue(products.size() % 5)});
        text += products.back().text();
      }
  auto kernels = compileEmitted(text);
  ASSERT_TRUE(kernels && kernels->ok());
  EXPECT_EQ(needs(*kernels), std::vector<std::string>());
  for (const Product &product : products) {
    product.check(*kernels, /*alias=*/false);
    if (product.epilogue >= Epilogue::Accumulate)
      product.check(*kernels, /*alias=*/true);
  }
}

TEST(EmittedContractions, SmallSizes) {
  checkProducts({{1, 1, 1},
                 {1, 16, 2},
                 {2, 7, 5},
                 {5, 17, 10},
                 {7, 10, 16},
                 {16, 5, 17},
                 {17, 33, 7},
                 {13, 2, 9},
                 {6, 31, 8}});
}

TEST(EmittedContractions, SeveralTiles) {
  checkProducts({{64, 100, 17}, {100, 64, 33}, {128, 10, 100}, {10, 512, 64}});
}

TEST(EmittedContractions, RowBlocks) { // and A packed when transposed
  checkProducts({{301, 33, 260}, {259, 17, 64}});
}

TEST(EmittedContractions, BlocksOfK) { // sums rest in scratch
  checkProducts({{13, 21, 2051}, {70, 17, 4100}});
}

TEST(EmittedElementwise, AnyRangeInPlace) {
  auto kernels = compileEmitted(R"(
    func.func private @step(%w: tensor<101xf32>, %v: tensor<101xf32>, %g: tensor<101xf32>, %lr: tensor<f32>) -> (tensor<101xf32>, tensor<101xf32>) attributes {rubato.kernel} {
      %mu = arith.constant dense<0.9> : tensor<101xf32>
      %l = nn.broadcast %lr dims [] : tensor<f32> -> tensor<101xf32>
      %0 = arith.mulf %mu, %v : tensor<101xf32>
      %1 = arith.addf %0, %g : tensor<101xf32>
      %2 = arith.mulf %l, %1 : tensor<101xf32>
      %3 = arith.subf %w, %2 : tensor<101xf32>
      return %3, %1 : tensor<101xf32>, tensor<101xf32>
    })");
  ASSERT_TRUE(kernels && kernels->ok());
  for (auto [lo, hi] :
       {std::pair{0, 101}, {0, 0}, {3, 4}, {5, 37}, {50, 101}}) {
    GuardedBuffer w(101, 1), v(101, 2), g(101, 3), lr(1, 4);
    std::vector<float> w0(w.data(), w.data() + 101),
        v0(v.data(), v.data() + 101);
    kernels->call("step",
                  {w.data(), v.data(), g.data(), lr.data(), w.data(), v.data()},
                  lo, hi);
    for (int i = 0; i < 101; ++i) {
      bool in = i >= lo && i < hi;
      volatile float scaled = 0.9f * v0[i]; // two roundings
      float velocity = scaled + g[i];
      volatile float move = lr[0] * velocity;
      EXPECT_EQ(v[i], in ? velocity : v0[i]) << lo << ", " << hi << " at " << i;
      EXPECT_EQ(w[i], in ? w0[i] - move : w0[i]);
    }
  }
}

TEST(EmittedElementwise, RowsWithBroadcasts) {
  for (int cols : {1, 7, 16, 45}) {
    std::string text = substitute(R"(
      func.func private @rows(%x: tensor<9xCOLSxf32>, %b: tensor<COLSxf32>, %s: tensor<9xf32>) -> tensor<9xCOLSxf32> attributes {rubato.kernel} {
        %0 = nn.broadcast %b dims [1] : tensor<COLSxf32> -> tensor<9xCOLSxf32>
        %1 = nn.broadcast %s dims [0] : tensor<9xf32> -> tensor<9xCOLSxf32>
        %2 = arith.addf %x, %0 : tensor<9xCOLSxf32>
        %3 = arith.mulf %2, %1 : tensor<9xCOLSxf32>
        %4 = math.tanh %3 : tensor<9xCOLSxf32>
        return %4 : tensor<9xCOLSxf32>
      })",
                                  "COLS", std::to_string(cols));
    auto kernels = compileEmitted(text);
    ASSERT_TRUE(kernels && kernels->ok());
    EXPECT_EQ(needs(*kernels), std::vector<std::string>());
    GuardedBuffer x(9 * cols, 1), b(cols, 2), s(9, 3), y(9 * cols, 4);
    std::vector<float> old(y.data(), y.data() + 9 * cols);
    kernels->call("rows", {x.data(), b.data(), s.data(), y.data()}, 2, 8);
    for (int i = 0; i < 9 * cols; ++i) {
      int row = i / cols;
      if (row < 2 || row >= 8)
        EXPECT_EQ(y[i], old[i]);
      else
        EXPECT_NEAR(y[i], std::tanh((x[i] + b[i % cols]) * s[row]), 1e-6);
    }
  }
}

TEST(EmittedElementwise, OtherTypesAndRanks) {
  auto kernels = compileEmitted(R"(
    func.func private @double(%x: tensor<21xf64>, %y: tensor<21xf64>) -> tensor<21xf64> attributes {rubato.kernel} {
      %0 = arith.mulf %x, %y : tensor<21xf64>
      %1 = arith.subf %0, %x : tensor<21xf64>
      return %1 : tensor<21xf64>
    }
    func.func private @integers(%x: tensor<21xi64>, %y: tensor<21xf32>) -> tensor<21xf32> attributes {rubato.kernel} {
      %two = arith.constant dense<2> : tensor<21xi64>
      %zero = arith.constant dense<0.0> : tensor<21xf32>
      %0 = arith.cmpi sgt, %x, %two : tensor<21xi64>
      %1 = arith.select %0, %y, %zero : tensor<21xi1>, tensor<21xf32>
      return %1 : tensor<21xf32>
    }
    func.func private @cube(%x: tensor<2x3x19xf32>, %b: tensor<3xf32>) -> tensor<2x3x19xf32> attributes {rubato.kernel} {
      %0 = nn.broadcast %b dims [1] : tensor<3xf32> -> tensor<2x3x19xf32>
      %1 = arith.addf %x, %0 : tensor<2x3x19xf32>
      return %1 : tensor<2x3x19xf32>
    })");
  ASSERT_TRUE(kernels && kernels->ok());
  auto x = numbers<double>(21, 1), y = numbers<double>(21, 2);
  std::vector<double> z(21);
  kernels->call("double", {x.data(), y.data(), z.data()}, 0, 21);
  for (int i = 0; i < 21; ++i) {
    volatile double product = x[i] * y[i]; // two roundings
    EXPECT_EQ(z[i], product - x[i]);
  }

  std::vector<int64_t> labels(21);
  for (int i = 0; i < 21; ++i)
    labels[i] = i % 5;
  GuardedBuffer value(21, 3), chosen(21, 4);
  kernels->call("integers", {labels.data(), value.data(), chosen.data()}, 0,
                21);
  for (int i = 0; i < 21; ++i)
    EXPECT_EQ(chosen[i], i % 5 > 2 ? value[i] : 0);

  GuardedBuffer cube(2 * 3 * 19, 5), bias(3, 6), sum(2 * 3 * 19, 7);
  kernels->call("cube", {cube.data(), bias.data(), sum.data()}, 0, 2);
  for (int i = 0; i < 2 * 3 * 19; ++i)
    EXPECT_EQ(sum[i], cube[i] + bias[i / 19 % 3]) << i;
}

TEST(EmittedReductions, ColumnSums) {
  for (int cols : {1, 10, 32, 77}) {
    std::string text = substitute(R"(
      func.func private @sum(%x: tensor<37xCOLSxf32>) -> tensor<COLSxf32> attributes {rubato.kernel} {
        %0 = nn.reduce sum %x dims [0] : tensor<37xCOLSxf32> -> tensor<COLSxf32>
        return %0 : tensor<COLSxf32>
      }
      func.func private @accumulate(%x: tensor<37xCOLSxf32>, %g: tensor<COLSxf32>) -> tensor<COLSxf32> attributes {rubato.kernel} {
        %0 = nn.reduce sum %x dims [0] : tensor<37xCOLSxf32> -> tensor<COLSxf32>
        %1 = arith.addf %g, %0 : tensor<COLSxf32>
        return %1 : tensor<COLSxf32>
      })",
                                  "COLS", std::to_string(cols));
    auto kernels = compileEmitted(text);
    ASSERT_TRUE(kernels && kernels->ok());
    GuardedBuffer x(37 * cols, 1), g(cols, 2), y(cols, 3);
    std::vector<float> old(g.data(), g.data() + cols);
    kernels->call("sum", {x.data(), y.data()});
    kernels->call("accumulate", {x.data(), g.data(), g.data()});
    for (int j = 0; j < cols; ++j) {
      float sum = 0;
      for (int i = 0; i < 37; ++i)
        sum += x[i * cols + j];
      EXPECT_EQ(y[j], sum);
      EXPECT_EQ(g[j], old[j] + sum);
    }
  }
}

} // namespace
