// Names in the weights blob of a unit (docs/unit.md), which the compiler writes
// and the runtime reads.
#pragma once

namespace rubato {

/// The metadata's `format`. A blob of another one would be misunderstood.
inline constexpr char weightsFormat[] = "rubato 2";

/// The tensor that holds the inference model, without the bytes of its holes.
inline constexpr char templateTensor[] = "__onnx_template__";

/// What the metadata's key of a hole begins with; the tensor's name follows.
inline constexpr char holePrefix[] = "hole.";

} // namespace rubato
