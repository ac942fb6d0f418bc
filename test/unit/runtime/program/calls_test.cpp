// The table of calls: names, and that a fact needs nothing but its row.
#include "common/fake_environment.h"
#include "data/files.h"

#include "program/recording_environment.h"
#include "program/replaying_environment.h"

#include <gtest/gtest.h>

#include <set>

using namespace rubato;
using namespace rubato::test;

namespace {

TEST(Calls, HaveNamesOfTheirOwn) {
  EXPECT_STREQ(callName(Call::AllReduce), "all_reduce");
  EXPECT_STREQ(callName(Call::RoundSamples), "round_samples");
  EXPECT_STREQ(callName(Call::Drained), "drained"); // the last row
  std::set<std::string> names;
  for (const CallNames &call : callNames)
    EXPECT_TRUE(names.insert(call.text).second) << call.text;
}

TEST(Calls, AreRefusedWithTheReason) {
  RefusingEnvironment env("a model may only load cells");
  bool met = true;
  Status status = env.meet({2, 0, 7}, 0, met);
  EXPECT_EQ(status.message(),
            "rank 2 calls 'meet', but a model may only load cells");
  EXPECT_EQ(env.members({2, 0, 7}), 0);
}

TEST(Calls, GoToTheEnvironmentBehind) {
  FakeEnvironment fake;
  ForwardingEnvironment env(fake);
  Caller who{1, 0, 4};
  EXPECT_EQ(env.roundSamples(who), fake.roundSamples(who));
  bool ok = false;
  EXPECT_TRUE(env.commit(who, 3, 3, ok));
  EXPECT_TRUE(ok);
  EXPECT_EQ(fake.calls, std::vector<std::string>{"0:4 commit"});
}

/// What the table calls a fact is noted by a recorder and given back by a
/// replay, as it is, without a line about it in either.
TEST(Calls, FactsAreRecordedAndReplayed) {
  ProgramSpec program;
  RoleSpec worker;
  worker.name = "worker";
  worker.strands = {{"round", 0, false, false}};
  program.roles = {worker};
  FakeEnvironment fake;
  Folder folder;
  std::unique_ptr<RecordingEnvironment> recorder;
  ASSERT_TRUE(RecordingEnvironment::make(
      {fake, folder.file("run.log"), 0, 1, 0}, recorder));
  Caller who{0, 0, 3};
#define RB_FACT(type, name, tag, method)                                       \
  EXPECT_EQ(recorder->method(who), fake.method(who)) << #name;
#include "abi/calls.def"
  ASSERT_TRUE(recorder->finish());

  std::string events = folder.read("run.log.part-0-0");
  std::vector<RunStream> log = {{0, 0, events}, {0, 1, ""}};
  ReplayingStrands strands;
  std::unique_ptr<ReplayingEnvironment> replay;
  ASSERT_TRUE(
      ReplayingEnvironment::make({program, 1, log, nullptr, strands}, replay));
#define RB_FACT(type, name, tag, method)                                       \
  EXPECT_EQ(replay->method(who), fake.method(who)) << #name;
#include "abi/calls.def"
  EXPECT_TRUE(replay->checkEnd(0));
}

} // namespace
