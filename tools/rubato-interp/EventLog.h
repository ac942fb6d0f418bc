// The log of a run: one JSON object per line and event.
#ifndef RUBATO_TOOLS_INTERP_EVENTLOG_H
#define RUBATO_TOOLS_INTERP_EVENTLOG_H

#include "tools/rubato-interp/Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace rubato::interp {

/// Writes a scalar as a number and a tensor of another rank as a list of all
/// its elements; what is unknown or not finite is null.
void writeValue(llvm::json::OStream &json, const Value &value);

class EventLog {
public:
  explicit EventLog(llvm::raw_ostream &os) : os(os) {}

  /// Writes {"t": …, "rank": …, "strand": …, "round": …, "op": …, details}.
  void write(int64_t time, int rank, int strand, int64_t round,
             llvm::StringRef op,
             llvm::function_ref<void(llvm::json::OStream &)> details);

private:
  llvm::raw_ostream &os;
};

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_EVENTLOG_H
