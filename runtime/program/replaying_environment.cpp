// A replay: its log, facts, the strands of one member, decisions.
#include "program/replaying_environment.h"

#include "program/recording_environment.h"
#include "support/checksum.h"

#include <algorithm>
#include <bit>

namespace rubato {

Status ReplayingEnvironment::make(const ReplaySetup &setup,
                                  std::unique_ptr<ReplayingEnvironment> &made) {
  std::unique_ptr<ReplayingEnvironment> result(new ReplayingEnvironment(setup));
  RB_TRY(result->makeMembers());
  RB_TRY(result->readStreams());
  made = std::move(result);
  return Status::ok();
}

Status ReplayingEnvironment::makeMembers() {
  const ProgramSpec &program = setup.program;
  std::vector<int> roles = program.rolesOfRanks(setup.members);
  if (roles.size() != static_cast<size_t>(setup.members))
    return {ErrorCode::Internal, "the roles of the program do not fit " +
                                     std::to_string(setup.members) +
                                     " members"};
  for (int role : roles) {
    MemberState &member = crew.emplace_back();
    size_t strands = program.roles[static_cast<size_t>(role)].strands.size();
    member.strands.resize(strands + 1);
    member.locks.resize(static_cast<size_t>(program.locks));
    member.posted.resize(program.channels.size());
  }
  for (size_t i = 0; i != program.channels.size(); ++i)
    if (const ProgramChannel &channel = program.channels[i];
        channel.kind == "mailbox")
      mailboxes.try_emplace(static_cast<int>(i), setup.members,
                            program.serverOf(channel, setup.members),
                            channel.exempt, channel.ahead);
  return Status::ok();
}

Status ReplayingEnvironment::readStreams() {
  auto damaged = [](const std::string &what) {
    return Status::user("the run log " + what +
                        "; it is of another program, or damaged");
  };
  for (const RunStream &stream : setup.streams) {
    bool known = stream.rank < setup.members &&
                 static_cast<size_t>(stream.strand) <
                     crew[static_cast<size_t>(stream.rank)].strands.size();
    if (!known)
      return damaged("has a strand " + std::to_string(stream.strand) +
                     " of rank " + std::to_string(stream.rank) +
                     ", which this run has not");
    strandOf({stream.rank, stream.strand, 0}).rest = stream.events;
  }
  size_t strands = 0;
  for (const MemberState &member : crew)
    strands += member.strands.size();
  return strands == setup.streams.size()
             ? Status::ok()
             : damaged("has " + std::to_string(setup.streams.size()) + " of " +
                       std::to_string(strands) + " strands");
}

//===----------------------------------------------------------------------===//
// The log
//===----------------------------------------------------------------------===//

std::string ReplayingEnvironment::place(const Caller &who) const {
  std::vector<int> roles = setup.program.rolesOfRanks(setup.members);
  auto role = static_cast<size_t>(roles[static_cast<size_t>(who.rank)]);
  const RoleSpec &spec = setup.program.roles[role];
  auto strand = static_cast<size_t>(who.strand);
  std::string text = "rank " + std::to_string(who.rank) + ", " + spec.name;
  if (strand < spec.strands.size())
    return text + "." + spec.strands[strand].name + ", round " +
           std::to_string(who.round);
  return text + (who.round == -1   ? ".init"
                 : who.round == -2 ? ".drain"
                                   : ".model");
}

Status ReplayingEnvironment::left(const Caller &who,
                                  const std::string &how) const {
  return {ErrorCode::Internal,
          place(who) + ": the replay left the recorded course: " + how};
}

Status ReplayingEnvironment::expect(const Caller &who, Call operation,
                                    Numbers asked, size_t answers) {
  StrandState &strand = strandOf(who);
  RB_TRY(Status(strand.failure));
  std::string_view rest = strand.rest;
  RunEvent &event = strand.event;
  auto now = [&] {
    return "the program asks for " + describe(operation, asked);
  };
  if (!readEvent(rest, event))
    return left(who, (strand.rest.empty() ? "the log has ended, but "
                                          : "the log cannot be read here, "
                                            "where ") +
                         now());
  if (event.operation != operation || !std::ranges::equal(event.asked, asked))
    return left(who, "the log has " + describe(event.operation, event.asked) +
                         ", but " + now());
  if (event.answered.size() < answers)
    return left(who, "the log has no answer to " + describe(operation, asked));
  strand.rest = rest;
  strand.round = who.round;
  ++eventCount;
  return Status::ok();
}

int64_t ReplayingEnvironment::fact(const Caller &who, Call operation,
                                   List asked) {
  StrandState &strand = strandOf(who);
  Status status = expect(who, operation, asked, 1);
  if (status)
    return strand.event.answered[0];
  strand.failure = std::move(status);
  return 1; // done, stop: towards a call that can fail
}

Status ReplayingEnvironment::checkModel(int rank, const void *flat,
                                        size_t bytes) {
  auto strands = crew[static_cast<size_t>(rank)].strands.size();
  Caller who{rank, static_cast<int>(strands) - 1, -3};
  RB_TRY(expect(who, Call::Model, {}, 1));
  auto checksum = static_cast<int64_t>(checksumOf(flat, bytes));
  return checksum == strandOf(who).event.answered[0]
             ? Status::ok()
             : left(who, "the parameters are not those of the recorded run");
}

Status ReplayingEnvironment::checkEnd(int rank) {
  MemberState &member = crew[static_cast<size_t>(rank)];
  for (size_t i = 0; i != member.strands.size(); ++i) {
    StrandState &strand = member.strands[i];
    RB_TRY(Status(strand.failure));
    if (readEvent(strand.rest, strand.event))
      return left({rank, static_cast<int>(i), strand.round},
                  "the log has " +
                      describe(strand.event.operation, strand.event.asked) +
                      ", but the program has ended");
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Facts and work
//===----------------------------------------------------------------------===//

namespace {

/// A fact of a type as an event has it.
void readFact(int64_t bits, double &fact) {
  fact = std::bit_cast<double>(bits);
}
void readFact(int64_t bits, int64_t &fact) { fact = bits; }

} // namespace

#define RB_FACT(type, name, tag, method)                                       \
  type ReplayingEnvironment::method(const Caller &who) {                       \
    type answer;                                                               \
    readFact(fact(who, Call::tag), answer);                                    \
    return answer;                                                             \
  }
#include "abi/calls.def"

int64_t ReplayingEnvironment::workers(const Caller &who, int channel) {
  return fact(who, Call::Workers, {channel});
}

Status ReplayingEnvironment::work(const Caller &, const char *, bool) {
  return Status::ok();
}

void ReplayingEnvironment::computed(const Caller &who, int64_t samples,
                                    double loss) {
  if (who.round < 0 || !setup.statistics)
    return;
  MemberStatistics &statistics = setup.statistics[who.rank];
  statistics.loss.fetch_add(loss);
  statistics.samples += samples;
}

//===----------------------------------------------------------------------===//
// Strands of one member
//===----------------------------------------------------------------------===//

Status ReplayingEnvironment::lock(const Caller &who, int lock, const char *) {
  RB_TRY(expect(who, Call::Lock, {lock}, 1));
  int64_t turn = strandOf(who).event.answered[0];
  LockState &state =
      crew[static_cast<size_t>(who.rank)].locks[static_cast<size_t>(lock)];
  RB_TRY(setup.strands.waitUntil(
      [&] { return !state.held && state.turn == turn; },
      [&] {
        return place(who) + ": lock " + std::to_string(lock) + " at turn " +
               std::to_string(turn) + ", and it is turn " +
               std::to_string(state.turn);
      }));
  state.held = true;
  ++state.turn;
  return Status::ok();
}

Status ReplayingEnvironment::unlock(const Caller &who, int lock) {
  crew[static_cast<size_t>(who.rank)].locks[static_cast<size_t>(lock)].held =
      false;
  return Status::ok();
}

Status ReplayingEnvironment::meet(const Caller &who, int rendezvous,
                                  bool &met) {
  RB_TRY(expect(who, Call::Meet, {rendezvous}, 1));
  met = strandOf(who).event.answered[0] != 0;
  return Status::ok();
}

Status ReplayingEnvironment::next(const Caller &who, bool go) {
  RB_TRY(expect(who, Call::Next, {go}, 0));
  if (setup.statistics)
    setup.statistics[who.rank].rounds[who.strand].store(who.round + 1);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

Status ReplayingEnvironment::ask(const Caller &who, int policy, int entry,
                                 std::span<const policy::Value> inputs,
                                 std::span<policy::Value> answers) {
  StrandState &strand = strandOf(who);
  strand.numbers = {policy, entry};
  for (const policy::Value &input : inputs)
    strand.numbers.push_back(bitsOf(input));
  RB_TRY(expect(who, Call::Ask, strand.numbers, answers.size()));
  const auto &types = setup.program.policies[static_cast<size_t>(policy)]
                          .entries[static_cast<size_t>(entry)]
                          .outputs;
  for (size_t i = 0; i != answers.size(); ++i) {
    int64_t bits = strand.event.answered[i];
    if (types[i] == policy::ValueType::F64)
      answers[i] = std::bit_cast<double>(bits);
    else if (types[i] == policy::ValueType::I1)
      answers[i] = bits != 0;
    else
      answers[i] = bits;
  }
  return Status::ok();
}

Status ReplayingEnvironment::commit(const Caller &who, int64_t seen,
                                    int64_t expected, bool &ok) {
  RB_TRY(expect(who, Call::Commit, {seen, expected}, 1));
  ok = strandOf(who).event.answered[0] != 0;
  return Status::ok();
}

Status ReplayingEnvironment::nextBatch(const Caller &who,
                                       const BatchRequest &request,
                                       std::span<int64_t> rows,
                                       int64_t &count) {
  StrandState &strand = strandOf(who);
  strand.numbers = {request.source, request.channel};
  strand.numbers.insert(strand.numbers.end(), request.keys.begin(),
                        request.keys.end());
  RB_TRY(expect(who, Call::NextBatch, strand.numbers, 0));
  if (strand.event.answered.size() > rows.size())
    return left(who, "a batch of the log is larger than a micro-batch");
  std::ranges::copy(strand.event.answered, rows.begin());
  count = static_cast<int64_t>(strand.event.answered.size());
  return Status::ok();
}

} // namespace rubato
