// What the options of adaptive model averaging come to.
#include "AdaptiveSgdSettings.h"

using namespace mlir;
using namespace rubato;
using adaptive_sgd::Settings;

/// Batch bounds in whole quanta.
static LogicalResult setBatches(Settings &s, const AlgorithmOptions &options,
                                ProgramBuilder &b) {
  auto given = [&](StringRef name, int64_t otherwise) {
    int64_t value = options.integer(name);
    return value > 0 ? value : otherwise;
  };
  s.quantum = given("quantum", s.rows);
  s.maxBatch = given("max-batch", 32 * s.quantum);
  int64_t eighth = s.maxBatch / 8 / s.quantum * s.quantum;
  s.minBatch = given("min-batch", std::max(eighth, s.quantum));
  s.reference = given("b-ref", s.maxBatch);
  for (auto [name, value] :
       {std::pair<StringRef, int64_t>{"max-batch", s.maxBatch},
        {"min-batch", s.minBatch},
        {"warmup-batch", options.integer("warmup-batch")}})
    if (value % s.quantum != 0)
      return b.emitOpError("option '")
             << name << "' must be a multiple of the quantum " << s.quantum
             << ", not " << value;
  if (s.minBatch > s.maxBatch)
    return b.emitOpError("option 'min-batch' must be at most max-batch (")
           << s.maxBatch << "), not " << s.minBatch;
  if (options.integer("warmup-batch") > s.maxBatch)
    return b.emitOpError("option 'warmup-batch' must be at most max-batch (")
           << s.maxBatch << "), not " << options.integer("warmup-batch");
  s.localSteps = options.integer("local-steps");
  // Where every member counts its own steps, samples end no mega-batch.
  s.megaBatch = given("mega-batch",
                      s.localSteps > 0 ? int64_t(1) << 40 : 100 * s.maxBatch);
  return success();
}

static DictionaryAttr dispatchSettings(const Settings &s,
                                       const AlgorithmOptions &options,
                                       ProgramBuilder &b) {
  NamedAttrList all;
  auto set = [&](StringRef name, int64_t value) {
    all.set(name, b.getI64IntegerAttr(value));
  };
  set("quantum", s.quantum);
  set("max-batch", s.maxBatch);
  set("min-batch", s.minBatch);
  set("mega-batch", s.megaBatch);
  for (StringRef name :
       {"step", "warmup-samples", "warmup-batch", "discarded", "total-samples"})
    set(name, options.integer(name));
  for (StringRef name :
       {"guard", "skip-at-bounds", "equal-shares", "renormalise"})
    all.set(name, b.getBoolAttr(options.flag(name)));
  for (StringRef name : {"batch-rule", "weighting"})
    all.set(name, b.getStringAttr(options.choice(name)));
  for (StringRef name : {"rate", "perturbation", "norm-threshold"})
    all.set(name, b.getF64FloatAttr(options.real(name)));
  double gain = options.real("gain");
  all.set("gain", gain > 0 ? Attribute(b.getF64FloatAttr(gain))
                           : b.getStringAttr("unlimited"));
  double dimension = options.real("dimension");
  all.set("dimension",
          b.getF64FloatAttr(
              dimension > 0 ? dimension
                            : static_cast<double>(b.flatType.getDimSize(0))));
  return all.getDictionary(b.getContext());
}

FailureOr<Settings> Settings::get(const AlgorithmOptions &options,
                                  ProgramBuilder &b) {
  Settings s;
  s.rows = b.quantum;
  if (failed(setBatches(s, options, b)))
    return failure();
  if (options.choice("batch-rule") == "linear" && options.real("gain") == 0 &&
      !options.flag("guard"))
    return b.emitOpError("without its guard the linear rule needs a gain: "
                         "set option 'gain', or guard=true");
  s.gamma = options.real("gamma");
  s.needsNorm = options.real("perturbation") > 0 &&
                options.choice("weighting") != "uniform";
  s.scaled = s.needsNorm && !options.flag("renormalise");
  s.dispatch = dispatchSettings(s, options, b);
  return s;
}
