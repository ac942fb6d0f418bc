// Prints the end of a run.
#include "tools/rubato-interp/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace rubato::interp {

static void printNumber(const Value &value, int64_t i, raw_ostream &os) {
  if (value.element() == Element::Integer)
    os << value.intAt(i);
  else
    os << llvm::format("%.17g", value.floatAt(i));
}

/// The bits of all elements in one number.
static uint64_t checksum(const Value &value) {
  size_t width = value.element() == Element::Single ? 4 : 8;
  return llvm::xxh3_64bits(ArrayRef<uint8_t>(
      static_cast<const uint8_t *>(value.data()), width * value.size()));
}

static void printValue(const Value &value, raw_ostream &os) {
  if (!value.isKnown()) {
    os << "unknown";
    return;
  }
  int64_t shown = std::min<int64_t>(value.size(), 4);
  if (value.size() != 1)
    os << "[";
  for (int64_t i = 0; i != shown; ++i) {
    if (i)
      os << ", ";
    printNumber(value, i, os);
  }
  if (value.size() > shown)
    os << ", ...";
  if (value.size() != 1)
    os << "] bits " << llvm::format_hex(checksum(value), 18);
}

static void printHistogram(StringRef name,
                           const std::map<int64_t, int64_t> &counts,
                           raw_ostream &os) {
  if (counts.empty())
    return;
  os << name << ":";
  for (auto [value, count] : counts)
    os << " " << value << " x " << count;
  os << "\n";
}

static StringRef stateOf(const Member &member) {
  if (member.phase == Phase::Absent)
    return "absent";
  if (!member.alive)
    return "dead";
  switch (member.phase) {
  case Phase::Ended:
    return "ended";
  case Phase::Failed:
    return "failed";
  default:
    return "running";
  }
}

void printReport(Machine &machine, const World &world, raw_ostream &os) {
  const Statistics &statistics = *world.statistics;
  if (machine.config.timed)
    os << "time " << world.now << " ns, ";
  os << "steps " << world.steps << "\n";
  for (int rank = 0; rank != machine.program.ranks; ++rank) {
    const Member &member = *world.members[rank];
    os << "rank " << rank << " @"
       << machine.program.roleOf(rank).op.getSymName() << " " << stateOf(member)
       << ": rounds";
    for (size_t i = 0; i + 1 < member.strands.size(); ++i)
      os << (i ? ", " : " ") << member.strands[i]->round;
    os << ", collectives " << statistics.collectives[rank];
    if (statistics.averagings[rank])
      os << ", averagings " << statistics.averagings[rank];
    if (statistics.rerun[rank])
      os << ", rounds run again " << statistics.rerun[rank];
    os << "\n";
    for (size_t i = 0; i != machine.program.cells.size(); ++i) {
      os << "  @" << machine.program.cells[i].getSymName() << " = ";
      printValue((*member.cells)[i], os);
      os << "\n";
    }
    if (member.model) {
      os << "  model = ";
      printValue(member.model, os);
      os << "\n";
    }
  }
  int64_t consumed = 0;
  for (uint8_t each : world.data->consumed)
    consumed += each;
  os << "samples consumed: " << consumed << "\n";
  if (!statistics.events.empty()) {
    os << "events: ";
    llvm::interleaveComma(statistics.events, os, [&](const auto &each) {
      os << each.first << " " << each.second;
    });
    os << "\n";
  }
  printHistogram("staleness", statistics.staleness, os);
  if (statistics.dropped)
    os << "uploads dropped: " << statistics.dropped << "\n";
  printHistogram("repeats", statistics.repeats, os);
}

LogicalResult printCell(Machine &machine, const World &world, StringRef name,
                        raw_ostream &os) {
  name.consume_front("@");
  for (size_t i = 0; i != machine.program.cells.size(); ++i) {
    if (machine.program.cells[i].getSymName() != name)
      continue;
    for (int rank = 0; rank != machine.program.ranks; ++rank) {
      const Value &value = (*world.members[rank]->cells)[i];
      if (!world.members[rank]->alive || !value.isKnown())
        continue;
      os << "rank " << rank << " @" << name << ":";
      for (int64_t at = 0; at != value.size(); ++at) {
        os << " ";
        printNumber(value, at, os);
      }
      os << "\n";
    }
    return success();
  }
  llvm::errs() << "error: --print-cell: the program has no cell @" << name
               << "\n";
  return failure();
}

bool checkSamples(Machine &machine, const World &world, raw_ostream &os) {
  const Data &data = *world.data;
  int64_t samples = machine.config.samples;
  // A dispatcher deals by itself; then the stream is as long as its rows.
  int64_t handed = std::max<int64_t>(data.fresh, data.consumed.size());
  int64_t epochs = handed / samples, missing = 0, twice = 0;
  std::vector<bool> waiting(handed);
  for (int64_t place : data.returned)
    waiting[place] = true;
  for (int64_t place = 0; place != handed; ++place) {
    int count =
        place < int64_t(data.consumed.size()) ? data.consumed[place] : 0;
    const char *fault = nullptr;
    if (count > 1)
      fault = (++twice, "consumed twice");
    else if (count == 1 && waiting[place])
      fault = (++twice, "consumed and given back");
    else if (count == 0 && !waiting[place] && place < epochs * samples)
      fault = (++missing, "lost");
    if (fault && missing + twice <= 10)
      os << "sample " << machine.sampleAt(place) << " of epoch "
         << place / samples << ": " << fault << "\n";
  }
  os << "sample accounting: " << epochs << " whole epochs of " << samples
     << ", lost " << missing << ", twice " << twice << ", given back "
     << data.returned.size() << "\n";
  return missing + twice == 0;
}

} // namespace rubato::interp
