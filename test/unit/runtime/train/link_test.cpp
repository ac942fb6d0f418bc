// --link: what it accepts, and that it changes when things happen, not what.
#include "cli/link.h"
#include "train/program.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;

namespace {

RateLimit link(const std::string &text) {
  RateLimit limit;
  Status status = parseLink(text, limit);
  EXPECT_TRUE(status) << status.message();
  return limit;
}

TEST(Link, HasUnits) {
  EXPECT_EQ(link("1Gbit").bytesPerSecond, 125e6);
  EXPECT_EQ(link("100Mbit/s").bytesPerSecond, 12.5e6);
  EXPECT_EQ(link("8kbit").bytesPerSecond, 1000);
  EXPECT_EQ(link("80bit").bytesPerSecond, 10);
  EXPECT_EQ(link("1.5GB").bytesPerSecond, 1.5e9);
  EXPECT_EQ(link("20MB/s").bytesPerSecond, 20e6);
  EXPECT_EQ(link("3kB").bytesPerSecond, 3000);
  EXPECT_EQ(link("7B").bytesPerSecond, 7);
  EXPECT_EQ(link("1Gbit").latency.count(), 0);
  RateLimit both = link("1Gbit,2ms");
  EXPECT_EQ(both.bytesPerSecond, 125e6);
  EXPECT_EQ(both.latency.count(), 2'000'000);
  EXPECT_EQ(link("1MB,500us").latency.count(), 500'000);
  EXPECT_EQ(link("1MB,20ns").latency.count(), 20);
  EXPECT_EQ(link("unlimited,0.25s").latency.count(), 250'000'000);
  EXPECT_EQ(link("unlimited,0.25s").bytesPerSecond, 0);
}

TEST(Link, RefusesWithARemedy) {
  for (const char *text :
       {"1", "fast", "-1MB", "0MB", "1mb", "1MB/h", "", ","}) {
    RateLimit limit;
    Status status = parseLink(text, limit);
    EXPECT_EQ(status.code(), ErrorCode::Usage) << text;
    EXPECT_NE(status.message().find("is no bandwidth"), std::string::npos)
        << status.message();
  }
  for (const char *text : {"1MB,", "1MB,2", "1MB,-1ms", "1MB,2h", "1MB,61s"}) {
    RateLimit limit;
    Status status = parseLink(text, limit);
    EXPECT_EQ(status.code(), ErrorCode::Usage) << text;
    EXPECT_NE(status.message().find("is no latency"), std::string::npos)
        << status.message();
  }
}

std::string parameters(const Program &program,
                       std::vector<std::string> arguments) {
  arguments.insert(arguments.end(),
                   {"--workers", "3", "--epochs", "2", "--dump-parameters",
                    program.folder.file("p")});
  Outcome outcome = program.train(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return program.folder.read("p");
}

TEST(Link, ChangesNoBits) {
  // A synchronous unit, and a program whose batches are fixed.
  for (const rb_unit *unit : {&syncUnit(), &delayedUnit()}) {
    Program program(50, *unit);
    std::string free = parameters(program, {});
    ASSERT_FALSE(free.empty());
    for (const char *fabric : {"threads", "processes"}) {
      EXPECT_EQ(parameters(program, {"--fabric", fabric, "--link", "50kB,3ms"}),
                free);
      EXPECT_NE(program.folder.read("out").find(
                    "\nlink                    5e+04 bytes/s, latency 3 ms"),
                std::string::npos)
          << program.folder.read("out");
    }
  }
}

/// The time between two reductions is at least that of the link.
TEST(Link, ARoundTakesAsLongAsItsReduction) {
  Program program(50, delayedUnit(1));
  for (const char *fabric : {"threads", "processes"}) {
    Outcome outcome =
        program.train({"--workers", "2", "--steps", "10", "--fabric", fabric,
                       "--link", "unlimited,10ms"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    double seconds = 0;
    size_t at = outcome.out.find("\ntime ");
    ASSERT_NE(at, outcome.out.npos) << outcome.out;
    std::sscanf(outcome.out.c_str() + at, " time %lf", &seconds);
    EXPECT_GE(seconds, 0.09); // a lower bound: no machine is too slow for it
  }
}

} // namespace
