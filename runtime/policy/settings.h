// Settings by name, as programs declare them, and their way into the options
// of a policy: types are checked, and mistakes are answered with what is
// allowed.
#pragma once

#include "support/status.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rubato::policy {

using Setting = std::variant<bool, int64_t, double, std::string>;

struct NamedSetting {
  std::string name;
  Setting value;
};

/// The error of a setting whose value has no meaning; `allowed` completes the
/// sentence "setting … must be".
Status badSetting(std::string_view policy, std::string_view setting,
                  std::string_view allowed);

/// A word that stands for a value: a choice, or a number that cannot be
/// written.
template <typename T> struct Word {
  std::string_view word;
  T value;
};
template <typename T> using Words = std::initializer_list<Word<T>>;

/// Takes given settings one by one into fields, which keep their default where
/// nothing is given. The first mistake is kept; `finish` tells it, or a
/// setting that nobody took. A whole real number is good for an integer, and
/// an integer for a real number.
class SettingTaker {
public:
  SettingTaker(std::string_view policy, std::span<const NamedSetting> given);

  void take(std::string_view name, bool &field);
  void take(std::string_view name, std::string &field);
  void take(std::string_view name, int64_t &field, Words<int64_t> words = {});
  void take(std::string_view name, double &field, Words<double> words = {});
  /// An optional one is unset by the word "auto".
  template <typename T>
  void take(std::string_view name, std::optional<T> &field,
            Words<T> words = {}) {
    if (isWord(name, "auto")) {
      (void)find(name);
      field.reset();
      return;
    }
    T value = field.value_or(T());
    allowAuto = true;
    take(name, value, words);
    allowAuto = false;
    if (lastTaken)
      field = value;
  }
  /// One of several words.
  template <typename T>
  void choose(std::string_view name, T &field, std::span<const Word<T>> words) {
    const Setting *setting = find(name);
    if (setting && !takeWord(*setting, field, words))
      refuse(name, *setting, "", quoted(words));
  }
  template <typename T>
  void choose(std::string_view name, T &field, Words<T> words) {
    choose(name, field, std::span<const Word<T>>(words));
  }

  /// Whether a setting of this name was given.
  bool has(std::string_view name) const;
  Status finish() const;

private:
  /// The value of a name, noted as taken; null where it was not given.
  const Setting *find(std::string_view name);
  bool isWord(std::string_view name, std::string_view word) const;
  void refuse(std::string_view name, const Setting &value, std::string type,
              const std::vector<std::string> &words);

  template <typename T>
  static bool takeWord(const Setting &setting, T &field,
                       std::span<const Word<T>> words) {
    const std::string *given = std::get_if<std::string>(&setting);
    for (const Word<T> &each : words) {
      if (!given || *given != each.word)
        continue;
      field = each.value;
      return true;
    }
    return false;
  }
  template <typename T>
  static std::vector<std::string> quoted(std::span<const Word<T>> words) {
    std::vector<std::string> result;
    for (const Word<T> &each : words)
      result.push_back("\"" + std::string(each.word) + "\"");
    return result;
  }

  std::string policy;
  std::span<const NamedSetting> given;
  std::vector<std::string> known;
  bool allowAuto = false, lastTaken = false;
  Status mistake;
};

} // namespace rubato::policy
