// The socket of the coordinator: a name that only this user can reach, and
// that is gone when it has served.
#pragma once

#include "support/futex.h"
#include "support/status.h"

#include <string_view>
#include <sys/types.h>
#include <utility>

namespace rubato::control {

/// An open file, closed at the end.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return number; }
  explicit operator bool() const { return number >= 0; }
  void close() noexcept;

private:
  int number = -1;
};

/// A socket that is listened to, in a fresh directory of its own with mode
/// 0700.
class ListeningSocket {
public:
  ListeningSocket() = default;
  ListeningSocket(const ListeningSocket &) = delete;
  ListeningSocket &operator=(const ListeningSocket &) = delete;
  ~ListeningSocket() { remove(); }

  /// Below `directory`, or where that is empty below $XDG_RUNTIME_DIR, or
  /// below /tmp. `peers` may connect before anybody is accepted.
  Status open(const std::string &directory, int peers);
  const std::string &path() const { return name; }
  int get() const { return listener.get(); }
  explicit operator bool() const { return bool(listener); }

  /// Stops listening; socket and directory go. In a process that was forked
  /// since, they stay: they are not its own.
  void remove() noexcept;

private:
  Status openBelow(const std::string &parent, int peers);

  Descriptor listener;
  std::string name;
  pid_t owner = -1;
};

/// Removes socket and directory if nobody listens any more: what a coordinator
/// that was killed has left.
void removeIfAbandoned(const std::string &path) noexcept;

/// Connects, waiting where too many do at once.
Status connectTo(const std::string &path, Deadline deadline, Descriptor &to);

enum class Sent { All, Nothing, Part, Broken };
/// Sends bytes, waiting for room until the deadline.
Sent sendBytes(int socket, std::string_view bytes, Deadline deadline);

/// Who is at the other end.
struct Peer {
  pid_t pid = -1;
  uid_t user = 0;
};
bool peerOf(int socket, Peer &peer);

} // namespace rubato::control
