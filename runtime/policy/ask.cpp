// Checks of questions, and the answer "not yet".
#include "policy/ask.h"

namespace rubato::policy {

static std::string prefix(const Policy &policy) {
  return std::string(policy.name()) + ": ";
}

/// Value's alternatives come in the order of ValueType.
static bool matches(const Value &value, ValueType type) {
  return value.index() == static_cast<size_t>(type);
}

Status checkAsk(const Policy &policy, std::string_view entry,
                std::span<const Value> inputs, std::span<Value> outputs) {
  std::string known;
  for (const Entry &each : policy.entries()) {
    known += (known.empty() ? "" : ", ") + each.name;
    if (each.name != entry)
      continue;
    bool good = inputs.size() == each.inputs.size() &&
                outputs.size() == each.outputs.size();
    for (size_t i = 0; good && i < inputs.size(); ++i)
      good = matches(inputs[i], each.inputs[i]);
    if (good)
      return Status::ok();
    return Status::user(prefix(policy) + "entry '" + std::string(entry) +
                        "' takes " + std::to_string(each.inputs.size()) +
                        " inputs and gives " +
                        std::to_string(each.outputs.size()) +
                        " outputs of other types; declare it so");
  }
  return Status::user(prefix(policy) + "no entry '" + std::string(entry) +
                      "'; it has " + known);
}

static constexpr std::string_view pendingMessage = "the answer is pending";

Status pending() {
  return {ErrorCode::Communication, std::string(pendingMessage)};
}

bool isPending(const Status &status) {
  return status.code() == ErrorCode::Communication &&
         status.message() == pendingMessage;
}

Status checkCall(const Policy &policy, Asker asker, int64_t last) {
  if (asker.call >= 0 && asker.call >= last)
    return Status::ok();
  return Status::user(
      prefix(policy) + "member " + std::to_string(asker.member) +
      " asks call " + std::to_string(asker.call) + " after call " +
      std::to_string(last) + "; calls are numbered upwards from 0");
}

} // namespace rubato::policy
