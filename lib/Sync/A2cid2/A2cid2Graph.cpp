// The graph of gossip: a file of edges, and options that belong together.
#include "A2cid2Graph.h"

#include "policy/gossip_graph.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace rubato;

FailureOr<std::string> a2cid2::readEdges(StringRef path, StringRef text,
                                         AlgorithmOption::EmitError emitError) {
  policy::EdgeReader reader;
  std::string edges;
  for (int64_t number = 1; !text.empty(); ++number) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    SmallVector<StringRef> words;
    SplitString(line.split('#').first, words);
    if (words.empty())
      continue;
    std::string edge = llvm::join(words, " ");
    if (Status status = reader.add(edge, "line " + std::to_string(number));
        !status)
      return emitError() << path << ":" << number << ": " << status.message();
    edges += (edges.empty() ? "" : ", ") + edge;
  }
  if (edges.empty())
    return emitError() << path
                       << ": there is no edge; give one as `a b` in each line";
  std::vector<policy::Edge> all;
  if (Status status = reader.finish(all); !status)
    return emitError() << path << ": " << status.message();
  return edges;
}

LogicalResult a2cid2::checkGraph(const AlgorithmOptions &options,
                                 AlgorithmOption::EmitError emitError) {
  StringRef topology = options.choice("topology");
  StringRef edges = options.text("topology-file");
  bool file = !edges.empty();
  // Written by hand, it comes from no file that was checked.
  std::vector<policy::Edge> all;
  if (Status status = policy::parseEdges(edges, all); file && !status)
    return emitError() << "'topology-file' in an attribute is text of edges, "
                          "such as \"0 1, 1 2 0.5\", not a file (which "
                          "`--algorithm-option topology-file=FILE` reads): "
                       << StringRef(status.message())
                              .substr(StringRef("gossip.matcher: ").size());
  if (file && topology != "complete")
    return emitError() << "'topology-file' gives the whole graph; leave "
                          "'topology="
                       << topology << "' or the file out";
  auto onlyFor = [&](StringRef name, bool given,
                     ArrayRef<StringRef> fitting) -> LogicalResult {
    if (!given || (!file && llvm::is_contained(fitting, topology)))
      return success();
    return emitError() << "'" << name
                       << "' is for topology=" << llvm::join(fitting, " or ")
                       << ", not for "
                       << (file ? StringRef("a file of edges") : topology)
                       << "; leave it out";
  };
  StringRef random[] = {"random-regular", "erdos-renyi"};
  return success(
      succeeded(onlyFor("topology-rows", options.integer("topology-rows") != 0,
                        StringRef("torus"))) &&
      succeeded(onlyFor("topology-degree", options.real("topology-degree") != 0,
                        random)) &&
      succeeded(onlyFor("topology-seed", options.integer("topology-seed") != 0,
                        random)));
}

SmallVector<NamedAttribute>
a2cid2::graphSettings(const AlgorithmOptions &options, Builder &b) {
  StringRef topology = options.choice("topology"),
            edges = options.text("topology-file");
  SmallVector<NamedAttribute> settings;
  auto set = [&](StringRef name, Attribute value) {
    settings.push_back(b.getNamedAttr(name, value));
  };
  if (!edges.empty()) {
    set("topology", b.getStringAttr("edges"));
    set("edges", b.getStringAttr(edges));
    return settings;
  }
  set("topology", b.getStringAttr(topology));
  if (int64_t rows = options.integer("topology-rows"))
    set("rows", b.getI64IntegerAttr(rows));
  if (double degree = options.real("topology-degree"))
    set("degree", b.getF64FloatAttr(degree));
  if (int64_t seed = options.integer("topology-seed"))
    set("graph-seed", b.getI64IntegerAttr(seed));
  return settings;
}
