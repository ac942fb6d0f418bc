// The stages of the compiler and the module attributes that travel with them.
#ifndef RUBATO_SUPPORT_STAGE_H
#define RUBATO_SUPPORT_STAGE_H

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace rubato {

/// In the order in which a module passes through them.
enum class Stage { Import, Train, Sync, Kernels, Schedule, Llvm, Obj, Exe };

llvm::StringRef stageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);

/// Module attributes.
inline constexpr llvm::StringLiteral kStageAttr = "rubato.stage";
inline constexpr llvm::StringLiteral kOptionsAttr = "rubato.options";
inline constexpr llvm::StringLiteral kWeightsAttr = "rubato.weights";
inline constexpr llvm::StringLiteral kDigestAttr = "rubato.weights_digest";
inline constexpr llvm::StringLiteral kBatchAttr = "rubato.batch";

/// Marks a function that is a kernel (docs/kernels.md).
inline constexpr llvm::StringLiteral kKernelAttr = "rubato.kernel";

/// On the declaration of a kernel in the llvm stage: what its launches cost.
inline constexpr llvm::StringLiteral kCostAttr = "rubato.cost";

/// On a call or a launch: what traces call it, where that is not its kernel.
inline constexpr llvm::StringLiteral kLabelAttr = "rubato.label";

/// On the start and the await of a reduction: how they overlap with computing,
/// or what stopped them.
inline constexpr llvm::StringLiteral kOverlapAttr = "rubato.overlap";

/// On a kernel that adds to accumulators: the variant that starts from zero (a
/// symbol), and which operands the variant does not have (indices).
inline constexpr llvm::StringLiteral kFreshAttr = "rubato.fresh";
inline constexpr llvm::StringLiteral kAccumulatorsAttr = "rubato.accumulators";

} // namespace rubato

#endif // RUBATO_SUPPORT_STAGE_H
