// What holds of the signatures of training functions.
#include "dialects/nn/TrainingSignature.h"

using namespace mlir;
using namespace rubato;
using namespace rubato::nn;

using A = ArgumentRole;
using R = ResultRole;

namespace {

constexpr unsigned kAny = ~0u;

/// How many arguments or results of a role a function has.
template <typename Role> struct Rule {
  Role role;
  unsigned least = 1, most = 1;
};

ArrayRef<Rule<A>> argumentsOf(TrainingKind kind) {
  static constexpr Rule<A> gradient[] = {
      {A::Parameters},     {A::Frozen, 0, 1}, {A::Input, 1, kAny},
      {A::Label, 0, kAny}, {A::Weights},      {A::Ids},
      {A::Step},           {A::Accumulator}};
  static constexpr Rule<A> evaluate[] = {
      {A::Parameters},     {A::Frozen, 0, 1}, {A::Input, 1, kAny},
      {A::Label, 0, kAny}, {A::Weights},      {A::Ids}};
  static constexpr Rule<A> step[] = {{A::Parameters},
                                     {A::State, 0, kAny},
                                     {A::Gradient},
                                     {A::Divisor},
                                     {A::Rate}};
  static constexpr Rule<A> rate[] = {
      {A::Seen}, {A::Samples}, {A::BaseRate}, {A::Budget}};
  switch (kind) {
  case TrainingKind::Gradient:
    return gradient;
  case TrainingKind::Evaluate:
    return evaluate;
  case TrainingKind::Step:
    return step;
  case TrainingKind::LearningRate:
    return rate;
  }
  llvm_unreachable("not a training function");
}

ArrayRef<Rule<R>> resultsOf(TrainingKind kind) {
  static constexpr Rule<R> gradient[] = {
      {R::Gradient}, {R::Samples}, {R::Divisor}, {R::Loss}};
  static constexpr Rule<R> evaluate[] = {{R::Loss}, {R::Correct}, {R::Valid}};
  static constexpr Rule<R> step[] = {{R::Displacement}, {R::State, 0, kAny}};
  static constexpr Rule<R> rate[] = {{R::Rate}};
  switch (kind) {
  case TrainingKind::Gradient:
    return gradient;
  case TrainingKind::Evaluate:
    return evaluate;
  case TrainingKind::Step:
    return step;
  case TrainingKind::LearningRate:
    return rate;
  }
  llvm_unreachable("not a training function");
}

/// What a value of some role looks like.
enum class Form { Flat, Count, Loss, Rate, PerSample, Weights, Ids, Any };

Form formOf(A role) {
  switch (role) {
  case A::Parameters:
  case A::Frozen:
  case A::Accumulator:
  case A::Gradient:
    return Form::Flat;
  case A::Input:
  case A::Label:
    return Form::PerSample;
  case A::Weights:
    return Form::Weights;
  case A::Ids:
    return Form::Ids;
  case A::Step:
  case A::Divisor:
  case A::Seen:
  case A::Samples:
  case A::Budget:
    return Form::Count;
  case A::Rate:
  case A::BaseRate:
    return Form::Rate;
  case A::State:
    return Form::Any;
  }
  llvm_unreachable("not a role");
}

Form formOf(R role) {
  switch (role) {
  case R::Gradient:
  case R::Displacement:
    return Form::Flat;
  case R::Samples:
  case R::Divisor:
  case R::Correct:
  case R::Valid:
    return Form::Count;
  case R::Loss:
    return Form::Loss;
  case R::Rate:
    return Form::Rate;
  case R::State:
    return Form::Any;
  }
  llvm_unreachable("not a role");
}

StringRef describe(Form form) {
  switch (form) {
  case Form::Flat:
    return "a vector of floating-point numbers";
  case Form::Count:
    return "tensor<i64>";
  case Form::Loss:
    return "tensor<f64>";
  case Form::Rate:
    return "a floating-point tensor of rank 0";
  case Form::PerSample:
    return "a tensor of static shape whose first dimension is the batch";
  case Form::Weights:
    return "one floating-point number per sample";
  case Form::Ids:
    return "one i64 per sample";
  case Form::Any:
    return "a tensor of static shape";
  }
  llvm_unreachable("not a form");
}

bool hasForm(Type given, Form form) {
  auto type = dyn_cast<RankedTensorType>(given);
  if (!type || !type.hasStaticShape())
    return false;
  Type element = type.getElementType();
  bool isFloat = isa<FloatType>(element);
  switch (form) {
  case Form::Flat:
  case Form::Weights:
    return type.getRank() == 1 && isFloat;
  case Form::Count:
    return type.getRank() == 0 && element.isInteger(64);
  case Form::Loss:
    return type.getRank() == 0 && element.isF64();
  case Form::Rate:
    return type.getRank() == 0 && isFloat;
  case Form::PerSample:
    return type.getRank() > 0;
  case Form::Ids:
    return type.getRank() == 1 && element.isInteger(64) &&
           type.getDimSize(0) > 0;
  case Form::Any:
    return true;
  }
  llvm_unreachable("not a form");
}

StringRef text(A role) { return stringifyArgumentRole(role); }
StringRef text(R role) { return stringifyResultRole(role); }

} // namespace

InFlightDiagnostic TrainingSignature::error() const {
  FunctionOpInterface function = getFunction();
  return function->emitError("training function @")
         << function.getName() << ' ';
}

