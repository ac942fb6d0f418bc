// One lock around the decisions; whoever asks hands out what became answered.
#include "control/local_desk.h"

#include "control/answers.h"

namespace rubato {

using namespace control;

Status LocalDesk::make(const ProgramSpec &spec, int members, uint64_t seed,
                       int64_t datasetSize, std::unique_ptr<LocalDesk> &desk) {
  auto made = std::make_unique<LocalDesk>();
  RB_TRY(Decisions::make(spec, members, seed, datasetSize, made->decisions));
  desk = std::move(made);
  return Status::ok();
}

void LocalDesk::publish() {
  std::vector<Answer> fresh = decisions->takeAnswers();
  for (Answer &answer : fresh) {
    QuestionId id = answer.id;
    answered.emplace(id, std::move(answer));
  }
  if (!fresh.empty())
    changed.notify_all();
}

Status LocalDesk::await(std::unique_lock<std::mutex> &lock, const Caller &who,
                        QuestionId id, std::span<policy::Value> answers,
                        Deadline deadline) {
  publish();
  if (!changed.wait_until(lock, deadline,
                          [&] { return answered.count(id) != 0; })) {
    decisions->withdraw(id);
    return noAnswer(who);
  }
  Answer answer = std::move(answered.extract(id).mapped());
  return fetch(answer, answers);
}

Status LocalDesk::ask(const Caller &who, int policy, int entry,
                      std::span<const policy::Value> inputs,
                      std::span<policy::Value> answers, Deadline deadline) {
  std::unique_lock lock(mutex);
  QuestionId id = decisions->submit(who, policy, entry, inputs);
  return await(lock, who, id, answers, deadline);
}

Status LocalDesk::commit(const Caller &who, int64_t seen, int64_t expected,
                         bool &ok, Deadline deadline) {
  std::unique_lock lock(mutex);
  policy::Value verdict;
  QuestionId id = decisions->vote(who, seen, expected);
  RB_TRY(await(lock, who, id, {&verdict, 1}, deadline));
  ok = std::get<bool>(verdict);
  return Status::ok();
}

void LocalDesk::contributed(int rank) noexcept {
  std::lock_guard lock(mutex);
  decisions->contributed(rank);
}

void LocalDesk::leave(int rank) noexcept {
  std::lock_guard lock(mutex);
  decisions->leave(rank);
  publish();
}

} // namespace rubato
