// Types of settings, and the words of errors about them.
#include "policy/settings.h"

#include <algorithm>
#include <cmath>

namespace rubato::policy {

Status badSetting(std::string_view policy, std::string_view setting,
                  std::string_view allowed) {
  return Status::user(std::string(policy) + ": setting '" +
                      std::string(setting) + "' must be " +
                      std::string(allowed));
}

/// A value as an error shows it.
static std::string shown(const Setting &setting) {
  if (const bool *flag = std::get_if<bool>(&setting))
    return *flag ? "true" : "false";
  if (const int64_t *number = std::get_if<int64_t>(&setting))
    return std::to_string(*number);
  if (const double *number = std::get_if<double>(&setting))
    return std::to_string(*number);
  return "\"" + std::get<std::string>(setting) + "\"";
}

SettingTaker::SettingTaker(std::string_view policy,
                           std::span<const NamedSetting> given)
    : policy(policy), given(given) {
  for (size_t i = 0; i < given.size() && mistake; ++i)
    for (size_t j = 0; j < i; ++j)
      if (given[i].name == given[j].name)
        mistake = Status::user(this->policy + ": setting '" + given[i].name +
                               "' is given twice; give it once");
}

bool SettingTaker::has(std::string_view name) const {
  return std::any_of(given.begin(), given.end(),
                     [&](auto &each) { return each.name == name; });
}

const Setting *SettingTaker::find(std::string_view name) {
  known.emplace_back(name);
  lastTaken = false;
  for (const NamedSetting &each : given)
    if (each.name == name)
      return &each.value;
  return nullptr;
}

bool SettingTaker::isWord(std::string_view name, std::string_view word) const {
  return std::any_of(given.begin(), given.end(), [&](auto &each) {
    const std::string *text = std::get_if<std::string>(&each.value);
    return each.name == name && text && *text == word;
  });
}

void SettingTaker::refuse(std::string_view name, const Setting &value,
                          std::string type,
                          const std::vector<std::string> &words) {
  if (!mistake)
    return;
  std::vector<std::string> allowed = words;
  if (!type.empty())
    allowed.insert(allowed.begin(), std::move(type));
  if (allowAuto)
    allowed.emplace_back("\"auto\"");
  std::string list;
  for (size_t i = 0; i < allowed.size(); ++i) {
    if (i > 0)
      list += i + 1 == allowed.size() ? " or " : ", ";
    list += allowed[i];
  }
  mistake = badSetting(policy, name, list + ", not " + shown(value));
}

void SettingTaker::take(std::string_view name, bool &field) {
  const Setting *setting = find(name);
  if (!setting)
    return;
  if (const bool *flag = std::get_if<bool>(setting))
    field = *flag;
  else
    refuse(name, *setting, "true or false", {});
}

void SettingTaker::take(std::string_view name, std::string &field) {
  const Setting *setting = find(name);
  if (!setting)
    return;
  if (const std::string *text = std::get_if<std::string>(setting))
    field = *text;
  else
    refuse(name, *setting, "a text", {});
}

void SettingTaker::take(std::string_view name, int64_t &field,
                        Words<int64_t> words) {
  const Setting *setting = find(name);
  if (!setting)
    return;
  const double *real = std::get_if<double>(setting);
  if (const int64_t *number = std::get_if<int64_t>(setting))
    field = *number;
  else if (real && std::floor(*real) == *real && std::abs(*real) < 0x1p63)
    field = static_cast<int64_t>(*real);
  else if (!takeWord<int64_t>(*setting, field, words))
    return refuse(name, *setting, "an integer", quoted<int64_t>(words));
  lastTaken = true;
}

void SettingTaker::take(std::string_view name, double &field,
                        Words<double> words) {
  const Setting *setting = find(name);
  if (!setting)
    return;
  if (const double *number = std::get_if<double>(setting))
    field = *number;
  else if (const int64_t *number = std::get_if<int64_t>(setting))
    field = static_cast<double>(*number);
  else if (!takeWord<double>(*setting, field, words))
    return refuse(name, *setting, "a number", quoted<double>(words));
  lastTaken = true;
}

Status SettingTaker::finish() const {
  if (!mistake)
    return mistake;
  std::string list;
  for (const std::string &name : known)
    list += (list.empty() ? "" : ", ") + name;
  for (const NamedSetting &each : given)
    if (std::find(known.begin(), known.end(), each.name) == known.end())
      return Status::user(policy + ": no setting '" + each.name + "'; it has " +
                          list);
  return Status::ok();
}

} // namespace rubato::policy
