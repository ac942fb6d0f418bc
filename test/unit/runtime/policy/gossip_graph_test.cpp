// Graphs that are laid out, drawn or given, and what deaths leave of them.
#include "gossip_course.h"
#include "policy/factory.h"

#include <cmath>
#include <map>

using namespace rubato;
using namespace rubato::policy;

static Neighbours made(const GraphOptions &options, int64_t members) {
  Neighbours graph;
  Status status = makeGraph(options, members, graph);
  EXPECT_TRUE(status) << status.message();
  return graph;
}

static std::string refusal(const GraphOptions &options, int64_t members) {
  Neighbours graph;
  Status status = makeGraph(options, members, graph);
  EXPECT_FALSE(status);
  return std::string(status.message());
}

static void expectIn(std::string_view part, const std::string &text) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

/// Symmetric, without loops, ascending, connected.
static void expectSound(const Neighbours &graph) {
  EXPECT_TRUE(isConnected(graph));
  for (size_t i = 0; i < graph.size(); ++i) {
    auto self = static_cast<int64_t>(i);
    EXPECT_FALSE(graph[i].empty()) << i << " is alone";
    for (size_t k = 0; k < graph[i].size(); ++k) {
      const Neighbour &each = graph[i][k];
      EXPECT_NE(each.member, self);
      EXPECT_TRUE(k == 0 || graph[i][k - 1].member < each.member);
      const auto &back = graph[static_cast<size_t>(each.member)];
      EXPECT_EQ(
          std::count(back.begin(), back.end(), Neighbour{self, each.weight}),
          1);
    }
  }
}

static void expectRegular(const Neighbours &graph, size_t degree) {
  expectSound(graph);
  for (const auto &list : graph)
    EXPECT_EQ(list.size(), degree);
}

static std::vector<Neighbour> near(const Neighbours &graph, size_t member) {
  return graph[member];
}

TEST(GossipGraph, LaysATorusOutInRowsAndColumns) {
  GraphOptions torus{Topology::Torus};
  Neighbours twelve = made(torus, 12); // 3 rows of 4
  expectRegular(twelve, 4);
  EXPECT_EQ(near(twelve, 0), (std::vector<Neighbour>{{1}, {3}, {4}, {8}}));
  EXPECT_EQ(near(twelve, 6), (std::vector<Neighbour>{{2}, {5}, {7}, {10}}));
  // Around two rows both ways lead to the same member, which counts once.
  torus.rows = 2;
  expectRegular(made(torus, 12), 3);
  torus.rows = 1;
  EXPECT_EQ(made(torus, 12), made({Topology::Ring}, 12));
  torus.rows = 5;
  expectIn("choose 1, 2, 3, 4, 6, 12 rows", refusal(torus, 12));
  expectIn("7 is prime", refusal({Topology::Torus}, 7));
  expectIn("6 or 8 workers", refusal({Topology::Torus}, 7));
  expectIn("4 workers", refusal({Topology::Torus}, 3));
}

TEST(GossipGraph, JoinsMembersOfAHypercubeThatDifferInOneBit) {
  expectRegular(made({Topology::Hypercube}, 64), 6);
  EXPECT_EQ(near(made({Topology::Hypercube}, 8), 5),
            (std::vector<Neighbour>{{1}, {4}, {7}}));
  expectIn("8 or 16 workers", refusal({Topology::Hypercube}, 12));
}

TEST(GossipGraph, DrawsRegularGraphs) {
  for (auto [n, degree] : std::initializer_list<std::pair<int64_t, size_t>>{
           {4, 3}, {10, 2}, {11, 4}, {16, 3}, {16, 14}, {9, 8}, {64, 20}}) {
    GraphOptions options{Topology::RandomRegular};
    options.degree = static_cast<double>(degree);
    expectRegular(made(options, n), degree);
  }
  GraphOptions first{Topology::RandomRegular}, second = first;
  expectRegular(made(first, 30), 4);
  second.seed = 1;
  EXPECT_EQ(made(first, 30), made(first, 30));
  EXPECT_NE(made(first, 30), made(second, 30));
  first.degree = 3;
  expectIn("an even degree", refusal(first, 11));
  for (double degree : {1.0, 2.5, 12.0, -1.0}) {
    first.degree = degree;
    expectIn("from 2 to 11", refusal(first, 12));
  }
}

