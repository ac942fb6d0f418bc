// What the two desks share: how an answer reaches the one who asked.
#pragma once

#include "control/decisions.h"

namespace rubato::control {

/// Copies the values of an answer to where the caller wants them.
Status fetch(const Answer &answer, std::span<policy::Value> to);

/// The error of a deadline that passed.
Status noAnswer(const Caller &who);

} // namespace rubato::control
