// Errors as values: a code, and a message that says where and what to do.
#pragma once

#include <string>
#include <utility>

namespace rubato {

/// Exit codes of every Rubato program; a failed Status carries one.
enum class ErrorCode : int {
  Ok = 0,
  User = 1,          // diagnosed error in the input
  Usage = 2,         // wrong command line
  Unsupported = 3,   // an operator or feature we do not have
  Communication = 4, // a peer died or did not answer
  Numeric = 5,       // NaN or infinite loss
  Internal = 70,     // a bug of ours
  Again = 75         // no ending: what failed is to be done once more
};

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(ErrorCode code, std::string message)
      : code_(code), message_(std::move(message)) {}

  static Status ok() { return {}; }
  static Status user(std::string message) {
    return {ErrorCode::User, std::move(message)};
  }

  explicit operator bool() const { return code_ == ErrorCode::Ok; }
  ErrorCode code() const { return code_; }
  const std::string &message() const { return message_; }

  /// Adds context in front of the message: "epoch 3: cannot write …".
  Status annotate(const std::string &context) && {
    if (code_ != ErrorCode::Ok)
      message_ = context + ": " + message_;
    return std::move(*this);
  }

private:
  ErrorCode code_ = ErrorCode::Ok;
  std::string message_;
};

/// "Run the round again": a peer of an exchange is gone, others go on.
inline Status again(std::string why) {
  return {ErrorCode::Again, std::move(why)};
}
inline bool isAgain(const Status &status) {
  return status.code() == ErrorCode::Again;
}

/// Returns from the calling function when `expression` failed.
#define RB_TRY(expression)                                                     \
  do {                                                                         \
    if (::rubato::Status rbTry = (expression); !rbTry)                         \
      return rbTry;                                                            \
  } while (false)

} // namespace rubato
