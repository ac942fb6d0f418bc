// Who waited for a member that died, in words.
#pragma once

#include "program/waiting.h"

#include <span>
#include <string>

namespace rubato {

struct ProgramSpec;

/// What a member was in when the run ended.
struct Waited {
  int rank = -1;
  std::string where;   // "all_reduce on @grads (round 17)"; empty: in nothing
  bool direct = false; // it needed the member that died
};

/// What a note of member `rank` says; `place` is where it is in its program,
/// "round 17".
Waited waitedIn(const WaitNote &note, const ProgramSpec &program, int members,
                int rank, int lost, const std::string &place);

/// "ranks 0, 1 waited for it in all_reduce on @grads (round 17)". Of those who
/// needed others than the one that died, if nobody needed that one yet.
std::string describeWaits(std::span<const Waited> waits);

} // namespace rubato
