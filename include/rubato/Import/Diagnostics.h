// What the importer has to say about a model: errors, warnings, remedies.
#ifndef RUBATO_IMPORT_DIAGNOSTICS_H
#define RUBATO_IMPORT_DIAGNOSTICS_H

#include <string>
#include <vector>

namespace rubato::onnx {

/// `Unsupported` is an error too: the file is sound, we cannot train it.
enum class Severity { Warning, Error, Unsupported };

struct Diagnostic {
  Severity severity;
  std::string where;   // "node 'fc1' (Gemm)", or empty for the whole file
  std::string message; // one sentence without a full stop
  std::string remedy;  // what to do, may be empty
};

/// Collects diagnostics about one file. The first line of each reads
/// `model.onnx:node 'fc1' (Gemm): error: …`, the remedy follows as a note.
class Diagnostics {
public:
  explicit Diagnostics(std::string file = {}) : file(std::move(file)) {}

  /// These return false, so that a check can end with `return error(…)`.
  bool error(std::string where, std::string message, std::string remedy = {});
  bool unsupported(std::string where, std::string message,
                   std::string remedy = {});
  void warning(std::string where, std::string message, std::string remedy = {});

  bool failed() const { return exitCode() != 0; }
  /// 0, 1 for an error in the input, 3 for something that we do not have.
  int exitCode() const;

  const std::vector<Diagnostic> &all() const { return list; }
  const std::string &fileName() const { return file; }
  /// All diagnostics as text, ready to be printed.
  std::string str() const;

private:
  std::string file;
  std::vector<Diagnostic> list;
};

/// The name in `names` that is most like `name`, or an empty string.
std::string nearestName(const std::string &name,
                        const std::vector<std::string> &names);

} // namespace rubato::onnx

#endif // RUBATO_IMPORT_DIAGNOSTICS_H