/// Every one has a role of its function, and every role is there so often as
/// the function needs it.
template <typename Role, typename RoleAttr>
static LogicalResult verifyCounts(ArrayRef<Rule<Role>> rules, unsigned count,
                                  StringRef what,
                                  function_ref<RoleAttr(unsigned)> roleOf,
                                  function_ref<InFlightDiagnostic()> error) {
  for (unsigned i = 0; i < count; ++i) {
    RoleAttr attr = roleOf(i);
    if (!attr)
      return error() << "must say by " << kRoleAttr << " what its " << what
                     << " " << i << " is, as build-training does";
    if (llvm::none_of(rules, [&](const Rule<Role> &rule) {
          return rule.role == attr.getRole();
        }))
      return error() << "has no " << what << " of role '"
                     << text(attr.getRole()) << "', which its " << what << " "
                     << i << " claims";
  }
  for (const Rule<Role> &rule : rules) {
    unsigned found = 0;
    for (unsigned i = 0; i < count; ++i)
      found += roleOf(i).getRole() == rule.role;
    if (found < rule.least || found > rule.most)
      return error() << "must have "
                     << (rule.most == kAny  ? "at least one "
                         : rule.least == 0u ? "at most one "
                                            : "one ")
                     << what << " of role '" << text(rule.role) << "', not "
                     << found;
  }
  return success();
}

LogicalResult TrainingSignature::verifyRoles(TrainingKind kind) const {
  FunctionOpInterface function = getFunction();
  auto error = [&] { return this->error(); };
  if (failed(verifyCounts<A, ArgumentAttr>(
          argumentsOf(kind), function.getNumArguments(), "argument",
          [&](unsigned i) { return role(i); }, error)))
    return failure();
  return verifyCounts<R, ResultAttr>(
      resultsOf(kind), function.getNumResults(), "result",
      [&](unsigned i) { return resultRole(i); }, error);
}

LogicalResult TrainingSignature::verifyTypes() const {
  FunctionOpInterface function = getFunction();
  auto check = [&](auto role, StringRef what, Type type) -> LogicalResult {
    Form form = formOf(role);
    if (!hasForm(type, form))
      return error() << "has a" << (what == "argument" ? "n " : " ") << what
                     << " of role '" << text(role) << "' of type " << type
                     << "; it must be " << describe(form);
    // One number for each parameter.
    bool likeParameters = form == Form::Flat && text(role) != text(A::Frozen);
    if (likeParameters && type != this->type(A::Parameters))
      return error() << "has a" << (what == "argument" ? "n " : " ") << what
                     << " of role '" << text(role) << "' of type " << type
                     << "; it must be that of the parameters, "
                     << this->type(A::Parameters);
    return success();
  };
  // The parameters first: others are compared with them.
  for (unsigned i : indices(A::Parameters))
    if (!hasForm(function.getArgumentTypes()[i], Form::Flat))
      return check(A::Parameters, "argument", function.getArgumentTypes()[i]);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(check(role(i).getRole(), "argument", type)))
      return failure();
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(check(resultRole(i).getRole(), "result", type)))
      return failure();
  return success();
}

LogicalResult TrainingSignature::verifyBatch() const {
  FunctionOpInterface function = getFunction();
  llvm::SmallDenseSet<StringRef> names;
  for (unsigned i : batch()) {
    auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
    A itsRole = role(i).getRole();
    if (type.getDimSize(0) != batchSize())
      return error() << "has an argument of role '" << text(itsRole)
                     << "' of type " << type << ", but its ids are of "
                     << batchSize() << " samples";
    bool isData = itsRole == A::Input || itsRole == A::Label;
    if (isData && !function.getArgAttrOfType<StringAttr>(i, kNameAttr))
      return error() << "must say by " << kNameAttr << " what the user calls "
                     << "its argument " << i << ", as it is "
                     << (itsRole == A::Input ? "an " : "a ") << text(itsRole);
    if (isData && !names.insert(name(i)).second)
      return error() << "calls two of its inputs and labels '" << name(i)
                     << "'";
  }
  return success();
}

LogicalResult TrainingSignature::verifyState() const {
  if (types(A::State) != types(R::State))
    return error() << "must return as many tensors of role 'state' as it "
                      "takes, of the same types in the same order";
  return success();
}

LogicalResult rubato::nn::verifySameBatch(const TrainingSignature &gradient,
                                          const TrainingSignature &evaluate) {
  auto describeBatch = [](const TrainingSignature &signature) {
    SmallVector<std::tuple<StringRef, Type, Attribute>> parts;
    for (unsigned i : signature.batch())
      parts.emplace_back(signature.name(i),
                         signature.getFunction().getArgumentTypes()[i],
                         signature.role(i));
    return parts;
  };
  if (describeBatch(evaluate) != describeBatch(gradient) ||
      evaluate.types(A::Frozen) != gradient.types(A::Frozen))
    return evaluate.error()
           << "must take the same batch and the same frozen tensors as "
              "@gradient";
  return success();
}

LogicalResult TrainingFunctions::verify() const {
  auto parameters = gradient.type(A::Parameters);
  for (const TrainingSignature &other : {evaluate, step})
    if (other.type(A::Parameters) != parameters)
      return other.error() << "takes parameters of type "
                           << other.type(A::Parameters)
                           << ", but @gradient takes " << parameters;
  if (failed(verifySameBatch(gradient, evaluate)))
    return failure();
  if (step.type(A::Rate) != learningRate.type(R::Rate))
    return step.error() << "takes a rate of type " << step.type(A::Rate)
                        << ", but @lr gives " << learningRate.type(R::Rate);
  if (learningRate.type(A::BaseRate) != learningRate.type(R::Rate))
    return learningRate.error()
           << "takes a base rate of type " << learningRate.type(A::BaseRate)
           << ", but gives " << learningRate.type(R::Rate);
  return success();
}
