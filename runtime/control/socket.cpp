// Sockets with a name, and the ways in which peers die around them.
#include "control/socket.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace rubato::control {

void Descriptor::close() noexcept {
  if (number >= 0)
    ::close(number);
  number = -1;
}

static Status failure(const std::string &what) {
  return Status::user("cannot " + what + ": " + std::strerror(errno));
}

static bool addressOf(const std::string &path, sockaddr_un &address) {
  address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return true;
}

static Status makeSocket(int flags, Descriptor &to) {
  to = Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  return to ? Status::ok() : failure("make a socket");
}

Status ListeningSocket::open(const std::string &directory, int peers) {
  if (!directory.empty())
    return openBelow(directory, peers);
  // A directory that does not exist any more, or whose name is too long, is
  // no reason to give up.
  const char *runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime && *runtime == '/' && openBelow(runtime, peers))
    return Status::ok();
  return openBelow("/tmp", peers)
      .annotate("the coordinator of the workers has no place for its socket");
}

Status ListeningSocket::openBelow(const std::string &parent, int peers) {
  std::string made = parent + "/rubato-XXXXXX", path = made + "/desk";
  sockaddr_un address;
  if (!addressOf(path, address))
    return Status::user("the path " + path +
                        " is too long for a socket; set "
                        "XDG_RUNTIME_DIR to a shorter one");
  if (!mkdtemp(made.data()))
    return failure("make a directory in " + parent);
  name = made + "/desk";
  owner = getpid();
  addressOf(name, address);
  Status status = makeSocket(SOCK_NONBLOCK, listener);
  if (status && bind(listener.get(), reinterpret_cast<sockaddr *>(&address),
                     sizeof address) != 0)
    status = failure("bind a socket to " + name);
  if (status && listen(listener.get(), std::min(peers + 8, SOMAXCONN)) != 0)
    status = failure("listen to " + name);
  if (!status)
    remove();
  return status;
}

static void removeSocket(const std::string &path) noexcept {
  unlink(path.c_str());
  rmdir(path.substr(0, path.rfind('/')).c_str());
}

void ListeningSocket::remove() noexcept {
  listener.close();
  if (owner == getpid())
    removeSocket(name);
  owner = -1;
}

/// Milliseconds for poll, rounded up, so that it does not spin.
static int patience(Deadline deadline) {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(
                  deadline - std::chrono::steady_clock::now())
                  .count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
}

Status connectTo(const std::string &path, Deadline deadline, Descriptor &to) {
  sockaddr_un address;
  if (!addressOf(path, address))
    return {ErrorCode::Internal, "no socket has the long name " + path};
  RB_TRY(makeSocket(SOCK_NONBLOCK, to));
  while (connect(to.get(), reinterpret_cast<sockaddr *>(&address),
                 sizeof address) != 0) {
    if (errno == EINTR)
      continue;
    bool later = errno == EAGAIN && patience(deadline) > 0;
    if (!later)
      return {ErrorCode::Communication, "cannot connect to the launcher at " +
                                            path + ": " + std::strerror(errno)};
    usleep(1000); // the line of those who wait to be accepted is full
  }
  return Status::ok();
}

void removeIfAbandoned(const std::string &path) noexcept {
  sockaddr_un address;
  Descriptor socket;
  if (!addressOf(path, address))
    return;
  // A process that dies closes one file after the other.
  for (int turn = 0; turn != 20; ++turn) {
    if (!makeSocket(SOCK_NONBLOCK, socket))
      return;
    if (connect(socket.get(), reinterpret_cast<sockaddr *>(&address),
                sizeof address) != 0 &&
        errno != EAGAIN) {
      if (errno == ECONNREFUSED)
        removeSocket(path);
      return;
    }
    usleep(5000);
  }
}

Sent sendBytes(int socket, std::string_view bytes, Deadline deadline) {
  size_t done = 0;
  while (done != bytes.size()) {
    ssize_t size = send(socket, bytes.data() + done, bytes.size() - done,
                        MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size >= 0) {
      done += static_cast<size_t>(size);
      continue;
    }
    if (errno == EINTR)
      continue;
    if (errno != EAGAIN)
      return Sent::Broken;
    pollfd room = {socket, POLLOUT, 0};
    int left = patience(deadline);
    if (left == 0)
      return done == 0 ? Sent::Nothing : Sent::Part;
    poll(&room, 1, left);
  }
  return Sent::All;
}

bool peerOf(int socket, Peer &peer) {
  ucred credentials = {};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return false;
  peer = {credentials.pid, credentials.uid};
  return true;
}

} // namespace rubato::control
