// SPDX-License-Identifier: Apache-2.0
//
// The operators Attention, RotaryEmbedding and SwiGLU of ai.onnx.

#include "AttentionCore.h"
#include "Gather.h"
#include "Registry.h"

#include <cmath>

using namespace mlir;

namespace spyre {

namespace {

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Query, key and value as [batch, heads, length, head].
LogicalResult readHeads(DecodeContext &c, AttentionProblem &problem) {
  const bool flat = c.rank(0) == 3;
  for (size_t i : {0, 1, 2}) {
    if (c.rank(i) != (flat ? 3 : 4)) {
      return c.mismatch("inputs 0 to 2 have ranks " + Twine(c.rank(0)) + ", " +
                        Twine(c.rank(1)) + ", " + Twine(c.rank(2)));
    }
  }
  if (!flat) {
    problem.query = c.in(0);
    problem.key = c.in(1);
    problem.value = c.in(2);
    return success();
  }
  const int64_t queryHeads = c.intAttr("q_num_heads", 0);
  const int64_t keyHeads = c.intAttr("kv_num_heads", 0);
  if (queryHeads < 1 || keyHeads < 1 || c.shape(0)[2] % queryHeads != 0 ||
      c.shape(1)[2] % keyHeads != 0 || c.shape(2)[2] % keyHeads != 0) {
    return c.badAttribute("q_num_heads " + Twine(queryHeads) +
                          " and kv_num_heads " + Twine(keyHeads) +
                          " do not divide the inputs");
  }
  problem.query = splitHeads(c.g, c.in(0), queryHeads);
  problem.key = splitHeads(c.g, c.in(1), keyHeads);
  problem.value = splitHeads(c.g, c.in(2), keyHeads);
  return success();
}

/// Appends the new keys and values to the past ones.
LogicalResult appendPast(DecodeContext &c, AttentionProblem &problem) {
  if (c.has(4) != c.has(5)) {
    return c.mismatch("past_key and past_value come together");
  }
  if (!c.has(4)) {
    return success();
  }
  for (auto [index, value] : {std::pair<size_t, Value *>(4, &problem.key),
                              std::pair<size_t, Value *>(5, &problem.value)}) {
    Shape past(c.shape(index));
    Shape wanted(shapeOf(*value));
    if (past.size() == 4) {
      wanted[2] = past[2];
    }
    if (past != wanted || c.element(index) != elementOf(*value)) {
      return c.mismatch("input " + Twine(index) + " is " +
                        toText(c.in(index).getType()) + " for new ones of " +
                        toText(value->getType()));
    }
    *value = c.g.concat({c.in(index), *value}, 2);
  }
  problem.offset = c.shape(4)[2];
  return success();
}

LogicalResult checkShapes(DecodeContext &c, const AttentionProblem &problem) {
  ShapeRef query = shapeOf(problem.query);
  ShapeRef key = shapeOf(problem.key);
  ShapeRef value = shapeOf(problem.value);
  if (query[0] != key[0] || key[0] != value[0] || key[1] != value[1] ||
      key[2] != value[2] || query[3] != key[3] || key[1] < 1 ||
      query[1] % key[1] != 0) {
    return c.mismatch("query " + toText(query) + ", key " + toText(key) +
                      " and value " + toText(value));
  }
  if (!problem.mask) {
    return success();
  }
  Shape scores = {query[0], query[1], query[2], key[2]};
  Shape mask(shapeOf(problem.mask));
  if (!mask.empty() && mask.back() < key[2]) {
    mask.back() = key[2];
  }
  if (mask.empty() || broadcastShapes({scores, mask}) != scores) {
    return c.mismatch("a mask of shape " + toText(shapeOf(problem.mask)) +
                      " for scores of " + toText(scores));
  }
  return success();
}

LogicalResult decodeAttention(DecodeContext &c) {
  AttentionProblem problem;
  if (failed(c.sameElements({0, 1})) || failed(readHeads(c, problem)) ||
      failed(appendPast(c, problem))) {
    return failure();
  }
  problem.mask = c.in(3);
  if (failed(checkShapes(c, problem))) {
    return failure();
  }
  const auto head = static_cast<double>(shapeOf(problem.query)[3]);
  problem.scale = c.floatAttr("scale", 1 / std::sqrt(head));
  problem.softcap = c.floatAttr("softcap", 0);
  problem.causal = c.intAttr("is_causal", 0) != 0;
  if (c.has(6)) {
    problem.validKeys = c.in(6);
    if (c.shape(6) != shapeOf(problem.query).take_front()) {
      return c.mismatch("nonpad_kv_seqlen of shape " + toText(c.shape(6)));
    }
    if (problem.causal) {
      // The last query stands at the last valid key.
      const auto queries = static_cast<double>(shapeOf(problem.query)[2]);
      problem.offsets =
          c.g.map(c.in(6), c.element(6), [&](Scalars &s, ValueRange v) {
            return s.sub(v[0], s.like(v[0], queries));
          });
    }
  }
  AttentionResult result = buildAttention(c.g, problem);
  const int64_t mode = c.intAttr("qk_matmul_output_mode", 0);
  const Value stages[] = {result.scaled, result.capped, result.masked,
                          result.probabilities};
  if (mode < 0 || mode > 3) {
    return c.badAttribute("qk_matmul_output_mode is " + Twine(mode));
  }
  (void)c.set(1, problem.key);
  (void)c.set(2, problem.value);
  if (c.wants(3)) {
    (void)c.set(3, c.g.cast(stages[mode], c.element(0)));
  }
  return c.set(0,
               c.rank(0) == 3 ? mergeHeads(c.g, result.result) : result.result);
}

//===----------------------------------------------------------------------===//
// RotaryEmbedding
//===----------------------------------------------------------------------===//

LogicalResult decodeRotary(DecodeContext &c) {
  const bool flat = c.rank(0) == 3;
  Value x = c.in(0);
  if (flat) {
    const int64_t heads = c.intAttr("num_heads", 0);
    if (heads < 1 || c.shape(0)[2] % heads != 0) {
      return c.badAttribute("num_heads " + Twine(heads) + " does not divide " +
                            toText(c.shape(0)));
    }
    x = splitHeads(c.g, x, heads);
  }
  if (shapeOf(x).size() != 4) {
    return c.mismatch("shape " + toText(c.shape(0)) + " has no heads");
  }
  const int64_t batch = shapeOf(x)[0];
  const int64_t length = shapeOf(x)[2];
  const int64_t head = shapeOf(x)[3];
  int64_t rotated = c.intAttr("rotary_embedding_dim", 0);
  rotated = rotated == 0 ? head : rotated;
  Value cosines = c.in(1);
  Value sines = c.in(2);
  if (c.has(3)) {
    if (c.rank(1) != 2 || c.rank(2) != 2) {
      return c.mismatch("tables of rank " + Twine(c.rank(1)));
    }
    FailureOr<Value> positions = normalIndices(c, c.in(3), c.shape(1)[0]);
    if (failed(positions)) {
      return failure();
    }
    cosines = c.g.gather(cosines, *positions, 0);
    sines = c.g.gather(sines, *positions, 0);
  }
  const Shape wanted = {batch, length, rotated / 2};
  std::optional<Shape> table = broadcastShapes({shapeOf(cosines), wanted});
  if (rotated % 2 != 0 || rotated > head || table != wanted ||
      shapeOf(cosines) != shapeOf(sines) || shapeOf(cosines).size() != 3 ||
      shapeOf(cosines).back() != rotated / 2) {
    return c.mismatch("angles of shape " + toText(shapeOf(cosines)) +
                      ", needed is " + toText(wanted));
  }
  Value result =
      buildRotary(c.g, x, cosines, sines, c.intAttr("interleaved", 0) != 0);
  return c.set(0, flat ? mergeHeads(c.g, result) : result);
}

/// swish(a) * b.
LogicalResult decodeSwiGlu(DecodeContext &c) {
  const double alpha = c.floatAttr("alpha", 1);
  FailureOr<Shape> shape = c.broadcast({c.in(0), c.in(1)});
  if (failed(shape) || failed(c.sameElements({0, 1}))) {
    return failure();
  }
  return c.set(0, c.g.map({c.in(0), c.in(1)}, *shape, c.element(0),
                          [&](Scalars &s, ValueRange v) {
                            Value inner = s.mul(v[0], s.like(v[0], alpha));
                            return s.mul(s.mul(v[0], s.sigmoid(inner)), v[1]);
                          }));
}

} // namespace

void addAttentionDecoders(DecoderRegistry &r) {
  r.add("Attention", 23, decodeAttention, {.numRequired = 3});
  r.add("RotaryEmbedding", 23, decodeRotary, {.numRequired = 3});
  r.add("SwiGLU", 27, decodeSwiGlu, {.numRequired = 2});
}

} // namespace spyre