TEST(GossipGraph, DrawsRegularGraphsOfEveryDegree) {
  auto drawn = [](int64_t n, int64_t degree) {
    SCOPED_TRACE(degree);
    GraphOptions options{Topology::RandomRegular};
    options.degree = static_cast<double>(degree);
    Neighbours graph = made(options, n);
    expectRegular(graph, static_cast<size_t>(degree));
    options.seed = 1;
    if (degree < n - 1)
      EXPECT_NE(graph, made(options, n));
  };
  for (int64_t degree = 2; degree < 24; ++degree)
    drawn(24, degree);
  for (int64_t degree = 2; degree < 23; degree += 2)
    drawn(23, degree);
  drawn(50, 46);
  drawn(64, 60);
  drawn(100, 50);
  for (int64_t degree = 90; degree < 100; ++degree)
    drawn(100, degree);
  drawn(200, 100);
  drawn(200, 198);
}

TEST(GossipGraph, DrawsEdgesIndependently) {
  GraphOptions options{Topology::ErdosRenyi};
  options.degree = 8;
  double edges = 0;
  constexpr int graphs = 40;
  std::map<std::pair<size_t, int64_t>, int> drawn;
  for (options.seed = 0; options.seed < graphs; ++options.seed) {
    Neighbours graph = made(options, 40);
    expectSound(graph);
    for (size_t i = 0; i < graph.size(); ++i)
      for (const Neighbour &each : graph[i])
        if (static_cast<int64_t>(i) < each.member) {
          ++edges;
          ++drawn[{i, each.member}];
        }
  }
  // 780 possible edges, each with probability 8/39: five standard errors of
  // the mean. Those that are not connected (about one in a hundred) are drawn
  // again and move it by less.
  EXPECT_NEAR(edges / graphs, 160, 5 * std::sqrt(780 * 8. / 39 * 31 / 39 / 40));
  // Nearly every pair occurs.
  EXPECT_GT(drawn.size(), 770u);
  // By default the mean is above the logarithm, so that a draw is connected.
  expectSound(made({Topology::ErdosRenyi}, 300));
  options.degree = 2.5;
  expectIn("at least 7", refusal(options, 200));
  // A tree of 200 has 398 ends of edges.
  options.degree = 1.98;
  expectIn("choose a degree of at least 1.99 (", refusal(options, 200));
  options.degree = 1.3;
  expectIn("at least 1.334 (", refusal(options, 3));
  options.degree = 1.334;
  expectSound(made(options, 3));
  options.degree = 200;
  expectIn("at most 199", refusal(options, 200));
}

TEST(GossipGraph, BridgesTwoClusters) {
  Neighbours graph = made({Topology::TwoClusters}, 7);
  expectSound(graph);
  EXPECT_EQ(near(graph, 0), (std::vector<Neighbour>{{1}, {2}, {3}}));
  EXPECT_EQ(near(graph, 3), (std::vector<Neighbour>{{0}, {1}, {2}, {4}}));
  EXPECT_EQ(near(graph, 4), (std::vector<Neighbour>{{3}, {5}, {6}}));
}

TEST(GossipGraph, ReadsEdges) {
  std::vector<Edge> edges;
  ASSERT_TRUE(parseEdges("0 1, 1 2 0.5, 2 3 1e-3", edges));
  GraphOptions options{Topology::Edges};
  options.edges = edges;
  EXPECT_EQ(made(options, 4)[1], (std::vector<Neighbour>{{0, 1}, {2, 0.5}}));
  expectIn("of 4 members, this group has 6", refusal(options, 6));
  expectIn("start 4 workers", refusal(options, 3));
  for (const char *wrong : {"", "0", "0 1 1 1", "0 one", "0 1 nan", "-1 0",
                            "0 5000", "1 1", "0 1 -2", "0 1 0", "0 1 1e400",
                            "0 1 1e-7, 1 2", "0 1 1e308, 1 2 1e-308",
                            "0 1, 1 0", "0 1, 2 3", "0 2", "0 1;", "0 1,, 1 2"})
    EXPECT_FALSE(parseEdges(wrong, edges)) << wrong;
}

TEST(GossipGraph, TellsWhereAnEdgeIsWrong) {
  auto said = [](const char *text) {
    std::vector<Edge> edges;
    return std::string(parseEdges(text, edges).message());
  };
  EXPECT_EQ(said("0 1, 5 6"),
            "gossip.matcher: the graph is in 5 parts: no way leads from member "
            "0 to member 2, and members are all from 0 to 6; add an edge "
            "between the parts");
  EXPECT_EQ(said("0 1, 1 2, 1 0 2"),
            "gossip.matcher: edge 3: the edge between 1 and 0 is there "
            "already, in edge 1");
  expectIn("edge 2: weights may differ by a factor of a million",
           said("0 1, 1 2 1e-7"));
}

