// The staleness ledger as saved state, in the middle of a round if need be.
#include "policy/staleness_ledger.h"

#include <algorithm>

namespace rubato::policy {

/// Numbers per worker and per upload in the saved lists.
static constexpr size_t workerWidth = 6, uploadWidth = 3;

void StalenessLedger::save(StateWriter &out) const {
  for (int64_t value : {exempt, ahead, ver, limit, static_cast<int64_t>(phase),
                        count.accepted, count.dropped, count.restarts})
    out.i64(value);
  std::vector<int64_t> flat;
  for (const Worker &w : workers)
    flat.insert(flat.end(), {static_cast<int64_t>(w.state), w.ticket, w.version,
                             w.restartsInRow, w.accepted, w.clock});
  out.i64s(flat);
  flat.clear();
  for (const Upload &u : buffer)
    flat.insert(flat.end(), {u.worker, u.ticket, u.staleness});
  out.i64s(flat);
}

Status StalenessLedger::load(StateReader &in) {
  Status damaged = Status::user("staleness ledger: the saved state is "
                                "damaged; resume from another checkpoint");
  StalenessLedger t(0);
  int64_t phaseNumber = 0;
  std::vector<int64_t> flatWorkers, flatUploads;
  if (!(in.i64(t.exempt) && in.i64(t.ahead) && in.i64(t.ver) &&
        in.i64(t.limit) && in.i64(phaseNumber) && in.i64(t.count.accepted) &&
        in.i64(t.count.dropped) && in.i64(t.count.restarts) &&
        in.i64s(flatWorkers) && in.i64s(flatUploads)))
    return damaged;
  if (t.ver < 0 || t.limit < 0 || phaseNumber < 0 ||
      phaseNumber > static_cast<int64_t>(Phase::Stopped) ||
      flatWorkers.size() % workerWidth || flatUploads.size() % uploadWidth)
    return damaged;
  t.phase = static_cast<Phase>(phaseNumber);
  for (size_t i = 0; i < flatWorkers.size(); i += workerWidth) {
    const int64_t *v = &flatWorkers[i];
    if (v[0] < 0 || v[0] > static_cast<int64_t>(WorkerState::Waiting) ||
        v[1] < 0 || v[2] < 0 || v[2] > t.ver)
      return damaged;
    Worker worker{WorkerState::Dead, v[1], v[2], v[3], v[4], v[5]};
    t.setState(worker, static_cast<WorkerState>(v[0]));
    t.workers.push_back(worker);
  }
  for (size_t i = 0; i < flatUploads.size(); i += uploadWidth) {
    const int64_t *v = &flatUploads[i];
    // One upload per worker, and nobody owes what is already here.
    if (!t.known(v[0]) || t.uploaded(v[0]) ||
        t.workers[v[0]].state == WorkerState::Running)
      return damaged;
    t.buffer.push_back({v[0], v[1], v[2]});
  }
  *this = std::move(t);
  return Status::ok();
}

} // namespace rubato::policy
