// What is known at one point of a program, on one way to get there.
#include "ProofState.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace rubato;

static int64_t wordOf(const void *pointer) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(pointer));
}

static void add(std::vector<int64_t> &key, const std::string &name) {
  key.insert(key.end(), name.begin(), name.end());
  key.push_back(0);
}

static void add(std::vector<int64_t> &key, const Number &number) {
  key.insert(key.end(), {int64_t(number.kind), number.value, number.age});
}

std::vector<int64_t> ProofState::key() const {
  std::vector<int64_t> key;
  for (const auto &[name, value] : values) {
    add(key, name);
    key.insert(key.end(), {value.filled, value.own, value.channel, value.age,
                           value.arrived, value.readyFor, value.ready,
                           value.lock, value.begin, value.end});
  }
  key.push_back(-1);
  for (const Flight &flight : flights)
    key.insert(key.end(), {flight.channel, flight.age, wordOf(flight.start)});
  key.push_back(-1);
  for (const auto &[name, number] : frames) {
    add(key, name);
    add(key, number);
  }
  key.push_back(-1);
  for (const auto &[value, number] : numbers) {
    key.push_back(wordOf(value));
    add(key, number);
  }
  key.push_back(-1);
  key.push_back(closedBy != nullptr);
  for (Operation *loop : lastBodies)
    key.push_back(wordOf(loop));
  return key;
}

std::optional<Number> ProofState::find(Value value) const {
  auto found = numbers.find(value.getAsOpaquePointer());
  return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

void ProofState::set(Value value, Number number) {
  if (number.kind == Number::Kind::Unknown)
    numbers.erase(value.getAsOpaquePointer());
  else
    numbers[value.getAsOpaquePointer()] = number;
}

void ProofState::leave(Block *block) {
  std::erase_if(numbers, [&](const auto &entry) {
    Value value = Value::getFromOpaquePointer(entry.first);
    return value.getParentBlock() == block;
  });
}

Flight *ProofState::flight(const Number &future) {
  if (future.kind != Number::Kind::Future)
    return nullptr;
  auto found = llvm::find_if(flights, [&](const Flight &flight) {
    return flight.channel == future.value && flight.age == future.age;
  });
  return found == flights.end() ? nullptr : &*found;
}

void ProofState::age(int64_t channel) {
  auto older = [&](Number &number) {
    if (number.kind == Number::Kind::Future && number.value == channel)
      ++number.age;
  };
  for (Flight &flight : flights)
    if (flight.channel == channel)
      ++flight.age;
  for (auto &[name, number] : frames)
    older(number);
  for (auto &[value, number] : numbers)
    older(number);
  for (auto &[name, value] : values)
    if (value.channel == channel)
      ++value.age;
}

void ProofState::land(const Number &future) {
  auto isIt = [&](const Number &number) {
    return number.kind == Number::Kind::Future &&
           number.value == future.value && number.age == future.age;
  };
  // A number that no future has: whoever awaits it again is told.
  constexpr int64_t landed = -1;
  std::erase_if(flights, [&](const Flight &flight) {
    return flight.channel == future.value && flight.age == future.age;
  });
  for (auto &[value, number] : numbers)
    if (isIt(number))
      number = {Number::Kind::Future, landed, 0};
  for (auto &[name, number] : frames)
    if (isIt(number))
      number = {Number::Kind::Future, landed, 0};
}

const Flight *ProofState::orphan() const {
  auto holds = [](const Flight &flight) {
    return [&](const auto &entry) {
      const Number &number = entry.second;
      return number.kind == Number::Kind::Future &&
             number.value == flight.channel && number.age == flight.age;
    };
  };
  for (const Flight &flight : flights)
    if (llvm::none_of(numbers, holds(flight)) &&
        llvm::none_of(frames, holds(flight)))
      return &flight;
  return nullptr;
}
