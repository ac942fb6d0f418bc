// Worlds as values: copies, fingerprints and all orders of a small program.
#include "tools/rubato-interp/Machine.h"

#include "test/unit/interp/Programs.h"

#include "gtest/gtest.h"

#include <set>

using namespace rubato;
using namespace rubato::interp;

namespace {

/// Two members sum their ranks over two rounds.
const char *kSum = R"mlir(
  gsync.group @world
  gsync.channel @all on @world kind(collective)
  gsync.cell @sum : i64 role(state)
  gsync.role @worker on @world {
    gsync.strand {
      %c0 = arith.constant 0 : i64
      %n, %rank = gsync.view @world : i64, i64
      %q = gsync.stop_requested : tensor<i64>
      %f = gsync.all_reduce sum on @all (%rank, %q) : (i64, tensor<i64>) -> !gsync.future<i64, tensor<i64>>
      %s, %Q = gsync.await %f : !gsync.future<i64, tensor<i64>>
      gsync.atomic (@sum) {
      ^bb0(%old: i64):
        %new = arith.addi %old, %s : i64
        gsync.yield cells(%new : i64)
      }
      %stop = tensor.extract %Q[] : tensor<i64>
      %go = arith.cmpi eq, %stop, %c0 : i64
      gsync.next %go
    }
  })mlir";

/// A member polls until its reduction is done.
const char *kPoll = R"mlir(
  gsync.group @world
  gsync.channel @all on @world kind(collective)
  gsync.cell @k : i64 role(state)
  gsync.role @worker on @world {
    gsync.strand {
      %false = arith.constant false
      %c1 = arith.constant 1 : i64
      %c3 = arith.constant 3 : i64
      %f = gsync.all_reduce sum on @all (%c1) : (i64) -> !gsync.future<i64>
      %k = gsync.repeat until(%f : !gsync.future<i64>) at_least(%c1) at_most(%c3) {
      ^bb0(%i: i64):
        gsync.yield
      }
      %s = gsync.await %f : !gsync.future<i64>
      gsync.atomic (@k) {
      ^bb0(%old: i64):
        gsync.yield cells(%k : i64)
      }
      gsync.next %false
    }
  })mlir";

/// Members are matched by a central policy.
const char *kMatch = R"mlir(
  gsync.group @world
  gsync.policy @match "gossip.matcher" central {
    gsync.entry @next : () -> (i64, i64, i1)
  }
  gsync.cell @peer : i64 role(state)
  gsync.role @worker on @world {
    gsync.strand {
      %false = arith.constant false
      %p, %t, %go = gsync.ask @match::@next() : () -> (i64, i64, i1)
      gsync.atomic (@peer) {
      ^bb0(%old: i64):
        gsync.yield cells(%p : i64)
      }
      gsync.next %false
    }
  })mlir";

class Session {
public:
  Session(const char *text, int ranks, int64_t rounds = 0) : source(text) {
    program = std::move(*interp::Program::analyse(*source.module, ranks));
    Config config;
    config.timed = false;
    config.rounds = rounds;
    machine.emplace(*program, config);
  }

  World start() { return *machine->start(); }
  auto print(const World &world) { return world.fingerprint(*program); }
  int64_t cell(const World &world, int rank) {
    return (*world.members[rank]->cells)[0].asInt();
  }
  World after(World world, Choice choice) {
    EXPECT_TRUE(succeeded(machine->apply(world, choice)));
    return world;
  }

  /// All worlds that can be reached; `end` is called with those that are over.
  size_t explore(llvm::function_ref<void(const World &)> end) {
    std::set<std::pair<uint64_t, uint64_t>> seen;
    std::vector<World> todo{start()};
    while (!todo.empty()) {
      World world = std::move(todo.back());
      todo.pop_back();
      if (!seen.insert(print(world)).second)
        continue;
      std::vector<Choice> choices = machine->choices(world);
      EXPECT_EQ(choices.empty(), machine->isOver(world));
      if (choices.empty())
        end(world);
      for (Choice choice : choices)
        todo.push_back(after(world, choice));
    }
    return seen.size();
  }

  test::Program source;
  std::unique_ptr<interp::Program> program;
  std::optional<Machine> machine;
};

TEST(Machine, CopiesShareNothingThatChanges) {
  for (const char *text : {kSum, kPoll, kMatch}) {
    Session run(text, 2, 2);
    World world = run.start();
    while (!run.machine->isOver(world)) {
      auto before = run.print(world);
      Choice choice = run.machine->choices(world).front();
      World copy = run.after(world, choice);
      EXPECT_EQ(run.print(world), before);
      EXPECT_NE(run.print(copy), before);
      world = run.after(std::move(world), choice);
      EXPECT_EQ(run.print(world), run.print(copy));
    }
  }
}

TEST(Machine, StepsOfTwoMembersCommute) {
  Session run(kSum, 2, 2);
  World world = run.start();
  std::vector<Choice> choices = run.machine->choices(world);
  ASSERT_EQ(choices.size(), 2u);
  World one = run.after(run.after(world, choices[0]), choices[1]);
  World two = run.after(run.after(world, choices[1]), choices[0]);
  EXPECT_EQ(run.print(one), run.print(two));
}

TEST(Machine, AllOrdersOfAllReduceEndAlike) {
  Session run(kSum, 3, 2);
  std::set<std::pair<uint64_t, uint64_t>> ends;
  size_t count = run.explore([&](const World &world) {
    ends.insert(run.print(world));
    for (int rank = 0; rank != 3; ++rank)
      EXPECT_EQ(run.cell(world, rank), 6); // two rounds of 0 + 1 + 2
  });
  EXPECT_EQ(ends.size(), 1u);
  EXPECT_GT(count, 10u);
}

TEST(Machine, APollOfWhatIsCompleteHasTwoOutcomes) {
  Session run(kPoll, 2);
  std::set<std::pair<int64_t, int64_t>> counts;
  run.explore([&](const World &world) {
    counts.emplace(run.cell(world, 0), run.cell(world, 1));
  });
  // The bodies of each run one to three times, whatever the other does.
  EXPECT_EQ(counts.size(), 9u);
}

TEST(Machine, PoliciesAreCopied) {
  Session run(kMatch, 4);
  std::set<std::vector<int64_t>> matches;
  run.explore([&](const World &world) {
    std::vector<int64_t> peers;
    for (int rank = 0; rank != 4; ++rank) {
      peers.push_back(run.cell(world, rank));
      EXPECT_EQ(run.cell(world, peers.back()), rank);
    }
    matches.insert(peers);
  });
  // 0 with 1, 2 or 3: every order of asking is tried.
  EXPECT_EQ(matches.size(), 3u);
}

TEST(Machine, DeathAtEveryPointLeavesNobodyWaiting) {
  Session run(kSum, 3, 2);
  size_t worlds = 0;
  World world = run.start();
  while (!run.machine->isOver(world)) {
    World rest = world;
    ASSERT_TRUE(succeeded(run.machine->kill(rest, 1)));
    while (!run.machine->choices(rest).empty())
      rest = run.after(rest, run.machine->choices(rest).back());
    EXPECT_TRUE(run.machine->isOver(rest));
    EXPECT_EQ(run.cell(rest, 0), run.cell(rest, 2));
    ++worlds;
    world = run.after(world, run.machine->choices(world).front());
  }
  EXPECT_EQ(worlds, 18u); // post, await, next: three ranks, two rounds
}

} // namespace
