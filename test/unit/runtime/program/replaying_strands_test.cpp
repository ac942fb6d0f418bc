// Fibers that take turns.
#include "program/replaying_strands.h"

#include <gtest/gtest.h>

using namespace rubato;

namespace {

struct Turns : testing::Test {
  Status waitFor(const bool &flag, const char *what) {
    return strands.waitUntil([&flag] { return flag; },
                             [what] { return std::string(what); });
  }

  ReplayingStrands strands;
  std::string trace;
};

TEST_F(Turns, WhoWaitsIsPassedOver) {
  bool flag = false;
  ASSERT_TRUE(strands.add([&] {
    trace += "a";
    RB_TRY(waitFor(flag, "a"));
    trace += "A";
    return Status::ok();
  }));
  ASSERT_TRUE(strands.add([&] {
    trace += "b";
    RB_TRY(strands.add([&] {
      trace += "c";
      flag = true;
      return Status::ok();
    }));
    return waitFor(flag, "b");
  }));
  EXPECT_TRUE(strands.run());
  EXPECT_EQ(trace, "abcA");
}

TEST_F(Turns, AFailureEndsAllWaits) {
  bool never = false;
  ASSERT_TRUE(strands.add([&] {
    Status status = waitFor(never, "a");
    trace += status ? "went on" : status.message();
    return status;
  }));
  ASSERT_TRUE(strands.add([] { return Status::user("no luck"); }));
  Status status = strands.run();
  EXPECT_EQ(status.code(), ErrorCode::User);
  EXPECT_EQ(status.message(), "no luck");
  EXPECT_EQ(trace, "no luck");
}

TEST_F(Turns, AStandstillNamesThemAll) {
  bool never = false;
  ASSERT_TRUE(strands.add([&] { return waitFor(never, "the first"); }));
  ASSERT_TRUE(strands.add([] { return Status::ok(); }));
  ASSERT_TRUE(strands.add([&] { return waitFor(never, "the second"); }));
  Status status = strands.run();
  EXPECT_EQ(status.code(), ErrorCode::Internal);
  EXPECT_EQ(status.message(), "the replay left the recorded course: everybody "
                              "waits\n  the first\n  the second");
}

} // namespace
