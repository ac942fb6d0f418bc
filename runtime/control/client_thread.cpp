// The client's thread: heartbeats, answers, notices.
#include "control/client.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/socket.h>

namespace rubato {

using namespace control;

using Clock = std::chrono::steady_clock;
using Kind = Message::Kind;

void CoordinatorClient::serve() {
  // Signals are for the threads that train.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  Clock::time_point next = Clock::now() + options.heartbeat;
  handleAll(); // what came with the welcome
  while (state()) {
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    pollfd waits[] = {{wake.get(), POLLIN, 0}, {line.get(), POLLIN, 0}};
    poll(waits, 2, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (waits[0].revents)
      return;
    if (waits[1].revents) {
      bool ended = hear() == Heard::End;
      handleAll();
      if (ended) {
        end(launcherGone());
        removeIfAbandoned(address);
      }
    }
    if (Clock::now() >= next) {
      beat();
      next = Clock::now() + options.heartbeat;
    }
  }
}

void CoordinatorClient::beat() {
  Message message;
  message.kind = Kind::Heartbeat;
  std::string bytes = encode(message);
  // If somebody sends, or there is no room, the next one will do. So short a
  // frame is never sent in part.
  std::unique_lock lock(sending, std::try_to_lock);
  if (lock)
    (void)sendBytes(line.get(), bytes, Clock::now());
}

/// Takes the bytes that are there.
CoordinatorClient::Heard CoordinatorClient::hear() {
  char buffer[4096];
  ssize_t size = recv(line.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  if (size < 0 && (errno == EAGAIN || errno == EINTR))
    return Heard::Nothing;
  if (size <= 0)
    return Heard::End;
  in.append(buffer, static_cast<size_t>(size));
  return Heard::Something;
}

void CoordinatorClient::handleAll() {
  Message message;
  FrameReader::Outcome outcome;
  while ((outcome = in.next(message)) == FrameReader::Outcome::Message)
    handle(message);
  if (outcome == FrameReader::Outcome::Malformed)
    end({ErrorCode::Internal, "the launcher has sent what it never sends"});
}

void CoordinatorClient::handle(Message &message) {
  switch (message.kind) {
  case Kind::Answer: {
    std::lock_guard lock(mutex);
    // Nobody waits for it if a deadline has passed.
    if (auto place = questions.find(message.id); place != questions.end()) {
      place->second = std::move(message);
      changed.notify_all();
    }
    break;
  }
  case Kind::Lost:
    if (message.rank == rank)
      end({ErrorCode::Communication, "the launcher has given rank " +
                                         std::to_string(rank) + " up: it " +
                                         message.text});
    else if (events.onLost)
      events.onLost(message.rank, message.text);
    break;
  case Kind::Stop:
    stopSignal = static_cast<int>(message.id);
    if (events.onStop)
      events.onStop(stopSignal);
    break;
  default:
    end({ErrorCode::Internal, "the launcher has sent what it never sends"});
  }
}

/// Everything fails from now on; the first reason stays.
void CoordinatorClient::end(Status why) {
  {
    std::lock_guard lock(mutex);
    if (!gone)
      return;
    gone = why;
    changed.notify_all();
  }
  if (events.onGone)
    events.onGone(why);
}

} // namespace rubato
