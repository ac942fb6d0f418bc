#include "program/run_events.h"

#include <algorithm>

namespace rubato {

namespace {

void writeNumber(uint64_t number, std::string &bytes) {
  while (number >= 0x80) {
    bytes.push_back(static_cast<char>(number | 0x80));
    number >>= 7;
  }
  bytes.push_back(static_cast<char>(number));
}

void writeNumbers(Numbers numbers, std::string &bytes) {
  writeNumber(numbers.size(), bytes);
  for (int64_t number : numbers)
    writeNumber(static_cast<uint64_t>(number) << 1 ^
                    static_cast<uint64_t>(number >> 63),
                bytes);
}

bool readNumber(std::string_view &bytes, uint64_t &number) {
  number = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return false;
}

bool readNumbers(std::string_view &bytes, std::vector<int64_t> &numbers) {
  uint64_t count = 0;
  // A number has a byte at least: more than are left is nonsense.
  if (!readNumber(bytes, count) || count > bytes.size())
    return false;
  numbers.resize(static_cast<size_t>(count));
  for (int64_t &number : numbers) {
    uint64_t zigzag = 0;
    if (!readNumber(bytes, zigzag))
      return false;
    number = static_cast<int64_t>(zigzag >> 1 ^ (0 - (zigzag & 1)));
  }
  return true;
}

} // namespace

std::string describe(Call operation, Numbers asked) {
  const CallNames &its = callNames[static_cast<size_t>(operation)];
  std::string text = its.text;
  std::string_view words = its.words;
  for (size_t i = 0; i < asked.size(); ++i) {
    std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    text += i == 0 ? "(" : ", ";
    text += std::string(word) + (word.empty() ? "" : " ") +
            std::to_string(asked[i]);
  }
  return asked.empty() ? text : text + ")";
}

void writeEvent(Call operation, Numbers asked, Numbers answered,
                std::string &bytes) {
  bytes.push_back(static_cast<char>(operation));
  writeNumbers(asked, bytes);
  writeNumbers(answered, bytes);
}

bool readEvent(std::string_view &bytes, RunEvent &event) {
  if (bytes.empty() || static_cast<uint8_t>(bytes.front()) >= callCount)
    return false;
  event.operation = static_cast<Call>(bytes.front());
  bytes.remove_prefix(1);
  return readNumbers(bytes, event.asked) && readNumbers(bytes, event.answered);
}

} // namespace rubato
