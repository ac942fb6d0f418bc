// Functions whose arguments and results say what they are for.
#include "Functions.h"

using namespace mlir;
using namespace rubato;

func::FuncOp rubato::createFunction(OpBuilder &b, Location loc,
                                    nn::TrainingKind kind,
                                    ArrayRef<TrainingArgument> arguments,
                                    ArrayRef<TrainingResult> results) {
  auto typeOf = [](const auto &part) { return part.type; };
  auto func = func::FuncOp::create(
      b, loc, nn::symbolOf(kind),
      b.getFunctionType(llvm::map_to_vector(arguments, typeOf),
                        llvm::map_to_vector(results, typeOf)));
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    func.setArgAttr(
        i, nn::kRoleAttr,
        nn::ArgumentAttr::get(b.getContext(), argument.role, argument.classes));
    if (argument.role == nn::ArgumentRole::Input ||
        argument.role == nn::ArgumentRole::Label)
      func.setArgAttr(i, nn::kNameAttr, b.getStringAttr(argument.name));
  }
  for (auto [i, result] : llvm::enumerate(results))
    func.setResultAttr(i, nn::kRoleAttr,
                       nn::ResultAttr::get(b.getContext(), result.role));
  func.addEntryBlock();
  return func;
}
