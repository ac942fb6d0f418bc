#include "cli/option_values.h"

using namespace rubato;

Status rubato::positive(const std::string &text, double &to) {
  RB_TRY(parseNumber(text, to));
  if (!(to > 0))
    return usage("'" + text + "' must be above 0");
  return Status::ok();
}

Status rubato::named(const std::vector<const BatchBuffer *> &candidates,
                     const std::string &text, std::string &name,
                     std::string &value) {
  size_t equals = text.find('=');
  std::vector<std::string> names;
  for (const BatchBuffer *buffer : candidates)
    names.push_back(buffer->name);
  if (equals == text.npos) {
    if (names.size() != 1)
      return usage("'" + text + "' needs a name: NAME=" + text);
    name = names[0];
    value = text;
  } else {
    name = text.substr(0, equals);
    value = text.substr(equals + 1);
    bool known = false;
    std::string list;
    for (const std::string &candidate : names) {
      known |= candidate == name;
      list += (list.empty() ? "'" : ", '") + candidate + "'";
    }
    if (!known)
      return usage("the model has no '" + name + "' there; it has " +
                   (list.empty() ? "none" : list));
  }
  if (value.empty())
    return usage("'" + text + "' has no value");
  return Status::ok();
}

std::vector<const BatchBuffer *>
rubato::pointers(const std::vector<BatchBuffer> &list) {
  std::vector<const BatchBuffer *> result;
  for (const BatchBuffer &buffer : list)
    result.push_back(&buffer);
  return result;
}

Status rubato::addFile(const std::vector<BatchBuffer> &buffers,
                       std::map<std::string, std::string> &files,
                       const std::string &text) {
  std::string name, file;
  RB_TRY(named(pointers(buffers), text, name, file));
  if (!files.emplace(name, file).second)
    return usage("'" + name + "' was given twice");
  return Status::ok();
}

/// The transform that NAME=VALUE speaks of.
static Status transformOf(const Unit &unit, Transforms &transforms,
                          const std::string &text, Transform *&transform,
                          std::string &value) {
  auto candidates = pointers(unit.inputs);
  if (text.find('=') != text.npos)
    for (const BatchBuffer &label : unit.labels)
      candidates.push_back(&label);
  std::string name;
  RB_TRY(named(candidates, text, name, value));
  transform = &transforms[name];
  return Status::ok();
}

Status rubato::addScale(const Unit &unit, Transforms &to,
                        const std::string &text) {
  Transform *transform;
  std::string value;
  RB_TRY(transformOf(unit, to, text, transform, value));
  return parseNumber(value, transform->scale.emplace());
}

Status rubato::addMean(const Unit &unit, Transforms &to,
                       const std::string &text) {
  Transform *transform;
  std::string value;
  RB_TRY(transformOf(unit, to, text, transform, value));
  return parseNumbers(value, transform->mean);
}

Status rubato::addStd(const Unit &unit, Transforms &to,
                      const std::string &text) {
  Transform *transform;
  std::string value;
  RB_TRY(transformOf(unit, to, text, transform, value));
  return parseNumbers(value, transform->std);
}

Status rubato::addSlow(const std::string &text,
                       std::map<int64_t, double> &slow) {
  size_t colon = text.find(':');
  if (colon == text.npos)
    return usage("'" + text + "' is not RANK:FACTOR");
  int64_t rank = 0;
  double factor = 0;
  RB_TRY(number<int64_t>(text.substr(0, colon), 0, 1023, rank));
  RB_TRY(parseNumber(text.substr(colon + 1), factor));
  constexpr double most = 1000;
  if (!(factor >= 1 && factor <= most))
    return usage("the factor of '" + text + "' must lie between 1 and 1000");
  if (!slow.emplace(rank, factor).second)
    return usage("rank " + std::to_string(rank) + " was given twice");
  return Status::ok();
}
