// Frames to bytes and back. Both ends run on one machine, so numbers are laid
// down as they are in memory.
#include "control/messages.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace rubato::control {

namespace {

constexpr uint16_t version = 1;

struct Header {
  uint32_t length = 0; // of what follows the header
  uint16_t version = 0, kind = 0;
};

struct Body {
  int64_t id = 0, round = 0;
  int32_t rank = 0, strand = 0, policy = 0, entry = 0, code = 0;
  uint16_t values = 0, text = 0; // how many, and bytes
};

constexpr size_t valueBytes = 9; // its type, and 8 bytes
constexpr size_t longestBody =
    sizeof(Body) + Message::maxValues * valueBytes + Message::maxText;
static_assert(sizeof(Header) == 8 && sizeof(Body) == 40);

template <typename T> void put(std::string &out, const T &value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// The caller has made sure that the bytes are there.
template <typename T> T take(const char *&in) {
  T value;
  std::memcpy(&value, in, sizeof value);
  in += sizeof value;
  return value;
}

void putValue(std::string &out, const policy::Value &value) {
  out.push_back(static_cast<char>(value.index()));
  if (const double *real = std::get_if<double>(&value))
    put(out, *real);
  else if (const bool *flag = std::get_if<bool>(&value))
    put(out, int64_t(*flag));
  else
    put(out, *std::get_if<int64_t>(&value));
}

bool takeValue(const char *&in, policy::Value &value) {
  auto type = take<uint8_t>(in);
  auto bits = take<uint64_t>(in);
  if (type == 0)
    value = static_cast<int64_t>(bits);
  else if (type == 1)
    value = std::bit_cast<double>(bits);
  else if (type == 2 && bits <= 1)
    value = bits == 1;
  else
    return false;
  return true;
}

bool isCode(int32_t code) {
  switch (static_cast<ErrorCode>(code)) {
  case ErrorCode::Ok:
  case ErrorCode::User:
  case ErrorCode::Usage:
  case ErrorCode::Unsupported:
  case ErrorCode::Communication:
  case ErrorCode::Numeric:
  case ErrorCode::Internal:
  case ErrorCode::Again:
    return true;
  }
  return false;
}

} // namespace

std::string encode(const Message &message) {
  size_t text = std::min(message.text.size(), Message::maxText);
  Body body{message.id,
            message.round,
            message.rank,
            message.strand,
            message.policy,
            message.entry,
            static_cast<int32_t>(message.code),
            static_cast<uint16_t>(message.values.size()),
            static_cast<uint16_t>(text)};
  Header header{static_cast<uint32_t>(
                    sizeof body + message.values.size() * valueBytes + text),
                version, static_cast<uint16_t>(message.kind)};
  std::string out;
  put(out, header);
  put(out, body);
  for (const policy::Value &value : message.values)
    putValue(out, value);
  out.append(message.text, 0, text);
  return out;
}

void FrameReader::append(const char *bytes, size_t size) {
  buffer.erase(0, position);
  position = 0;
  if (!malformed)
    buffer.append(bytes, size);
}

/// Reads a body of `length` bytes.
static bool decode(const char *in, size_t length, Message &message) {
  Body body = take<Body>(in);
  if (body.values > Message::maxValues || body.text > Message::maxText ||
      length != sizeof body + body.values * valueBytes + body.text ||
      !isCode(body.code))
    return false;
  message.id = body.id;
  message.round = body.round;
  message.rank = body.rank;
  message.strand = body.strand;
  message.policy = body.policy;
  message.entry = body.entry;
  message.code = static_cast<ErrorCode>(body.code);
  message.values.resize(body.values);
  for (policy::Value &value : message.values)
    if (!takeValue(in, value))
      return false;
  message.text.assign(in, body.text);
  return true;
}

FrameReader::Outcome FrameReader::next(Message &message) {
  if (malformed)
    return Outcome::Malformed;
  size_t there = buffer.size() - position;
  if (there < sizeof(Header))
    return Outcome::Incomplete;
  const char *in = buffer.data() + position;
  Header header = take<Header>(in);
  malformed = header.version != version || header.length < sizeof(Body) ||
              header.length > longestBody ||
              header.kind < static_cast<uint16_t>(Message::Kind::Hello) ||
              header.kind > static_cast<uint16_t>(Message::Kind::Stop);
  if (malformed)
    return Outcome::Malformed;
  if (there < sizeof header + header.length)
    return Outcome::Incomplete;
  malformed = !decode(in, header.length, message);
  if (malformed)
    return Outcome::Malformed;
  message.kind = static_cast<Message::Kind>(header.kind);
  position += sizeof header + header.length;
  return Outcome::Message;
}

} // namespace rubato::control
