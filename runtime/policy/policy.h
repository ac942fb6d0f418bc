// Policies: the stateful decisions that a synchronisation program asks for.
//
// A policy is a state machine with typed entries. It has no clock, no thread
// and no source of randomness of its own: time comes as an argument, random
// numbers by counter. So the same object serves real runs, simulation, replay
// and unit tests, and the same questions get the same answers.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rubato::policy {

/// Where a policy lives: a copy on every member that is asked the same
/// questions, one per member, or one for the whole group.
enum class Placement { Replicated, Local, Central };

/// An argument or an answer.
using Value = std::variant<int64_t, double, bool>;
enum class ValueType { I64, F64, I1 };

/// One question that a policy answers, as programs declare it.
struct Entry {
  std::string name;
  std::vector<ValueType> inputs, outputs;
};

/// Who asks, and for the how-manieth time: the key of randomness, and what
/// makes a repeated question recognisable.
struct Asker {
  int64_t member = 0;
  int64_t call = 0;
};

/// State as bytes, little endian, in the order it is written.
class StateWriter {
public:
  void i64(int64_t value);
  void f64(double value);
  void i64s(std::span<const int64_t> values);
  void f64s(std::span<const double> values);
  const std::string &bytes() const { return out; }

private:
  std::string out;
};

class StateReader {
public:
  explicit StateReader(std::string_view bytes) : in(bytes) {}
  bool i64(int64_t &value);
  bool f64(double &value);
  bool i64s(std::vector<int64_t> &values);
  bool f64s(std::vector<double> &values);
  bool atEnd() const { return in.empty(); }

private:
  std::string_view in;
};

class Policy {
public:
  virtual ~Policy() = default;

  virtual std::string_view name() const = 0;
  virtual Placement placement() const = 0;
  virtual const std::vector<Entry> &entries() const = 0;

  /// Answers one question. `outputs` has the size the entry states. An unknown
  /// entry or wrong types are an error of the program.
  virtual Status ask(std::string_view entry, Asker asker,
                     std::span<const Value> inputs,
                     std::span<Value> outputs) = 0;

  /// A member died or left: nobody waits for it any more. Saying it again
  /// changes nothing. Those who wait ask again, for some may have an answer
  /// now.
  virtual Status leave(int64_t member);
  /// A member comes, or comes back, and numbers its calls from 0.
  virtual Status join(int64_t member);

  /// What a member worked on so far is in a reduction that counts, whatever
  /// becomes of the member. A policy that deals out work deals none of it
  /// again.
  virtual void contributed(int64_t member);

  virtual void save(StateWriter &out) const = 0;
  /// Takes the state another object of the same kind saved.
  virtual Status load(StateReader &in) = 0;
};

/// Most policies keep no list of members.
inline Status Policy::leave(int64_t) { return Status::ok(); }
inline Status Policy::join(int64_t) { return Status::ok(); }
inline void Policy::contributed(int64_t) {}

} // namespace rubato::policy
