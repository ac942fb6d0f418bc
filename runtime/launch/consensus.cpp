// How far the members of a program are from each other: the mean squared
// distance of their parameters to their mean, per coordinate.
//
// Measured piece by piece over a channel of the runtime's own, which no
// modelled link slows down, so that no member needs room for all parameters.
#include "launch/job.h"

#include <algorithm>

using namespace rubato;

namespace {

constexpr int64_t piece = 1 << 14; // coordinates

/// The first parameters of a member, where each has some of its own. Where
/// there is a server, workers compute with copies of its model.
const Cell *parametersOf(const Unit &unit) {
  if (unit.program.roles.size() != 1)
    return nullptr;
  auto cell = std::ranges::find(unit.cells, "parameter", &Cell::role);
  return cell == unit.cells.end() ? nullptr : &*cell;
}

Status sumOverMembers(Job &job, int rank, std::vector<double> &values) {
  auto channel = static_cast<int>(job.unit.program.channels.size());
  Part part{RB_F64, static_cast<int64_t>(values.size()), values.data()};
  int64_t future = 0;
  return noted(
      job.statistics[rank].waits[maxStrands], Call::AllReduce, -1, -1,
      drainRound, [&]() -> Status {
        RB_TRY(job.fabric->startAllReduce(rank, channel, {&part, 1}, future));
        return job.fabric->await(rank, future, {&part, 1},
                                 std::chrono::steady_clock::now() +
                                     job.deadline());
      });
}

template <typename T>
Status measure(Job &job, int rank, std::span<const T> own) {
  double distance = 0;
  std::vector<double> sum;
  for (size_t begin = 0; begin < own.size(); begin += piece) {
    auto mine = own.subspan(begin, std::min<size_t>(piece, own.size() - begin));
    sum.assign(mine.begin(), mine.end());
    RB_TRY(sumOverMembers(job, rank, sum));
    for (size_t i = 0; i != mine.size(); ++i) {
      double away = static_cast<double>(mine[i]) - sum[i] / job.members;
      distance += away * away;
    }
  }
  sum.assign(1, distance);
  RB_TRY(sumOverMembers(job, rank, sum));
  job.shared->consensus.store(sum[0] /
                              (job.members * static_cast<double>(own.size())));
  return Status::ok();
}

} // namespace

void rubato::addConsensusChannel(const Job &job,
                                 std::vector<ChannelSpec> &channels) {
  if (job.members < 2 || !parametersOf(job.unit))
    return;
  ChannelSpec spec;
  spec.name = "consensus";
  spec.bytes = piece * static_cast<int64_t>(sizeof(double));
  spec.unlimited = true;
  channels.push_back(std::move(spec));
}

Status rubato::measureConsensus(Job &job, Member &member) {
  const Cell *cell = parametersOf(job.unit);
  if (job.members < 2 || !cell)
    return Status::ok();
  const void *own = nullptr;
  RB_TRY(member.contents(cell->place, cell->bytes, own));
  auto measured = [&]<typename T>(T) {
    return measure<T>(job, member.rank(),
                      {static_cast<const T *>(own),
                       static_cast<size_t>(cell->bytes) / sizeof(T)});
  };
  return cell->dtype == RB_F64 ? measured(double()) : measured(float());
}
