// Writes events in a fixed order of keys.
#include "tools/rubato-interp/EventLog.h"

#include <cmath>

namespace rubato::interp {

static void writeElement(llvm::json::OStream &json, const Value &value,
                         int64_t i) {
  if (value.element() == Element::Integer)
    json.value(value.intAt(i));
  else if (double number = value.floatAt(i); std::isfinite(number))
    json.value(number);
  else
    json.value(nullptr);
}

void writeValue(llvm::json::OStream &json, const Value &value) {
  auto tensor = dyn_cast<mlir::RankedTensorType>(value.type());
  if (!value.isKnown()) {
    json.value(nullptr);
  } else if (!tensor || tensor.getRank() == 0) {
    writeElement(json, value, 0);
  } else {
    json.array([&] {
      for (int64_t i = 0; i != value.size(); ++i)
        writeElement(json, value, i);
    });
  }
}

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
