// The bytes of recorded events, and the file that holds them.
#include "data/files.h"

#include "program/run_events.h"
#include "program/run_log.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;

namespace {

TEST(RunEvents, NumbersComeBack) {
  std::vector<int64_t> asked = {0, -1, 1, 63, 64, -65, INT64_MAX, INT64_MIN};
  std::vector<int64_t> answered = {int64_t(0x7ff8000000000000), 300};
  std::string bytes;
  for (size_t i = 0; i < callCount; ++i) {
    writeEvent(Call(i), asked, answered, bytes);
    writeEvent(Call(i), {}, {}, bytes);
  }
  std::string_view rest = bytes;
  RunEvent event;
  for (size_t i = 0; i < callCount; ++i) {
    ASSERT_TRUE(readEvent(rest, event));
    EXPECT_EQ(event.operation, Call(i));
    EXPECT_EQ(event.asked, asked);
    EXPECT_EQ(event.answered, answered);
    ASSERT_TRUE(readEvent(rest, event));
    EXPECT_TRUE(event.asked.empty() && event.answered.empty());
  }
  EXPECT_FALSE(readEvent(rest, event));
}

TEST(RunEvents, NothingIsReadBeyondTheEnd) {
  std::string bytes;
  writeEvent(Call::Ask, std::vector<int64_t>{1, 2, -3000},
             std::vector<int64_t>{INT64_MIN}, bytes);
  RunEvent event;
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string_view rest = std::string_view(bytes).substr(0, size);
    EXPECT_FALSE(readEvent(rest, event)) << size;
  }
  bytes[0] = char(callCount);
  std::string_view unknown = bytes;
  EXPECT_FALSE(readEvent(unknown, event));
  // A count of more numbers than there are bytes.
  std::string_view many = "\x02\xff\xff\xff\xff\xff\xff\xff\x7f";
  EXPECT_FALSE(readEvent(many, event));
  std::string_view endless = "\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
  EXPECT_FALSE(readEvent(endless, event));
}

TEST(RunEvents, InWords) {
  std::vector<int64_t> two = {0, 7}, five = {1, 2, 3, 4, 5};
  EXPECT_EQ(describe(Call::Push, two), "push(channel 0, ticket 7)");
  EXPECT_EQ(describe(Call::Await, {}), "await");
  EXPECT_EQ(describe(Call::Ask, five),
            "ask(policy 1, entry 2, input 3, input 4, 5)");
}

struct RunLogFile : testing::Test {
  /// Reads bytes as a log and gives the complaint.
  std::string complaint(const std::string &bytes) {
    RunLog log;
    return readRunLog(folder.write("other.log", bytes), log).message();
  }

  Folder folder;
  std::string path = folder.file("run.log");
};

TEST_F(RunLogFile, ComesBack) {
  std::string first = "abc\n{}", last(100, '\0');
  RunLog log{R"({"model":"m","n":3})",
             {{0, 0, first}, {0, 1, {}}, {2, 0, last}},
             nullptr};
  ASSERT_TRUE(writeRunLog(path, log));
  RunLog read;
  ASSERT_TRUE(readRunLog(path, read));
  EXPECT_EQ(read.header, log.header);
  ASSERT_EQ(read.streams.size(), 3u);
  EXPECT_EQ(read.streams[0].events, first);
  EXPECT_EQ(read.streams[1].events, "");
  EXPECT_EQ(read.streams[1].strand, 1);
  EXPECT_EQ(read.streams[2].rank, 2);
  EXPECT_EQ(read.streams[2].events, last);
}

TEST_F(RunLogFile, DamageIsFoundWhereverItIs) {
  std::string events = "some events";
  ASSERT_TRUE(writeRunLog(path, {R"({"a":1})", {{1, 0, events}}, nullptr}));
  std::string bytes = folder.read("run.log");
  EXPECT_EQ(complaint(bytes), "");
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string other = bytes;
    other[i] = static_cast<char>(other[i] ^ 1 << i % 8);
    EXPECT_NE(complaint(other), "") << i;
    EXPECT_NE(complaint(bytes.substr(0, i)), "") << i;
  }
  EXPECT_NE(complaint(bytes + "x"), "");
}

TEST_F(RunLogFile, SaysWhatIsWrong) {
  std::string events = "some events";
  ASSERT_TRUE(writeRunLog(path, {R"({"a":1})", {{1, 0, events}}, nullptr}));
  std::string bytes = folder.read("run.log");
  auto with = [&](size_t at, const char *text) {
    std::string other = bytes;
    return other.replace(at, std::string(text).size(), text);
  };
  std::string name = "run log '" + folder.file("other.log") + "': ";
  EXPECT_EQ(complaint("PK\3\4"),
            name + "is no run log; ./train --record writes one");
  EXPECT_EQ(complaint(bytes.substr(0, 20)),
            name + "is truncated; copy it again or record the run again");
  EXPECT_NE(
      complaint(bytes.substr(0, bytes.size() - 4)).find("is truncated: 6"),
      std::string::npos);
  EXPECT_EQ(complaint(with(15, "2")),
            name + "is of version 2, and this executable reads version 3; "
                   "replay it with the executable that recorded it");
  EXPECT_EQ(complaint(with(bytes.size() - 4, "E")),
            name + "is damaged: its checksum does not fit; record the run "
                   "again");
}

} // namespace
