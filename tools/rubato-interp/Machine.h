// The semantics of gsync: what a strand's next step does to a world.
//
// A strand runs up to a *visible* operation: one that another strand or member
// can notice, or whose outcome depends on them. A step executes the visible
// operation and then everything up to the next one. A schedule chooses who
// steps; all that is not determined by the program is such a choice, so a
// world and a list of choices give one outcome.
#ifndef RUBATO_TOOLS_INTERP_MACHINE_H
#define RUBATO_TOOLS_INTERP_MACHINE_H

#include "tools/rubato-interp/CostTable.h"
#include "tools/rubato-interp/DataFiles.h"
#include "tools/rubato-interp/EventLog.h"
#include "tools/rubato-interp/World.h"

#include "llvm/ADT/BitVector.h"

#include <unordered_map>

namespace rubato::interp {

/// What real inputs contain: numbers drawn from the seed, r + 1 in every batch
/// of rank r, or ((5 s + 3 j) mod 32) / 8 - 2 in element j of sample s.
enum class Contents { Random, Rank, Id };

/// How a program is run.
struct Config {
  uint64_t seed = 0;
  /// Members are asked to stop in this round of their first strand; 0: never.
  int64_t rounds = 0;
  int64_t samples = 64, classes = 2, quanta = 1;
  bool shuffle = false;
  /// The log has all cells at the end of every round and of drain.
  bool logCells = false;
  Contents contents = Contents::Random;
  /// What inputs and labels contain instead, and how many samples there are.
  std::shared_ptr<const DataFiles> files;
  /// Floating-point data is opaque: only the control of the program runs.
  bool abstract = false;
  /// Things take time by the cost table, and completions arrive in time.
  /// Otherwise a poll of what is complete may still say no: that is a choice.
  bool timed = true;
  CostTable costs;
  std::map<std::string, double> cells;
  /// Members that are not there at the start, by the round they join before.
  std::multimap<int64_t, int> joins;
  /// Stored values of parameter cells, by name.
  std::map<std::string, Value> stored;
};

/// One thing that may happen next.
struct Choice {
  int rank = 0, strand = 0;
  /// A poll: 1 answers "not yet" for what is complete. A branch on opaque
  /// data: 1 takes the other side. Otherwise 0.
  int variant = 0;
};

struct Passing;

class Machine {
public:
  Machine(Program &program, const Config &config, EventLog *log = nullptr)
      : program(program), config(config), log(log) {}

  /// All members at the beginning of their init; fails for a bad program.
  mlir::FailureOr<World> start();

  /// What may happen next. Empty: the run is over, or stuck.
  std::vector<Choice> choices(const World &world) const;
  /// Does it. An error of the program is reported at its operation.
  mlir::LogicalResult apply(World &world, Choice choice);

  /// Events from outside.
  mlir::LogicalResult kill(World &world, int rank);
  void requestStop(World &world, int rank);
  /// Runs `model` on every member that has ended.
  mlir::LogicalResult startModel(World &world);

  /// Whether every live member has ended or failed.
  bool isOver(const World &world) const;
  /// Whether a strand can take a step, and if not, what it waits for.
  bool isEnabled(const World &world, int rank, int strand,
                 std::string *why = nullptr) const;
  /// Timed: when the next step of an enabled strand happens, and whether it is
  /// a poll (those come last among equals).
  int64_t timeOf(const World &world, int rank, int strand) const;
  bool isPoll(const World &world, int rank, int strand) const;
  /// Timed: the first upload on its way, and its arrival.
  std::optional<int64_t> nextArrival(const World &world) const;
  mlir::LogicalResult arrive(World &world);

  /// Untimed: seeds under which the policy that a step asks answers
  /// differently; one seed for every outcome, and one for other steps.
  std::vector<uint64_t> outcomes(const World &world, Choice choice);
  /// Not 0: policies draw from this seed instead of the run's.
  uint64_t drawSeed = 0;
  /// Abstract: cells that hold no numbers. Those of floating-point values are
  /// such, others may be added.
  llvm::BitVector hiddenCells;
  /// How often a program has looked whether it is asked to stop.
  int64_t stopReads = 0;

  /// The operation that a strand is at; null while it is not running.
  mlir::Operation *operationOf(const World &world, int rank, int strand) const;

