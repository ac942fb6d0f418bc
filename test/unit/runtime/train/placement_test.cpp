// Which cores members keep to.
#include "launch/placement.h"
#include "train/program.h"

#include <gtest/gtest.h>

using namespace rubato;
using namespace rubato::test;

namespace {

using Places = std::vector<Cores>;

TEST(Placement, MembersThatComputeShareTheCores) {
  EXPECT_EQ(placeMembers({0, 1}, {false, false}), (Places{{0}, {1}}));
  // In the order of what the process may use, whatever that is.
  EXPECT_EQ(placeMembers({3, 8, 9, 12, 40}, {false, false}),
            (Places{{3, 8}, {9, 12, 40}}));
  EXPECT_EQ(placeMembers({2, 4, 6}, {false, false, false}),
            (Places{{2}, {4}, {6}}));
}

TEST(Placement, AServerIsNotKeptAnywhere) {
  EXPECT_EQ(placeMembers({0, 1, 2, 3}, {true, false, false}),
            (Places{{}, {0, 1}, {2, 3}}));
}

TEST(Placement, TooFewCoresAreForAll) {
  EXPECT_EQ(placeMembers({0, 1}, {false, false, false}), Places(3));
  EXPECT_EQ(placeMembers({0, 1}, {true, false, false}), Places(3));
  EXPECT_EQ(placeMembers({}, {false, false}), Places(2));
  // One alone uses what there is.
  EXPECT_EQ(placeMembers({0, 1}, {false}), Places(1));
}

TEST(Placement, IsToldInWords) {
  EXPECT_EQ(describePlaces({{0, 1, 2, 5}, {6}}, 5),
            "rank 0 on 0-2,5, rank 1 on 6");
  EXPECT_EQ(describePlaces({{}, {}}, 1), "1 shared by all");
}

/// Where a member notes the cores of its threads; the file is named by rank.
std::string *noted;

void noteCores(rb_ctx *ctx, int64_t round) {
  if (round != 0)
    return;
  std::string text;
  for (int core : allowedCores())
    text += std::to_string(core) + " ";
  std::FILE *file =
      std::fopen((*noted + std::to_string(rb_rank(ctx))).c_str(), "w");
  std::fputs(text.c_str(), file);
  std::fclose(file);
}

/// With these options, what two workers may use.
std::vector<std::string> coresOfTwo(const char *fabric, const char *affinity) {
  Program program(50, delayedUnit());
  std::string path = program.folder.file("cores");
  noted = &path;
  handHook = noteCores;
  Outcome outcome = program.train(
      {"--workers", "2", "--fabric", fabric, "--affinity", affinity});
  handHook = nullptr;
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\ncores "), outcome.out.npos) << outcome.out;
  return {program.folder.read("cores0"), program.folder.read("cores1")};
}

TEST(Placement, WorkersKeepToTheirCores) {
  std::string all;
  Cores cores = allowedCores();
  for (int core : cores)
    all += std::to_string(core) + " ";
  for (const char *fabric : {"threads", "processes"}) {
    auto free = coresOfTwo(fabric, "none");
    EXPECT_EQ(free[0], all);
    EXPECT_EQ(free[1], all);
    auto kept = coresOfTwo(fabric, "auto");
    if (cores.size() >= 2)
      EXPECT_EQ(kept[0] + kept[1], all); // each its own, none left out
    else
      EXPECT_EQ(kept[0], all);
  }
}

/// What a mask has taken away before stays away.
TEST(Placement, RespectsAMask) {
  Cores before = allowedCores();
  ASSERT_TRUE(keepTo({before.front()}));
  EXPECT_EQ(allowedCores(), Cores{before.front()});
  auto kept = coresOfTwo("processes", "auto");
  EXPECT_EQ(kept[0], std::to_string(before.front()) + " ");
  EXPECT_EQ(kept[1], kept[0]);
  ASSERT_TRUE(keepTo(before));
}

} // namespace
