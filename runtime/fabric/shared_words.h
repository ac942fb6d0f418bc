// What members of the shared-memory transport write where the others read it.
//
// There is no lock: a member may be killed at any instruction. Every word has
// one writer at a time, and whoever finds a word set finds all that was
// written before it. Numbers of collectives only grow, so nobody can mistake
// an old word for a new one.
#pragma once

#include "fabric/message.h"
#include "support/marks.h"

#include <atomic>
#include <cstdint>

namespace rubato::shared {

using Word = std::atomic<int64_t>;
static_assert(Word::is_always_lock_free);

enum class Life : uint32_t { Alive, Left, Lost };

struct alignas(64) RunWords {
  std::atomic<uint32_t> ended{0};
};

/// A word to sleep on, and how many do, which saves the call if none does. One
/// who was killed asleep stays counted, which costs a call and no more.
struct alignas(64) Bell {
  std::atomic<uint32_t> rings{0}, sleepers{0};
};

struct alignas(64) MemberWords {
  std::atomic<Life> life{Life::Alive};
  Word barriers{0}; // at which it has arrived
  Bell bell;        // of those who wait in a call
  Bell commBell;    // of the comm thread
  /// Bytes that it copied, see CopyCounters.
  alignas(64) Word values{0};
  Word numbers{0}, cells{0};
  Word summed{0}, early{0}; // see SumCounters
};

/// A shape that others may read while its owner writes the next.
struct ShapeWords {
  Word parts{0}, hash{0}, f64Bytes{0}, i64Bytes{0}, f32Bytes{0};

  void set(const Shape &shape) {
    parts.store(shape.parts, std::memory_order_release);
    hash.store(shape.hash, std::memory_order_release);
    f64Bytes.store(shape.f64Bytes, std::memory_order_release);
    i64Bytes.store(shape.i64Bytes, std::memory_order_release);
    f32Bytes.store(shape.f32Bytes, std::memory_order_release);
  }
  Shape get() const {
    return {parts.load(std::memory_order_acquire),
            hash.load(std::memory_order_acquire),
            f64Bytes.load(std::memory_order_acquire),
            i64Bytes.load(std::memory_order_acquire),
            f32Bytes.load(std::memory_order_acquire)};
  }
};

struct LayoutWords {
  Word count{0};
  struct {
    Word dtype{0}, bytes{0};
  } large[Layout::maxLarge];
  ShapeWords rest;

  void set(const Layout &layout) {
    count.store(layout.count, std::memory_order_release);
    for (size_t i = 0; i < Layout::maxLarge; ++i) {
      large[i].dtype.store(layout.large[i].dtype, std::memory_order_release);
      large[i].bytes.store(layout.large[i].bytes, std::memory_order_release);
    }
    rest.set(layout.rest);
  }
  Layout get() const {
    Layout layout;
    layout.count = int(count.load(std::memory_order_acquire));
    for (size_t i = 0; i < Layout::maxLarge; ++i)
      layout.large[i] = {
          rb_dtype(large[i].dtype.load(std::memory_order_acquire)),
          large[i].bytes.load(std::memory_order_acquire)};
    layout.rest = rest.get();
    return layout;
  }
};

/// Where a message lies; addresses are the same in all processes, which have
/// inherited the memory.
struct SpreadWords {
  std::atomic<char *> large[Layout::maxLarge] = {};
  std::atomic<char *> rest{nullptr};

  void set(const Spread &spread) {
    for (size_t i = 0; i < Layout::maxLarge; ++i)
      large[i].store(spread.large[i], std::memory_order_release);
    rest.store(spread.rest, std::memory_order_release);
  }
  Spread get() const {
    Spread spread;
    for (size_t i = 0; i < Layout::maxLarge; ++i)
      spread.large[i] = large[i].load(std::memory_order_acquire);
    spread.rest = rest.load(std::memory_order_acquire);
    return spread;
  }
};

/// Marks that others may read while their owner writes the next.
template <int Most> struct MarkWords {
  static constexpr int most = Most;
  Word count{0};
  struct {
    Word bytes{0}, time{0};
  } all[Most];

  /// Those that there is room for.
  void set(const Marks &marks) {
    auto kept = std::min<size_t>(marks.size(), Most);
    for (size_t i = 0; i < kept; ++i) {
      all[i].bytes.store(marks[i].bytes, std::memory_order_release);
      all[i].time.store(marks[i].time, std::memory_order_release);
    }
    count.store(int64_t(kept), std::memory_order_release);
  }
  Marks get() const {
    Marks marks(size_t(count.load(std::memory_order_acquire)));
    for (size_t i = 0; i < marks.size(); ++i)
      marks[i] = {all[i].bytes.load(std::memory_order_acquire),
                  all[i].time.load(std::memory_order_acquire)};
    return marks;
  }
};

/// What a member says of its operand before it posts: of which collective,
/// which is set before `bytes`, where it lies, and how much of it is final.
struct EarlyWords {
  Word number{0}, dtype{0}, size{0};
  std::atomic<char *> at{nullptr};
  Word bytes{0};
};

/// A member's part in a collective. `posted` is its number, set last.
struct alignas(64) PostWords {
  Word posted{0};
  Word awaiting{0}; // the number, while the member waits for it and helps
  Word kind{0}, root{0}, sent{0};
  Word holds{0}; // whether it still reads an older result in this one's place
  ShapeWords shape;
  LayoutWords layout;
  SpreadWords at;
  MarkWords<16> marks; // when its first large part was there
  alignas(64) EarlyWords early;
};

/// One of the collectives of a channel that can be under way. The sum is
/// done in chunks by whoever has time: a chunk word has the number of the
/// collective, who claimed it, and whether it is done.
struct alignas(64) SlotWords {
  /// Chunks of the first large part, then those of everything else.
  static constexpr int vectorChunks = 64, restChunks = 32;
  Word finished{0};    // number of the last one that is summed
  Word known{0};       // number of the last one of which the following is known
  Word sent{0};        // when the last member posted it
  SpreadWords at;      // where the result lies
  MarkWords<32> marks; // when its first large part was there for all
  alignas(64) std::atomic<uint64_t> chunks[vectorChunks + restChunks]{};
};

/// From one member to another: which buffer of the sender holds a snapshot.
/// All is the sender's while `full` is 0 and the receiver's while it is 1.
struct alignas(64) LetterWords {
  std::atomic<uint32_t> full{0};
  int32_t buffer = 0;
  int64_t tag = 0, sent = 0;
  int64_t arrives = 0; // once the receiver has seen it
  Shape shape;
  Spread at; // lent blocks, and what is in the buffer
};

/// What was pushed or granted; owned like its buffer.
struct alignas(64) CargoWords {
  Word arrives{0}; // of uploads: when a slow link delivers it; peeked at
  int64_t ticket = 0;
  Shape shape;
  Spread at; // blocks, and what is in the buffer
};

struct alignas(64) MailboxWords {
  std::atomic<uint32_t> closed{0};
  Word stamps{0}; // of uploads, in order of arrival
};

/// A worker's end of a mailbox. Of its upload buffers one is being filled by
/// the worker, one is in `latest`, and the others are the server's.
struct alignas(64) WorkerWords {
  static constexpr int buffers = 4;
  /// Stamp, whether it was not looked at, and buffer.
  std::atomic<uint64_t> latest{1};
  Word replaced{0};
  alignas(64) std::atomic<uint64_t> mail{0}; // newest ticket and its snapshot
  Word arrives{0};                           // when a slow link delivers it
  std::atomic<uint32_t> reading{0};          // snapshot + 1 while looked at
};

} // namespace rubato::shared
