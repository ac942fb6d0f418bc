// The graph that an algorithm's options describe, as its policy sees it.
#include "ExplainGraph.h"

#include "Commands.h"
#include "policy/gossip_constants.h"
#include "policy/gossip_graph.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace llvm;
using namespace rubato;

GraphFlags::GraphFlags(cl::OptionCategory &category)
    : members("members", cl::desc("how many workers (a file says it itself)"),
              cl::init(0), cl::cat(category)),
      topology("topology", cl::value_desc("name"), cl::cat(category),
               cl::desc("the graph; default: complete")),
      rows("topology-rows", cl::value_desc("number"), cl::cat(category),
           cl::desc("of a torus; default: the most square layout")),
      degree("topology-degree", cl::value_desc("number"), cl::cat(category),
             cl::desc("of random graphs; default: 4 in random-regular, twice "
                      "the logarithm of the members in erdos-renyi")),
      seed("topology-seed", cl::value_desc("number"), cl::cat(category),
           cl::desc("of random graphs; default: 0")),
      file("topology-file", cl::value_desc("file"), cl::cat(category),
           cl::desc("a graph of one's own: an edge `a b` or `a b weight` in "
                    "each line")),
      rate("rate", cl::value_desc("number"), cl::cat(category),
           cl::desc("averagings per member and gradient; default: 1")) {}

std::vector<std::pair<const char *, const cl::opt<std::string> *>>
GraphFlags::all() const {
  return {{"topology", &topology},      {"topology-rows", &rows},
          {"topology-degree", &degree}, {"topology-seed", &seed},
          {"topology-file", &file},     {"rate", &rate}};
}

bool GraphFlags::given() const {
  bool any = members.getNumOccurrences();
  for (auto [name, flag] : all())
    any |= flag->getNumOccurrences() > 0;
  return any;
}

std::vector<std::string> GraphFlags::options() const {
  std::vector<std::string> list;
  for (auto [name, flag] : all())
    if (flag->getNumOccurrences())
      list.push_back(std::string(name) + "=" + flag->getValue());
  return list;
}

static int fail(const Twine &message) {
  errs() << "error: " << message << "\n";
  return kUsage;
}

/// Prints the message of a policy without the policy's name.
static int fail(const Status &status) {
  StringRef message = status.message();
  auto [policy, rest] = message.split(": ");
  bool isNamed = !rest.empty() && !policy.contains(' ');
  return fail(isNamed ? rest : message);
}

/// The settings of the policy, from those of the algorithm.
static Status readGraph(const AlgorithmOptions &options, int64_t &members,
                        policy::GraphOptions &graph) {
  StringRef edges = options.text("topology-file");
  graph.rows = options.integer("topology-rows");
  graph.degree = options.real("topology-degree");
  graph.seed = options.integer("topology-seed");
  if (edges.empty())
    return policy::parseTopology(options.choice("topology"), graph.topology);
  graph.topology = policy::Topology::Edges;
  RB_TRY(policy::parseEdges(edges, graph.edges));
  if (members == 0)
    for (const policy::Edge &edge : graph.edges)
      members = std::max({members, edge.a + 1, edge.b + 1});
  return Status::ok();
}

namespace {
struct Described {
  std::string name;
  policy::Neighbours graph, rates;
  policy::GossipConstants constants;
  bool accelerated = true;
  int64_t edges = 0;
  size_t leastDegree = SIZE_MAX, mostDegree = 0;
  /// Averagings of a member per gradient of the busiest.
  double leastRate = INFINITY, mostRate = 0;

  /// How much faster the mean of the slowest mode decays.
  double gain() const {
    return constants.chi2 > 0 ? std::sqrt(constants.chi1 / constants.chi2) : 1;
  }
};
} // namespace

static Described describe(const policy::GraphOptions &options,
                          policy::Neighbours graph, double rate) {
  Described all;
  all.name = options.topology == policy::Topology::Edges
                 ? "graph of a file"
                 : std::string(policy::topologyName(options.topology));
  all.graph = std::move(graph);
  all.rates = policy::edgeRates(all.graph);
  all.constants = policy::gossipConstants(all.graph, rate);
  for (const auto &list : all.rates) {
    all.edges += static_cast<int64_t>(list.size());
    all.leastDegree = std::min(all.leastDegree, list.size());
    all.mostDegree = std::max(all.mostDegree, list.size());
    double sum = 0;
    for (const policy::Neighbour &each : list)
      sum += rate * each.weight;
    all.leastRate = std::min(all.leastRate, sum);
    all.mostRate = std::max(all.mostRate, sum);
  }
  all.edges /= 2;
  return all;
}

