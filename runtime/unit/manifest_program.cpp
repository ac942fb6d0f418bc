// The manifest's program: roles, channels, policies and what else the code
// names by number.
#include "unit/manifest_reader.h"

#include "policy/factory.h"

#include <algorithm>
#include <set>

namespace rubato {

using nlohmann::json;

static constexpr int64_t manyNumbers = 1 << 16;

void ManifestReader::readProgram(const json &root) {
  const json &program = object(root, "", "program");
  if (failed())
    return;
  unit.parameters = place(object(root, "", "parameters"), "parameters",
                          unit.floatType, unit.flatCount());
  if (unit.parameters.region != RB_PRIVATE)
    fail("parameters.region", "must be private");
  using Part = void (ManifestReader::*)(const json &);
  for (Part part :
       {&ManifestReader::readFunctions, &ManifestReader::readRoles,
        &ManifestReader::readChannels, &ManifestReader::readPolicies,
        &ManifestReader::readRendezvous})
    if (!failed())
      (this->*part)(program);
  unit.program.locks =
      static_cast<int>(integer(program, "program", "locks", 0, manyNumbers));
  unit.program.commits = boolean(program, "program", "commits");
}

/// The names here and those beside the code tell that both belong together.
void ManifestReader::readFunctions(const json &program) {
  std::vector<std::string> &names = unit.program.functions;
  for (const json &name : array(program, "program", "functions")) {
    if (!name.is_string())
      return fail(item("program.functions", names.size()), "must be a string");
    names.push_back(name.get<std::string>());
  }
  const rb_unit &code = *unit.code;
  if (names.size() != code.function_count)
    return fail("program.functions", "names " + std::to_string(names.size()) +
                                         " functions, but the unit has " +
                                         std::to_string(code.function_count));
  for (size_t i = 0; i != names.size(); ++i)
    if (!code.functions[i].fn || !code.functions[i].name ||
        code.functions[i].name != names[i])
      return fail(item("program.functions", i),
                  "the unit has no function '" + names[i] + "' there");
}

const RoleSpec *ManifestReader::roleNamed(const std::string &name) const {
  for (const RoleSpec &role : unit.program.roles)
    if (role.name == name)
      return &role;
  return nullptr;
}

FrameSpec ManifestReader::readFrame(const json &in, const std::string &where) {
  using Kind = FrameSpec::Kind;
  FrameSpec frame;
  frame.name = text(in, where, "name");
  std::string kind = text(in, where, "kind");
  if (kind == "tensor")
    frame.kind = Kind::Tensor;
  else if (kind == "future")
    frame.kind = Kind::Future;
  else if (kind != "number")
    fail(where + ".kind", "must be tensor, number or future");
  for (const json &value : array(in, where, "values")) {
    std::string at = item(where + ".values", frame.values.size());
    constexpr int64_t most = int64_t(1) << 43; // as regions, in elements
    rb_dtype type = dtype(value, at, "dtype");
    frame.values.push_back({type, integer(value, at, "count", 1, most)});
  }
  if (frame.kind != Kind::Future && frame.values.size() != 1)
    fail(where + ".values", "must be one of a tensor or a number");
  if (!failed() && frame.kind == Kind::Number && frame.values[0].count != 1)
    fail(where + ".values", "a number has one element");
  if (failed())
    return frame;
  bool tensor = frame.kind == Kind::Tensor;
  rb_region its = region(in, where);
  if (its == RB_SCRATCH || (tensor && its != RB_PRIVATE))
    fail(where + ".region",
         tensor ? "must be private" : "must be private or host");
  Place at = place(in, where, tensor ? frame.values[0].dtype : RB_I64,
                   tensor ? frame.values[0].count : 1);
  frame.region = at.region;
  frame.offset = at.offset;
  if (!failed())
    frames.push_back({at, frame.bytes(), where});
  return frame;
}

StrandSpec ManifestReader::readStrand(const json &in,
                                      const std::string &where) {
  auto functions = static_cast<int64_t>(unit.program.functions.size());
  StrandSpec strand;
  strand.name = text(in, where, "name");
  strand.function =
      static_cast<int>(integer(in, where, "function", 0, functions - 1));
  strand.cursor = boolean(in, where, "cursor");
  strand.lockstep = boolean(in, where, "lockstep");
  for (const json &channel : array(in, where, "polls")) {
    if (!channel.is_string()) {
      fail(where + ".polls", "must be names of channels");
      break;
    }
    strand.polls.push_back(channel.get<std::string>());
  }
  std::set<std::string> names;
  for (const json &frame : array(in, where, "frame")) {
    std::string at = item(where + ".frame", strand.frame.size());
    strand.frame.push_back(readFrame(frame, at));
    if (!names.insert(strand.frame.back().name).second)
      fail(at + ".name", "appears twice");
    if (failed())
      break;
  }
  return strand;
}

void ManifestReader::readRoles(const json &program) {
  auto functions = static_cast<int64_t>(unit.program.functions.size());
  bool rest = false;
  for (const json &in : array(program, "program", "roles")) {
    std::string where = item("program.roles", unit.program.roles.size());
    RoleSpec role;
    role.name = text(in, where, "name");
    if (roleNamed(role.name))
      fail(where + ".name", "'" + role.name + "' appears twice");
    role.count = integer(in, where, "count", -1, manyNumbers);
    if (role.count == 0)
      fail(where + ".count", "must be -1 or at least 1");
    role.onHost = boolean(in, where, "host");
    if (role.count < 0 && std::exchange(rest, true))
      fail(where + ".count", "another role takes all that are left");
    for (auto [key, part] : {std::pair<const char *, int *>{"init", &role.init},
                             {"drain", &role.drain},
                             {"model", &role.model}})
      *part = static_cast<int>(integer(in, where, key, -1, functions - 1));
    std::set<std::string> names;
    for (const json &strand : array(in, where, "strands")) {
      std::string place = item(where + ".strands", role.strands.size());
      role.strands.push_back(readStrand(strand, place));
      if (!names.insert(role.strands.back().name).second)
        fail(place + ".name", "appears twice");
    }
    if (role.strands.empty())
      fail(where + ".strands", "there must be one at least");
    // A member has one role, so those of two roles may lie at one place.
    frames.insert(frames.end(), extents.begin(), extents.end());
    checkDisjoint(std::exchange(frames, {}));
    if (failed())
      return;
    unit.program.roles.push_back(std::move(role));
  }
  if (unit.program.roles.empty())
    fail("program.roles", "there must be one at least");
}

void ManifestReader::readChannels(const json &program) {
  for (const json &in : array(program, "program", "channels")) {
    std::string where = item("program.channels", unit.program.channels.size());
    ProgramChannel channel;
    channel.name = text(in, where, "name");
    channel.kind = text(in, where, "kind");
    channel.server = text(in, where, "server");
    constexpr int64_t most = int64_t(1) << 46; // as regions
    channel.bytes = integer(in, where, "bytes", 0, most);
    channel.exempt = integer(in, where, "exempt");
    channel.ahead = integer(in, where, "ahead", -1);
    bool mailbox = channel.kind == "mailbox";
    if (!mailbox && channel.kind != "collective" && channel.kind != "pair")
      fail(where + ".kind", "must be collective, pair or mailbox");
    const RoleSpec *server = roleNamed(channel.server);
    if (mailbox && (!server || server->count != 1))
      fail(where + ".server", "must be a role of one member");
    if (!mailbox && !channel.server.empty())
      fail(where + ".server", "only a mailbox has one");
    if (failed())
      return;
    unit.program.channels.push_back(std::move(channel));
  }
}

policy::Entry ManifestReader::readEntry(const json &in,
                                        const std::string &where) {
  policy::Entry entry;
  entry.name = text(in, where, "name");
  auto types = [&](const char *key, std::vector<policy::ValueType> &list) {
    for (const json &type : array(in, where, key)) {
      if (type == "i64")
        list.push_back(policy::ValueType::I64);
      else if (type == "f64")
        list.push_back(policy::ValueType::F64);
      else if (type == "i1")
        list.push_back(policy::ValueType::I1);
      else
        fail(where + "." + key, "must hold i64, f64 or i1 only");
    }
    if (list.size() > askLimit)
      fail(where + "." + key,
           "has more than " + std::to_string(askLimit) + " values");
  };
  types("inputs", entry.inputs);
  types("outputs", entry.outputs);
  return entry;
}

void ManifestReader::readSettings(const json &in, const std::string &where,
                                  PolicySpec &policy) {
  const json &settings = object(in, where, "settings");
  if (failed())
    return;
  for (const auto &[name, value] : settings.items()) {
    policy::Setting setting;
    if (value.is_boolean())
      setting = value.get<bool>();
    else if (value.is_number_integer())
      setting =
          integer(value, where + ".settings." + name, INT64_MIN, INT64_MAX);
    else if (value.is_number_float())
      setting = value.get<double>();
    else if (value.is_string())
      setting = value.get<std::string>();
    else
      fail(where + ".settings." + name,
           "must be a number, a string, true or false");
    policy.settings.push_back({name, std::move(setting)});
  }
}

void ManifestReader::readPolicies(const json &program) {
  std::vector<std::string_view> known = policy::policyNames();
  for (const json &in : array(program, "program", "policies")) {
    std::string where = item("program.policies", unit.program.policies.size());
    PolicySpec policy;
    policy.name = text(in, where, "name");
    policy.kind = text(in, where, "kind");
    if (std::find(known.begin(), known.end(), policy.kind) == known.end())
      fail(where + ".kind", "there is no policy '" + policy.kind + "'");
    std::string placement = text(in, where, "placement");
    if (placement == "replicated")
      policy.placement = policy::Placement::Replicated;
    else if (placement == "central")
      policy.placement = policy::Placement::Central;
    else if (placement != "local")
      fail(where + ".placement", "must be replicated, local or central");
    readSettings(in, where, policy);
    for (const json &entry : array(in, where, "entries")) {
      std::string place = item(where + ".entries", policy.entries.size());
      policy.entries.push_back(readEntry(entry, place));
    }
    for (const json &asker : array(in, where, "askers")) {
      std::string name = asker.is_string() ? asker.get<std::string>() : "";
      if (!roleNamed(name))
        fail(where + ".askers", "there is no role '" + name + "'");
      policy.askers.push_back(std::move(name));
    }
    if (failed())
      return;
    unit.program.policies.push_back(std::move(policy));
  }
}

void ManifestReader::readRendezvous(const json &program) {
  std::set<std::string> strands;
  for (const RoleSpec &role : unit.program.roles)
    for (const StrandSpec &strand : role.strands)
      strands.insert(role.name + "." + strand.name);
  for (const json &in : array(program, "program", "rendezvous")) {
    std::string where =
        item("program.rendezvous", unit.program.rendezvous.size());
    RendezvousSpec spec;
    spec.name = text(in, where, "name");
    for (const json &strand : array(in, where, "strands")) {
      std::string name = strand.is_string() ? strand.get<std::string>() : "";
      if (!strands.count(name))
        fail(where + ".strands", "there is no strand '" + name + "'");
      spec.strands.push_back(std::move(name));
    }
    if (failed())
      return;
    unit.program.rendezvous.push_back(std::move(spec));
  }
}

} // namespace rubato
