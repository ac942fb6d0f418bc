// Frames: what goes in comes out, and nothing else is taken for a message.
#include "control/messages.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

using namespace rubato;
using namespace rubato::control;
using Outcome = FrameReader::Outcome;

namespace {

bool same(const Message &a, const Message &b) {
  return a.kind == b.kind && a.id == b.id && a.round == b.round &&
         a.rank == b.rank && a.strand == b.strand && a.policy == b.policy &&
         a.entry == b.entry && a.code == b.code && a.values == b.values &&
         a.text == b.text;
}

Message randomMessage(std::mt19937_64 &random) {
  Message message;
  message.kind = static_cast<Message::Kind>(1 + random() % 12);
  message.id = static_cast<int64_t>(random());
  message.round = static_cast<int64_t>(random());
  for (int32_t *field :
       {&message.rank, &message.strand, &message.policy, &message.entry})
    *field = static_cast<int32_t>(random());
  message.code = random() % 2 ? ErrorCode::Ok : ErrorCode::Communication;
  for (uint64_t i = random() % (Message::maxValues + 1); i != 0; --i)
    switch (random() % 3) {
    case 0:
      message.values.push_back(static_cast<int64_t>(random()));
      break;
    case 1:
      message.values.push_back(static_cast<double>(random()) / 3);
      break;
    default:
      message.values.push_back(random() % 2 == 0);
    }
  message.text.assign(random() % (Message::maxText + 1), 'x');
  return message;
}

TEST(Messages, ComeOutAsTheyWentIn) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial != 200; ++trial) {
    std::vector<Message> sent;
    std::string bytes;
    for (int i = 0; i != 5; ++i) {
      sent.push_back(randomMessage(random));
      bytes += encode(sent.back());
    }
    // In pieces of any size.
    FrameReader reader;
    Message message;
    size_t taken = 0;
    for (size_t at = 0; at != bytes.size();) {
      size_t size = std::min<size_t>(1 + random() % 900, bytes.size() - at);
      reader.append(bytes.data() + at, size);
      at += size;
      while (reader.next(message) == Outcome::Message)
        ASSERT_TRUE(same(message, sent.at(taken++)));
    }
    ASSERT_EQ(taken, sent.size());
    ASSERT_EQ(reader.next(message), Outcome::Incomplete);
  }
}

TEST(Messages, CutLongTexts) {
  Message message;
  message.text.assign(5000, 'x');
  std::string bytes = encode(message);
  FrameReader reader;
  reader.append(bytes.data(), bytes.size());
  ASSERT_EQ(reader.next(message), Outcome::Message);
  EXPECT_EQ(message.text.size(), Message::maxText);
}

TEST(Messages, EveryFieldIsChecked) {
  Message good;
  good.kind = Message::Kind::Answer;
  good.values = {int64_t(3), true};
  good.text = "why";
  const std::string bytes = encode(good);
  // Where a wrong number makes a frame malformed, and such a number.
  struct Fault {
    const char *what;
    size_t offset, size;
    uint64_t value;
  };
  const Fault faults[] = {{"length below the body", 0, 4, 39},
                          {"length beyond all", 0, 4, 1 << 20},
                          {"length of other parts", 0, 4, bytes.size() - 9},
                          {"version", 4, 2, 2},
                          {"no kind", 6, 2, 0},
                          {"kind", 6, 2, 13},
                          {"code", 8 + 32, 4, 6},
                          {"more values", 8 + 36, 2, 3},
                          {"too many values", 8 + 36, 2, 65},
                          {"more text", 8 + 38, 2, 4},
                          {"type", 48, 1, 3},
                          {"flag", 48 + 9 + 1, 8, 2}};
  for (const Fault &fault : faults) {
    std::string bad = bytes;
    std::memcpy(bad.data() + fault.offset, &fault.value, fault.size);
    FrameReader reader;
    reader.append(bad.data(), bad.size());
    Message message;
    EXPECT_EQ(reader.next(message), Outcome::Malformed) << fault.what;
    // And nothing is believed afterwards.
    reader.append(bytes.data(), bytes.size());
    EXPECT_EQ(reader.next(message), Outcome::Malformed) << fault.what;
  }
}

TEST(Messages, RandomBytesAreHarmless) {
  std::mt19937_64 random(2);
  int malformed = 0;
  for (int trial = 0; trial != 20000; ++trial) {
    // Noise, or a message with some bytes changed.
    std::string bytes;
    if (trial % 2) {
      for (uint64_t i = random() % 200; i != 0; --i)
        bytes.push_back(static_cast<char>(random()));
    } else {
      bytes = encode(randomMessage(random)) + encode(randomMessage(random));
      for (uint64_t i = 1 + random() % 4; i != 0; --i)
        bytes[random() % (trial % 4 ? bytes.size() : 60)] =
            static_cast<char>(random());
    }
    FrameReader reader;
    Message message;
    reader.append(bytes.data(), bytes.size());
    int count = 0;
    Outcome outcome;
    while ((outcome = reader.next(message)) == Outcome::Message) {
      ASSERT_LE(message.values.size(), Message::maxValues);
      ASSERT_LE(message.text.size(), Message::maxText);
      ++count;
    }
    ASSERT_LE(count, 2);
    malformed += outcome == Outcome::Malformed;
  }
  EXPECT_GT(malformed, 9000);
}

} // namespace
