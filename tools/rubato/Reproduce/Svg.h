// Pieces of the pages that reports are made of: HTML and SVG as text.
#ifndef RUBATO_TOOLS_RUBATO_REPRODUCE_SVG_H
#define RUBATO_TOOLS_RUBATO_REPRODUCE_SVG_H

#include "Study.h"

#include "llvm/ADT/StringRef.h"

namespace svg {

/// Where a plot lies in its picture.
struct Plot {
  static constexpr double left = 70, right = 640, top = 14, bottom = 270;
  static constexpr double width = 860, height = 310;
};

const char *colour(size_t index);
std::string escaped(llvm::StringRef text);
std::string openSvg();
/// `kind` is a class of the page's style: grid, axis or mark.
std::string line(double x1, double y1, double x2, double y2,
                 llvm::StringRef kind);
std::string text(double x, double y, llvm::StringRef words,
                 llvm::StringRef anchor);
/// The entry of a curve, at place `index` beside the plot.
std::string legend(size_t index, llvm::StringRef name);

/// The head of a page up to its notes, with the body open.
std::string pageHead(llvm::StringRef title, const Verdict &verdict,
                     const std::vector<std::string> &notes);

} // namespace svg

#endif // RUBATO_TOOLS_RUBATO_REPRODUCE_SVG_H
