// How far members are from each other, against the closed form.
#include "launch/job.h"
#include "program/course.h"

using namespace rubato;
using namespace rubato::test;

namespace {

/// What members measure whose parameters are these.
double consensusOf(const std::vector<std::array<float, 3>> &parameters,
                   const RateLimit *link = nullptr) {
  auto members = static_cast<int>(parameters.size());
  Course course(delayedUnit(), members, 1);
  TrainOptions options;
  Job job(course.unit, options);
  job.members = members;
  auto channels = channelsOf(course.unit.program, members);
  addConsensusChannel(job, channels);
  Course::check(makeThreadFabric(members, channels, job.fabric));
  if (link)
    Course::check(job.fabric->limitRate(*link));
  SharedState shared;
  job.shared = &shared;
  job.statistics = course.statistics.data();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < members; ++rank) {
    std::ranges::copy(parameters[size_t(rank)], course.memoryOf(rank).w);
    threads.emplace_back([&, rank] {
      Course::check(measureConsensus(job, *course.crew[size_t(rank)]));
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  return shared.consensus.load();
}

TEST(Consensus, IsTheMeanSquaredDistanceToTheMean) {
  EXPECT_EQ(consensusOf({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}), 0);
  // Means 2, 0, 5; squares 1+1, 4+4, 0+0 over 2 members and 3 coordinates.
  EXPECT_DOUBLE_EQ(consensusOf({{1, -2, 5}, {3, 2, 5}}), 10. / 6);
  // Mean 2 of each coordinate: (4 + 0 + 4) * 3 / 9.
  EXPECT_DOUBLE_EQ(consensusOf({{0, 0, 0}, {2, 2, 2}, {4, 4, 4}}), 24. / 9);
}

TEST(Consensus, OneAloneHasNone) { EXPECT_EQ(consensusOf({{1, 2, 3}}), -1); }

/// A link that would take an hour.
TEST(Consensus, IsNoMessageOfTheRun) {
  RateLimit link{0.01, std::chrono::nanoseconds(0)};
  EXPECT_DOUBLE_EQ(consensusOf({{1, -2, 5}, {3, 2, 5}}, &link), 10. / 6);
}

} // namespace