TEST(GossipGraph, TakesWeightsRelativeToTheLargest) {
  auto constantsOf = [](const char *text) {
    GraphOptions options{Topology::Edges};
    EXPECT_TRUE(parseEdges(text, options.edges)) << text;
    return gossipConstants(made(options, 4), 1);
  };
  GossipConstants usual = constantsOf("0 1 1, 1 2 0.5, 2 3 1, 3 0 0.5");
  ASSERT_TRUE(std::isfinite(usual.eta) && usual.eta > 0);
  for (const char *text : {"0 1 1e308, 1 2 5e307, 2 3 1e308, 3 0 5e307",
                           "0 1 2e-300, 1 2 1e-300, 2 3 2e-300, 3 0 1e-300"}) {
    EXPECT_NEAR(constantsOf(text).eta, usual.eta, 1e-12 * usual.eta) << text;
    EXPECT_NEAR(constantsOf(text).alpha, usual.alpha, 1e-12) << text;
  }
}

/// One of each kind that is made once for all members.
static std::vector<GraphOptions> fixedGraphs() {
  GraphOptions given{Topology::Edges};
  EXPECT_TRUE(parseEdges("0 1, 1 2 2, 2 3, 3 4 0.5, 4 5, 5 6, 6 7, 7 0 3, 8 0, "
                         "8 9, 9 10, 10 11 2, 11 12, 12 13, 13 14, 14 15, 15 3",
                         given.edges));
  return {{Topology::Torus},
          {Topology::Hypercube},
          {Topology::RandomRegular},
          {Topology::ErdosRenyi},
          given};
}

TEST(GossipGraph, StaysConnectedOrLosesEdgesByDeaths) {
  constexpr int64_t n = 16;
  for (const GraphOptions &options : fixedGraphs()) {
    SCOPED_TRACE(std::string(topologyName(options.topology)));
    Neighbours whole = made(options, n);
    std::vector<bool> live(n, true);
    for (int64_t k = 0; k < n - 2; ++k) {
      live[static_cast<size_t>((5 + 7 * k) % n)] = false;
      Neighbours closed = liveGraph(whole, Repair::Close, live);
      Neighbours induced = liveGraph(whole, Repair::Induced, live);
      EXPECT_TRUE(isConnected(closed));
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(closed[i].empty(), !live[i]);
        std::vector<Neighbour> left;
        for (const Neighbour &each : whole[i])
          if (live[i] && live[static_cast<size_t>(each.member)])
            left.push_back(each);
        EXPECT_EQ(induced[i], left);
        // No edge is lost that could stay.
        for (const Neighbour &each : left)
          EXPECT_TRUE(std::count(closed[i].begin(), closed[i].end(), each));
      }
    }
  }
  std::vector<bool> live{true, false, true};
  std::vector<Edge> edges;
  ASSERT_TRUE(parseEdges("0 1 3, 1 2 2", edges));
  GraphOptions path{Topology::Edges};
  path.edges = edges;
  EXPECT_EQ(liveGraph(made(path, 3), Repair::Close, live)[0],
            (std::vector<Neighbour>{{2, 2. / 3}}));
}

TEST(GossipGraph, NeverLetsAllWait) {
  std::vector<GraphOptions> graphs = fixedGraphs();
  // A ring and a path, where most edges are the only other choice.
  for (std::string last : {", 15 0", ""}) {
    std::string text = "0 1 1000";
    for (int i = 1; i < 15; ++i)
      text += ", " + std::to_string(i) + " " + std::to_string(i + 1) +
              (i % 4 ? "" : " 30");
    graphs.push_back({Topology::Edges});
    ASSERT_TRUE(parseEdges(text + last, graphs.back().edges));
  }
  for (const GraphOptions &options : graphs)
    for (bool deaths : {false, true}) {
      SCOPED_TRACE(std::string(topologyName(options.topology)));
      Course run({.members = 16,
                  .graph = options,
                  .repair = deaths ? Repair::Induced : Repair::Close,
                  .seed = 3},
                 11);
      for (int64_t gone : {3, 6, 9})
        if (deaths) {
          ASSERT_TRUE(run.matcher->leave(gone));
          run.busy[static_cast<size_t>(gone)] = false;
        }
      for (int k = 0; k < 3000; ++k)
        ASSERT_TRUE(run.step()) << "all wait after " << k;
      EXPECT_GT(run.matcher->matches(), 500);
    }
}

