// A run of a unit with a program in one process: members as threads, the
// fabric, the desk, the real environment.
#pragma once

#include "common/hand_unit.h"
#include "common/points.h"

#include "control/local_desk.h"
#include "program/channels.h"
#include "program/member.h"
#include "program/real_environment.h"
#include "support/memory.h"

#include <gtest/gtest.h>
#include <thread>

namespace rubato::test {

/// A run of `members` members, each with its strands as threads.
struct Course {
  Course(const rb_unit &code, int members, int64_t budget, int64_t samples = 50)
      : members(members), points(samples), statistics(size_t(members)) {
    check(loadUnit(code, unit));
    data = points.load(unit);
    auto channels = channelsOf(unit.program, members);
    check(shared ? makeSharedFabric(members, channels, fabric)
                 : makeThreadFabric(members, channels, fabric));
    check(fabric->mapBlocks(blocksOf(unit.valueBytes, channels, members)));
    check(LocalDesk::make(unit.program, members, 0, samples, desk));
    check(Memory::sharedMemory(SampleQueue::bytes(1024), "queue", memory));
    RealSetup setup{.program = unit.program,
                    .members = members,
                    .fabric = *fabric,
                    .desk = *desk,
                    .order = {samples, 0, true},
                    .quantum = unit.quantum,
                    .globalBatch = unit.quantum * members,
                    .queue = SampleQueue::make(memory.data(), samples, 1024),
                    .statistics = statistics.data(),
                    .slow = {},
                    .learningRate = "",
                    .deadline = std::chrono::seconds(30)};
    if (tune)
      tune(setup);
    check(RealEnvironment::make(setup, environment));
    for (int rank = 0; rank < members; ++rank) {
      std::unique_ptr<Member> member;
      check(Member::make({.unit = unit,
                          .environment = *environment,
                          .rank = rank,
                          .members = members,
                          .data = &data,
                          .blocks = &fabric->blocks(rank)},
                         member));
      member->set("budget", budget);
      crew.push_back(std::move(member));
    }
  }

  static void check(Status status) { ASSERT_TRUE(status) << status.message(); }

  void go() {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < members; ++rank)
      threads.emplace_back([this, rank] { runMember(rank); });
    for (std::thread &thread : threads)
      thread.join();
  }

  void runMember(int rank) {
    Member &member = *crew[size_t(rank)];
    check(member.init());
    environment->began(rank);
    std::vector<std::thread> strands;
    for (size_t i = 1; i < member.role().strands.size(); ++i)
      strands.emplace_back([&, i] { check(member.strand(int(i))); });
    check(member.strand(0));
    for (std::thread &strand : strands)
      strand.join();
    environment->ended(rank);
    check(member.drain());
    check(member.model());
    desk->leave(rank);
    fabric->leave(rank);
  }

  HandPrivate &memoryOf(int rank) {
    return *static_cast<HandPrivate *>(
        crew[size_t(rank)]->hostAddress({RB_PRIVATE, 0}));
  }

  /// Whether the next one is of memory that processes could share.
  static inline bool shared = false;
  /// Changes the set-up of the next one.
  static inline void (*tune)(RealSetup &setup) = nullptr;

  int members;
  Points points;
  Unit unit;
  Dataset data;
  std::vector<MemberStatistics> statistics;
  std::unique_ptr<Fabric> fabric;
  std::unique_ptr<LocalDesk> desk;
  Memory memory;
  std::unique_ptr<RealEnvironment> environment;
  std::vector<std::unique_ptr<Member>> crew;
};

} // namespace rubato::test
