// The coordinator's loop: connections, bytes, leases.
#include "control/coordinator.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rubato {

using namespace control;

/// Answers that a member does not read; a few hundred bytes are usual.
static constexpr size_t largestBacklog = 1 << 20;

/// Pieces of 4096 bytes that are read at once.
static constexpr int usualTurns = 16;

static constexpr char unexplained[] = "has ended without a word";

static std::string seconds(std::chrono::milliseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s",
                static_cast<double>(time.count()) / 1000);
  return text;
}

Coordinator::Coordinator(std::unique_ptr<Decisions> decisions,
                         const CoordinatorOptions &options,
                         CoordinatorEvents events)
    : decisions(std::move(decisions)), options(options),
      events(std::move(events)),
      list(static_cast<size_t>(this->decisions->members())) {}

Status Coordinator::make(std::unique_ptr<Decisions> decisions,
                         const CoordinatorOptions &options,
                         CoordinatorEvents events,
                         std::unique_ptr<Coordinator> &coordinator) {
  std::unique_ptr<Coordinator> made(
      new Coordinator(std::move(decisions), options, std::move(events)));
  RB_TRY(made->listener.open(options.directory, made->members()));
  coordinator = std::move(made);
  return Status::ok();
}

void Coordinator::forget() noexcept {
  listener.remove();
  for (Member &member : list)
    member.line.close();
}

void Coordinator::expect(int rank, pid_t pid) {
  at(rank).pid = pid;
  at(rank).heard = Clock::now();
}

bool Coordinator::isPresent(int rank) const {
  return list[static_cast<size_t>(rank)].state == Member::Greeted;
}

void Coordinator::step(std::chrono::milliseconds patience) {
  // Leases run out only while somebody listens: whoever held us up, a stopped
  // terminal say, may have held up the members too.
  if (Clock::now() - served > options.lease / 2)
    forgive();
  if (wait(patience))
    forgive();
  checkLeases();
  for (int rank = 0; rank != members(); ++rank)
    flush(rank);
  closeWhenComplete();
  served = Clock::now();
  report();
}

void Coordinator::forgive() {
  for (Member &member : list)
    member.heard = Clock::now();
}

/// Waits for bytes and takes them; whether that took suspiciously long.
bool Coordinator::wait(std::chrono::milliseconds patience) {
  std::vector<pollfd> waits = {{listener.get(), POLLIN, 0}};
  Clock::time_point begin = Clock::now(), end = begin + patience;
  for (const Member &member : list) {
    short out = member.out.empty() ? 0 : POLLOUT;
    waits.push_back({member.line.get(), static_cast<short>(POLLIN | out), 0});
    // Wakes up to see a lease run out.
    if (member.state == Member::Greeted)
      end = std::min(end, member.heard + options.lease);
  }
  auto left = std::chrono::ceil<std::chrono::milliseconds>(end - begin);
  poll(waits.data(), waits.size(),
       static_cast<int>(std::clamp<int64_t>(left.count(), 0, INT_MAX)));
  bool late = Clock::now() - std::max(begin, end) > options.lease / 2;
  if (waits[0].revents)
    accept();
  for (int rank = 0; rank != members(); ++rank)
    if (waits[static_cast<size_t>(rank) + 1].revents & ~POLLOUT)
      receive(rank, usualTurns, unexplained);
  return late;
}

void Coordinator::accept() {
  while (true) {
    Descriptor socket(accept4(listener.get(), nullptr, nullptr,
                              SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket && (errno == EINTR || errno == ECONNABORTED))
      continue;
    if (!socket)
      return;
    int rank = -1;
    if (Status status = admit(socket.get(), rank); status) {
      at(rank).line = std::move(socket);
      receive(rank, usualTurns, unexplained); // most have said hello already
    } else {
      Message refused;
      refused.kind = Message::Kind::Refused;
      refused.text = status.message();
      (void)sendBytes(socket.get(), encode(refused), Clock::now());
    }
  }
}

/// Whether the process at the other end is a member that is due.
Status Coordinator::admit(int socket, int &rank) {
  Peer peer;
  if (!peerOf(socket, peer) || peer.user != geteuid())
    return {ErrorCode::Communication, "it belongs to another user"};
  auto place = std::find_if(list.begin(), list.end(), [&](const Member &each) {
    return each.pid == peer.pid;
  });
  if (place == list.end())
    return {ErrorCode::Communication, "process " + std::to_string(peer.pid) +
                                          " is no member of this run"};
  rank = static_cast<int>(place - list.begin());
  if (place->line || place->state != Member::Expected)
    return {ErrorCode::Communication,
            "rank " + std::to_string(rank) + " has been here before"};
  return Status::ok();
}

/// Takes what a member has sent, at most `turns` pieces of it so that nobody
/// keeps the others waiting, and notices its end.
void Coordinator::receive(int rank, int turns, const std::string &ending) {
  Member &member = at(rank);
  bool ended = false;
  char buffer[4096];
  for (; member.line && !ended && turns != 0; --turns) {
    ssize_t size = recv(member.line.get(), buffer, sizeof buffer, 0);
    if (size < 0 && errno == EINTR)
      continue;
    if (size < 0 && errno == EAGAIN)
      return;
    ended = size <= 0;
    if (!ended)
      member.in.append(buffer, static_cast<size_t>(size));
    member.heard = Clock::now();
    Message message;
    FrameReader::Outcome outcome;
    bool good = true;
    while (good &&
           (outcome = member.in.next(message)) == FrameReader::Outcome::Message)
      good = handle(rank, message);
    if (!good || outcome == FrameReader::Outcome::Malformed) {
      lose(rank, "has sent what no member sends");
      return;
    }
  }
  if (ended)
    lose(rank, ending);
}

void Coordinator::flush(int rank) {
  Member &member = at(rank);
  if (!member.line || member.out.empty())
    return;
  ssize_t size = ::send(member.line.get(), member.out.data(), member.out.size(),
                        MSG_NOSIGNAL | MSG_DONTWAIT);
  if (size > 0)
    member.out.erase(0, static_cast<size_t>(size));
  else if (errno != EAGAIN && errno != EINTR)
    member.out.clear(); // its end is read next
  if (member.out.size() > largestBacklog)
    lose(rank, "does not read what it is sent");
}

void Coordinator::checkLeases() {
  for (int rank = 0; rank != members(); ++rank) {
    Member &member = at(rank);
    auto silent = Clock::now() - member.heard;
    if (member.state == Member::Greeted && silent > options.lease)
      lose(rank, "has not been heard of for " + seconds(options.lease));
    if (member.state == Member::Expected && member.pid >= 0 &&
        silent > options.connectWithin)
      lose(rank, "has not connected within " + seconds(options.connectWithin));
  }
}

void Coordinator::closeWhenComplete() {
  bool all = std::all_of(list.begin(), list.end(), [](const Member &member) {
    return member.state != Member::Expected;
  });
  if (all && listener)
    listener.remove();
}

void Coordinator::report() {
  // An owner may call back, and there may be more news then.
  for (const News &each : std::exchange(news, {})) {
    if (each.lost && events.onLost)
      events.onLost(each.rank, at(each.rank).why);
    if (!each.lost && events.onBye)
      events.onBye(each.rank);
  }
}

} // namespace rubato
