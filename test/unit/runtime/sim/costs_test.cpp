// Cost tables and clusters: durations by their laws, and files that are wrong.
#include "sim/cluster.h"
#include "sim/cost_table.h"
#include "support.h"

#include <cmath>
#include <filesystem>

using namespace rubato;
using namespace rubato::sim;
using namespace rubato::sim::test;

namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(CostTable, HasListsAndUnits) {
  CostTable table;
  ASSERT_OK(table.read("gradient = [1ms, 2us] # per rank\n\ncall.mix = 7\n"
                       "message=3s\n",
                       "file"));
  uint64_t draws = 0;
  EXPECT_EQ(table.work({"gradient", 0}, draws), 1'000'000);
  EXPECT_EQ(table.work({"gradient", 5}, draws), 2'000);
  EXPECT_EQ(table.work({"mix", 5}, draws), 7);
  EXPECT_EQ(draws, 3u);
  EXPECT_EQ(table.work({"other", 5}, draws), 0);
  EXPECT_EQ(draws, 3u); // what takes no time draws nothing
  EXPECT_EQ(table.message(1, 0, 0).transfer, 3 * kSecond);
  EXPECT_EQ(table.ask(1, 0), 20'000);
}

TEST(CostTable, SaysWhatIsWrong) {
  auto message = [](const char *text) {
    CostTable table;
    return table.read(text, "c.txt").message();
  };
  EXPECT_EQ(message("gradient"), "c.txt:1: expected 'key = value'");
  EXPECT_EQ(message("\ngradient = 5h"),
            "c.txt:2: '5h' is no duration; write an integer with ns, us, ms or "
            "s");
  EXPECT_EQ(message("gradient = [1, 2"),
            "c.txt:1: the list of 'gradient' has no ]");
  EXPECT_EQ(message("jitter = 1"),
            "c.txt:1: jitter must be a share from 0 up to 1, not '1'");
  EXPECT_TRUE(message("speed = 1").starts_with("c.txt:1: unknown key 'speed'"));
  const std::string rack = "uplink.a = 1ms\n";
  EXPECT_EQ(message(rack.c_str()),
            "c.txt:1: uplink \"a\" needs another line: uplink.a.members = [0, "
            "1], the ranks behind it");
  EXPECT_EQ(
      message("uplink.a.members = [0]"),
      "c.txt:1: uplink \"a\" needs another line: uplink.a = 1ms, how long "
      "a message occupies it");
  EXPECT_EQ(message((rack + rack).c_str()),
            "c.txt:2: 'uplink.a' is there already; give this uplink another "
            "name");
  EXPECT_EQ(message("uplink.a.members = [0]\nuplink.a.members = [1]"),
            "c.txt:2: 'uplink.a.members' is there already; give this uplink "
            "another name");
  EXPECT_EQ(message("gradient = 1ms, 2ms"),
            "c.txt:1: '1ms, 2ms' is no duration; write an integer with ns, us, "
            "ms or s");
  EXPECT_EQ(message((rack + "uplink.a.members = [0, x]").c_str()),
            "c.txt:2: 'x' is no rank; write a list as in [0, 1]");
  EXPECT_EQ(message("uplink.a.speed = 1"),
            "c.txt:1: 'uplink.a.speed' must be uplink.NAME or "
            "uplink.NAME.members, with a name without dots");
}

TEST(CostTable, HasUplinks) {
  CostTable table;
  ASSERT_OK(table.read("uplink.left = 2ms\nuplink.left.members = [0, 2]\n"
                       "uplink.right.members = [1]\nuplink.right = 3ms\n",
                       "c.txt"));
  ASSERT_EQ(table.uplinks().size(), 2u);
  EXPECT_EQ(table.uplinks()[0].transfer(1'000'000), 2'000'000);
  EXPECT_EQ(table.uplinks()[1].members, std::vector<int64_t>{1});
  EXPECT_EQ(uplinksOfRanks(table.uplinks(), 4), (std::vector{0, 1, 0, -1}));
  EXPECT_EQ(checkUplinks(table.uplinks(), 2).message(),
            "c.txt:2: uplink \"left\" has member 2, but the run has 2 members; "
            "name ranks from 0 to 1");
}

/// A cluster of one computing member, or of as many as the text has.
std::unique_ptr<ClusterCosts> costsOf(const std::string &text, int members,
                                      uint64_t seed = 4) {
  Cluster cluster;
  Status status = parseCluster(text, "cluster.toml", cluster);
  EXPECT_TRUE(status) << status.message();
  static const ProgramSpec spec{};
  std::unique_ptr<ClusterCosts> costs;
  status = ClusterCosts::make(cluster, spec, members, seed, costs);
  EXPECT_TRUE(status) << status.message();
  return costs;
}

struct Moments {
  double mean = 0, least = 1e300, most = 0, deviation = 0;
};

Moments drawn(Costs &costs, int64_t count, int64_t samples = 8) {
  Moments moments;
  uint64_t draws = 0;
  double squares = 0;
  for (int64_t i = 0; i != count; ++i) {
    double seconds = static_cast<double>(
                         costs.work({"gradient", 0, 0, i, 0, samples}, draws)) *
                     1e-9;
    moments.mean += seconds;
    squares += seconds * seconds;
    moments.least = std::min(moments.least, seconds);
    moments.most = std::max(moments.most, seconds);
  }
  auto n = static_cast<double>(count);
  moments.mean /= n;
  moments.deviation = std::sqrt(squares / n - moments.mean * moments.mean);
  return moments;
}

TEST(Cluster, AllExamplesAreGood) {
  int files = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(RUBATO_CLUSTERS)) {
    if (entry.path().extension() != ".toml")
      continue;
    Cluster cluster;
    ASSERT_OK(readCluster(entry.path().string(), cluster));
    EXPECT_FALSE(cluster.workers.empty());
    ++files;
  }
  EXPECT_EQ(files, 13);
}

TEST(Cluster, StaticDurationsAreTheSpecified) {
  Cluster cluster;
  ASSERT_OK(readCluster(clusterPath("static.toml"), cluster));
  std::unique_ptr<ClusterCosts> costs;
  ProgramSpec spec;
  ASSERT_OK(ClusterCosts::make(cluster, spec, 4, 1, costs));
  const int64_t expected[] = {1'020'000'000, 1'020'000'000, 520'000'000,
                              270'000'000};
  uint64_t draws = 0;
  for (int rank = 0; rank != 4; ++rank)
    EXPECT_EQ(costs->work({"gradient", rank, 0, 0, 0, 8}, draws),
              expected[rank]);
  EXPECT_EQ(costs->work({"gradient", 3, 0, 0, 0, 4}, draws), 145'000'000);
  EXPECT_EQ(costs->work({"step", 3, 0, 0, 0, 4}, draws), 0);
  EXPECT_EQ(costs->collective({0, 0, 1 << 20, 4}), kSecond);
}

TEST(Cluster, LawsHaveTheirMoments) {
  struct Law {
    const char *text;
    double mean, deviation, least;
  };
  for (const Law &law :
       {Law{"law = 'constant'", 2, 0, 2},
        Law{"law = 'jitter'\nshare = 0.3", 2, 0.6 / std::sqrt(3), 1.4},
        Law{"law = 'exponential'", 2, 2, 0},
        Law{"law = 'shifted-exponential'\nshift = 0.5", 2, 1, 1},
        Law{"law = 'shifted-exponential'\nshift = 1\nmean = 1", 4, 2, 2},
        Law{"law = 'pareto'\nshape = 4", 2, 2 / std::sqrt(8), 1.5}}) {
    std::unique_ptr<ClusterCosts> costs = costsOf(
        std::string("[[worker]]\nspeed = 8\noverhead = 1\n") + law.text, 1);
    Moments moments = drawn(*costs, 40'000);
    EXPECT_NEAR(moments.mean, law.mean, 0.02 * law.mean) << law.text;
    EXPECT_NEAR(moments.deviation, law.deviation, 0.1 * law.deviation + 1e-9)
        << law.text;
    EXPECT_GE(moments.least, law.least - 1e-9) << law.text;
    EXPECT_NEAR(moments.least, law.least, 0.01) << law.text;
  }
}

TEST(Cluster, AJobHasOneFactor) {
  std::unique_ptr<ClusterCosts> costs = costsOf(
      "[[worker]]\noverhead = 1\nlaw = 'exponential'\nper = 'job'\n", 1);
  uint64_t draws = 0;
  auto of = [&](int64_t round) {
    return costs->work({"gradient", 0, 0, round, 0, 8}, draws);
  };
  int64_t first = of(3);
  EXPECT_EQ(of(3), first);
  EXPECT_NE(of(4), first);
  EXPECT_EQ(of(3), first);
}

TEST(Cluster, PhasesStretchWork) {
  std::unique_ptr<ClusterCosts> costs =
      costsOf("[[worker]]\noverhead = 1\nlaw = 'phases'\nslow = 4\n"
              "normal-seconds = 80\nslow-seconds = 20\n",
              1);
  uint64_t draws = 0;
  int64_t at = 0, done = 0, normal = 0, slow = 0;
  for (; at < 400'000 * kSecond; ++done) {
    int64_t taken = costs->work({"gradient", 0, 0, 0, at, 8}, draws);
    EXPECT_GE(taken, kSecond - 1);
    EXPECT_LE(taken, 4 * kSecond + 1);
    normal += taken <= kSecond;
    slow += taken >= 4 * kSecond;
    at += taken;
  }
  // Four fifths at full speed and one at a quarter of it.
  EXPECT_NEAR(static_cast<double>(done) / (static_cast<double>(at) * 1e-9),
              0.85, 0.02);
  EXPECT_GT(normal, 0);
  EXPECT_GT(slow, 0);
}

TEST(Cluster, TracesGoRound) {
  Cluster cluster;
  ASSERT_OK(readCluster(clusterPath("trace.toml"), cluster));
  std::unique_ptr<ClusterCosts> costs;
  ProgramSpec spec;
  ASSERT_OK(ClusterCosts::make(cluster, spec, 2, 1, costs));
  uint64_t draws = 0;
  std::vector<int64_t> durations;
  for (int i = 0; i != 32; ++i)
    durations.push_back(costs->work({"gradient", 1, 0, 0, 0, 8}, draws));
  EXPECT_EQ(durations[0], std::llround(0.52e9 * 0.98));
  EXPECT_EQ(durations[5], std::llround(0.52e9 * 1.35));
  EXPECT_TRUE(std::equal(durations.begin(), durations.begin() + 16,
                         durations.begin() + 16));
}

TEST(Cluster, LinksFollowTheModel) {
  std::unique_ptr<ClusterCosts> costs =
      costsOf("[[worker]]\ncount = 4\nspeed = 1\n[link]\nlatency = 0.001\n"
              "bandwidth = 1e6\nexchange = 0.25\n",
              4);
  // 2 · 3/4 · 2 s and 6 hops.
  EXPECT_EQ(costs->collective({0, 0, 2'000'000, 4}), 3'006'000'000);
  Passage fixed = costs->exchange(0, 0, 2'000'000);
  EXPECT_EQ(fixed.transfer, 250'000'000);
  EXPECT_EQ(fixed.latency, 0);
  Passage modelled = costs->message(1, 0, 2'000'000);
  EXPECT_EQ(modelled.transfer, 2'000'000'000);
  EXPECT_EQ(modelled.latency, 1'000'000);
  EXPECT_TRUE(modelled.throughServer);
  EXPECT_EQ(costs->ask(1, 0), 2'000'000);
}

TEST(Cluster, ARingIsAsFastAsItsUplinks) {
  const std::string links = "[[worker]]\ncount = 4\nspeed = 1\n[link]\n"
                            "bandwidth = 1e6\n";
  auto rack = [](const char *name, const char *members, double bandwidth) {
    return std::string("[[uplink]]\nname = '") + name +
           "'\nmembers = " + members +
           "\nbandwidth = " + std::to_string(bandwidth) + "\nlatency = 0.01\n";
  };
  Reduction reduction{0, 0, 4'000'000, 4}; // six steps of a megabyte
  // Neighbours in a rack: one of its members has its next elsewhere.
  EXPECT_EQ(
      costsOf(links + rack("a", "[0, 1]", 1e6) + rack("b", "[2, 3]", 1e6), 4)
          ->collective(reduction),
      6'120'000'000);
  EXPECT_EQ(
      costsOf(links + rack("a", "[0, 1]", 25e4), 4)->collective(reduction),
      24'060'000'000);
  // In turns: both of them have.
  EXPECT_EQ(
      costsOf(links + rack("a", "[0, 2]", 1e6) + rack("b", "[1, 3]", 1e6), 4)
          ->collective(reduction),
      12'120'000'000);
}

TEST(Cluster, ServersHaveNoEntry) {
  ProgramSpec spec;
  RoleSpec server, worker;
  server.name = "server";
  server.count = 1;
  worker.name = "worker";
  spec.roles = {server, worker};
  spec.channels = {{"ps", "mailbox", "server", 0, 0}};
  Cluster cluster;
  ASSERT_OK(readCluster(clusterPath("jobs-fixed.toml"), cluster));
  std::unique_ptr<ClusterCosts> costs;
  ASSERT_OK(ClusterCosts::make(cluster, spec, 9, 1, costs));
  uint64_t draws = 0;
  std::vector<double> seconds;
  for (int rank = 0; rank != 9; ++rank)
    seconds.push_back(static_cast<double>(
                          costs->work({"gradient", rank, 0, 0, 0, 8}, draws)) *
                      1e-9);
  EXPECT_EQ(seconds, (std::vector<double>{0, 2, 2, 1, 0.5, 2, 2, 1, 0.5}));
  cluster.repeat = false;
  EXPECT_TRUE(ClusterCosts::make(cluster, spec, 9, 1, costs)
                  .message()
                  .starts_with("the cluster has 4 workers, the run 8 members "
                               "that compute"));
}

TEST(Cluster, SaysWhatIsWrong) {
  auto message = [](const std::string &text) {
    Cluster cluster;
    return parseCluster(text, "c.toml", cluster).message();
  };
  EXPECT_EQ(message("x = 1"), "c.toml:1: a cluster needs at least one "
                              "[[worker]]");
  EXPECT_TRUE(message("[[worker]\n").starts_with("c.toml:1: "));
  const std::string worker = "[[worker]]\nspeed = 1\n";
  EXPECT_EQ(message(worker + "law = 'normal'\n"),
            "c.toml:3: unknown law \"normal\"; there are constant, jitter, "
            "exponential, shifted-exponential, pareto, phases and trace");
  EXPECT_EQ(message(worker + "sped = 2\n"),
            "c.toml:3: unknown key 'sped' in [[worker]]; it has count, speed, "
            "overhead, law, per");
  EXPECT_EQ(message(worker + "share = 0.5\n"),
            "c.toml:3: unknown key 'share' in [[worker]]; it has count, speed, "
            "overhead, law, per");
  EXPECT_EQ(message("restarts = 'never'\n" + worker),
            "c.toml:1: restarts must be \"step\" (a void job ends with its "
            "local step) or \"at-once\"");
  EXPECT_EQ(message("restarts = 'at-once'\n" + worker), "");
  EXPECT_EQ(message(worker + "per = 'epoch'\n"),
            "c.toml:3: per must be \"micro-batch\" or \"job\"");
  EXPECT_EQ(message(worker + "count = 1.5\n"),
            "c.toml:3: count must be a whole number from 1 to 4096");
  EXPECT_EQ(message("[[worker]]\nspeed = 'fast'\n"),
            "c.toml:2: speed must be a number of samples per second above 0");
  EXPECT_EQ(message("[[worker]]\ncount = 2\n"),
            "c.toml:1: [[worker]] needs speed (samples per second), overhead "
            "(seconds per micro-batch) or both");
  EXPECT_EQ(message(worker + "law = 'pareto'\nshape = 1\n"),
            "c.toml:4: shape must be above 1, or there is no mean");
  EXPECT_EQ(message(worker + "law = 'jitter'\n"),
            "c.toml:1: [[worker]] needs share: by how much a duration varies, "
            "up and down");
  EXPECT_EQ(message(worker + "law = 'trace'\nfile = 'no-such-file'\n"),
            "c.toml:4: cannot open the trace no-such-file; its path is "
            "relative to the cluster file");
  EXPECT_EQ(message(worker + "[link]\nlatency = -1\n"),
            "c.toml:4: latency must be a number of seconds, 0 or more");
  EXPECT_EQ(message(worker + "[link]\nspeed = 1\n"),
            "c.toml:4: unknown key 'speed' in [link]; it has latency, "
            "bandwidth, all-reduce, exchange, message, ask");
}

TEST(Cluster, SaysWhatIsWrongWithUplinks) {
  const std::string worker = "[[worker]]\nspeed = 1\ncount = 4\n";
  auto uplink = [](const std::string &name, const std::string &rest) {
    return "[[uplink]]\nname = '" + name + "'\n" + rest;
  };
  auto message = [&](const std::string &text) {
    Cluster cluster;
    return parseCluster(worker + text, "c.toml", cluster).message();
  };
  const std::string fast = "bandwidth = 1e9\n";
  EXPECT_EQ(message(uplink("a", "members = [0, 1]\n" + fast)), "");
  EXPECT_EQ(message(uplink("a", "members = [0, 1]\nbandwidth = 0\n")),
            "c.toml:7: bandwidth must be a number of bytes per second above 0");
  EXPECT_EQ(message(uplink("", "members = [0, 1]\n" + fast)),
            "c.toml:5: name must be a text that is not empty");
  EXPECT_EQ(message(uplink("a", "members = [0, 1]\n")),
            "c.toml:4: [[uplink]] needs bandwidth: its bytes per second, which "
            "they share");
  EXPECT_EQ(message(uplink("a", "members = [0, 'b']\n" + fast)),
            "c.toml:6: members must be a list of ranks, as in [0, 1]");
  EXPECT_EQ(message(uplink("a", "members = []\n" + fast)),
            "c.toml:6: members must be a list of ranks, as in [0, 1]");
  EXPECT_EQ(message(uplink("a", "members = [0]\nspeed = 1\n" + fast)),
            "c.toml:7: unknown key 'speed' in [[uplink]]; it has name, "
            "members, bandwidth, latency");
  EXPECT_EQ(message(uplink("a", "members = [0, 1]\n" + fast) +
                    uplink("b", "members = [1, 2]\n" + fast)),
            "c.toml:8: member 1 of uplink \"b\" is behind uplink \"a\" too; a "
            "member has one uplink");
  EXPECT_EQ(message(uplink("a", "members = [0, 0]\n" + fast)),
            "c.toml:4: member 0 of uplink \"a\" is named twice; name it once");
  EXPECT_EQ(message(uplink("a", "members = [0]\n" + fast) +
                    uplink("a", "members = [1]\n" + fast)),
            "c.toml:8: there is an uplink \"a\" already (c.toml:4); give it "
            "another name");
  EXPECT_EQ(message("[uplink]\nname = 'a'\n"),
            "c.toml:4: uplink must be a list of tables: [[uplink]]");
  Cluster cluster;
  ASSERT_OK(parseCluster(worker + uplink("a", "members = [3, 4]\n" + fast),
                         "c.toml", cluster));
  std::unique_ptr<ClusterCosts> costs;
  EXPECT_EQ(ClusterCosts::make(cluster, {}, 4, 1, costs).message(),
            "c.toml:4: uplink \"a\" has member 4, but the run has 4 members; "
            "name ranks from 0 to 3");
  EXPECT_FALSE(costs);
}

} // namespace
