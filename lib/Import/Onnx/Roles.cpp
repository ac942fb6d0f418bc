// Which tensors of a model training changes, and why.
#include "rubato/Import/Roles.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

using namespace rubato::onnx;
using Names = std::unordered_set<std::string>;

std::string_view rubato::onnx::roleName(Role role) {
  switch (role) {
  case Role::Parameter:
    return "parameter";
  case Role::Frozen:
    return "frozen";
  default:
    return "constant";
  }
}

const StoredTensor *RolePlan::find(std::string_view name) const {
  for (const StoredTensor &each : stored)
    if (each.name == name)
      return &each;
  return nullptr;
}

/// `*` stands for any characters, `?` for one.
static bool matches(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

/// Names that exporters invent: `val_3`, `onnx::Mul_12`, `const_cast`.
static bool isInvented(std::string_view name) {
  return name.substr(0, 4) == "val_" || name.substr(0, 6) == "onnx::" ||
         name.substr(0, 5) == "const";
}

/// All tensors with storage of their own, in the order of the file.
static std::vector<StoredTensor> collect(const Model &model) {
  Names used, outputs;
  for (const ValueInfo &output : model.outputs)
    outputs.insert(output.name);
  for (const Node &node : model.nodes)
    used.insert(node.inputs.begin(), node.inputs.end());

  std::vector<StoredTensor> stored;
  std::unordered_map<std::string, const Tensor *> known;
  for (const Tensor &tensor : model.initializers) {
    if (!isFloating(tensor.type))
      continue;
    known.emplace(tensor.name, &tensor);
    if (used.count(tensor.name) || outputs.count(tensor.name))
      stored.push_back({tensor.name, tensor, Role::Frozen, "", -1, false});
  }
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    const Node &node = model.nodes[i];
    if (!node.domain.empty() || node.outputs.size() != 1 ||
        outputs.count(node.outputs[0]) || !used.count(node.outputs[0]))
      continue;
    auto index = static_cast<int64_t>(i);
    const std::string &name = node.outputs[0];
    if (node.opType == "Identity" && node.inputs.size() == 1) {
      // The exporter merged tensors of equal value; they are independent.
      auto found = known.find(node.inputs[0]);
      if (found == known.end())
        continue;
      known.emplace(name, found->second);
      stored.push_back({name, *found->second, Role::Frozen, "", index, true});
    } else if (node.opType == "Constant") {
      const Attribute *value = node.attribute("value");
      if (value && value->kind == Attribute::Kind::Tensor &&
          isFloating(value->tensor.type))
        stored.push_back({name, value->tensor, Role::Frozen, "", index, false});
    }
  }
  return stored;
}

static void decide(StoredTensor &each, const Model &model,
                   const Names &parameters, const Names &buffers,
                   const Names &statistics) {
  auto set = [&](Role role, const char *reason) {
    each.role = role;
    each.reason = reason;
  };
  bool isNumber = each.tensor.elements() == 1;
  bool isConstantNode = each.definer >= 0 && !each.isCopy;
  if (parameters.count(each.name))
    set(Role::Parameter, "the exporter calls it a parameter");
  else if (buffers.count(each.name))
    set(Role::Frozen, "the exporter calls it a buffer");
  else if (isConstantNode)
    set(isNumber ? Role::Constant : Role::Frozen, "written in the graph");
  else if (model.signature.present)
    set(isNumber ? Role::Constant : Role::Frozen,
        "not among the exporter's parameters");
  else if (statistics.count(each.name))
    set(Role::Frozen, "a running statistic");
  else if (isNumber && isInvented(each.name))
    set(Role::Constant, "a number with an invented name");
  else
    set(Role::Parameter, each.isCopy
                             ? "an initializer that the exporter had merged"
                             : "a floating-point initializer");
}

/// Applies one option; every pattern must name something.
static bool apply(const char *option, const std::vector<std::string> &patterns,
                  Role role, RolePlan &plan, Diagnostics &diagnostics) {
  for (const std::string &pattern : patterns) {
    bool found = false;
    for (StoredTensor &each : plan.stored)
      if (matches(pattern, each.name)) {
        found = true;
        each.role = role;
        each.reason = option;
      }
    if (found)
      continue;
    std::vector<std::string> names;
    for (const StoredTensor &each : plan.stored)
      names.push_back(each.name);
    std::string nearest = nearestName(pattern, names);
    return diagnostics.error(
        "", std::string(option) + " '" + pattern + "' names no tensor",
        nearest.empty() ? "'rubato check' lists the names"
                        : "did you mean '" + nearest + "'?");
  }
  return true;
}

/// Traces of an exporter's optimizer that make training differ.
static void warnAboutChanges(const Model &model, const RolePlan &plan,
                             Diagnostics &diagnostics) {
  size_t missing = plan.missingTargets.size();
  if (missing) {
    std::string names;
    for (size_t i = 0; i < std::min<size_t>(missing, 4); ++i)
      names += (i ? ", '" : "'") + plan.missingTargets[i] + "'";
    if (missing > 4)
      names += ", …";
    diagnostics.warning(
        "",
        std::to_string(missing) + " of " +
            std::to_string(model.signature.parameters.size()) +
            " parameters of the module are not in the file (" + names +
            "): tied, merged, renamed or dropped by the exporter",
        "export with torch.onnx.export(…, optimize=False) to train them all");
  }
  for (const Node &node : model.nodes) {
    bool isOldFold = node.opType == "Conv" && node.inputs.size() > 1 &&
                     node.inputs[1].rfind("onnx::Conv_", 0) == 0;
    if (!isOldFold &&
        node.rewriteRule.find("FuseBatchNorm") == std::string::npos)
      continue;
    diagnostics.warning(
        node.where(), "has a batch normalisation folded into its weights",
        "it can no longer be trained as one; export with optimize=False, or "
        "with training=TrainingMode.PRESERVE and do_constant_folding=False");
    break;
  }
}

std::optional<RolePlan> rubato::onnx::decideRoles(const Model &model,
                                                  const RoleOptions &options,
                                                  Diagnostics &diagnostics) {
  Names parameters(model.signature.parameters.begin(),
                   model.signature.parameters.end());
  Names buffers(model.signature.buffers.begin(), model.signature.buffers.end());
  Names statistics;
  for (const Node &node : model.nodes)
    if (node.opType == "BatchNormalization" && node.inputs.size() >= 5)
      statistics.insert({node.inputs[3], node.inputs[4]});

  RolePlan plan;
  plan.stored = collect(model);
  Names held;
  for (StoredTensor &each : plan.stored) {
    decide(each, model, parameters, buffers, statistics);
    held.insert(each.name);
  }
  for (const std::string &target : model.signature.parameters)
    if (!held.count(target))
      plan.missingTargets.push_back(target);
  warnAboutChanges(model, plan, diagnostics);

  if (!options.trainOnly.empty())
    for (StoredTensor &each : plan.stored)
      if (each.role == Role::Parameter) {
        each.role = Role::Frozen;
        each.reason = "not in --train-only";
      }
  if (!apply("--train-only", options.trainOnly, Role::Parameter, plan,
             diagnostics) ||
      !apply("--freeze", options.freeze, Role::Frozen, plan, diagnostics))
    return std::nullopt;
  return plan;
}
