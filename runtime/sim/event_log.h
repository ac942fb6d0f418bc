// The log of a simulation: one JSON object per line and event, letter for
// letter what rubato-interp writes (docs/interpreter.md).
#pragma once

#include "support/part.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace rubato::sim {

class EventLog {
public:
  /// Is given each line, with its end.
  using Sink = std::function<void(std::string_view)>;

  explicit EventLog(Sink sink) : sink(std::move(sink)) {}
  bool isOn() const { return static_cast<bool>(sink); }

  /// Begins a line; what the operation adds follows, then `close`.
  void open(int64_t time, int rank, int strand, int64_t round,
            std::string_view operation);
  void close();

  void text(std::string_view key, std::string_view value);
  void number(std::string_view key, int64_t value);
  void truth(std::string_view key, bool value);

  /// A list: its key, items, its end.
  void openList(std::string_view key);
  void item(int64_t value);
  void item(double value); // null where it is not finite
  void item(std::string_view value);
  void closeList();
  void numbers(std::string_view key, std::span<const int64_t> values);
  /// The parts of one element, in their order: counts and losses, not whole
  /// gradients.
  void scalars(std::string_view key, Parts parts);

private:
  void key(std::string_view name);
  void quoted(std::string_view value);
  void integer(int64_t value);
  void comma();

  Sink sink;
  std::string line;
  bool first = true;
};

} // namespace rubato::sim
