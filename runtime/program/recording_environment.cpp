#include "program/recording_environment.h"

#include "support/checksum.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace rubato {

std::string streamPath(const std::string &path, int rank, int strand) {
  return path + ".part-" + std::to_string(rank) + "-" + std::to_string(strand);
}

int64_t bitsOf(const policy::Value &value) {
  if (const auto *number = std::get_if<int64_t>(&value))
    return *number;
  if (const auto *real = std::get_if<double>(&value))
    return std::bit_cast<int64_t>(*real);
  return std::get<bool>(value);
}

Status checksumOf(Parts parts, int64_t &sum) {
  Checksum checksum;
  std::vector<char> copy;
  for (const Part &part : parts) {
    const char *bytes = nullptr;
    RB_TRY(bytesOnHost(part, copy, bytes));
    checksum.add(bytes, static_cast<size_t>(bytesOf(part)));
  }
  sum = static_cast<int64_t>(checksum.value());
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

Status RecordingEnvironment::make(const RecordingSetup &setup,
                                  std::unique_ptr<RecordingEnvironment> &made) {
  std::unique_ptr<RecordingEnvironment> result(new RecordingEnvironment(setup));
  for (int strand = 0; strand <= setup.strands; ++strand) {
    Stream &stream = result->streams.emplace_back();
    stream.path = streamPath(setup.path, setup.rank, strand);
    stream.file = open(stream.path.c_str(),
                       O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (stream.file < 0)
      return Status::user("--record: cannot write '" + stream.path +
                          "': " + std::strerror(errno));
  }
  made = std::move(result);
  return Status::ok();
}

RecordingEnvironment::~RecordingEnvironment() {
  for (Stream &stream : streams) {
    flush(stream);
    if (stream.file >= 0)
      ::close(stream.file);
  }
}

void RecordingEnvironment::flush(Stream &stream) {
  std::string_view rest = stream.pending;
  while (!rest.empty() && stream.error == 0) {
    ssize_t count = write(stream.file, rest.data(), rest.size());
    if (count < 0 && errno != EINTR)
      stream.error = errno;
    if (count > 0)
      rest.remove_prefix(static_cast<size_t>(count));
  }
  stream.pending.clear();
}

Status RecordingEnvironment::finish() {
  for (Stream &stream : streams) {
    flush(stream);
    if (stream.error != 0)
      return Status::user("--record: cannot write '" + stream.path +
                          "': " + std::strerror(stream.error) +
                          "; free some space or write elsewhere");
  }
  return Status::ok();
}

void RecordingEnvironment::noteNumbers(const Caller &who, Call operation,
                                       Numbers asked, Numbers answered) {
  constexpr size_t enough = 1 << 16;
  if (muted)
    return;
  Stream &stream = streamOf(who);
  writeEvent(operation, asked, answered, stream.pending);
  if (stream.pending.size() >= enough)
    flush(stream);
}

void RecordingEnvironment::model(const void *flat, size_t bytes) {
  note({setup.rank, setup.strands, 0}, Call::Model, {},
       {static_cast<int64_t>(rubato::checksumOf(flat, bytes))});
}

//===----------------------------------------------------------------------===//
// Strands of one member
//===----------------------------------------------------------------------===//

Status RecordingEnvironment::lock(const Caller &who, int lock,
                                  const char *cells) {
  RB_TRY(inner.lock(who, lock, cells));
  if (muted)
    return Status::ok();
  int64_t turn = turns[static_cast<size_t>(lock)]++;
  note(who, Call::Lock, {lock}, {turn});
  return Status::ok();
}

Status RecordingEnvironment::meet(const Caller &who, int rendezvous,
                                  bool &met) {
  RB_TRY(inner.meet(who, rendezvous, met));
  note(who, Call::Meet, {rendezvous}, {met});
  return Status::ok();
}

Status RecordingEnvironment::next(const Caller &who, bool go) {
  RB_TRY(inner.next(who, go));
  note(who, Call::Next, {go});
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

Status RecordingEnvironment::ask(const Caller &who, int policy, int entry,
                                 std::span<const policy::Value> inputs,
                                 std::span<policy::Value> answers) {
  RB_TRY(inner.ask(who, policy, entry, inputs, answers));
  std::vector<int64_t> &numbers = streamOf(who).numbers;
  numbers = {policy, entry};
  for (const policy::Value &input : inputs)
    numbers.push_back(bitsOf(input));
  size_t asked = numbers.size();
  for (const policy::Value &answer : answers)
    numbers.push_back(bitsOf(answer));
  Numbers all = numbers;
  noteNumbers(who, Call::Ask, all.first(asked), all.subspan(asked));
  return Status::ok();
}

Status RecordingEnvironment::commit(const Caller &who, int64_t seen,
                                    int64_t expected, bool &ok) {
  RB_TRY(inner.commit(who, seen, expected, ok));
  note(who, Call::Commit, {seen, expected}, {ok});
  return Status::ok();
}

Status RecordingEnvironment::nextBatch(const Caller &who,
                                       const BatchRequest &request,
                                       std::span<int64_t> rows,
                                       int64_t &count) {
  RB_TRY(inner.nextBatch(who, request, rows, count));
  std::vector<int64_t> &numbers = streamOf(who).numbers;
  numbers = {request.source, request.channel};
  numbers.insert(numbers.end(), request.keys.begin(), request.keys.end());
  noteNumbers(who, Call::NextBatch, numbers,
              rows.first(static_cast<size_t>(count)));
  return Status::ok();
}

} // namespace rubato
