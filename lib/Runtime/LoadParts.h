// SPDX-License-Identifier: Apache-2.0
//
// The parts of loading that stand in files of their own. Private to the
// runtime.

#ifndef SPYRE_LIB_RUNTIME_LOADPARTS_H
#define SPYRE_LIB_RUNTIME_LOADPARTS_H

#include "spyre/Runtime/Runtime.h"

namespace spyre::rt {

/// What a launch patches into each program; an error unless every buffer that
/// an argument binds and every scalar has exactly one symbol of its argument.
Expected<std::vector<std::vector<Model::Patch>>>
resolveSymbols(const launch::LaunchPlan &plan);

/// Copies every weight of an accepted plan to the model's segments.
Status loadWeights(const launch::Artifact &artifact, const Model &model);

/// Writes a device image in pieces, with the mask of the elements it holds.
Status copyImage(Device &device, Address to, std::span<const std::byte> image,
                 const layout::StickLayout &layout,
                 std::span<const int64_t> shape, ElementType type);

} // namespace spyre::rt

#endif // SPYRE_LIB_RUNTIME_LOADPARTS_H
