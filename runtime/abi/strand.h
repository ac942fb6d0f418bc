// The context of one strand of a program: compiled code that asks an
// environment instead of a group.
#pragma once

#include "abi/context.h"
#include "abi/values.h"
#include "data/dataset.h"
#include "program/environment.h"

#include <string>
#include <vector>

namespace rubato {

/// What such a context knows besides.
struct Strand {
  Environment &environment;
  Caller caller;
  const Dataset *data = nullptr;
  /// The unit is one synchronous round that runs as a program: it does not say
  /// itself how long it works and what it computed.
  bool synchronous = false;
  std::string updates = {};      // cells that such a round changes
  Looks *looks = nullptr;        // of the member
  BlockSource *blocks = nullptr; // of its values; null: any memory
  int64_t taken = 0;             // samples of the present round
  int64_t batches = 0;           // micro-batches of it
  const char *working = nullptr; // work of such a round that has begun
  std::vector<int64_t> rows;     // of the present batch
  std::vector<Part> parts;       // of the present call

  Status beginWork(const char *name);
  Status endWork();
};

struct StrandSetup {
  const Unit &unit;
  Environment &environment;
  Caller caller;
  void *const *regions; // RB_REGION_COUNT of them; they outlive the context
  const Dataset *data = nullptr;
  bool synchronous = false;
  Looks *looks = nullptr;        // of the member; without, values copy cells
  BlockSource *blocks = nullptr; // of values; null: any memory
  Timeline *timeline = nullptr;
  int timelineLane = 0;
};

/// To be destroyed by destroyContext, as any other.
rb_ctx *makeStrandContext(const StrandSetup &setup);

/// The number of the round that comes next.
void setRound(rb_ctx *context, int64_t round);

/// After a round: tells the environment what a synchronous one has done.
Status endRound(rb_ctx *context);

/// Fills the batch buffers with these samples of a data set.
Status writeRows(rb_ctx *context, const Dataset &data,
                 std::span<const int64_t> rows);

} // namespace rubato
