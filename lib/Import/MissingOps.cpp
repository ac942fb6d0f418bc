// Which nodes count, and the one report of those that we cannot train.
#include "Importer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace rubato;

std::vector<bool> rubato::liveNodes(const onnx::Model &model) {
  llvm::StringSet<> needed;
  for (const onnx::ValueInfo &output : model.outputs)
    needed.insert(output.name);
  std::vector<bool> live(model.nodes.size());
  for (size_t i = model.nodes.size(); i-- > 0;) {
    const onnx::Node &node = model.nodes[i];
    live[i] = llvm::any_of(node.outputs, [&](const std::string &output) {
      return needed.contains(output);
    });
    if (live[i])
      needed.insert_range(node.inputs);
  }
  return live;
}

void rubato::reportMissing(const MissingOps &missing,
                           onnx::Diagnostics &diagnostics) {
  // A report that nobody can read to its end helps nobody.
  constexpr size_t mostNodes = 20;
  size_t count = 0;
  std::string text;
  for (const auto &[op, nodes] : missing) {
    count += nodes.size();
    text += "\n  " + op + " (" + std::to_string(nodes.size()) + "):";
    for (const auto &[i, each] : llvm::enumerate(nodes)) {
      text += i ? ", " : " ";
      if (i == mostNodes) {
        text += "…";
        break;
      }
      text += "'" + each.node->name + "'";
      if (!each.node->modulePath.empty())
        text += " in " + each.node->modulePath;
      if (!each.reason.empty())
        text += " (" + each.reason + ")";
    }
  }
  diagnostics.unsupported(
      "",
      std::to_string(count) + (count == 1 ? " node" : " nodes") +
          " cannot be trained yet:" + text,
      "export the model with other operators; 'rubato check' shows all of it");
}
