// Transitions of the staleness ledger.
#include "policy/staleness_ledger.h"

#include <algorithm>

namespace rubato::policy {

StalenessLedger::StalenessLedger(int64_t workers, int64_t exempt, int64_t ahead)
    : exempt(exempt), ahead(ahead), aliveCount(std::max<int64_t>(0, workers)),
      workers(static_cast<size_t>(aliveCount)) {}

bool StalenessLedger::known(int64_t worker) const {
  return worker >= 0 && worker < static_cast<int64_t>(workers.size());
}

bool StalenessLedger::uploaded(int64_t worker) const {
  return std::ranges::find(buffer, worker, &Upload::worker) != buffer.end();
}

bool StalenessLedger::isExempt(const Worker &worker) const {
  return exempt > 0 && worker.restartsInRow >= exempt;
}

int64_t StalenessLedger::slowest(int64_t but, int64_t other) const {
  std::optional<int64_t> least;
  for (size_t i = 0; i < workers.size(); ++i)
    if (static_cast<int64_t>(i) != but && workers[i].state != WorkerState::Dead)
      least = std::min(least.value_or(workers[i].clock), workers[i].clock);
  return least.value_or(other);
}

bool StalenessLedger::isHeld(const Worker &worker) const {
  return ahead >= 0 && worker.clock - slowest(-1, worker.clock) > ahead;
}

void StalenessLedger::setState(Worker &worker, WorkerState state) {
  aliveCount +=
      (state != WorkerState::Dead) - (worker.state != WorkerState::Dead);
  runningCount +=
      (state == WorkerState::Running) - (worker.state == WorkerState::Running);
  worker.state = state;
}

StalenessLedger::Grant StalenessLedger::issue(int64_t id) {
  Worker &worker = workers[id];
  worker.version = ver;
  setState(worker, WorkerState::Running);
  return {id, ++worker.ticket};
}

std::vector<StalenessLedger::Grant> StalenessLedger::start(int64_t bound) {
  limit = bound;
  phase = Phase::Open;
  buffer.clear();
  std::vector<Grant> grants;
  for (size_t id = 0; id < workers.size(); ++id) {
    workers[id].restartsInRow = workers[id].clock = 0;
    if (workers[id].state != WorkerState::Dead)
      grants.push_back(issue(static_cast<int64_t>(id)));
  }
  return grants;
}

StalenessLedger::Verdict StalenessLedger::push(int64_t id, int64_t ticket) {
  if (phase == Phase::Stopped || !known(id) ||
      workers[id].state != WorkerState::Running ||
      workers[id].ticket != ticket) {
    ++count.dropped;
    return Verdict::Dropped;
  }
  // The new bound is not known yet, so nobody can say whether it counts.
  if (phase == Phase::Closing)
    return Verdict::Hold;
  Worker &worker = workers[id];
  if (staleness(id) > limit && !isExempt(worker)) {
    ++count.dropped;
    return Verdict::BeyondBound;
  }
  buffer.push_back({id, ticket, staleness(id)});
  worker.restartsInRow = 0;
  ++worker.accepted;
  ++worker.clock;
  ++count.accepted;
  setState(worker, WorkerState::Waiting);
  return Verdict::Accepted;
}

void StalenessLedger::died(int64_t id) {
  if (known(id))
    setState(workers[id], WorkerState::Dead);
}

std::vector<StalenessLedger::Grant> StalenessLedger::release() {
  std::vector<Grant> grants;
  // At the end of a round the grant does it.
  if (ahead < 0 || phase != Phase::Open)
    return grants;
  for (size_t i = 0; i < workers.size(); ++i)
    if (int64_t id = static_cast<int64_t>(i);
        workers[i].state == WorkerState::Waiting && workers[i].ticket > 0 &&
        !uploaded(id) && !isHeld(workers[i]))
      grants.push_back(issue(id));
  return grants;
}

std::optional<StalenessLedger::Grant> StalenessLedger::join(int64_t id) {
  if (phase == Phase::Stopped || id < 0 ||
      id > static_cast<int64_t>(workers.size()))
    return std::nullopt;
  if (!known(id)) {
    workers.emplace_back();
    ++aliveCount;
  }
  workers[id].restartsInRow = 0;
  workers[id].clock = slowest(id, workers[id].clock);
  // One upload per worker and round: one that died and came back after its
  // upload waits like the others.
  if (phase == Phase::Closing || uploaded(id)) {
    setState(workers[id], WorkerState::Waiting);
    return std::nullopt;
  }
  return issue(id);
}

bool StalenessLedger::complete(int64_t wanted) const {
  if (phase == Phase::Closing || buffer.empty())
    return false;
  return static_cast<int64_t>(buffer.size()) >= wanted || runningCount == 0;
}

std::vector<StalenessLedger::Upload> StalenessLedger::close() {
  std::vector<Upload> participants = std::move(buffer);
  buffer.clear();
  std::ranges::sort(participants, {}, &Upload::worker);
  ++ver;
  if (phase == Phase::Open)
    phase = Phase::Closing;
  return participants;
}

std::vector<StalenessLedger::Grant> StalenessLedger::grant(int64_t bound) {
  std::vector<Grant> grants;
  if (phase != Phase::Closing)
    return grants;
  limit = bound;
  phase = Phase::Open;
  std::vector<int64_t> stale;
  for (size_t i = 0; i < workers.size(); ++i) {
    int64_t id = static_cast<int64_t>(i);
    if (workers[i].state == WorkerState::Waiting) {
      if (!isHeld(workers[i]))
        grants.push_back(issue(id));
    } else if (workers[i].state == WorkerState::Running &&
               staleness(id) > bound && !isExempt(workers[i])) {
      stale.push_back(id);
    }
  }
  for (int64_t id : stale) {
    ++workers[id].restartsInRow;
    ++count.restarts;
    grants.push_back(issue(id));
  }
  return grants;
}

void StalenessLedger::stop(bool flush) {
  phase = Phase::Stopped;
  if (flush)
    return;
  count.dropped += static_cast<int64_t>(buffer.size());
  count.accepted -= static_cast<int64_t>(buffer.size());
  for (const Upload &upload : buffer)
    --workers[upload.worker].accepted;
  buffer.clear();
}

} // namespace rubato::policy
