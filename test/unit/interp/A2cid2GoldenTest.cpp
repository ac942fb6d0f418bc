// Golden vectors of accelerated gossip, computed by the atomics of the
// generated program with the constants of its own policy.
#include "Atomics.h"

#include "policy/factory.h"
#include "policy/gossip_matcher.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace mlir;

namespace rubato::test {
// Not mlir's.
using interp::Value;

namespace {

std::string readInput(const std::string &name) {
  std::ifstream file(RUBATO_TEST_DIRECTORY "/Interp/golden/Inputs/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Members of a ring that run the program's atomics.
struct Ring : Program {
  explicit Ring(int64_t size)
      : Program(readInput("quadratic64.mlir")), members(size) {
    // A rate that f32 holds exactly; gradients are scaled to match.
    if (!run("choose-algorithm{algorithm=a2cid2 lr=0.125 "
             "options=topology=ring},expand-algorithm,canonicalize,cse"))
      return;
    collect();
    setConstants(size);
  }

  void collect() {
    module->walk([&](gsync::StrandOp strand) {
      strand.walk([&](gsync::ExchangeOp op) { exchange = op; });
      strand.walk([&](gsync::AtomicOp op) {
        bool steps = false;
        op.walk(
            [&](func::CallOp call) { steps |= call.getCallee() == "step"; });
        if (steps)
          apply = op;
        else if (exchange && op->getBlock() == exchange->getBlock())
          (op->isBeforeInBlock(exchange) ? before : after) = op;
      });
    });
  }

  /// The constants as the program asks for them.
  void setConstants(int64_t size) {
    policy::MatcherOptions options;
    options.members = size;
    options.graph.topology = policy::Topology::Ring;
    std::unique_ptr<policy::GossipMatcher> matcher;
    ASSERT_TRUE(policy::GossipMatcher::create(options, matcher));
    ASSERT_TRUE(matcher->constants({0, 0}, eta, alpha));
  }

  Value vector(double value) {
    return Value::real(type("tensor<4xf64>"), value);
  }

  void start(const std::vector<double> &x) {
    auto real = [&](double value) { return Value::real(type("f64"), value); };
    auto count = [&](int64_t value) {
      return Value::integer(type("i64"), value);
    };
    for (size_t i = 0; i != members.size(); ++i) {
      auto &cells = members[i].cells;
      cells["w"] = cells["xt"] = vector(x[i]);
      cells["last"] = real(0);
      cells["dt"] = real(1);
      cells["eta"] = cells["eta_graph"] = real(eta);
      cells["alpha"] = real(alpha);
      cells["gradients"] = cells["averagings"] = count(0);
      cells["members"] = count(members.size());
      cells["seen"] = Value::integer(type("tensor<i64>"), 0);
      cells["budget"] = Value::integer(type("tensor<i64>"), 1000);
      cells["base_lr"] = Value::real(type("tensor<f32>"), 0.125);
    }
  }

  /// Mixes, exchanges what the program sends and applies it, both at `now`.
  void average(int a, int b, double now) {
    auto none = [](OpResult) { return Value(); };
    Value sent[2];
    int pair[] = {a, b};
    for (int i : {0, 1}) {
      ASSERT_TRUE(members[pair[i]].run(before, now, none)) << errors;
      sent[i] = members[pair[i]].valueOf(exchange.getValues()[0], none);
    }
    for (int i : {0, 1})
      ASSERT_TRUE(members[pair[i]].run(after, now, [&](OpResult result) {
        return isa<gsync::AwaitOp>(result.getOwner()) ? sent[1 - i] : Value();
      })) << errors;
  }

  void gradient(int member, double g, int64_t samples, double now) {
    ASSERT_TRUE(members[member].run(apply, now, [&](OpResult result) -> Value {
      Operation *op = result.getOwner();
      if (isa<gsync::ViewOp>(op))
        return Value::integer(type("i64"), members.size());
      if (isa<func::CallOp>(op) && result.getResultNumber() == 0)
        return vector(g);
      // Samples, and what the sum is divided by.
      if (isa<func::CallOp>(op) && result.getResultNumber() <= 2)
        return Value::integer(type("tensor<i64>"), samples);
      return {};
    })) << errors;
  }

  /// The two variables of a member, mixed to `now`, without changing them.
  std::pair<double, double> at(int member, double now) {
    auto &cells = members[member].cells;
    std::vector<Value> mixed =
        call({cells["w"], cells["xt"], cells["last"],
              Value::real(type("f64"), now), cells["dt"], cells["eta"]},
             "mix");
    if (mixed.size() != 2)
      return {NAN, NAN};
    return {mixed[0].floatAt(0), mixed[1].floatAt(0)};
  }

  std::vector<AtomicMember> members;
  gsync::AtomicOp before, after, apply;
  gsync::ExchangeOp exchange;
  double eta = 0, alpha = 0;
};

} // namespace

TEST(A2cid2Golden, MixingMatrices) {
  struct {
    int64_t size;
    double time, diagonal, off;
  } rows[] = {{16, 0.1, 0.985953690857, 0.014046309143},
              {16, 1, 0.876026810275, 0.123973189725},
              {16, 5, 0.620285710073, 0.379714289927},
              {64, 1, 0.966224540513, 0.033775459487}};
  for (auto row : rows) {
    Ring ring(row.size);
    ASSERT_TRUE(ring.apply) << ring.errors;
    ring.start(std::vector<double>(row.size, 1));
    ring.members[0].cells["xt"] = ring.vector(0);
    auto [x, xt] = ring.at(0, row.time);
    EXPECT_NEAR(x, row.diagonal, 1e-11);
    EXPECT_NEAR(xt, row.off, 1e-11);
    // Time is counted in gradients.
    ring.members[0].cells["dt"] = Value::real(ring.type("f64"), 2);
    EXPECT_NEAR(ring.at(0, 2 * row.time).first, row.diagonal, 1e-11);
  }
}

TEST(A2cid2Golden, EventsOnARingOfFour) {
  Ring ring(4);
  ASSERT_TRUE(ring.before && ring.after && ring.apply) << ring.errors;
  ring.start({1, 0, 0, 0});
  ring.average(0, 1, 0.5);
  ring.average(1, 2, 1.25);
  ring.gradient(2, 1.6, 2, 1.5); // 0.125 · 1.6 / 2 = 0.1
  ring.average(2, 3, 1.75);
  const double wantX[] = {0.4681673169, 0.2589229842, 0.0862276346,
                          0.0866820643};
  const double wantXt[] = {0.4544824139, 0.2556113182, 0.0933680267,
                           0.0965382412};
  // An exchange before the mixing, or an average with what is alive, gives
  // these for @w.
  const double early[] = {0.2706288839, 0.0822777480, 0.0789260513};
  double sumX = 0, sumXt = 0;
  for (int i = 0; i < 4; ++i) {
    auto [x, xt] = ring.at(i, 2);
    EXPECT_NEAR(x, wantX[i], 1e-9) << i;
    EXPECT_NEAR(xt, wantXt[i], 1e-9) << i;
    if (i > 0)
      EXPECT_GT(std::abs(x - early[i - 1]), 1e-3) << i;
    sumX += x;
    sumXt += xt;
  }
  // On one clock the two means are equal: (1 − 0.1) / 4.
  EXPECT_NEAR(sumX / 4, 0.225, 1e-14);
  EXPECT_NEAR(sumXt / 4, 0.225, 1e-14);
}

TEST(A2cid2Golden, MixesCompose) {
  Ring ring(16);
  ASSERT_TRUE(ring.before) << ring.errors;
  ring.start(std::vector<double>(16, 3));
  ring.members[0].cells["xt"] = ring.vector(-2);
  auto [x, xt] = ring.at(0, 1.7);
  EXPECT_NEAR(x + xt, 1, 1e-15);
  auto none = [](OpResult) { return Value(); };
  ASSERT_TRUE(ring.members[0].run(ring.before, 0.4, none));
  auto [x2, xt2] = ring.at(0, 1.7);
  EXPECT_NEAR(x2, x, 1e-15);
  EXPECT_NEAR(xt2, xt, 1e-15);
}

TEST(A2cid2Golden, AveragingKeepsBothSums) {
  Ring ring(16);
  ASSERT_TRUE(ring.before && ring.after && ring.apply) << ring.errors;
  std::vector<double> x(16);
  for (size_t i = 0; i != x.size(); ++i)
    x[i] = std::cos(double(i));
  ring.start(x);
  // A gradient lands while a snapshot is under way; the sums stay.
  auto none = [](OpResult) { return Value(); };
  AtomicMember &a = ring.members[3], &b = ring.members[4];
  a.cells["xt"] = ring.vector(0.25);
  ASSERT_TRUE(a.run(ring.before, 1, none) && b.run(ring.before, 1, none));
  Value sentA = a.valueOf(ring.exchange.getValues()[0], none);
  Value sentB = b.valueOf(ring.exchange.getValues()[0], none);
  auto sum = [&](const char *cell) {
    return a.cells[cell].floatAt(0) + b.cells[cell].floatAt(0);
  };
  double w = sum("w"), xt = sum("xt");
  ring.gradient(3, 8, 2, 1);
  EXPECT_NEAR(sum("w"), w - 0.5, 1e-14);
  EXPECT_NEAR(sum("xt"), xt - 0.5, 1e-14);
  auto gives = [](Value value) {
    return [value](OpResult result) {
      return isa<gsync::AwaitOp>(result.getOwner()) ? value : Value();
    };
  };
  ASSERT_TRUE(a.run(ring.after, 1, gives(sentB)));
  ASSERT_TRUE(b.run(ring.after, 1, gives(sentA)));
  EXPECT_NEAR(sum("w"), w - 0.5, 1e-14);
  EXPECT_NEAR(sum("xt"), xt - 0.5, 1e-14);
}

} // namespace rubato::test
