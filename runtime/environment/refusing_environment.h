// An environment in which nothing goes but what is overridden: for code that
// only computes a model, and for tests.
#pragma once

#include "environment/environment.h"

#include <string>
#include <type_traits>

namespace rubato {

class RefusingEnvironment : public Environment {
public:
  /// `why`: "a model may only …".
  explicit RefusingEnvironment(const char *why) : why(why) {}

#define METHOD(result, name, params, args)                                     \
  result name params override { return refuse<result>(who, #name); }
#include "environment/environment_methods.def"

private:
  /// Facts cannot fail: they are 0.
  template <typename Result>
  Result refuse(const Caller &who, const char *call) const {
    if constexpr (std::is_same_v<Result, Status>)
      return {ErrorCode::Internal, "rank " + std::to_string(who.rank) +
                                       " calls '" + call + "', but " + why};
    else
      return Result();
  }

  const char *why;
};

} // namespace rubato
