// Texts of the measured kernels, and their way through the compiler.
#include "Kernels.h"

#include "rubato/Kernels/Passes.h"
#include "rubato/Support/Register.h"
#include "rubato/Target/CPU/CodeGen.h"
#include "rubato/Target/CPU/Link.h"
#include "rubato/Target/CPU/Passes.h"

#include "mlir/IR/Dialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace mlir;
using namespace rubato::bench;

enum class Epilogue { None, BiasRelu, Bias, Accumulate, Mask };

static std::string matrix(int64_t rows, int64_t cols) {
  return "tensor<" + std::to_string(rows) + "x" + std::to_string(cols) +
         "xf32>";
}

static Kernel product(const std::string &what, int64_t m, int64_t n, int64_t k,
                      const std::string &kind, Epilogue epilogue) {
  bool ta = kind[0] == 'T', tb = kind[1] == 'T';
  std::string size =
      std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  Kernel kernel;
  kernel.name = what + " " + size + " " + kind;
  kernel.label = kernel.name;
  kernel.flops = 2.0 * m * n * k;
  kernel.buffers = {m * k, n * k};
  std::string a = ta ? matrix(k, m) : matrix(m, k);
  std::string b = tb ? matrix(n, k) : matrix(k, n);
  std::string c = matrix(m, n), bias = "tensor<" + std::to_string(n) + "xf32>";
  std::string extra, body, result = "%p";
  switch (epilogue) {
  case Epilogue::None:
    break;
  case Epilogue::Bias:
  case Epilogue::BiasRelu:
    extra = ", %c: " + bias;
    body = "%0 = nn.broadcast %c dims [1] : " + bias + " -> " + c +
           "\n%1 = arith.addf %p, %0 : " + c + "\n";
    result = "%1";
    if (epilogue == Epilogue::BiasRelu) {
      body += "%2 = nn.relu %1 : " + c + "\n";
      result = "%2";
    }
    kernel.buffers.push_back(n);
    break;
  case Epilogue::Accumulate:
    extra = ", %c: " + c;
    body = "%0 = arith.addf %c, %p : " + c + "\n";
    result = "%0";
    kernel.buffers.push_back(m * n);
    break;
  case Epilogue::Mask:
    extra = ", %c: " + c;
    body = "%z = arith.constant dense<0.0> : " + c +
           "\n%0 = arith.cmpf ogt, %c, %z : " + c +
           "\n%1 = arith.select %0, %p, %z : tensor<" + std::to_string(m) +
           "x" + std::to_string(n) + "xi1>, " + c + "\n";
    result = "%1";
    kernel.buffers.push_back(m * n);
    break;
  }
  kernel.buffers.push_back(m * n);
  std::string flags = std::string(ta ? "transpose_lhs" : "") +
                      (ta && tb ? ", " : "") + (tb ? "transpose_rhs" : "");
  kernel.text = "func.func private @\"" + kernel.name + "\"(%a: " + a +
                ", %b: " + b + extra + ") -> " + c +
                " attributes {rubato.kernel} {\n%p = nn.matmul %a, %b {" +
                flags + "} : " + a + ", " + b + " -> " + c + "\n" + body +
                "return " + result + " : " + c + "\n}\n";
  return kernel;
}

std::vector<Kernel> rubato::bench::perceptronKernels(int64_t batch) {
  return {
      product("product", batch, 512, 784, "NT", Epilogue::None),
      product("product", 512, 784, batch, "TN", Epilogue::None),
      product("product", batch, 512, 512, "NT", Epilogue::None),
      product("product", batch, 512, 512, "NN", Epilogue::None),
      product("bias+relu", batch, 512, 784, "NT", Epilogue::BiasRelu),
      product("dW+=", 512, 784, batch, "TN", Epilogue::Accumulate),
      product("dX masked", batch, 512, 512, "NN", Epilogue::Mask),
      product("head", batch, 10, 512, "NT", Epilogue::Bias),
      product("head dW+=", 10, 512, batch, "TN", Epilogue::Accumulate),
      product("head dX masked", batch, 512, 10, "NN", Epilogue::Mask),
  };
}

Kernel rubato::bench::momentumKernel() {
  constexpr int64_t size = 669706;
  Kernel kernel;
  kernel.name = kernel.label = "momentum step";
  kernel.bytes = 5.0 * 4 * size;
  kernel.extent = size;
  kernel.buffers = {size, size, size, 1, size, size};
  std::string t = "tensor<" + std::to_string(size) + "xf32>";
  kernel.text =
      "func.func private @\"momentum step\"(%w: " + t + ", %v: " + t +
      ", %g: " + t + ", %lr: tensor<f32>) -> (" + t + ", " + t +
      ") attributes {rubato.kernel} {\n"
      "%mu = arith.constant dense<0.9> : " +
      t + "\n%l = nn.broadcast %lr dims [] : tensor<f32> -> " + t +
      "\n%0 = arith.mulf %mu, %v : " + t + "\n%1 = arith.addf %0, %g : " + t +
      "\n%2 = arith.mulf %l, %1 : " + t + "\n%3 = arith.subf %w, %2 : " + t +
      "\nreturn %3, %1 : " + t + ", " + t + "\n}\n";
  return kernel;
}

bool rubato::bench::compile(std::vector<Kernel> &kernels) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  std::string text;
  for (const Kernel &kernel : kernels)
    text += kernel.text;
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return false;
  PassManager pm(&context);
  pm.addNestedPass<func::FuncOp>(createNnToLinalgPass());
  buildEmitKernelsPipeline(pm);
  buildKernelsToLLVMPipeline(pm);
  SmallVector<char> object;
  SmallString<128> path;
  if (failed(pm.run(*module)) || failed(emitObject(*module, {}, object)) ||
      llvm::sys::fs::createTemporaryFile("rubato-bench", "so", path))
    return false;
  LogicalResult linked = linkShared({StringRef(object.data(), object.size())},
                                    path, [&] { return module->emitError(); });
  void *library =
      succeeded(linked) ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  llvm::sys::fs::remove(path);
  if (!library)
    return false;
  for (Kernel &kernel : kernels) {
    kernel.run =
        reinterpret_cast<KernelFn>(dlsym(library, kernel.name.c_str()));
    if (!kernel.run)
      return false;
  }
  return true;
}
