// What the coordinator and its members say to each other, as bytes.
//
// One frame is a header (length of the rest, version, kind) and a body that
// has the same fields for every kind, then values and a text. Whatever a peer
// sends is checked before anybody looks at it.
#pragma once

#include "environment/environment.h"
#include "policy/policy.h"

namespace rubato::control {

struct Message {
  enum class Kind : uint16_t {
    // From a member.
    Hello = 1,   // rank; id: its pid
    Ask,         // id, strand, round, policy, entry, values
    Vote,        // id, strand, round, values: seen, expected
    Withdraw,    // id: nobody waits for that answer any more
    Contributed, // its work is in a reduction that counts
    Heartbeat,
    Bye, // it has ended
    // From the coordinator.
    Welcome,
    Refused, // text: why
    Answer,  // id, code, values, text: of an error
    Lost,    // rank, text: why; its own rank: it was given up
    Stop     // id: the signal
  };

  Kind kind = Kind::Heartbeat;
  int64_t id = 0, round = 0;
  int32_t rank = 0, strand = 0, policy = 0, entry = 0;
  ErrorCode code = ErrorCode::Ok;
  std::vector<policy::Value> values = {};
  std::string text = {};

  /// Of one message; a longer text is cut.
  static constexpr size_t maxValues = 64, maxText = 1024;
};

/// The bytes of a message with at most maxValues values.
std::string encode(const Message &message);

/// Puts what arrives in pieces together to messages.
class FrameReader {
public:
  enum class Outcome { Message, Incomplete, Malformed };

  void append(const char *bytes, size_t size);
  /// Takes the next message. After malformed bytes nothing is read any more:
  /// where the next frame would begin is not known.
  Outcome next(Message &message);

private:
  std::string buffer;
  size_t position = 0;
  bool malformed = false;
};

} // namespace rubato::control
