#include "program/replaying_strands.h"

namespace rubato {

/// Compiled rounds need far less; pages that nobody touches cost nothing.
static constexpr size_t stackBytes = 1 << 20;

Status ReplayingStrands::add(std::function<Status()> body) {
  if (!home)
    home = std::make_unique<Fiber>();
  auto run = [this, body = std::move(body)] {
    Status status = body();
    if (!status && failure)
      failure = std::move(status);
  };
  std::unique_ptr<Fiber> fiber;
  RB_TRY(Fiber::make(stackBytes, std::move(run), *home, fiber));
  strands.emplace_back().fiber = std::move(fiber);
  return Status::ok();
}

Status ReplayingStrands::waitUntil(std::function<bool()> ready,
                                   std::function<std::string()> why) {
  if (failure && !ready()) {
    Strand &self = *running;
    self.ready = std::move(ready);
    self.why = std::move(why);
    self.fiber->switchTo(*home);
    self.ready = nullptr;
    self.why = nullptr;
  }
  // After a failure nobody goes on: this is not the course of the run.
  return failure;
}

bool ReplayingStrands::turn() {
  bool moved = false;
  // Strands may be added meanwhile.
  for (size_t i = 0; i < strands.size(); ++i) {
    Strand &strand = strands[i];
    if (strand.fiber->ended() || (strand.ready && failure && !strand.ready()))
      continue;
    running = &strand;
    home->switchTo(*strand.fiber);
    running = nullptr;
    moved = true;
  }
  return moved;
}

Status ReplayingStrands::run() {
  for (;;) {
    while (turn()) {
    }
    std::string waits;
    for (const Strand &strand : strands)
      if (!strand.fiber->ended())
        waits += "\n  " + strand.why();
    if (waits.empty())
      return failure;
    failure = {ErrorCode::Internal,
               "the replay left the recorded course: everybody waits" + waits};
  }
}

} // namespace rubato
