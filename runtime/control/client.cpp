// Requests from any thread, and one thread that reads answers and beats.
#include "control/client.h"

#include "control/answers.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace rubato {

using namespace control;

using Clock = std::chrono::steady_clock;
using Kind = Message::Kind;

CoordinatorClient::CoordinatorClient(std::string address, int rank,
                                     const ClientOptions &options,
                                     ClientEvents events)
    : address(std::move(address)), rank(rank), options(options),
      events(std::move(events)) {}

Status CoordinatorClient::make(const std::string &address, int rank,
                               const ClientOptions &options,
                               ClientEvents events,
                               std::unique_ptr<CoordinatorClient> &client) {
  std::unique_ptr<CoordinatorClient> made(
      new CoordinatorClient(address, rank, options, std::move(events)));
  RB_TRY(made->connect().annotate("rank " + std::to_string(rank)));
  made->thread = std::thread([self = made.get()] { self->serve(); });
  client = std::move(made);
  return Status::ok();
}

CoordinatorClient::~CoordinatorClient() {
  if (!thread.joinable())
    return;
  uint64_t one = 1;
  (void)!write(wake.get(), &one, sizeof one);
  thread.join();
}

Status CoordinatorClient::connect() {
  Deadline deadline = Clock::now() + options.connectWithin;
  wake = Descriptor(eventfd(0, EFD_CLOEXEC));
  if (!wake)
    return Status::user(std::string("cannot make an event: ") +
                        std::strerror(errno));
  if (Status status = connectTo(address, deadline, line); !status) {
    removeIfAbandoned(address);
    return status;
  }
  Message hello;
  hello.kind = Kind::Hello;
  hello.rank = rank;
  hello.id = getpid();
  (void)send(hello, deadline); // a refusal may have come before
  return greet(deadline);
}

/// Waits for the welcome. What follows it is read by the thread.
Status CoordinatorClient::greet(Deadline deadline) {
  Message message;
  FrameReader::Outcome outcome;
  while ((outcome = in.next(message)) == FrameReader::Outcome::Incomplete) {
    pollfd readable = {line.get(), POLLIN, 0};
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now())
            .count();
    if (left <= 0)
      return {ErrorCode::Communication,
              "the launcher does not answer; it is stopped or stuck"};
    poll(&readable, 1, static_cast<int>(std::min<int64_t>(left, INT_MAX)));
    if (readable.revents && hear() == Heard::End) {
      removeIfAbandoned(address);
      return launcherGone();
    }
  }
  if (outcome == FrameReader::Outcome::Message && message.kind == Kind::Welcome)
    return Status::ok();
  if (outcome == FrameReader::Outcome::Message && message.kind == Kind::Refused)
    return {ErrorCode::Communication,
            "the launcher refuses this process: " + message.text};
  return {ErrorCode::Internal, "the launcher speaks another language"};
}

Status CoordinatorClient::launcherGone() const {
  return {ErrorCode::Communication,
          "the launcher is gone, and rank " + std::to_string(rank) +
              " cannot go on without it; start the run again"};
}

Status CoordinatorClient::state() {
  std::lock_guard lock(mutex);
  return gone;
}

Sent CoordinatorClient::send(const Message &message, Deadline deadline) {
  std::string bytes = encode(message);
  std::lock_guard lock(sending);
  Sent sent = sendBytes(line.get(), bytes, deadline);
  if (sent == Sent::Part) // nobody could read what comes after it
    shutdown(line.get(), SHUT_RDWR);
  return sent;
}

void CoordinatorClient::tell(Kind kind) noexcept {
  Message message;
  message.kind = kind;
  (void)send(message, Clock::now() + std::chrono::seconds(5));
}

Status CoordinatorClient::request(const Caller &who, Message question,
                                  std::span<policy::Value> answers,
                                  Deadline deadline) {
  if (who.rank != rank || question.values.size() > Message::maxValues ||
      answers.size() > Message::maxValues)
    return {ErrorCode::Internal,
            "rank " + std::to_string(rank) + " asks for another one, or " +
                "with more than " + std::to_string(Message::maxValues) +
                " values"};
  question.strand = who.strand;
  question.round = who.round;
  std::unique_lock lock(mutex);
  RB_TRY(gone);
  question.id = ++last;
  std::optional<Message> &answer = questions[question.id];
  lock.unlock();
  Sent sent = send(question, deadline);
  lock.lock();
  // If the line is broken the thread finds out why.
  if (sent == Sent::All || sent == Sent::Broken)
    changed.wait_until(lock, deadline, [&] { return answer || !gone; });
  std::optional<Message> got = std::move(answer);
  questions.erase(question.id);
  if (got)
    return fetch({got->id, who, {got->code, got->text}, got->values}, answers);
  RB_TRY(gone);
  lock.unlock();
  if (sent != Sent::All)
    return {ErrorCode::Communication,
            "the launcher does not read; it is stopped or stuck"};
  question.kind = Kind::Withdraw;
  question.values.clear();
  (void)send(question, Clock::now());
  return noAnswer(who);
}

Status CoordinatorClient::ask(const Caller &who, int policy, int entry,
                              std::span<const policy::Value> inputs,
                              std::span<policy::Value> answers,
                              Deadline deadline) {
  Message question;
  question.kind = Kind::Ask;
  question.policy = policy;
  question.entry = entry;
  question.values.assign(inputs.begin(), inputs.end());
  return request(who, std::move(question), answers, deadline);
}

Status CoordinatorClient::commit(const Caller &who, int64_t seen,
                                 int64_t expected, bool &ok,
                                 Deadline deadline) {
  Message question;
  question.kind = Kind::Vote;
  question.values = {seen, expected};
  policy::Value verdict;
  RB_TRY(request(who, std::move(question), {&verdict, 1}, deadline));
  if (!std::holds_alternative<bool>(verdict))
    return {ErrorCode::Internal, "the answer to a vote is no verdict"};
  ok = std::get<bool>(verdict);
  return Status::ok();
}

void CoordinatorClient::contributed(int) noexcept { tell(Kind::Contributed); }

void CoordinatorClient::leave(int) noexcept { tell(Kind::Bye); }

} // namespace rubato
