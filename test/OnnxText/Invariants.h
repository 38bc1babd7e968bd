// SPDX-License-Identifier: Apache-2.0
//
// What holds of every model that the reader accepts, checked independently of
// it and as simply as possible. For the property tests and the fuzzer.

#ifndef SPYRE_TEST_ONNXTEXT_INVARIANTS_H
#define SPYRE_TEST_ONNXTEXT_INVARIANTS_H

#include "spyre/OnnxFile/Model.h"

namespace spyre::onnxfile::text {

/// The first of these that does not hold, in words; empty if all do:
/// - tensors: dims not negative, data inside its file and as long as dims and
///   type say (unless it is external and `externalIsResolved` is false);
/// - graphs: every value is defined once, before its uses or in a graph
///   around; captures are exactly the values of graphs around that are used;
/// - node indices are a permutation.
std::string brokenInvariant(const Model &model, bool externalIsResolved);
std::string brokenInvariant(const Tensor &tensor,
                            std::span<const SourceFile> files,
                            bool externalIsResolved);

} // namespace spyre::onnxfile::text

#endif // SPYRE_TEST_ONNXTEXT_INVARIANTS_H
