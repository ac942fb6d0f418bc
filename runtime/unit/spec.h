// The program of a unit as its manifest describes it: who runs what, and what
// the numbers in the code stand for.
#pragma once

#include "abi/rubato_abi.h"
#include "policy/policy.h"
#include "policy/settings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rubato {

/// Most values of a question to a policy, and of an answer.
inline constexpr size_t askLimit = 16;

/// Something that a strand carries from round to round, in the private region
/// or the host's. A tensor lies there itself; a number and the handle of a
/// future have 8 bytes.
struct FrameSpec {
  enum class Kind { Tensor, Number, Future };
  struct Value {
    rb_dtype dtype = RB_F32;
    int64_t count = 0;
  };
  std::string name;
  Kind kind = Kind::Number;
  rb_region region = RB_PRIVATE;
  int64_t offset = 0;
  std::vector<Value> values; // one; of a future all that it brings

  int64_t bytes() const;
};

/// One strand of a role; `function` is an index into rb_unit::functions.
struct StrandSpec {
  std::string name;
  int function = -1;
  bool cursor = false;   // takes batches by cursor
  bool lockstep = false; // members share its rounds: round r is one for all
  /// Channels whose reduction it carries over the boundary and then polls: a
  /// round computes until the one of the round before has arrived.
  std::vector<std::string> polls = {};
  std::vector<FrameSpec> frame = {}; // what it carries over its boundary
};

/// What a member runs; parts that a role does not have are -1.
struct RoleSpec {
  std::string name;
  int64_t count = -1;  // members that run it; -1: all that are left
  bool onHost = false; // computes on the CPU, whatever the device
  int init = -1, drain = -1, model = -1;
  std::vector<StrandSpec> strands;
};

struct ProgramChannel {
  std::string name;
  std::string kind;   // "collective", "pair" or "mailbox"
  std::string server; // of a mailbox: the role of its one server
  int64_t bytes = 0;  // of the largest message, all parts together
  int64_t exempt = 0;
  int64_t ahead = -1;
};

struct PolicySpec {
  std::string name, kind; // as the program calls it, and what it is
  policy::Placement placement = policy::Placement::Local;
  std::vector<policy::NamedSetting> settings;
  std::vector<policy::Entry> entries;
  std::vector<std::string> askers; // roles that ask it
};

struct RendezvousSpec {
  std::string name;
  std::vector<std::string> strands; // "worker.compute": who meets there
};

struct ProgramSpec {
  std::vector<RoleSpec> roles; // in the order in which ranks are given to them
  std::vector<ProgramChannel> channels;
  std::vector<PolicySpec> policies;
  std::vector<RendezvousSpec> rendezvous;
  std::vector<std::string> functions;
  int locks = 0;
  bool commits = false; // the program votes on its rounds

  bool empty() const { return roles.empty(); }
  /// The role of every rank, as an index into `roles`. Needs a member for each
  /// role at least.
  std::vector<int> rolesOfRanks(int members) const;
  /// Ranks of the roles that ask a policy, ascending.
  std::vector<int64_t> askersOf(const PolicySpec &policy, int members) const;
  /// The rank of a mailbox's server; -1 for other channels.
  int serverOf(const ProgramChannel &channel, int members) const;
};

} // namespace rubato
