// Emitted products against straightforward C++. Sums run in the order of k with
// one rounding per step, so results are compared bit by bit; operands end at a
// page that cannot be touched, so a read past them is a crash.
#include "EmittedKernels.h"
#include "GuardedBuffer.h"

#include "gtest/gtest.h"

#include <array>
#include <cmath>

using namespace rubato::test;

namespace {

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

} // namespace
