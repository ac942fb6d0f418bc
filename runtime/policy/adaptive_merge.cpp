// adaptive.dispatch: the boundary between two mega-batches.
#include "policy/adaptive_dispatch.h"

#include <algorithm>

namespace rubato::policy {

void AdaptiveDispatch::mergeWhenAllReported() {
  std::vector<AdaptiveMember *> live;
  std::vector<int64_t> updates, batches;
  std::vector<double> norms;
  for (AdaptiveMember &member : list) {
    if (!member.admitted)
      continue;
    if (!member.reported)
      return;
    live.push_back(&member);
    updates.push_back(member.updates);
    batches.push_back(batchOf(member));
    norms.push_back(member.norm);
  }

  bool perturb = !warmingUp && normGateOpen(options.merging, norms);
  MergeWeights weights =
      mergeWeights(options.merging, updates, batches, perturb);
  for (size_t i = 0; i < live.size(); ++i) {
    live[i]->record.weight = {weights.alpha[i], weights.sum};
    live[i]->record.answered = true;
  }
  if (!warmingUp && ++merges > options.discarded)
    rescale(live, updates);
  beginMegaBatch();
}

void AdaptiveDispatch::rescale(std::span<AdaptiveMember *const> live,
                               std::span<const int64_t> updates) {
  std::vector<double> batches;
  for (const AdaptiveMember *member : live)
    batches.push_back(member->batch);
  scaleBatches(options.scaling, batches, updates);
  for (size_t i = 0; i < live.size(); ++i)
    live[i]->batch = batches[i];
}

void AdaptiveDispatch::beginMegaBatch() {
  dealt = 0;
  warmingUp = rows.taken() < options.warmupSamples;
  // Answers stay: a member may fetch its weight when others have gone on.
  for (AdaptiveMember &member : list) {
    member.updates = member.dealt = 0;
    member.reported = false;
    member.norm = 0;
  }
  admitWaiting();
}

void AdaptiveDispatch::admitWaiting() {
  std::vector<double> batches;
  for (const AdaptiveMember &member : list)
    if (member.admitted)
      batches.push_back(member.batch);
  std::sort(batches.begin(), batches.end());
  double median = static_cast<double>(options.scaling.maxBatch);
  if (size_t count = batches.size())
    median = (batches[(count - 1) / 2] + batches[count / 2]) / 2;
  for (AdaptiveMember &member : list) {
    if (member.admitted)
      continue;
    member.admitted = true;
    member.batch = median;
  }
}

} // namespace rubato::policy
