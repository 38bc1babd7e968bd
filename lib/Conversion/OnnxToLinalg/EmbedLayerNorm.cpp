// SPDX-License-Identifier: Apache-2.0
//
// com.microsoft's EmbedLayerNormalization: the sum of word, position and
// segment embeddings, normalised. Inputs ids, segments, the three tables,
// gamma, beta, mask, positions; outputs result, the length of each row of the
// mask, sum.

#include "Gather.h"
#include "Normalization.h"
#include "Registry.h"

using namespace mlir;

namespace spyre {
namespace {

/// The rows of a table at the indices; null table: null.
FailureOr<Value> lookUp(DecodeContext &c, Value table, Value indices) {
  if (!table) {
    return Value();
  }
  FailureOr<Value> normal = normalIndices(c, indices, shapeOf(table)[0]);
  if (failed(normal)) {
    return failure();
  }
  return c.g.gather(table, *normal, 0);
}

/// For each row of a mask how many of its elements are 1.
Value countOnes(GraphBuilder &g, Value mask) {
  Type type = g.b.getI32Type();
  Value ones = g.map(mask, type, [&](Scalars &s, ValueRange v) {
    return s.cast(s.compare(Scalars::Order::Equal, v[0], s.like(v[0], 1)),
                  type);
  });
  return g.reduce(ones, 1, Reduction::Sum);
}

LogicalResult checkTables(DecodeContext &c) {
  for (size_t index : {2, 3, 5, 6}) {
    if (!c.has(index)) {
      return c.mismatch("input " + Twine(index) + " is missing");
    }
  }
  for (size_t index : {2, 3, 4}) {
    if (c.has(index) &&
        (c.rank(index) != 2 || c.shape(index)[1] != c.shape(2).back())) {
      return c.mismatch("an embedding table of shape " +
                        toText(c.shape(index)));
    }
  }
  const ShapeRef hidden = c.shape(2).drop_front();
  if (c.shape(5) != hidden || c.shape(6) != hidden) {
    return c.mismatch("gamma of shape " + toText(c.shape(5)) +
                      " and beta of shape " + toText(c.shape(6)));
  }
  return c.sameElements({2, 3, 4, 5, 6});
}

LogicalResult checkIntegers(DecodeContext &c) {
  const ShapeRef rows = c.shape(0);
  if (rows.size() != 2 || c.has(1) != c.has(4) ||
      (c.has(1) && c.shape(1) != rows) || (c.has(7) && c.shape(7) != rows)) {
    return c.mismatch("ids of shape " + toText(rows) +
                      " with segments or a mask that do not fit");
  }
  for (size_t index : {0, 1, 7, 8}) {
    if (c.has(index) && (!c.element(index).isSignlessInteger() ||
                         isBoolType(c.element(index)))) {
      return c.mismatch("input " + Twine(index) + " has elements of type " +
                        toText(c.element(index)));
    }
  }
  return success();
}

/// The sum of the embeddings.
FailureOr<Value> embed(DecodeContext &c) {
  const Shape rows(c.shape(0));
  Value positions = c.in(8);
  if (!positions) {
    positions =
        c.g.mapIndexed({}, {1, rows[1]}, c.g.b.getI64Type(),
                       [](Scalars &s, ValueRange) { return s.index(1); });
  }
  if (shapeOf(positions).size() != 2 ||
      broadcastShapes({shapeOf(positions), rows}) != rows) {
    return c.mismatch("positions of shape " + toText(shapeOf(positions)));
  }
  FailureOr<Value> words = lookUp(c, c.in(2), c.in(0));
  FailureOr<Value> places = lookUp(c, c.in(3), positions);
  FailureOr<Value> segments = lookUp(c, c.in(4), c.in(1));
  if (failed(words) || failed(places) || failed(segments)) {
    return failure();
  }
  SmallVector<Value> terms = {*words, *places};
  if (*segments) {
    terms.push_back(*segments);
  }
  return c.g.map(terms, c.element(2), sumOf);
}

LogicalResult decodeEmbedLayerNorm(DecodeContext &c) {
  if (failed(checkTables(c)) || failed(checkIntegers(c))) {
    return failure();
  }
  FailureOr<Value> sum = embed(c);
  if (failed(sum)) {
    return failure();
  }
  Value lengths = c.has(7) ? countOnes(c.g, c.in(7))
                           : c.g.splat(c.shape(0)[0], c.g.b.getI32Type(), 0);
  (void)c.set(1, lengths);
  (void)c.set(2, *sum);
  return c.set(0,
               buildNormalization(c.g, *sum, 2, c.floatAttr("epsilon", 1e-12f),
                                  /*center=*/true, c.in(5), c.in(6))
                   .result);
}

} // namespace

void addEmbedLayerNormDecoders(DecoderRegistry &r) {
  r.add(kMicrosoft, "EmbedLayerNormalization", 1, decodeEmbedLayerNorm);
}

} // namespace spyre
