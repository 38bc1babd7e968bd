// SPDX-License-Identifier: Apache-2.0
//
// Scaled dot product attention and rotary embedding, for the decoders of all
// their spellings.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_ATTENTIONCORE_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_ATTENTIONCORE_H

#include "GraphBuilder.h"

namespace spyre {

struct AttentionProblem {
  /// [batch, query heads, queries, head].
  mlir::Value query;
  /// [batch, key heads, keys, head]; query heads are a multiple of key heads.
  mlir::Value key;
  mlir::Value value;
  double scale = 1;
  /// scores = softcap * tanh(scores / softcap), before any mask; 0: not.
  double softcap = 0;
  /// Null, or a tensor that broadcasts to [batch, query heads, queries, keys]:
  /// i1 (false hides a key) or a float that is added.
  mlir::Value mask;
  /// A query sees keys up to its own position, which is its index plus
  /// `offset` (or plus the batch's entry in `offsets`, [batch] integers).
  bool causal = false;
  int64_t offset = 0;
  mlir::Value offsets;
  /// With causal: a query sees this many keys, its own included; 0: all.
  int64_t window = 0;
  /// Null, or [batch] integers: keys from there on are hidden.
  mlir::Value validKeys;

  bool isGrouped() const { return shapeOf(query)[1] != shapeOf(key)[1]; }
};

/// The scores at the stages that ONNX can output, [batch, query heads, queries,
/// keys], and the result, [batch, query heads, queries, value head].
struct AttentionResult {
  mlir::Value scaled;
  mlir::Value capped;
  mlir::Value masked;
  mlir::Value probabilities;
  mlir::Value result;
};

/// Scores, mask and softmax are f32, the probabilities have the type of the
/// values. A query whose keys are all hidden has probabilities 0. Keys and
/// values are never repeated for the heads that share them.
AttentionResult buildAttention(GraphBuilder &g,
                               const AttentionProblem &problem);

/// [batch, length, heads * head] as [batch, heads, length, head].
mlir::Value splitHeads(GraphBuilder &g, mlir::Value value, int64_t heads);
/// The inverse.
mlir::Value mergeHeads(GraphBuilder &g, mlir::Value value);

/// Rotates the first dims of the last axis of x, [batch, heads, length, head],
/// by angles whose cosines and sines, [batch or 1, length, half], broadcast
/// over heads. Interleaved: pairs are neighbours, else the two halves.
mlir::Value buildRotary(GraphBuilder &g, mlir::Value x, mlir::Value cosines,
                        mlir::Value sines, bool interleaved);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_ATTENTIONCORE_H
