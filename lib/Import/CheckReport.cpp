// The two forms of `rubato check`'s report.
#include "CheckReport.h"
#include "NodeImporter.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace rubato;

StringRef rubato::gradientText(StringRef op) {
  const OpSupport *support = findOp("", op);
  if (!support)
    return "missing";
  switch (support->gradient) {
  case Gradient::Yes:
    return "yes";
  case Gradient::AtEnd:
    return "at the end";
  case Gradient::Integer:
    return "not needed";
  }
  return "";
}

static std::string dimText(const onnx::Dim &dim) {
  if (!dim.symbol.empty())
    return dim.symbol;
  return dim.value < 0 ? "?" : std::to_string(dim.value);
}

static std::string valueText(const onnx::ValueInfo &value) {
  std::string text = value.name + ": " + std::string(typeName(value.type));
  if (!value.hasShape)
    return text + ", no shape";
  text += " [";
  for (auto [i, dim] : enumerate(value.dims))
    text += (i ? ", " : "") + dimText(dim);
  return text + "]";
}

/// How many tensors of `role` there are, and their elements.
static std::pair<size_t, int64_t> countRole(const CheckReport &report,
                                            onnx::Role role) {
  size_t tensors = 0;
  int64_t elements = 0;
  for (const onnx::StoredTensor &each : report.plan->stored)
    if (each.role == role) {
      ++tensors;
      elements += each.tensor.elements();
    }
  return {tensors, elements};
}

static void printTensors(const CheckReport &report, onnx::Role role,
                         StringRef title, raw_ostream &out) {
  auto [tensors, elements] = countRole(report, role);
  out << formatv("{0,-12}", title);
  if (tensors == 0) {
    out << "none\n";
    return;
  }
  out << tensors << (tensors == 1 ? " tensor, " : " tensors, ") << elements
      << (elements == 1 ? " element\n" : " elements\n");
  for (const onnx::StoredTensor &each : report.plan->stored)
    if (each.role == role)
      out << formatv("  {0,-24} {1,-16} {2}\n", each.name,
                     shapeText(each.tensor.dims), each.reason);
}

static void printOperators(const CheckReport &report, raw_ostream &out) {
  out << formatv("{0,-20}{1,6}  gradient\n", "operators", "count");
  for (const auto &[op, count] : report.operators)
    out << formatv("  {0,-18}{1,6}  {2}\n", op, count, gradientText(op));
}

void rubato::printText(const CheckReport &report, raw_ostream &out) {
  if (report.model) {
    const onnx::Model &model = *report.model;
    out << formatv("{0,-12}{1}\n", "model", report.path);
    std::string producer = model.producer.empty() ? "unknown" : model.producer;
    if (!model.producerVersion.empty())
      producer += " " + model.producerVersion;
    out << formatv("{0,-12}{1}, IR {2}, opset {3}\n", "producer", producer,
                   model.irVersion, model.opset);
    for (const onnx::ValueInfo &input : model.inputs)
      out << formatv("{0,-12}{1}\n", "input", valueText(input));
    for (const onnx::ValueInfo &output : model.outputs)
      out << formatv("{0,-12}{1}\n", "output", valueText(output));
    out << "\n";
  }
  if (report.plan) {
    printTensors(report, onnx::Role::Parameter, "parameters", out);
    printTensors(report, onnx::Role::Frozen, "frozen", out);
    printTensors(report, onnx::Role::Constant, "constants", out);
    out << "\n";
    printOperators(report, out);
    out << "\n";
  }
  out << report.diagnostics.str();
  out << "trainable: " << (report.diagnostics.exitCode() == 0 ? "yes" : "no")
      << "\n";
}

static json::Array valuesJson(const std::vector<onnx::ValueInfo> &values) {
  json::Array list;
  for (const onnx::ValueInfo &value : values) {
    json::Array dims;
    for (const onnx::Dim &dim : value.dims) {
      if (dim.value >= 0)
        dims.push_back(dim.value);
      else
        dims.push_back(dimText(dim));
    }
    list.push_back(json::Object{{"name", value.name},
                                {"type", std::string(typeName(value.type))},
                                {"dims", std::move(dims)}});
  }
  return list;
}

static json::Array tensorsJson(const CheckReport &report) {
  json::Array list;
  for (const onnx::StoredTensor &each : report.plan->stored)
    list.push_back(
        json::Object{{"name", each.name},
                     {"role", std::string(onnx::roleName(each.role))},
                     {"dims", json::Array(each.tensor.dims)},
                     {"elements", each.tensor.elements()},
                     {"reason", each.reason}});
  return list;
}

static json::Array missingJson(const CheckReport &report) {
  json::Array list;
  for (const auto &[op, nodes] : report.missing) {
    json::Array places;
    for (const MissingNode &each : nodes)
      places.push_back(json::Object{{"name", each.node->name},
                                    {"module", each.node->modulePath},
                                    {"reason", each.reason}});
    list.push_back(json::Object{{"op", op},
                                {"count", static_cast<int64_t>(nodes.size())},
                                {"nodes", std::move(places)}});
  }
  return list;
}

static json::Array diagnosticsJson(const CheckReport &report) {
  json::Array list;
  for (const onnx::Diagnostic &each : report.diagnostics.all())
    list.push_back(json::Object{
        {"severity",
         each.severity == onnx::Severity::Warning ? "warning" : "error"},
        {"where", each.where},
        {"message", each.message},
        {"remedy", each.remedy}});
  return list;
}

void rubato::printJson(const CheckReport &report, raw_ostream &out) {
  json::Object root{{"model", json::fixUTF8(report.path)},
                    {"trainable", report.diagnostics.exitCode() == 0},
                    {"diagnostics", diagnosticsJson(report)}};
  if (report.model) {
    root["producer"] = report.model->producer;
    root["producer_version"] = report.model->producerVersion;
    root["ir_version"] = report.model->irVersion;
    root["opset"] = report.model->opset;
    root["inputs"] = valuesJson(report.model->inputs);
    root["outputs"] = valuesJson(report.model->outputs);
  }
  if (report.plan) {
    root["tensors"] = tensorsJson(report);
    json::Array operators;
    for (const auto &[op, count] : report.operators)
      operators.push_back(json::Object{{"op", op},
                                       {"count", static_cast<int64_t>(count)},
                                       {"gradient", gradientText(op)}});
    root["operators"] = std::move(operators);
    root["missing"] = missingJson(report);
  }
  out << formatv("{0:2}", json::Value(std::move(root))) << "\n";
}
