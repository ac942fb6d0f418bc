// One member of a run: its memory, and the compiled functions of its role.
//
// A member has no thread of its own. Who runs it (threads, processes, the
// fibers of a simulation) calls init, then every strand, each on a thread or
// fiber of its own, then drain; the environment does all waiting.
#pragma once

#include "context/context.h"
#include "device/device.h"
#include "unit/spec.h"

#include <memory>
#include <string>
#include <variant>

namespace rubato {

struct MemberSetup {
  const Unit &unit;
  Environment &environment;
  int rank = 0, members = 1;
  const Dataset *data = nullptr; // where rows of batches come from
  /// Scratch memory of unit.regionBytes[RB_SCRATCH] bytes that all strands may
  /// use because they run one at a time; null: each gets its own.
  char *scratch = nullptr;
  BlockSource *blocks = nullptr;  // memory of values; null: any
  Timeline *timeline = nullptr;   // with a lane for each strand
  MemberDevice *device = nullptr; // outlives the member; null: the CPU
};

class Member {
public:
  static Status make(const MemberSetup &setup, std::unique_ptr<Member> &member);
  virtual ~Member() = default;

  virtual const RoleSpec &role() const = 0;
  virtual int rank() const = 0;

  /// Writes a setting ("budget", "base-lr"), in the type of its cell, before
  /// init. Whether the unit has such a setting.
  virtual bool set(const std::string &cell,
                   std::variant<int64_t, double> value) = 0;

  /// Each runs to its end here. A role without such a part: nothing happens.
  virtual Status init() = 0;
  /// Round after round until one says that there is no other. A round that is
  /// to be run again is.
  virtual Status strand(int index) = 0;
  /// One round of it, and whether another follows.
  virtual Status round(int strand, bool &go) = 0;
  virtual Status drain() = 0;
  /// Brings the flat parameters to `Unit::parameters`.
  virtual Status model() = 0;

  /// Loss, correct and valid of one batch of these rows under the model.
  struct Score {
    double loss = 0;
    int64_t correct = 0, valid = 0;
  };
  virtual Status evaluate(const Dataset &data, std::span<const int64_t> rows,
                          Score &score) = 0;

  /// The gradient of one batch of these rows at the model, summed over its
  /// samples; with `adds` on top of the one before. `flat` is there until
  /// something else is computed.
  struct Gradient {
    const void *flat = nullptr;
    int64_t samples = 0;
    double loss = 0;
  };
  virtual Status gradient(const Dataset &data, std::span<const int64_t> rows,
                          Gradient &gradient, bool adds = false) = 0;

  /// The content of a place, where the host can read it. It is there until the
  /// next call, or something is computed.
  virtual Status contents(Place place, int64_t bytes, const void *&data) = 0;
  /// The memory of a place, of a member whose device is the host.
  virtual void *hostAddress(Place place) = 0;
  /// Rounds that a strand has finished.
  virtual int64_t rounds(int strand) const = 0;
};

} // namespace rubato
