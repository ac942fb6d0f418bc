// The graph's names and order: every value defined once, no cycle.
#include "Reader.h"

#include <queue>
#include <unordered_map>
#include <unordered_set>

using namespace rubato::onnx;

static const char damaged[] = "the file is damaged; export the model again";

bool Reader::reportCycle(
    const std::unordered_map<std::string, int64_t> &definer,
    const std::vector<size_t> &missing) {
  // A node that waits has an input that waits: going back ends in the cycle.
  auto waitsFor = [&](size_t node) {
    for (const std::string &input : model.nodes[node].inputs)
      if (auto found = definer.find(input); found != definer.end())
        if (found->second >= 0 && missing[static_cast<size_t>(found->second)])
          return static_cast<size_t>(found->second);
    return node;
  };
  size_t node = 0;
  while (missing[node] == 0)
    ++node;
  for (size_t i = 0; i < missing.size(); ++i)
    node = waitsFor(node);
  return diagnostics.error(model.nodes[node].where(),
                           "depends on its own output: the graph has a cycle",
                           damaged);
}

bool Reader::orderNodes() {
  // Who defines each value: a node, or -1 for inputs and initializers.
  std::unordered_map<std::string, int64_t> definer;
  auto define = [&](const std::string &name, int64_t by,
                    const std::string &where) {
    if (name.empty() && by < 0)
      return diagnostics.error(where, "has no name", damaged);
    if (!name.empty() && !definer.emplace(name, by).second)
      return diagnostics.error(where, "defines '" + name + "' a second time",
                               damaged);
    return true;
  };
  for (const Tensor &tensor : model.initializers)
    if (!define(tensor.name, -1, "initializer '" + tensor.name + "'"))
      return false;
  for (const ValueInfo &input : model.inputs)
    if (!define(input.name, -1, "input '" + input.name + "'"))
      return false;
  for (size_t i = 0; i < model.nodes.size(); ++i)
    for (const std::string &output : model.nodes[i].outputs)
      if (!define(output, static_cast<int64_t>(i), model.nodes[i].where()))
        return false;

  std::vector<std::vector<size_t>> users(model.nodes.size());
  std::vector<size_t> missing(model.nodes.size());
  bool isSorted = true;
  for (size_t i = 0; i < model.nodes.size(); ++i)
    for (const std::string &input : model.nodes[i].inputs) {
      if (input.empty())
        continue;
      auto found = definer.find(input);
      if (found == definer.end())
        return diagnostics.error(model.nodes[i].where(),
                                 "uses '" + input + "', which nothing defines",
                                 damaged);
      if (found->second < 0)
        continue;
      users[static_cast<size_t>(found->second)].push_back(i);
      isSorted &= found->second < static_cast<int64_t>(i);
      ++missing[i];
    }
  std::unordered_set<std::string> given;
  for (const ValueInfo &output : model.outputs) {
    std::string where = "output '" + output.name + "'";
    if (!definer.count(output.name))
      return diagnostics.error(where, "is defined by no node", damaged);
    if (!given.insert(output.name).second)
      return diagnostics.error(where, "is listed twice", damaged);
  }
  if (isSorted)
    return true;

  // The smallest ready node first, so that a sorted part stays as it is.
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < missing.size(); ++i)
    if (missing[i] == 0)
      ready.push(i);
  std::vector<size_t> order;
  while (!ready.empty()) {
    size_t node = ready.top();
    ready.pop();
    order.push_back(node);
    for (size_t user : users[node])
      if (--missing[user] == 0)
        ready.push(user);
  }
  if (order.size() != missing.size())
    return reportCycle(definer, missing);
  diagnostics.warning("", "lists its nodes out of order; they are sorted");
  std::vector<Node> sorted;
  for (size_t node : order)
    sorted.push_back(std::move(model.nodes[node]));
  model.nodes = std::move(sorted);
  return true;
}
