// Members that are killed, stopped or talk nonsense while others wait: nobody
// hangs, and the rest goes on as the policies rule.
#include "launch.h"

#include <poll.h>
#include <sys/socket.h>

using namespace rubato;
using namespace rubato::control;
using policy::Value;
using std::chrono::milliseconds;

namespace {

/// A member that runs the course; what it ends with.
int takePart(Launch &launch, DeskCourse &course, int rank, uint64_t seed) {
  auto client = join(launch, rank);
  bool good = client && course.run(*client, rank, seed);
  if (client && good)
    client->leave(rank);
  return good ? 0 : 1;
}

TEST(Deaths, SurvivorsOfAKillGoOn) {
  constexpr int members = 4;
  std::mt19937_64 random(7);
  int deaths = 0;
  for (uint64_t trial = 0; trial != 12; ++trial) {
    DeskCourse course(members);
    Launch launch(members);
    launch.fork(
        [&](int rank) { return takePart(launch, course, rank, trial); });
    ASSERT_TRUE(launch.serveComplete());
    Deadline end = std::chrono::steady_clock::now() +
                   std::chrono::microseconds(random() % 15000);
    ASSERT_TRUE(
        launch.serve([&] { return std::chrono::steady_clock::now() >= end; }));
    int victim = static_cast<int>(random() % members);
    std::set<int> dead;
    if (launch.pid(victim) > 0 && !launch.left.count(victim)) {
      kill(launch.pid(victim), SIGKILL);
      dead.insert(victim);
    }
    ASSERT_TRUE(launch.serveAll());
    // It may have said goodbye just before.
    if (launch.left.count(victim))
      dead.clear();
    course.check(dead);
    EXPECT_EQ(launch.lost.size(), dead.size());
    EXPECT_EQ(launch.left.size(), members - dead.size());
    for (const auto &[rank, why] : launch.lost)
      EXPECT_EQ(why, "has ended without a word");
    deaths += !dead.empty();
  }
  EXPECT_GE(deaths, 3);
}

TEST(Deaths, AKillIsNoticedWithoutALease) {
  CoordinatorOptions options;
  options.lease = std::chrono::hours(1);
  Launch launch(3, options);
  launch.fork([&](int rank) {
    auto client = join(launch, rank);
    bool ok = false;
    if (rank == 2)
      pause();
    bool good =
        client && client->commit({rank, 0, 0}, 1, 1, ok, farAway()) && ok;
    if (client)
      client->leave(rank);
    return good ? 0 : 1;
  });
  ASSERT_TRUE(launch.serveComplete());
  EXPECT_TRUE(launch.lost.empty());
  kill(launch.pid(2), SIGKILL);
  ASSERT_TRUE(launch.serveAll());
  EXPECT_EQ(launch.code(0) + launch.code(1), 0);
  EXPECT_EQ(launch.lost.count(2), 1u);
}

TEST(Deaths, AStoppedMemberIsGivenUp) {
  constexpr int members = 3, victim = 1;
  CoordinatorOptions options;
  options.lease = milliseconds(800);
  DeskCourse course(members);
  Launch launch(members, options);
  launch.fork([&](int rank) {
    if (rank != victim)
      return takePart(launch, course, rank, 1);
    auto client = join(launch, rank);
    if (!client)
      return 1;
    bool ok = false;
    // The others wait for it, in all their strands, when it is stopped.
    Status status = client->commit({rank, 0, 0}, 1, 1, ok, farAway());
    kill(getpid(), SIGSTOP);
    // Whatever it asks afterwards tells it why.
    Status late = client->commit({rank, 0, 1}, 1, 1, ok, farAway());
    bool good = status && mentions(late, "has not been heard of for 0.8 s") &&
                mentions(client->state(), "given rank 1 up");
    return good ? 0 : 1;
  });
  ASSERT_TRUE(launch.serve([&] { return !launch.lost.empty(); }));
  EXPECT_EQ(launch.lost[victim], "has not been heard of for 0.8 s");
  ASSERT_TRUE(launch.serve([&] { return launch.left.size() == 2; }));
  course.check({victim});
  kill(launch.pid(victim), SIGCONT);
  ASSERT_TRUE(launch.serveAll());
  EXPECT_EQ(launch.code(victim), 0);
}

/// What a member may send that none would.
std::string nonsense(int which, std::mt19937_64 &random) {
  Message message;
  switch (which) {
  case -1:
    return ""; // its hello was enough
  case 0:      // the coordinator's word
    message.kind = Message::Kind::Welcome;
    return encode(message);
  case 1:
    message.kind = Message::Kind::Vote;
    message.values = {1.5, int64_t(1)};
    return encode(message);
  case 2:
    message.kind = Message::Kind::Vote;
    return encode(message);
  case 3: // another hello
    message.kind = Message::Kind::Hello;
    message.id = getpid();
    return encode(message);
  case 4: { // more ballots than anybody has strands
    std::string bytes;
    message.kind = Message::Kind::Vote;
    message.values = {int64_t(1), int64_t(1)};
    for (; message.strand != 3000; ++message.strand)
      bytes += encode(message);
    return bytes;
  }
  default: {
    std::string bytes;
    for (uint64_t i = 60 + random() % 3000; i != 0; --i)
      bytes.push_back(static_cast<char>(random()));
    return bytes;
  }
  }
}

/// Connects without a client, and says hello.
bool sayHello(Launch &launch, int as, Descriptor &line) {
  Message hello;
  hello.kind = Message::Kind::Hello;
  hello.rank = as;
  hello.id = getpid();
  return connectTo(launch.coordinator->address(), farAway(), line) &&
         sendBytes(line.get(), encode(hello), farAway()) == Sent::All;
}

TEST(Deaths, NonsenseEndsWhoSaysIt) {
  constexpr int members = 14;
  Launch launch(members);
  launch.fork([&](int rank) {
    if (rank == 0) { // the honest one
      auto client = join(launch, rank);
      bool ok = false;
      bool good =
          client && client->commit({rank, 0, 0}, 1, 1, ok, farAway()) && ok;
      if (client)
        client->leave(rank);
      return good ? 0 : 1;
    }
    std::mt19937_64 random(static_cast<uint64_t>(rank));
    Descriptor line;
    bool greets = rank % 5 != 4;   // some do not even say hello
    int as = rank == 1 ? 0 : rank; // one takes another's place
    bool good =
        greets
            ? sayHello(launch, as, line)
            : bool(connectTo(launch.coordinator->address(), farAway(), line));
    if (!good)
      return 1;
    (void)sendBytes(line.get(), nonsense(rank - 2, random), farAway());
    // Until the coordinator hangs up, whatever else it says.
    char buffer[256];
    pollfd readable = {line.get(), POLLIN, 0};
    while (poll(&readable, 1, 60000) == 1)
      if (recv(line.get(), buffer, sizeof buffer, 0) <= 0)
        return 0;
    return 1;
  });
  ASSERT_TRUE(launch.serveAll());
  for (int rank = 0; rank != members; ++rank)
    EXPECT_EQ(launch.code(rank), 0) << "rank " << rank;
  for (int rank = 1; rank != members; ++rank)
    EXPECT_EQ(launch.lost[rank], "has sent what no member sends") << rank;
  EXPECT_EQ(launch.left, std::set<int>{0});
}

TEST(Deaths, WhatTheDeadSaidBeforeCounts) {
  Launch launch(2);
  auto *turn = static_cast<std::atomic<int> *>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
           -1, 0));
  ASSERT_NE(turn, MAP_FAILED);
  launch.fork([&](int rank) {
    if (rank == 0) {
      auto client = join(launch, rank);
      bool ok = true;
      bool good =
          client && client->commit({rank, 0, 0}, 1, 1, ok, farAway()) && !ok;
      return good ? 0 : 1;
    }
    Descriptor line;
    if (!sayHello(launch, rank, line))
      return 1;
    while (*turn == 0)
      usleep(1000);
    Message ballot;
    ballot.kind = Message::Kind::Vote;
    ballot.values = {int64_t(4), int64_t(5)};
    *turn =
        sendBytes(line.get(), encode(ballot), farAway()) == Sent::All ? 2 : 3;
    return pause();
  });
  ASSERT_TRUE(launch.serveComplete());
  *turn = 1;
  while (*turn == 1) // nobody reads meanwhile
    usleep(1000);
  EXPECT_EQ(*turn, 2);
  kill(launch.pid(1), SIGKILL);
  launch.coordinator->lost(1, "was shot");
  EXPECT_EQ(launch.lost[1], "was shot");
  ASSERT_TRUE(launch.serveAll());
  EXPECT_EQ(launch.code(0), 0);
  munmap(turn, 4096);
}

