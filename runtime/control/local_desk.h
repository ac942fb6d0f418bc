// The desk of members that are threads of one process.
#pragma once

#include "control/decisions.h"
#include "control/desk.h"

#include <condition_variable>
#include <mutex>

namespace rubato {

class LocalDesk final : public Desk {
public:
  /// A desk for all members of a program.
  static Status make(const ProgramSpec &spec, int members, uint64_t seed,
                     int64_t datasetSize, std::unique_ptr<LocalDesk> &desk);

  Status ask(const Caller &who, int policy, int entry,
             std::span<const policy::Value> inputs,
             std::span<policy::Value> answers, Deadline deadline) override;
  Status commit(const Caller &who, int64_t seen, int64_t expected, bool &ok,
                Deadline deadline) override;
  void contributed(int rank) noexcept override;
  void leave(int rank) noexcept override;

private:
  /// Lays new answers out for those who wait.
  void publish();
  Status await(std::unique_lock<std::mutex> &lock, const Caller &who,
               QuestionId id, std::span<policy::Value> answers,
               Deadline deadline);

  std::mutex mutex;
  std::condition_variable changed;
  std::unique_ptr<Decisions> decisions;
  std::map<QuestionId, Answer> answered; // and not fetched
};

} // namespace rubato