  /// Whether a cell holds no numbers in this run.
  bool isHidden(unsigned cell) const {
    return config.abstract &&
           (elementOf(program.cells[cell].getType()) != Element::Integer ||
            (cell < hiddenCells.size() && hiddenCells[cell]));
  }

  void setLog(EventLog *newLog) { log = newLog; }

  Program &program;
  Config config;

private:
  struct Here;
  using Result = mlir::LogicalResult;

  // Machine.cpp: phases and rounds; Cells.cpp; Failures.cpp.
  Result beginPart(World &world, int rank, Phase phase);
  Result startCells(Member &member);
  void enter(Strand &strand, mlir::Region &region, const Values &arguments);
  void beginRound(World &world, int rank, int strand);
  Result beginStrands(World &world, int rank);
  Result endRound(Here &here, bool go, Values carried);
  Result endPart(Here &here, Values values);
  Result endMember(World &world, int rank, Phase phase);
  Result strandEnded(World &world, int rank, int strand);
  Result failRound(Here &here, std::string why, bool forGood);
  Result checkFutures(Here &here, llvm::ArrayRef<Value> carried);

  // Join.cpp: members that come later.
  Result leaveOut(World &world);
  Result admit(World &world, int host);

  // Step.cpp: frames and control flow.
  Result run(Here &here);
  Result runOperation(Here &here, mlir::Operation *op, bool &wait);
  Result runTerminator(Here &here, mlir::Operation *op, bool &wait);
  Result call(Here &here, mlir::func::CallOp op);
  Result evaluateHere(Here &here, mlir::Operation *op);
  void push(Here &here, mlir::Block &block, llvm::ArrayRef<Value> arguments);
  void finish(Here &here, mlir::Operation *op, llvm::ArrayRef<Value> results);
  bool isVisible(const Strand &strand, int rank, mlir::Operation *op) const;
  bool isBranchOnOpaque(const Strand &strand, mlir::Operation *op) const;

  // Repeat.cpp
  Result beginRepeat(Here &here, gsync::RepeatOp op);
  bool needsPoll(const Strand &strand, const Frame &frame,
                 gsync::RepeatOp op) const;
  /// Whether so many bodies ran that the next poll waits for its future.
  bool isSaturated(const Strand &strand, const Frame &frame,
                   gsync::RepeatOp op) const;
  Result decideRepeat(Here &here, std::optional<bool> done);
  bool pollFuture(Here &here, int64_t future);

  // Visible.cpp: one visible operation; Meetings.cpp.
  Result visible(Here &here, mlir::Operation *op);
  Result await(Here &here, gsync::AwaitOp op);
  Result beginAtomic(Here &here, gsync::AtomicOp op);
  Result meet(Here &here, gsync::MeetOp op);
  /// Whether another strand that meets at this rendezvous still runs.
  bool hasSibling(const World &world, int rank, int strand,
                  unsigned rendezvous) const;
  Result commit(Here &here, gsync::CommitOp op);
  Result settleVotes(World &world);
  Result simple(Here &here, mlir::Operation *op);
  Value give(mlir::Type type, int64_t value) const;
  Value zeroOf(mlir::Type type) const;
  Values operands(Here &here, mlir::ValueRange values) const;
  /// A number that decides what happens; an error where it is opaque.
  mlir::FailureOr<int64_t> numberOf(Here &here, mlir::Operation *op,
                                    mlir::Value value) const;
  Result answer(World &world, int rank, int strand, Values values,
                int64_t after);
  int64_t addFuture(Here &here, Future future);

  // Collectives.cpp
  Result post(Here &here, mlir::Operation *op);
  Result settleCollectives(World &world, unsigned channel);
  Result completeCollective(World &world, unsigned channel,
                            Collective &collective);

  // Pairs.cpp
  Result exchange(Here &here, gsync::ExchangeOp op);
  void failExchanges(World &world, int dead);

