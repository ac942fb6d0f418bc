// Every nn operation evaluated by itself against its lowering to linalg: two
// ways to the same numbers, the second through maps and bodies.
#include "Programs.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace rubato::test;
using namespace rubato::interp;

namespace {

/// Reproducible numbers of a tensor type: floats in [-2, 2], labels in 0 to 3.
Value sample(mlir::Type type, unsigned seed) {
  return withElement(*elementOf(type), [&](auto zero) {
    using T = decltype(zero);
    return Value::build<T>(type, [&](llvm::MutableArrayRef<T> out) {
      for (size_t i = 0; i != out.size(); ++i)
        out[i] = std::is_same_v<T, int64_t>
                     ? T((3 * i + seed) % 4)
                     : T(2 * std::sin(double(1 + i) * (seed + 1.7)));
    });
  });
}

TEST(Lowering, AgreesWithTheDirectMeaning) {
  std::error_code code;
  unsigned compared = 0;
  for (llvm::sys::fs::directory_iterator
           it(RUBATO_TEST_DIRECTORY "/gradients", code),
       end;
       it != end && !code; it.increment(code)) {
    if (llvm::sys::path::extension(it->path()) != ".mlir")
      continue;
    SCOPED_TRACE(it->path());
    auto file = llvm::MemoryBuffer::getFile(it->path());
    ASSERT_TRUE(file);
    Program program((*file)->getBuffer().str());
    ASSERT_TRUE(program.module) << program.errors;
    std::vector<std::string> names;
    for (auto function : program.module->getOps<mlir::func::FuncOp>())
      names.push_back(function.getSymName().str());
    auto evaluateAll = [&] {
      std::vector<Value> results;
      for (const std::string &name : names) {
        std::vector<Value> arguments;
        for (mlir::Type type : program.function(name).getArgumentTypes())
          arguments.push_back(sample(type, arguments.size()));
        std::vector<Value> part = program.call(arguments, name);
        EXPECT_FALSE(part.empty()) << name << ": " << program.errors;
        results.insert(results.end(), part.begin(), part.end());
      }
      return results;
    };
    std::vector<Value> direct = evaluateAll();
    ASSERT_TRUE(program.run("func.func(nn-to-linalg)")) << program.errors;
    std::vector<Value> lowered = evaluateAll();
    ASSERT_EQ(direct.size(), lowered.size());
    for (size_t i = 0; i != direct.size(); ++i) {
      ASSERT_EQ(direct[i].type(), lowered[i].type());
      for (int64_t j = 0; j != direct[i].size(); ++j, ++compared) {
        double want = lowered[i].floatAt(j);
        EXPECT_NEAR(direct[i].floatAt(j), want, 1e-12 * (1 + std::abs(want)));
      }
    }
  }
  EXPECT_GT(compared, 100u);
}

} // namespace
