// A course of questions that members put to any desk at once, each with several
// strands, and the rules that the answers of all of them must keep together.
#pragma once

#include "asking.h"
#include "control/desk.h"

#include <atomic>
#include <set>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace rubato {

/// What one member got, in memory that processes share: it outlives a member
/// that is killed.
struct Observed {
  struct Pair {
    int64_t peer, tag;
  };
  struct Rows {
    int64_t begin, end;
  };
  static constexpr int ballots = 12;

  std::atomic<int> pairs, claims, shares, votes;
  Pair pair[4000];
  Rows claim[4000], share[4000];
  bool vote[ballots];
  std::atomic<bool> finished;
  char error[512];
};

/// A deadline no test reaches unless something hangs.
inline Deadline farAway() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(60);
}

class DeskCourse {
public:
  explicit DeskCourse(int members) : members(members) {
    bytes = sizeof(Observed) * static_cast<size_t>(members);
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
  }
  DeskCourse(const DeskCourse &) = delete;
  ~DeskCourse() { munmap(memory, bytes); }

  Observed &of(int rank) { return static_cast<Observed *>(memory)[rank]; }

  /// All strands of a member, to their ends. True if nothing failed.
  bool run(Desk &desk, int rank, uint64_t seed) {
    std::atomic<int> bad{0};
    using Strand = Status (DeskCourse::*)(Desk &, Caller, std::mt19937_64 &);
    static constexpr Strand strands[] = {
        &DeskCourse::claims, &DeskCourse::pairs, &DeskCourse::shares,
        &DeskCourse::votes};
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i)
      threads.emplace_back([&, i] {
        std::mt19937_64 random(seed * 1000 +
                               static_cast<uint64_t>(rank * 4 + i));
        Status status = (this->*strands[i])(desk, {rank, i, 0}, random);
        if (!status && bad++ == 0)
          std::snprintf(of(rank).error, sizeof of(rank).error, "%s",
                        status.message().c_str());
      });
    for (std::thread &thread : threads)
      thread.join();
    of(rank).finished = bad == 0;
    return bad == 0;
  }

  /// Checks what all have got. `dead` may be cut off anywhere.
  void check(const std::set<int> &dead) {
    for (int rank = 0; rank != members; ++rank)
      EXPECT_TRUE(dead.count(rank) || of(rank).finished)
          << "rank " << rank << ": " << of(rank).error;
    checkPairs(dead);
    checkRows(dead, &Observed::claim, &Observed::claims);
    checkRows(dead, &Observed::share, &Observed::shares);
    const Observed *first = nullptr;
    for (int rank = 0; rank != members; ++rank) {
      Observed &own = of(rank);
      EXPECT_TRUE(dead.count(rank) || own.votes == Observed::ballots);
      first = first || dead.count(rank) ? first : &own;
      for (int i = 0; first && i != own.votes; ++i)
        EXPECT_EQ(own.vote[i], first->vote[i]) << "rank " << rank;
    }
    // One ballot is against, by a member that is there or has died.
    for (int i = 0; first && i != Observed::ballots; ++i)
      EXPECT_TRUE(first->vote[i] || i == 7);
    EXPECT_TRUE(!dead.empty() || !first || !first->vote[7]);
  }

