// Parsing and running of small functions.
#include "Programs.h"

#include "rubato/Support/Register.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace rubato::test {

static DialectRegistry &registry() {
  static DialectRegistry *all = [] {
    auto *made = new DialectRegistry;
    registerDialects(*made);
    registerPasses();
    return made;
  }();
  return *all;
}

Program::Program(const std::string &text)
    : context(registry(), MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  handler =
      context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
        errors += diagnostic.str() + "\n";
        return success();
      });
  module = parseSourceString<ModuleOp>(text, &context);
}

Program::~Program() { context.getDiagEngine().eraseHandler(handler); }

func::FuncOp Program::function(StringRef name) {
  return module ? module->lookupSymbol<func::FuncOp>(name) : nullptr;
}

Type Program::type(StringRef text) { return parseType(text, &context); }

bool Program::run(StringRef pipeline) {
  PassManager passes(&context, ModuleOp::getOperationName());
  return succeeded(parsePassPipeline(pipeline, passes)) &&
         succeeded(passes.run(*module));
}

std::vector<interp::Value> Program::call(ArrayRef<interp::Value> arguments,
                                         StringRef name) {
  func::FuncOp callee = function(name);
  if (!callee) {
    errors += "no such function\n";
    return {};
  }
  FailureOr<SmallVector<interp::Value>> results =
      interp::evaluateFunction(callee, arguments);
  if (failed(results))
    return {};
  return std::vector<interp::Value>(results->begin(), results->end());
}

std::vector<double> numbersOf(const std::string &body, const std::string &type,
                              std::string *errors) {
  Program program("func.func @f() -> " + type + " {\n" + body +
                  "\nreturn %r : " + type + "\n}");
  std::vector<interp::Value> results = program.call();
  if (errors)
    *errors = program.errors;
  if (results.size() != 1 || !results[0].isKnown())
    return {};
  return doubles(results[0]);
}

std::vector<double> doubles(const interp::Value &value) {
  std::vector<double> numbers;
  for (int64_t i = 0; i != value.size(); ++i)
    numbers.push_back(value.floatAt(i));
  return numbers;
}

} // namespace rubato::test
