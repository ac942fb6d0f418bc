// What PyTorch's exporter writes about a module: its tensors, its node paths.
#include "Reader.h"

#include <algorithm>

using namespace rubato::onnx;

/// The text between `open` and the next quote, or nothing.
static std::optional<std::string> quotedAfter(std::string_view line,
                                              std::string_view open) {
  size_t begin = line.find(open);
  if (begin == std::string_view::npos)
    return std::nullopt;
  begin += open.size();
  size_t end = line.find('\'', begin);
  if (end == std::string_view::npos)
    return std::nullopt;
  return std::string(line.substr(begin, end - begin));
}

Signature rubato::onnx::parseSignature(std::string_view text) {
  // One line per value: "p_fc_weight: PARAMETER target='fc.weight'".
  Signature signature;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (auto target = quotedAfter(line, ": PARAMETER target='"))
      signature.parameters.push_back(std::move(*target));
    else if (auto target = quotedAfter(line, ": BUFFER target='"))
      signature.buffers.push_back(std::move(*target));
  }
  signature.present =
      !signature.parameters.empty() || !signature.buffers.empty();
  return signature;
}

std::string rubato::onnx::modulePath(const proto::Node &node) {
  // ": pkg.Net/fc1: pkg.Linear/linear: aten.linear": one "name: class" per
  // level, the last one is the operation itself.
  std::string_view space;
  for (const proto::Entry &entry : node.metadata_props())
    if (entry.key() == "namespace")
      space = entry.value();
  size_t last = space.rfind('/');
  if (last == std::string_view::npos)
    return {};
  space = space.substr(0, last);
  size_t begin = space.rfind('/');
  space = space.substr(begin == std::string_view::npos ? 0 : begin + 1);
  space = space.substr(0, space.find(':'));
  // The exporter's own name for "no module".
  if (space.substr(0, 6) == "_empty")
    return {};
  return std::string(space);
}

const Attribute *Node::attribute(std::string_view key) const {
  auto found =
      std::find_if(attributes.begin(), attributes.end(),
                   [&](const Attribute &each) { return each.name == key; });
  return found == attributes.end() ? nullptr : &*found;
}

std::string Node::where() const {
  return "node '" + name + "' (" + opType + ")";
}

std::string Node::label() const {
  std::string text = modulePath.empty() ? name : modulePath + "/" + name;
  return text + " (" + opType + ")";
}
