#include "train/trace.h"

#include "abi/context.h"
#include "fabric/group.h"
#include "train/evaluate.h"

using namespace rubato;

namespace {

/// A trace needs no data: its micro-batches stay as they are.
class NoData : public BatchSource {
public:
  explicit NoData(int64_t count) : count(count) {}
  int64_t quanta() const override { return count; }
  Status next(const BatchBuffers &) override { return Status::ok(); }

private:
  int64_t count;
};

} // namespace

Status rubato::traceRound(const Unit &unit, const TrainOptions &options) {
  TrainPlan plan;
  RB_TRY(planQuanta(unit, options, plan));
  std::unique_ptr<Group> group;
  RB_TRY(Group::create(static_cast<int>(options.workers),
                       unit.regionBytes[RB_SHARED], unit.regionBytes[RB_RESULT],
                       group));
  NoData source(plan.quanta);
  ContextOptions contextOptions;
  contextOptions.device = DeviceKind::Trace;
  contextOptions.traceFile = stdout;
  rb_ctx *context = nullptr;
  RB_TRY(makeContext(unit, *group, source, contextOptions, context));
  int32_t go = 0;
  int32_t status = unit.code->round(context, &go);
  Status result =
      status == RB_OK ? Status::ok() : contextError(context, status);
  destroyContext(context);
  return result;
}
