// What policies share in answering questions by name.
#pragma once

#include "policy/policy.h"

namespace rubato::policy {

/// Checks a question against the entries of `policy`: that the entry exists,
/// the number and types of the inputs, and the number of outputs.
Status checkAsk(const Policy &policy, std::string_view entry,
                std::span<const Value> inputs, std::span<Value> outputs);

/// The answer of a central policy that has none yet. The question has been
/// noted: the caller asks again, with the same call number, after the next
/// event of the policy. A status, so that a caller who does not expect it
/// fails instead of taking a wrong answer.
Status pending();
bool isPending(const Status &status);

/// The answered call `last` of an entry and a new one: an error when the new
/// one is negative or older, since its answer is no longer kept.
Status checkCall(const Policy &policy, Asker asker, int64_t last);

} // namespace rubato::policy