  // Mailbox.cpp and MailboxWorker.cpp
  Result pull(Here &here, gsync::PullOp op);
  Result push(Here &here, gsync::PushOp op);
  Result deliver(World &world, unsigned channel, Upload upload);
  bool canCollect(const Mailbox &box, int64_t first) const;
  Result judge(World &world, unsigned channel);
  Result collect(Here &here, gsync::CollectOp op);
  Result grant(Here &here, gsync::GrantOp op);
  void issue(World &world, unsigned channel,
             llvm::ArrayRef<policy::StalenessLedger::Grant> grants,
             const Values &values);
  Result close(Here &here, gsync::CloseOp op);
  void settlePulls(World &world, unsigned channel);
  Result leaveMailboxes(World &world, int rank);

  // Policies.cpp
  Result makePolicies(World &world);
  std::unique_ptr<policy::Policy> make(unsigned policy);
  Result ask(Here &here, gsync::AskOp op);
  std::vector<policy::Value> questionOf(const World &world, int rank,
                                        int strand) const;
  Result tryAsk(World &world, int rank, int strand, bool &answered);
  Result settleAsks(World &world, unsigned policy);
  Result leavePolicies(World &world, int rank);

  // Data.cpp: which samples go where, and Batch.cpp: what is in them.
  RoundKey roundKey(const World &world, int rank, int strand) const;
  RoundPlan &roundOf(World &world, int rank, int strand);
  RoundPlan makeBlock(World &world, RoundKey key, std::vector<int> members);
  Places take(Data &data, int64_t count);
  void giveBack(Data &data, llvm::ArrayRef<int64_t> places);
  void consume(Data &data, llvm::ArrayRef<int64_t> places);
  void acknowledge(World &world, int rank, int channel);
  void settleRound(World &world, int rank, int strand);
  void settleCommit(World &world, int rank, int strand, bool ok);
  void voidLeases(World &world, int rank, int64_t before);
  void returnData(World &world, int rank, int strand);
  void returnShare(World &world, int rank);
  Places placesOf(Here &here, gsync::NextBatchOp op);
  Places cursorPlaces(Here &here);
  Result nextBatch(Here &here, gsync::NextBatchOp op);
  mlir::FailureOr<Values> makeBatch(gsync::NextBatchOp op, int rank,
                                    llvm::ArrayRef<int64_t> places) const;

public:
  /// The sample at a place of the stream.
  int64_t sampleAt(int64_t place) const;
  /// The same, for a place of a batch: the whole data set has its own order.
  int64_t sampleOf(gsync::NextBatchOp op, int64_t place) const;

private:
  // Time.
  int64_t latency(llvm::StringRef key, int rank, int64_t number) const;
  /// When what is ready now is there, after all that its links carry before.
  int64_t collectiveDone(World &world, unsigned channel,
                         const Collective &collective) const;
  int64_t exchangeDone(World &world, int from, int to, int64_t tag) const;
  int64_t pushDone(World &world, int worker, int server, int64_t ticket) const;
  int64_t grantDone(World &world, int server, int worker, int64_t ticket) const;
  void crossUplinks(World &world, int from, int to, Passing &way) const;
  void spend(Here &here, llvm::StringRef key);
  std::vector<int> live(const World &world) const;
  mlir::InFlightDiagnostic error(const Here &here, mlir::Operation *op) const;
  void writeCells(Here &here, llvm::json::OStream &json) const;
  void record(Here &here, llvm::StringRef op,
              llvm::function_ref<void(llvm::json::OStream &)> details = {});

  EventLog *log;
  /// By policy: the ranks that ask it, and copies of it that draw from other
  /// seeds.
  std::vector<std::vector<int64_t>> askers;
  std::vector<std::vector<std::unique_ptr<policy::Policy>>> drawers;
  /// What was found before: by state and question, and of functions by the
  /// hash of their arguments.
  std::unordered_map<std::string, std::vector<uint64_t>> outcomesOf;
  llvm::DenseMap<std::pair<mlir::Operation *, uint64_t>, Values> callResults;
};

/// Where a step takes place.
struct Machine::Here {
  World &world;
  int rank, index;
  int variant = 0;
  /// Invisible operations so far.
  int64_t work = 0;

  Member &member() { return world.members[rank].edit(); }
  Strand &strand() { return member().strands[index].edit(); }
  const Strand &peek() const { return *world.members[rank]->strands[index]; }
  const Value &get(mlir::Value value, const Program &program) const {
    const Strand &strand = peek();
    return strand.slots[strand.frames.back().base + program.slot(value)];
  }
};

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_MACHINE_H
