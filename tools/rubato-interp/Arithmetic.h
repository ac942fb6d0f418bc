// What communication computes: sums by ascending member and rearrangements.
#ifndef RUBATO_TOOLS_INTERP_ARITHMETIC_H
#define RUBATO_TOOLS_INTERP_ARITHMETIC_H

#include "tools/rubato-interp/World.h"

namespace rubato::interp {

/// The sum of two values in the type of their elements.
Value sumOf(const Value &a, const Value &b);
/// A value times a number that is first rounded to the type of its elements.
Value scaled(const Value &value, double factor);

/// Value `i` of every member, summed from the first member to the last.
Value sumOf(llvm::ArrayRef<const Values *> members, size_t i);
/// The same of sparse rows: values `i` (indices) and `i + 1` (rows). Every
/// index once, ascending.
Values sumOfRows(llvm::ArrayRef<const Values *> members, size_t i);
/// One entry per member.
Value gather(llvm::ArrayRef<const Values *> members, size_t i);
/// Rows ⌊size·r/n⌋ up to ⌊size·(r+1)/n⌋.
Value partOf(const Value &value, int64_t r, int64_t n);

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_ARITHMETIC_H
