// Kernels given as text, compiled by the emitters and loaded.
#ifndef RUBATO_TEST_UNIT_COMPILER_EMITTEDKERNELS_H
#define RUBATO_TEST_UNIT_COMPILER_EMITTEDKERNELS_H

#include "CompiledKernels.h"

namespace rubato::test {

/// Compiles `text` and expects that emitters took every kernel of it; null if
/// it is wrong.
std::unique_ptr<CompiledKernels> compileEmitted(const std::string &text);

/// What the kernels need from elsewhere, apart from the two functions that the
/// code generator may call for any loop: no heap, no libm.
std::vector<std::string> needs(const CompiledKernels &kernels);

} // namespace rubato::test

#endif // RUBATO_TEST_UNIT_COMPILER_EMITTEDKERNELS_H
