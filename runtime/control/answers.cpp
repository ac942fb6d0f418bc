// Answers, and the error of those that do not come.
#include "control/answers.h"

#include <algorithm>

namespace rubato::control {

Status fetch(const Answer &answer, std::span<policy::Value> to) {
  if (!answer.status)
    return answer.status;
  if (answer.values.size() != to.size())
    return {ErrorCode::Internal, "rank " + std::to_string(answer.who.rank) +
                                     " wants " + std::to_string(to.size()) +
                                     " values of an answer that has " +
                                     std::to_string(answer.values.size())};
  std::copy(answer.values.begin(), answer.values.end(), to.begin());
  return Status::ok();
}

Status noAnswer(const Caller &who) {
  return {ErrorCode::Communication,
          "rank " + std::to_string(who.rank) + ", strand " +
              std::to_string(who.strand) + ", round " +
              std::to_string(who.round) +
              ": no answer before the deadline; a member that others wait for "
              "is stopped, stuck or much slower than they are"};
}

} // namespace rubato::control