TEST(GossipGraph, CutInPartsGoesOnInEachOfThem) {
  // Clusters of 4; the bridge is 3-4, and 3 dies.
  Course run({.members = 8,
              .graph = {Topology::TwoClusters},
              .repair = Repair::Induced,
              .seed = 3},
             11);
  ASSERT_TRUE(run.matcher->leave(3));
  run.busy[3] = false;
  for (int k = 0; k < 4000; ++k)
    ASSERT_TRUE(run.step()) << "all wait after " << k;
  std::map<int64_t, int> met;
  for (auto [a, b] : run.pairs) {
    EXPECT_EQ(a < 3, b < 3);
    ++met[a];
    ++met[b];
  }
  EXPECT_EQ(met.size(), 7u);
  // Complete parts of 3 and 4: the larger agrees slowest, 4/(2*3).
  double eta = 0, alpha = 0;
  ASSERT_TRUE(run.matcher->constants({0, 0}, eta, alpha));
  EXPECT_NEAR(eta, 4. / 6, 1e-12);
  EXPECT_NEAR(alpha, 0.5, 1e-12);
  // Two of the smaller part are left without each other: one computes alone.
  ASSERT_TRUE(run.matcher->leave(0));
  ASSERT_TRUE(run.matcher->leave(1));
  EXPECT_EQ(offer(*run.matcher, 2, run.calls[2]), none);
  // Where the named graph is formed anew, the others stay together.
  Course anew({.members = 8, .graph = {Topology::TwoClusters}, .seed = 3}, 11);
  ASSERT_TRUE(anew.matcher->leave(3));
  anew.busy[3] = false;
  for (int k = 0; k < 1000; ++k)
    ASSERT_TRUE(anew.step());
  EXPECT_TRUE(std::any_of(anew.pairs.begin(), anew.pairs.end(), [](auto pair) {
    return pair.first < 3 && pair.second > 3;
  }));
}

TEST(GossipGraph, UsesEdgesByTheirWeights) {
  // Every third edge of the ring counts a tenth, chords three times.
  std::string text;
  for (int i = 0; i < 12; ++i)
    text += (i ? ", " : "") + std::to_string(i) + " " +
            std::to_string((i + 1) % 12) + (i % 3 ? "" : " 0.1");
  for (int i = 0; i < 6; ++i)
    text += ", " + std::to_string(i) + " " + std::to_string(i + 6) + " 3";
  GraphOptions options{Topology::Edges};
  ASSERT_TRUE(parseEdges(text, options.edges));
  Course run({.members = 12, .graph = options, .seed = 5}, 2);
  for (int k = 0; k < 20000; ++k)
    ASSERT_TRUE(run.step());
  std::map<std::pair<int64_t, int64_t>, double> used;
  for (auto pair : run.pairs)
    ++used[pair];
  std::vector<double> meetings(12);
  for (auto [pair, count] : used) {
    meetings[static_cast<size_t>(pair.first)] += count;
    meetings[static_cast<size_t>(pair.second)] += count;
  }
  Neighbours graph = made(options, 12);
  auto share = [&](int64_t member, double weight) {
    auto i = static_cast<size_t>(member);
    double total = 0;
    for (const Neighbour &each : graph[i])
      total += each.weight;
    return meetings[i] * weight / total;
  };
  for (int64_t i = 0; i < 12; ++i)
    for (const Neighbour &each : graph[static_cast<size_t>(i)]) {
      double count = used[std::minmax(i, each.member)];
      // No edge is used less than its share of what both ends have made.
      EXPECT_GT(
          count,
          std::min(share(i, each.weight), share(each.member, each.weight)) - 3)
          << i << "-" << each.member;
      // A free choice would use the weakest edges, of which a member has a
      // fortieth of its weight, about as often as the others.
      if (each.weight < 0.1)
        EXPECT_LT(count, 0.12 * meetings[static_cast<size_t>(i)])
            << i << "-" << each.member;
    }
}

TEST(GossipGraph, RepeatsNoPairOfAGivenGraphThatIsNotBehind) {
  // A ring of 4 where two neighbours are twenty times as fast as the others:
  // who comes next is drawn accordingly.
  GraphOptions ring{Topology::Edges};
  ASSERT_TRUE(parseEdges("0 1, 1 2, 2 3, 3 0", ring.edges));
  auto course = [&](bool repeats) {
    MatcherOptions options{.members = 4, .graph = ring, .seed = 3};
    options.repeats = repeats;
    auto matcher = makeMatcher(options);
    std::vector<int64_t> calls(4);
    std::vector<double> due{1, 1, 20, 20};
    const std::vector<double> takes = due;
    for (int k = 0; k < 4000; ++k) {
      auto who = std::min_element(due.begin(), due.end()) - due.begin();
      if (!std::isfinite(due[static_cast<size_t>(who)])) {
        ADD_FAILURE() << "all wait after " << k;
        break;
      }
      double now = due[static_cast<size_t>(who)];
      auto match = offer(*matcher, who, calls[static_cast<size_t>(who)]++);
      due[static_cast<size_t>(who)] = INFINITY;
      if (!match)
        continue;
      for (int64_t each : {int64_t(who), match->peer})
        due[static_cast<size_t>(each)] = now + takes[static_cast<size_t>(each)];
    }
    return static_cast<double>(matcher->repeats()) /
           static_cast<double>(matcher->matches());
  };
  EXPECT_LT(course(false), 0.02);
  EXPECT_GT(course(true), 0.5);
}