private:
  static void pause(std::mt19937_64 &random) {
    if (random() % 4 == 0)
      usleep(static_cast<useconds_t>(random() % 500));
  }

  Status claims(Desk &desk, Caller who, std::mt19937_64 &random) {
    Observed &own = of(who.rank);
    AskingStrand strand(Dispatch, who.rank);
    bool first = true;
    for (;; ++who.round) {
      pause(random);
      Asking asking = strand.next();
      std::vector<policy::Value> out(asking.entry == Claim ? 4 : 2);
      RB_TRY(
          desk.ask(who, Dispatch, asking.entry, asking.inputs, out, farAway()));
      strand.take(out);
      bool more = asking.entry == Claim && std::get<bool>(out[3]);
      if (more) {
        own.claim[own.claims] = {std::get<int64_t>(out[0]),
                                 std::get<int64_t>(out[1])};
        ++own.claims;
      }
      // Nothing was left when the others had not taken anything either.
      if (first && !more && std::get<int64_t>(out[2]) == askedRows)
        return Status::ok();
      first = asking.entry == Weight;
    }
  }

  Status pairs(Desk &desk, Caller who, std::mt19937_64 &random) {
    Observed &own = of(who.rank);
    for (;; ++who.round) {
      pause(random);
      policy::Value out[3];
      std::vector<policy::Value> report = {who.round * 10,
                                           int64_t(who.round > 60)};
      RB_TRY(desk.ask(who, Match, Report, report, {out, 1}, farAway()));
      RB_TRY(desk.ask(who, Match, Next, {}, out, farAway()));
      if (!std::get<bool>(out[2]))
        return Status::ok();
      own.pair[own.pairs] = {std::get<int64_t>(out[0]),
                             std::get<int64_t>(out[1])};
      ++own.pairs;
    }
  }

  Status shares(Desk &desk, Caller who, std::mt19937_64 &random) {
    Observed &own = of(who.rank);
    AskingStrand strand(Shares, who.rank);
    for (;; ++who.round) {
      pause(random);
      Asking asking = strand.next();
      policy::Value out[2];
      RB_TRY(desk.ask(who, Shares, 0, asking.inputs, out, farAway()));
      strand.take(out);
      Observed::Rows rows = {std::get<int64_t>(out[0]),
                             std::get<int64_t>(out[1])};
      if (rows.begin == rows.end)
        return Status::ok();
      own.share[own.shares] = rows;
      ++own.shares;
      if (random() % 2 == 0)
        desk.contributed(who.rank);
    }
  }

  Status votes(Desk &desk, Caller who, std::mt19937_64 &random) {
    Observed &own = of(who.rank);
    for (; who.round != Observed::ballots; ++who.round) {
      pause(random);
      bool against = who.round == 7 && who.rank == members - 1;
      RB_TRY(desk.commit(who, 5 - against, 5, own.vote[who.round], farAway()));
      ++own.votes;
    }
    return Status::ok();
  }

  /// Both ends of a pair name each other under one tag.
  void checkPairs(const std::set<int> &dead) {
    std::map<int64_t, std::map<int64_t, int64_t>> byTag;
    for (int rank = 0; rank != members; ++rank)
      for (int i = 0; i != of(rank).pairs; ++i)
        if (const Observed::Pair &pair = of(rank).pair[i]; pair.peer >= 0)
          EXPECT_TRUE(byTag[pair.tag].emplace(rank, pair.peer).second);
    for (const auto &[tag, ends] : byTag)
      for (auto [rank, peer] : ends) {
        bool cut = dead.count(static_cast<int>(peer)) && !ends.count(peer);
        EXPECT_TRUE(cut || (ends.count(peer) && ends.at(peer) == rank))
            << "tag " << tag << ": rank " << rank << " with " << peer;
      }
  }

  /// Every row goes to one member. What the dead held last may go to another
  /// as well, or be left over if they died late.
  void checkRows(const std::set<int> &dead,
                 Observed::Rows (Observed::*list)[4000],
                 std::atomic<int> Observed::*count) {
    std::vector<int> taken(askedRows);
    for (int rank = 0; rank != members; ++rank)
      for (int i = 0; i != of(rank).*count; ++i) {
        bool last = dead.count(rank) && i + 1 == of(rank).*count;
        Observed::Rows rows = (of(rank).*list)[i];
        ASSERT_LE(0, rows.begin);
        ASSERT_LE(rows.end, askedRows);
        for (int64_t row = rows.begin; row != rows.end; ++row)
          taken[static_cast<size_t>(row)] += last ? 1000 : 1;
      }
    int64_t missing = 0;
    for (int times : taken) {
      EXPECT_LE(times % 1000, 1);
      missing += times == 0;
    }
    EXPECT_LE(missing, 64 * static_cast<int64_t>(dead.size()));
  }

  int members;
  size_t bytes = 0;
  void *memory = nullptr;
};

} // namespace rubato
