// What the coordinator does with messages, and with members that are gone.
#include "control/coordinator.h"

namespace rubato {

using namespace control;

/// Strands of a member wait for one answer each; nobody has so many.
static constexpr size_t mostQuestions = 256;

/// False for what no member would say now.
bool Coordinator::handle(int rank, const Message &message) {
  using Kind = Message::Kind;
  Member &member = at(rank);
  if (message.kind == Kind::Hello) {
    bool good = member.state == Member::Expected && message.rank == rank &&
                message.id == member.pid;
    if (good)
      greet(rank);
    return good;
  }
  if (member.state == Member::Expected)
    return false;
  Caller who{rank, message.strand, message.round};
  switch (message.kind) {
  case Kind::Ask:
    if (member.questions.size() == mostQuestions)
      return false;
    member.questions[decisions->submit(who, message.policy, message.entry,
                                       message.values)] = message.id;
    break;
  case Kind::Vote: {
    if (member.questions.size() == mostQuestions || message.values.size() != 2)
      return false;
    const auto *seen = std::get_if<int64_t>(&message.values[0]);
    const auto *expected = std::get_if<int64_t>(&message.values[1]);
    if (!seen || !expected)
      return false;
    member.questions[decisions->vote(who, *seen, *expected)] = message.id;
    break;
  }
  case Kind::Withdraw:
    withdraw(rank, message.id);
    break;
  case Kind::Contributed:
    decisions->contributed(rank);
    break;
  case Kind::Heartbeat:
    break;
  case Kind::Bye:
    if (member.state == Member::Greeted) {
      member.state = Member::Left;
      news.push_back({rank, false});
      leave(rank);
    }
    break;
  default:
    return false;
  }
  deliver();
  return true;
}

/// A new member learns what it has missed.
void Coordinator::greet(int rank) {
  at(rank).state = Member::Greeted;
  Message message;
  message.kind = Message::Kind::Welcome;
  send(rank, message);
  if (stopSignal != 0) {
    message.kind = Message::Kind::Stop;
    message.id = stopSignal;
    send(rank, message);
  }
  for (int other = 0; other != members(); ++other)
    if (at(other).state == Member::Lost) {
      message.kind = Message::Kind::Lost;
      message.rank = other;
      message.text = at(other).why;
      send(rank, message);
    }
}

void Coordinator::withdraw(int rank, int64_t id) {
  std::erase_if(at(rank).questions, [&](const auto &each) {
    if (each.second != id)
      return false;
    decisions->withdraw(each.first);
    return true;
  });
}

/// Sends the answers there are to whom they belong.
void Coordinator::deliver() {
  for (Answer &answer : decisions->takeAnswers()) {
    Member &member = at(answer.who.rank);
    auto question = member.questions.find(answer.id);
    if (question == member.questions.end())
      continue;
    Message message;
    message.kind = Message::Kind::Answer;
    message.id = question->second;
    message.code = answer.status.code();
    message.values = std::move(answer.values);
    message.text = answer.status.message();
    member.questions.erase(question);
    send(answer.who.rank, message);
  }
}

void Coordinator::leave(int rank) {
  decisions->leave(rank);
  deliver();
}

void Coordinator::lose(int rank, const std::string &why) {
  Member &member = at(rank);
  bool known = member.state == Member::Left || member.state == Member::Lost;
  if (!known) {
    member.state = Member::Lost;
    member.why = why;
    news.push_back({rank, true});
    Message message;
    message.kind = Message::Kind::Lost;
    message.rank = rank;
    message.text = why;
    for (int other = 0; other != members(); ++other)
      if (at(other).state == Member::Greeted || other == rank)
        send(other, message);
    leave(rank);
    // One that was only stopped finds out when it goes on.
    flush(rank);
  }
  member.line.close();
  member.out.clear();
  member.questions.clear();
}

void Coordinator::lost(int rank, const std::string &why) {
  // More than a socket holds.
  receive(rank, 1000, why);
  lose(rank, why);
  closeWhenComplete();
  report();
}

void Coordinator::requestStop(int signal) {
  stopSignal = signal;
  Message message;
  message.kind = Message::Kind::Stop;
  message.id = signal;
  for (int rank = 0; rank != members(); ++rank)
    if (at(rank).state == Member::Greeted)
      send(rank, message);
}

void Coordinator::send(int rank, const Message &message) {
  if (at(rank).line)
    at(rank).out += encode(message);
}

} // namespace rubato
