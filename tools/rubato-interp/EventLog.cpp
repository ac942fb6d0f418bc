// Writes events in a fixed order of keys.
#include "tools/rubato-interp/EventLog.h"

namespace rubato::interp {

void EventLog::write(int64_t time, int rank, int strand, int64_t round,
                     llvm::StringRef op,
                     llvm::function_ref<void(llvm::json::OStream &)> details) {
  {
    llvm::json::OStream json(os);
    json.object([&] {
      json.attribute("t", time);
      json.attribute("rank", rank);
      json.attribute("strand", strand);
      json.attribute("round", round);
      json.attribute("op", op);
      if (details)
        details(json);
    });
  }
  os << "\n";
}

} // namespace rubato::interp