TEST(Deaths, ContributionsOfTheDeadAreNotDealtAgain) {
  for (bool contributes : {true, false}) {
    Launch launch(2);
    launch.fork([&](int rank) {
      auto client = join(launch, rank);
      Value out[2], rows[] = {int64_t(0), 0.0};
      // Rank 0 has the rows from 0 to 25, rank 1 those up to 50.
      if (!client ||
          !client->ask({rank, 0, 0}, Shares, 0, rows, out, farAway()))
        return 1;
      if (rank == 1) {
        if (contributes)
          client->contributed(rank);
        return 0; // without a word
      }
      if (!client->ask({rank, 0, 1}, Shares, 0, rows, out, farAway()))
        return 1;
      client->leave(rank);
      return out[0] == Value(int64_t(contributes ? 50 : 25)) ? 0 : 1;
    });
    ASSERT_TRUE(launch.serveAll());
    EXPECT_EQ(launch.code(0), 0);
    EXPECT_EQ(launch.lost.count(1), 1u);
  }
}

TEST(Deaths, WhoDoesNotReadIsGivenUp) {
  Launch launch(2);
  launch.fork([&](int rank) {
    if (rank == 0) {
      auto client = join(launch, rank);
      bool ok = false;
      bool good =
          client && client->commit({rank, 0, 0}, 1, 1, ok, farAway()) && ok;
      if (client)
        client->leave(rank);
      return good ? 0 : 1;
    }
    Descriptor line;
    Message question;
    question.kind = Message::Kind::Ask;
    question.policy = Match;
    question.entry = Constants;
    if (!sayHello(launch, rank, line))
      return 1;
    for (int i = 0; i != 100000; ++i)
      if (sendBytes(line.get(), encode(question), farAway()) == Sent::Broken)
        return 0;
    return 1;
  });
  ASSERT_TRUE(launch.serveAll());
  EXPECT_EQ(launch.code(0) + launch.code(1), 0);
  EXPECT_EQ(launch.lost[1], "does not read what it is sent");
}

} // namespace
