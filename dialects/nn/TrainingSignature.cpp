// Finds training functions, and their arguments and results by role.
#include "dialects/nn/TrainingSignature.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::nn;

StringRef nn::symbolOf(TrainingKind kind) {
  switch (kind) {
  case TrainingKind::Gradient:
    return "gradient";
  case TrainingKind::Evaluate:
    return "evaluate";
  case TrainingKind::Step:
    return "step";
  case TrainingKind::LearningRate:
    return "lr";
  }
  llvm_unreachable("not a training function");
}

FailureOr<TrainingSignature> TrainingSignature::find(ModuleOp module,
                                                     TrainingKind kind) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(
      module.lookupSymbol(symbolOf(kind)));
  if (!function)
    return module.emitError("has no training function @")
           << symbolOf(kind) << "; run build-training first";
  TrainingSignature signature(function);
  if (failed(signature.verifyRoles(kind)) || failed(signature.verifyTypes()) ||
      failed(signature.verifyBatch()) || failed(signature.verifyState()))
    return failure();
  return signature;
}

FailureOr<TrainingSignature> TrainingSignature::findDefined(ModuleOp module,
                                                            TrainingKind kind) {
  auto signature = find(module, kind);
  if (failed(signature))
    return failure();
  FunctionOpInterface function = signature->getFunction();
  Region &body = function.getFunctionBody();
  if (!body.hasOneBlock() || !body.front().mightHaveTerminator() ||
      body.front().getTerminator()->getNumOperands() !=
          function.getNumResults())
    return signature->error() << "must have one block that returns its results";
  return signature;
}

FailureOr<TrainingFunctions> TrainingFunctions::find(ModuleOp module) {
  auto gradient = TrainingSignature::find(module, TrainingKind::Gradient);
  if (failed(gradient))
    return failure();
  auto evaluate = TrainingSignature::find(module, TrainingKind::Evaluate);
  if (failed(evaluate))
    return failure();
  auto step = TrainingSignature::find(module, TrainingKind::Step);
  if (failed(step))
    return failure();
  auto rate = TrainingSignature::find(module, TrainingKind::LearningRate);
  if (failed(rate))
    return failure();
  TrainingFunctions functions{*gradient, *evaluate, *step, *rate};
  if (failed(functions.verify()))
    return failure();
  return functions;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

ArgumentAttr TrainingSignature::role(unsigned index) const {
  return getFunction().getArgAttrOfType<ArgumentAttr>(index, kRoleAttr);
}

SmallVector<unsigned> TrainingSignature::indices(ArgumentRole wanted) const {
  SmallVector<unsigned> found;
  for (unsigned i = 0; i < getFunction().getNumArguments(); ++i)
    if (ArgumentAttr attr = role(i); attr && attr.getRole() == wanted)
      found.push_back(i);
  return found;
}

unsigned TrainingSignature::index(ArgumentRole wanted) const {
  SmallVector<unsigned> found = indices(wanted);
  assert(found.size() == 1 && "asked for the only argument of its role");
  return found.front();
}

RankedTensorType TrainingSignature::type(ArgumentRole wanted) const {
  return cast<RankedTensorType>(
      getFunction().getArgumentTypes()[index(wanted)]);
}

SmallVector<Type> TrainingSignature::types(ArgumentRole wanted) const {
  return llvm::map_to_vector(indices(wanted), [&](unsigned i) {
    return getFunction().getArgumentTypes()[i];
  });
}

BlockArgument TrainingSignature::argument(unsigned index) const {
  return getFunction().getArgument(index);
}

BlockArgument TrainingSignature::argument(ArgumentRole wanted) const {
  return argument(index(wanted));
}

StringRef TrainingSignature::name(unsigned index) const {
  auto given = getFunction().getArgAttrOfType<StringAttr>(index, kNameAttr);
  return given ? given.getValue()
               : stringifyArgumentRole(role(index).getRole());
}

SmallVector<unsigned> TrainingSignature::batch() const {
  SmallVector<unsigned> all;
  for (ArgumentRole wanted : {ArgumentRole::Input, ArgumentRole::Label,
                              ArgumentRole::Weights, ArgumentRole::Ids})
    llvm::append_range(all, indices(wanted));
  return all;
}

SmallVector<Type> TrainingSignature::batchTypes() const {
  return llvm::map_to_vector(
      batch(), [&](unsigned i) { return getFunction().getArgumentTypes()[i]; });
}

int64_t TrainingSignature::batchSize() const {
  return type(ArgumentRole::Ids).getDimSize(0);
}

SmallVector<Value> TrainingSignature::operands(
    function_ref<SmallVector<Value>(ArgumentRole)> of) const {
  SmallVector<Value> values(getFunction().getNumArguments());
  for (unsigned i = 0; i < values.size(); ++i) {
    if (values[i])
      continue; // came with the first of its role
    ArgumentRole wanted = role(i).getRole();
    SmallVector<Value> given = of(wanted);
    assert(given.size() == indices(wanted).size() && "one for each argument");
    for (auto [index, value] : llvm::zip(indices(wanted), given))
      values[index] = value;
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

ResultAttr TrainingSignature::resultRole(unsigned index) const {
  return getFunction().getResultAttrOfType<ResultAttr>(index, kRoleAttr);
}

SmallVector<unsigned> TrainingSignature::indices(ResultRole wanted) const {
  SmallVector<unsigned> found;
  for (unsigned i = 0; i < getFunction().getNumResults(); ++i)
    if (ResultAttr attr = resultRole(i); attr && attr.getRole() == wanted)
      found.push_back(i);
  return found;
}

unsigned TrainingSignature::index(ResultRole wanted) const {
  SmallVector<unsigned> found = indices(wanted);
  assert(found.size() == 1 && "asked for the only result of its role");
  return found.front();
}

RankedTensorType TrainingSignature::type(ResultRole wanted) const {
  return cast<RankedTensorType>(getFunction().getResultTypes()[index(wanted)]);
}

SmallVector<Type> TrainingSignature::types(ResultRole wanted) const {
  return llvm::map_to_vector(indices(wanted), [&](unsigned i) {
    return getFunction().getResultTypes()[i];
  });
}

Value TrainingSignature::returned(ResultRole wanted) const {
  return getFunction().getFunctionBody().front().getTerminator()->getOperand(
      index(wanted));
}
