#include "program/run_log.h"

#include "support/atomic_file.h"
#include "support/checksum.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace rubato {

using Json = nlohmann::ordered_json;

static constexpr std::string_view magic = "rubato run log ";

Status writeRunLog(const std::string &path, const RunLog &log) {
  Json header = Json::parse(log.header, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object())
    return {ErrorCode::Internal, "the header of a run log is no JSON object"};
  Json streams = Json::array();
  for (const RunStream &stream : log.streams)
    streams.push_back({{"rank", stream.rank},
                       {"strand", stream.strand},
                       {"bytes", stream.events.size()}});
  header["streams"] = std::move(streams);
  // File names need not be UTF-8; replace what is not.
  std::string line =
      header.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::vector<FilePart> parts(1);
  parts.push_back({line.data(), line.size()});
  for (const RunStream &stream : log.streams)
    parts.push_back({stream.events.data(), stream.events.size()});
  // Of the pieces as they are cut here: see readStreams.
  Checksum checksum;
  size_t bytes = 0;
  for (size_t i = 1; i < parts.size(); ++i) {
    checksum.add(parts[i].data, parts[i].size);
    bytes += parts[i].size;
  }
  std::string first = std::string(magic) + std::to_string(runLogVersion) + " " +
                      std::to_string(bytes) + " " +
                      checksumText(checksum.value()) + "\n";
  parts[0] = {first.data(), first.size()};
  return writeFileAtomically(path, parts);
}

namespace {

/// One file under way from its beginning to its end.
class Reader {
public:
  Reader(const std::string &path, RunLog &log) : path(path), log(log) {}

  Status read() {
    RB_TRY(Mapping::file(path, log.file));
    rest = {log.file->data(), log.file->size()};
    RB_TRY(readFirstLine());
    Json header;
    RB_TRY(readHeader(header));
    RB_TRY(readStreams(header));
    header.erase("streams");
    log.header = header.dump();
    return Status::ok();
  }

private:
  Status error(const std::string &what) const {
    return Status::user("run log '" + path + "': " + what);
  }
  Status damaged() const {
    return error("is damaged: its checksum does not fit; record the run again");
  }

  bool takeLine(std::string_view &line) {
    size_t end = rest.find('\n');
    if (end == rest.npos)
      return false;
    line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return true;
  }

  /// The next word of a line as a number.
  template <class T> static bool takeNumber(std::string_view &line, T &number) {
    auto [end, code] =
        std::from_chars(line.data(), line.data() + line.size(), number);
    if (code != std::errc())
      return false;
    line.remove_prefix(static_cast<size_t>(end - line.data()));
    if (!line.empty() && line.front() == ' ')
      line.remove_prefix(1);
    return true;
  }

  Status readFirstLine() {
    std::string_view line;
    int version = 0;
    size_t bytes = 0;
    if (rest.substr(0, magic.size()) != magic)
      return error("is no run log; ./train --record writes one");
    if (!takeLine(line))
      return error("is truncated; copy it again or record the run again");
    line.remove_prefix(magic.size());
    if (!takeNumber(line, version))
      return damaged();
    if (version != runLogVersion)
      return error("is of version " + std::to_string(version) +
                   ", and this executable reads version " +
                   std::to_string(runLogVersion) +
                   "; replay it with the executable that recorded it");
    if (!takeNumber(line, bytes))
      return damaged();
    if (rest.size() < bytes)
      return error("is truncated: " + std::to_string(rest.size()) + " of " +
                   std::to_string(bytes) +
                   " bytes are there; copy it again or record the run again");
    if (rest.size() > bytes)
      return damaged();
    expected = line;
    return Status::ok();
  }

  Status readHeader(Json &header) {
    std::string_view line;
    if (!takeLine(line))
      return damaged();
    checksum.add(line.data(), line.size() + 1);
    header = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    return header.is_object() && header["streams"].is_array() ? Status::ok()
                                                              : damaged();
  }

  Status readStreams(const Json &header) {
    for (const Json &each : header["streams"]) {
      if (!each.is_object())
        return damaged();
      auto number = [&](const char *name) -> int64_t {
        auto found = each.find(name);
        return found != each.end() && found->is_number_unsigned()
                   ? found->get<int64_t>()
                   : -1;
      };
      int64_t rank = number("rank"), strand = number("strand"),
              bytes = number("bytes");
      constexpr int64_t most = 1 << 20;
      if (rank < 0 || rank > most || strand < 0 || strand > most || bytes < 0 ||
          static_cast<uint64_t>(bytes) > rest.size())
        return damaged();
      auto size = static_cast<size_t>(bytes);
      log.streams.push_back({static_cast<int>(rank), static_cast<int>(strand),
                             rest.substr(0, size)});
      checksum.add(rest.data(), size);
      rest.remove_prefix(size);
    }
    return rest.empty() && checksumText(checksum.value()) == expected
               ? Status::ok()
               : damaged();
  }

  const std::string &path;
  RunLog &log;
  std::string_view rest, expected;
  Checksum checksum;
};

} // namespace

Status readRunLog(const std::string &path, RunLog &log) {
  log = {};
  return Reader(path, log).read();
}

} // namespace rubato
