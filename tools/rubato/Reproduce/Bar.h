// How far a reproduction is: a line that is rewritten, on a terminal only.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_BAR_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_BAR_H

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

class Bar {
public:
  explicit Bar(size_t total)
      : total(total), shown(llvm::sys::Process::StandardErrIsDisplayed()) {}
  ~Bar() {
    if (shown)
      llvm::errs() << "\r\033[K";
  }
  void show(const llvm::Twine &what) {
    if (!shown)
      return;
    constexpr size_t width = 30;
    size_t full = width * done / total;
    llvm::errs() << "\r\033[K[" << std::string(full, '=')
                 << std::string(width - full, ' ') << "] " << done << "/"
                 << total << "  " << what;
  }
  void advance() { ++done; }

private:
  size_t total, done = 0;
  bool shown;
};

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_BAR_H
