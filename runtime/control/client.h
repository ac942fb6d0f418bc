// A member's end of the desk when members are processes: questions go to the
// coordinator in the launcher, and a heartbeat says that this process lives.
#pragma once

#include "control/desk.h"
#include "control/messages.h"
#include "control/socket.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace rubato {

struct ClientOptions {
  std::chrono::milliseconds heartbeat{250};
  /// How long the coordinator may take to say welcome.
  std::chrono::milliseconds connectWithin{60000};
};

/// What a member is told. Called from the client's own thread: shortly, and
/// without asking anything there.
struct ClientEvents {
  /// Another member is gone, and did not say so itself.
  std::function<void(int rank, const std::string &why)> onLost = {};
  /// The launcher asks for a stop, with the signal that it got.
  std::function<void(int signal)> onStop = {};
  /// The launcher is gone, or has given this member up: the run is over. Every
  /// call fails with this from now on.
  std::function<void(const Status &why)> onGone = {};
};

class CoordinatorClient final : public Desk {
public:
  /// Connects as member `rank` to the address of a coordinator.
  static Status make(const std::string &address, int rank,
                     const ClientOptions &options, ClientEvents events,
                     std::unique_ptr<CoordinatorClient> &client);
  /// Without `leave` before, this member counts as lost.
  ~CoordinatorClient() override;

  Status ask(const Caller &who, int policy, int entry,
             std::span<const policy::Value> inputs,
             std::span<policy::Value> answers, Deadline deadline) override;
  Status commit(const Caller &who, int64_t seen, int64_t expected, bool &ok,
                Deadline deadline) override;
  void contributed(int rank) noexcept override;
  void leave(int rank) noexcept override;

  /// The signal with which the launcher asks for a stop; 0: it does not.
  int stopRequested() const { return stopSignal; }
  /// Fails when the launcher is gone or has given this member up.
  Status state();

private:
  CoordinatorClient(std::string address, int rank, const ClientOptions &options,
                    ClientEvents events);
  Status connect();
  Status greet(Deadline deadline);

  /// Sends a question and waits for the answer.
  Status request(const Caller &who, control::Message question,
                 std::span<policy::Value> answers, Deadline deadline);
  control::Sent send(const control::Message &message, Deadline deadline);
  void tell(control::Message::Kind kind) noexcept;

  // The thread.
  void serve();
  void beat();
  enum class Heard { Something, Nothing, End };
  Heard hear();
  void handleAll();
  void handle(control::Message &message);
  void end(Status why);
  Status launcherGone() const;

  std::string address;
  int rank;
  ClientOptions options;
  ClientEvents events;
  control::Descriptor line, wake; // wake: an event that ends the thread
  control::FrameReader in;
  std::thread thread;
  std::atomic<int> stopSignal{0};

  std::mutex sending;
  std::mutex mutex; // of what follows
  std::condition_variable changed;
  int64_t last = 0;
  /// Questions under way; those with a message have their answer.
  std::map<int64_t, std::optional<control::Message>> questions;
  Status gone;
};

} // namespace rubato
