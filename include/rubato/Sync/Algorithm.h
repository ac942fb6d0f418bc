// How an algorithm describes itself: its names, its options, its warnings.
//
// The command line, `rubato explain`, the generated documentation and the pass
// that chooses an algorithm all read these tables; nothing of them is said
// twice.
#ifndef RUBATO_SYNC_ALGORITHM_H
#define RUBATO_SYNC_ALGORITHM_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace rubato {

/// One constant that a user may set: `--algorithm-option name=value`.
struct AlgorithmOption {
  /// A file is read when the option is set; what is kept is what it says, so
  /// that nobody needs it later.
  enum class Kind { Integer, Real, Flag, Choice, File };
  using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

  std::string name;
  Kind kind = Kind::Integer;
  /// The default, written as a user would write it.
  std::string value;
  /// A sentence.
  std::string help;
  /// Bounds of a number, both allowed.
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  /// What a choice may be.
  std::vector<std::string> choices = {};
  /// What a file says, from its path and text; messages name its lines.
  llvm::FailureOr<std::string> (*read)(llvm::StringRef path,
                                       llvm::StringRef text,
                                       EmitError emitError) = nullptr;
};

/// A name under which a user asks for the algorithm, with the options it sets.
struct AlgorithmConfiguration {
  std::string name;
  /// A sentence without its full stop.
  std::string summary;
  std::vector<std::pair<std::string, std::string>> settings = {};
};

struct AlgorithmInfo {
  /// The first is the algorithm itself, with its defaults.
  std::vector<AlgorithmConfiguration> configurations;
  /// What it does and when to use it, in plain words; paragraphs.
  std::string description;
  std::vector<AlgorithmOption> options = {};
  /// What goes wrong for people; a sentence or two each.
  std::vector<std::string> warnings = {};
  /// Whether it is meant where nobody names one; true of one algorithm.
  bool byDefault = false;
  /// Finds options that do not go together.
  llvm::LogicalResult (*check)(const class AlgorithmOptions &options,
                               AlgorithmOption::EmitError emitError) = nullptr;
};

/// The options of an algorithm's attribute, complete and checked.
class AlgorithmOptions {
public:
  using EmitError = AlgorithmOption::EmitError;

  explicit AlgorithmOptions(mlir::DictionaryAttr values) : values(values) {}

  /// Defaults, then what the configuration sets, then what the user gave as
  /// `name=value`.
  static llvm::FailureOr<mlir::DictionaryAttr>
  resolve(const AlgorithmInfo &info,
          const AlgorithmConfiguration &configuration,
          llvm::ArrayRef<std::string> given, mlir::MLIRContext *context,
          EmitError emitError);

  /// Reads an attribute that may come from a file: missing options take the
  /// values they have in the configuration, wrong ones are errors at `user`.
  static llvm::FailureOr<AlgorithmOptions>
  read(const AlgorithmInfo &info, const AlgorithmConfiguration &configuration,
       mlir::DictionaryAttr options, mlir::Operation *user);

  int64_t integer(llvm::StringRef name) const;
  double real(llvm::StringRef name) const;
  bool flag(llvm::StringRef name) const;
  llvm::StringRef choice(llvm::StringRef name) const;
  /// What a file says.
  llvm::StringRef text(llvm::StringRef name) const;

private:
  mlir::DictionaryAttr values;
};

class ProgramBuilder;

/// Writes an algorithm's program where the builder stands, in front of
/// gsync.train. Fails with a diagnostic where options, model or optimizer do
/// not fit.
using BuildProgram = llvm::LogicalResult (*)(ProgramBuilder &b,
                                             const AlgorithmOptions &options);

} // namespace rubato

#endif // RUBATO_SYNC_ALGORITHM_H