static void print(raw_ostream &os, const Described &all) {
  auto line = [&](StringRef name, const Twine &value, StringRef meaning) {
    os << formatv("  {0,-12} {1,-22} {2}\n", name, value.str(), meaning);
  };
  const policy::GossipConstants &c = all.constants;
  auto digits = [](double value) { return formatv("{0:F6}", value).str(); };
  os << all.name << " of " << all.graph.size() << " members\n";
  line("edges", Twine(all.edges),
       policy::isConnected(all.graph) ? "connected" : "in parts");
  auto degree = [](size_t value) { return std::to_string(value); };
  line("degree",
       all.leastDegree == all.mostDegree
           ? degree(all.mostDegree)
           : degree(all.leastDegree) + " to " + degree(all.mostDegree),
       "neighbours of a member");
  line("averagings",
       all.mostRate - all.leastRate < 1e-9
           ? formatv("{0:F3}", all.mostRate).str()
           : formatv("{0:F3} to {1:F3}", all.leastRate, all.mostRate).str(),
       "of a member per gradient of the busiest");
  line("chi1", digits(c.chi1), "inverse of the algebraic connectivity");
  line("chi2", digits(c.chi2), "half of the largest resistance of an edge");
  line("eta", digits(all.accelerated ? c.eta : 0),
       "rate of mixing, per gradient");
  line("alpha", digits(all.accelerated ? c.alpha : 0.5),
       "weight of an averaging in the second variable");
  line("gain", digits(all.gain()),
       "sqrt(chi1 / chi2): how much faster the slowest difference");
  os << formatv("  {0,-12} {1,-22} {2}\n", "", "",
                "fades in the mean, accelerated; squared distances gain less");
}

static json::Value describe(const Described &all) {
  json::Array edges;
  for (size_t i = 0; i != all.graph.size(); ++i)
    for (size_t k = 0; k != all.graph[i].size(); ++k) {
      const policy::Neighbour &each = all.graph[i][k];
      if (static_cast<size_t>(each.member) > i)
        edges.push_back(
            json::Array{static_cast<int64_t>(i), each.member, each.weight});
    }
  const policy::GossipConstants &c = all.constants;
  return json::Object{
      {"topology", all.name},
      {"members", static_cast<int64_t>(all.graph.size())},
      {"edges", std::move(edges)},
      {"connected", policy::isConnected(all.graph)},
      {"degree", json::Array{static_cast<int64_t>(all.leastDegree),
                             static_cast<int64_t>(all.mostDegree)}},
      {"averagings", json::Array{all.leastRate, all.mostRate}},
      {"chi1", c.chi1},
      {"chi2", c.chi2},
      {"eta", all.accelerated ? c.eta : 0},
      {"alpha", all.accelerated ? c.alpha : 0.5},
      {"gain", all.gain()}};
}

static bool hasGraph(const AlgorithmInfo &algorithm) {
  return any_of(algorithm.options, [](const AlgorithmOption &option) {
    return option.name == "topology";
  });
}

int explainGraph(const NamedAlgorithm &found, const GraphFlags &flags,
                 bool json) {
  const std::string &name = found.configuration->name;
  if (!hasGraph(*found.algorithm)) {
    std::vector<std::string> others;
    for (const std::string &other : algorithmNames())
      if (hasGraph(*findAlgorithm(other).algorithm))
        others.push_back(other);
    return fail(name + " has no graph; these have one: " + join(others, ", "));
  }
  mlir::MLIRContext context;
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &diagnostic) {
    errs() << "error: " << diagnostic << "\n";
    return mlir::success();
  });
  mlir::Location nowhere = mlir::UnknownLoc::get(&context);
  auto values = AlgorithmOptions::resolve(
      *found.algorithm, *found.configuration, flags.options(), &context,
      [&] { return mlir::emitError(nowhere); });
  if (failed(values))
    return kUsage;
  AlgorithmOptions options(*values);
  int64_t members = flags.members;
  policy::GraphOptions wanted;
  if (Status status = readGraph(options, members, wanted); !status)
    return fail(status);
  if (members < 1 || members > policy::maxGossipMembers)
    return fail("--members must say how many workers there are, from 1 to " +
                Twine(policy::maxGossipMembers));
  policy::Neighbours graph;
  if (Status status = policy::makeGraph(wanted, members, graph); !status)
    return fail(status);
  Described all = describe(wanted, std::move(graph), options.real("rate"));
  all.accelerated = options.flag("accelerate");
  if (json)
    outs() << formatv("{0:2}", describe(all)) << "\n";
  else
    print(outs(), all);
  return 0;
}
