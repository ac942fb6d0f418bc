// What is in a batch: samples from files, or synthetic ones, which are a
// function of seed, sample and element.
#include "policy/random.h"
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

Places Machine::placesOf(Here &here, NextBatchOp op) {
  Data &data = here.world.data.edit();
  Values keys = operands(here, op.getKeys());
  auto key = [&](size_t i) { return keys[i].isKnown() ? keys[i].asInt() : 0; };
  Holding holding;
  holding.rank = here.rank;
  holding.strand = here.index;
  holding.round = here.peek().round;
  holding.source = op.getSource();
  Places places;
  switch (op.getSource()) {
  case BatchSource::Cursor:
    return cursorPlaces(here);
  case BatchSource::Queue:
    places = take(data, program.batch);
    if (op.getAckedBy())
      holding.channel = program.index(*op.getAckedBy());
    if (!keys.empty())
      holding.ticket = key(0);
    break;
  case BatchSource::Keyed: {
    // The member is part of the key, since tickets and counts are its own.
    uint64_t mixed = config.seed;
    for (size_t i = 0; i != keys.size(); ++i)
      mixed = policy::CounterRandom(mixed, "keyed", {here.rank, key(i)}).bits();
    policy::CounterRandom random(mixed, "rows", {here.rank, 0});
    for (int64_t i = 0; i != program.batch; ++i)
      places.push_back(random.below(config.samples));
    return places;
  }
  case BatchSource::Range:
    for (int64_t i = key(0), n = std::min(key(1), key(0) + program.batch);
         i < n; ++i)
      places.push_back(i);
    break;
  case BatchSource::Peek: {
    // What a queue would give, without a trace.
    Data copy = data;
    return take(copy, program.batch);
  }
  case BatchSource::Whole: {
    int64_t number = key(0);
    int64_t from = std::min(number, config.samples) * program.batch;
    int64_t end = std::min(from + program.batch, config.samples);
    for (int64_t i = from; number >= 0 && i < end; ++i)
      places.push_back(i);
    return places;
  }
  }
  holding.places = places;
  data.holdings.push_back(std::move(holding));
  return places;
}

int64_t Machine::sampleOf(NextBatchOp op, int64_t place) const {
  return op.getSource() == BatchSource::Whole ? place : sampleAt(place);
}

LogicalResult Machine::nextBatch(Here &here, NextBatchOp op) {
  if (op.getSource() == BatchSource::Range) {
    Values keys = operands(here, op.getKeys());
    int64_t most = int64_t(1) << 31;
    if (keys[0].isKnown() && keys[1].isKnown() &&
        (keys[0].asInt() < 0 || keys[0].asInt() > most ||
         keys[1].asInt() > keys[0].asInt() + program.batch))
      return error(here, op)
             << "rows " << keys[0].asInt() << " to " << keys[1].asInt()
             << " are no quantum of " << program.batch << " samples";
  }
  Places places = placesOf(here, op);
  record(here, "next_batch", [&](llvm::json::OStream &json) {
    json.attribute("source", stringifyBatchSource(op.getSource()));
    json.attributeArray("ids", [&] {
      for (int64_t place : places)
        json.value(sampleOf(op, place));
    });
  });
  FailureOr<Values> values = makeBatch(op, here.rank, places);
  if (failed(values))
    return failure();
  finish(here, op, *values);
  return success();
}

/// An element of a real input.
static double contentsAt(Contents contents, policy::CounterRandom &random,
                         int rank, int64_t sample, int64_t element) {
  switch (contents) {
  case Contents::Rank:
    return rank + 1;
  case Contents::Id:
    // Differs from element to element, and every element type holds it.
    return double((5 * sample + 3 * element) % 32) / 8 - 2;
  case Contents::Random:
    break;
  }
  return 2 * random.uniform() - 1;
}

FailureOr<Values> Machine::makeBatch(NextBatchOp op, int rank,
                                     ArrayRef<int64_t> places) const {
  Values values;
  size_t count = op.getNumResults();
  for (size_t v = 0; v != count; ++v) {
    Type type = op.getResult(v).getType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (std::string why = whyUnsupported(type);
        !why.empty() || !tensor || tensor.getRank() == 0 ||
        tensor.getDimSize(0) < int64_t(places.size()))
      return op.emitError("value ")
             << v << " of a batch must be a tensor of " << program.batch
             << " or more samples, got " << type;
    bool isIds = op.getResult(v) == op.getIds();
    bool isWeights = op.getResult(v) == op.getWeights();
    if (config.abstract && !isWeights) {
      values.push_back(Value::opaque(type));
      continue;
    }
    int64_t width = tensor.getDimSize(0)
                        ? tensor.getNumElements() / tensor.getDimSize(0)
                        : 0;
    values.push_back(withElement(*elementOf(type), [&](auto zero) {
      using T = decltype(zero);
      return Value::build<T>(type, [&](MutableArrayRef<T> out) {
        std::fill(out.begin(), out.end(), T(0));
        for (size_t row = 0; row != places.size(); ++row) {
          int64_t sample = sampleOf(op, places[row]);
          if (config.files && !isIds && !isWeights) {
            config.files->copySample(v, sample,
                                     reinterpret_cast<char *>(out.data()), row);
            continue;
          }
          policy::CounterRandom random(config.seed, "samples",
                                       {int64_t(v), sample});
          for (int64_t i = 0; i != width; ++i) {
            T &element = out[row * width + i];
            if (isIds)
              element = T(sample);
            else if (isWeights)
              element = T(1);
            else if (std::is_same_v<T, int64_t>)
              element = T(random.below(config.classes));
            else
              element = T(contentsAt(config.contents, random, rank, sample, i));
          }
        }
      });
    }));
  }
  return values;
}

} // namespace rubato::interp
