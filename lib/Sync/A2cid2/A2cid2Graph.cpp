// The graph of gossip: a file of edges, and options that belong together.
#include "A2cid2Graph.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>
#include <map>

using namespace mlir;
using namespace rubato;

/// What gossip.matcher serves.
static constexpr int64_t kMaxMembers = 1024;
/// Largest over smallest weight; beyond, the constants are rounding.
static constexpr double kMaxRatio = 1e6;

namespace {
/// Collects the edges of a file and finds what is wrong with them.
class EdgeFile {
public:
  EdgeFile(StringRef path, AlgorithmOption::EmitError emitError)
      : path(path), emitError(emitError) {}

  LogicalResult readLine(StringRef line, int64_t number) {
    at = number;
    SmallVector<StringRef> words;
    SplitString(line.split('#').first, words);
    if (words.empty())
      return success();
    if (words.size() != 2 && words.size() != 3)
      return wrong() << "an edge is two members and perhaps a weight (`0 1` or "
                        "`0 1 0.5`), not '"
                     << line.trim() << "'";
    int64_t ends[2];
    for (int i : {0, 1})
      if (words[i].getAsInteger(10, ends[i]) || ends[i] < 0 ||
          ends[i] >= kMaxMembers)
        return wrong() << "'" << words[i]
                       << "' is no member; they are numbered from 0, up to "
                       << kMaxMembers - 1;
    double weight = 1;
    if (words.size() == 3 &&
        (words[2].getAsDouble(weight) || !std::isfinite(weight) || weight <= 0))
      return wrong() << "'" << words[2]
                     << "' is no weight; give a number above 0, or leave the "
                        "edge out";
    return add(ends[0], ends[1], weight);
  }

  LogicalResult finish() {
    at = 0;
    if (lines.empty())
      return wrong() << "there is no edge; give one as `a b` in each line";
    llvm::IntEqClasses parts(members);
    for (auto [edge, line] : lines)
      parts.join(edge.first, edge.second);
    parts.compress();
    if (parts.getNumClasses() == 1)
      return success();
    // Who is not reached from 0.
    unsigned other = 0;
    while (parts[other] == parts[0])
      ++other;
    return wrong() << "the graph is in " << parts.getNumClasses()
                   << " parts: no way leads from member 0 to member " << other
                   << ", and members are all from 0 to " << members - 1
                   << "; add an edge between the parts";
  }

  std::string edges;

private:
  InFlightDiagnostic wrong() {
    InFlightDiagnostic error = emitError();
    error << path;
    if (at)
      error << ":" << at;
    error << ": ";
    return error;
  }

  LogicalResult add(int64_t a, int64_t b, double weight) {
    if (a == b)
      return wrong() << "member " << a << " cannot be its own neighbour";
    auto [entry, fresh] = lines.insert({std::minmax(a, b), at});
    if (!fresh)
      return wrong() << "the edge between " << a << " and " << b
                     << " is there already, in line " << entry->second;
    if (lines.size() == 1)
      least = most = weight;
    least = std::min(least, weight);
    most = std::max(most, weight);
    if (most > kMaxRatio * least)
      return wrong()
             << "weights may differ by a factor of a million, and these "
                "differ by more";
    members = std::max({members, a + 1, b + 1});
    llvm::raw_string_ostream out(edges);
    out << (edges.empty() ? "" : ", ") << a << " " << b;
    if (weight == 1)
      return success();
    // The shortest text that stands for the same number.
    char digits[32];
    out << " "
        << StringRef(
               digits,
               std::to_chars(std::begin(digits), std::end(digits), weight).ptr -
                   digits);
    return success();
  }

  StringRef path;
  AlgorithmOption::EmitError emitError;
  int64_t at = 0, members = 0;
  std::map<std::pair<int64_t, int64_t>, int64_t> lines;
  double least = 1, most = 1;
};
} // namespace

FailureOr<std::string> a2cid2::readEdges(StringRef path, StringRef text,
                                         AlgorithmOption::EmitError emitError) {
  EdgeFile file(path, emitError);
  int64_t number = 0;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    if (failed(file.readLine(line, ++number)))
      return failure();
  }
  if (failed(file.finish()))
    return failure();
  return std::move(file.edges);
}

LogicalResult a2cid2::checkGraph(const AlgorithmOptions &options,
                                 AlgorithmOption::EmitError emitError) {
  StringRef topology = options.choice("topology");
  bool file = !options.text("topology-file").empty();
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
