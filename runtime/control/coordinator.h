// The launcher's end of the desk: makes the decisions of several processes,
// and knows which of them are still there.
//
// A member is there from its hello to its bye. It is lost when its connection
// ends before (it was killed), when nothing is heard of it for longer than its
// lease (it is stopped), or when it sends what no member sends. The others are
// told, and nobody waits for it any more. What becomes of the run is up to the
// owner.
#pragma once

#include "control/decisions.h"
#include "control/messages.h"
#include "control/socket.h"

#include <functional>

namespace rubato {

struct CoordinatorOptions {
  /// A member that is silent for so long is lost.
  std::chrono::milliseconds lease{5000};
  /// So is one that has not said hello so long after it was expected.
  std::chrono::milliseconds connectWithin{60000};
  /// Where the directory of the socket is made; empty: see
  /// control::ListeningSocket.
  std::string directory = {};
};

/// What the owner is told, from within `step` and `lost`; each of a member at
/// most once.
struct CoordinatorEvents {
  std::function<void(int rank, const std::string &why)> onLost = {};
  std::function<void(int rank)> onBye = {};
};

/// Has no thread and waits nowhere but in `step`.
class Coordinator {
public:
  /// Made before the members are forked, so that they know the address.
  static Status make(std::unique_ptr<Decisions> decisions,
                     const CoordinatorOptions &options,
                     CoordinatorEvents events,
                     std::unique_ptr<Coordinator> &coordinator);

  /// What a member connects to.
  const std::string &address() const { return listener.path(); }
  /// In a process that was forked: closes what it inherited.
  void forget() noexcept;

  /// Which process is member `rank`. Said of all before the first `step`;
  /// other processes are refused.
  void expect(int rank, pid_t pid);

  /// Serves what is there, after waiting for it at most so long. Called again
  /// and again, several times in a lease, and once after the last member has
  /// ended: its goodbye may still be on the way.
  void step(std::chrono::milliseconds patience);

  /// The owner knows that a member is dead. What it had said before counts.
  void lost(int rank, const std::string &why);
  /// Asks all members to stop; those who come later are asked then.
  void requestStop(int signal);

  /// All have said hello, or are gone: the socket is gone too.
  bool complete() const { return !listener; }
  /// Has said hello, and neither bye nor is lost.
  bool isPresent(int rank) const;

private:
  using Clock = std::chrono::steady_clock;
  struct Member {
    enum State { Expected, Greeted, Left, Lost };
    State state = Expected;
    pid_t pid = -1;
    control::Descriptor line;
    control::FrameReader in;
    std::string out;
    Clock::time_point heard = Clock::now();
    std::string why; // it was lost
    /// Its own numbers of the questions that wait.
    std::map<QuestionId, int64_t> questions;
  };
  struct News {
    int rank;
    bool lost;
  };

  Coordinator(std::unique_ptr<Decisions> decisions,
              const CoordinatorOptions &options, CoordinatorEvents events);
  int members() const { return static_cast<int>(list.size()); }
  Member &at(int rank) { return list[static_cast<size_t>(rank)]; }
  bool wait(std::chrono::milliseconds patience);
  void forgive();

  void accept();
  Status admit(int socket, int &rank);
  void receive(int rank, int turns, const std::string &ending);
  void flush(int rank);
  void checkLeases();
  void closeWhenComplete();
  void report();

  bool handle(int rank, const control::Message &message);
  void greet(int rank);
  void withdraw(int rank, int64_t id);
  void deliver();
  void leave(int rank);
  void lose(int rank, const std::string &why);
  void send(int rank, const control::Message &message);

  std::unique_ptr<Decisions> decisions;
  CoordinatorOptions options;
  CoordinatorEvents events;
  control::ListeningSocket listener;
  std::vector<Member> list;
  std::vector<News> news;
  Clock::time_point served = Clock::now();
  int stopSignal = 0;
};

} // namespace rubato