TEST(GossipGraph, RemembersTheUseOfEdges) {
  GraphOptions options = fixedGraphs().back();
  MatcherOptions all{.members = 16, .graph = options, .seed = 4};
  Course run(all, 6);
  for (int k = 0; k < 500; ++k)
    ASSERT_TRUE(run.step());
  StateWriter out;
  run.matcher->save(out);
  Course other(all, 6);
  StateReader in(out.bytes());
  ASSERT_TRUE(other.matcher->load(in));
  EXPECT_TRUE(in.atEnd());
  other.steps = run.steps;
  other.calls = run.calls;
  other.busy = run.busy;
  run.pairs.clear();
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(run.step());
    ASSERT_TRUE(other.step());
  }
  EXPECT_EQ(run.pairs, other.pairs);
  // The state of another graph has uses of other edges.
  all.graph = {Topology::Ring};
  StateReader again(out.bytes());
  EXPECT_FALSE(makeMatcher(all)->load(again));
}

TEST(GossipGraph, SettingsReachIt) {
  auto etaOf = [](std::vector<NamedSetting> settings) {
    std::vector<int64_t> members;
    for (int64_t i = 0; i < 12; ++i)
      members.push_back(i);
    std::unique_ptr<Policy> policy;
    Status status =
        makePolicy("gossip.matcher", settings, {members, 1, 1000}, policy);
    EXPECT_TRUE(status) << status.message();
    std::vector<Value> out(2);
    EXPECT_TRUE(policy->ask("constants", {0, 0}, {}, out));
    return std::get<double>(out[0]);
  };
  auto etaOfGraph = [](const GraphOptions &options) {
    return gossipConstants(made(options, 12), 1).eta;
  };
  GraphOptions torus{.topology = Topology::Torus, .rows = 2};
  EXPECT_EQ(etaOf({{"topology", "torus"}, {"rows", 2}}), etaOfGraph(torus));
  EXPECT_NE(etaOfGraph(torus), etaOfGraph({Topology::Torus}));
  GraphOptions random{
      .topology = Topology::RandomRegular, .degree = 3, .seed = 8};
  EXPECT_EQ(
      etaOf({{"topology", "random-regular"}, {"degree", 3}, {"graph-seed", 8}}),
      etaOfGraph(random));
  random.seed = 0;
  EXPECT_NE(
      etaOf({{"topology", "random-regular"}, {"degree", 3}, {"graph-seed", 8}}),
      etaOfGraph(random));
  std::string edges;
  for (int i = 0; i < 12; ++i)
    edges += (i ? ", " : "") + std::to_string(i) + " " +
             std::to_string((i + 1) % 12);
  EXPECT_EQ(etaOf({{"topology", "edges"}, {"edges", edges}}),
            etaOfGraph({Topology::Ring}));
}

TEST(GossipGraph, SettingsOfAnotherGraphAreRefused) {
  auto said = [](std::vector<NamedSetting> settings) {
    std::unique_ptr<Policy> policy;
    return std::string(
        makePolicy("gossip.matcher", settings, {{0, 1, 2, 3}, 1, 1000}, policy)
            .message());
  };
  EXPECT_EQ(said({{"topology", "ring"}, {"rows", 2}}),
            "gossip.matcher: the setting 'rows' is for topology \"torus\", not "
            "for \"ring\"; leave it out");
  expectIn("'degree' is for", said({{"degree", 2}}));
  expectIn("'graph-seed' is for",
           said({{"topology", "torus"}, {"graph-seed", 1}}));
  expectIn("'edges' is for", said({{"topology", "path"}, {"edges", "0 1"}}));
  expectIn(
      "'rows' is for",
      said({{"topology", "edges"}, {"edges", "0 1, 1 2, 2 3"}, {"rows", 2}}));
  EXPECT_EQ(said({{"topology", "torus"}, {"rows", 2}}), "");
}
