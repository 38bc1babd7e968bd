// SPDX-License-Identifier: Apache-2.0
//
// com.microsoft's rotary embedding, with its own order of inputs, and grouped
// query attention with its cache.

#include "AttentionCore.h"
#include "Gather.h"
#include "Registry.h"

#include <cmath>

using namespace mlir;

namespace spyre {

namespace {

using Order = Scalars::Order;

/// Inputs X, positions, cosines, sines.
LogicalResult decodeRotary(DecodeContext &c) {
  const bool flat = c.rank(0) == 3;
  Value x = c.in(0);
  const int64_t half = c.rank(2) == 2 ? c.shape(2)[1] : 0;
  if (c.rank(2) != 2 || c.shape(2) != c.shape(3) || c.rank(0) < 3 ||
      c.rank(0) > 4) {
    return c.mismatch("tables of shapes " + toText(c.shape(2)) + " and " +
                      toText(c.shape(3)) + " for " + toText(c.shape(0)));
  }
  if (flat) {
    const int64_t hidden = c.shape(0)[2];
    int64_t heads = c.intAttr("num_heads", 0);
    heads = heads == 0 && half > 0 ? hidden / (2 * half) : heads;
    if (heads < 1 || hidden % heads != 0) {
      return c.badAttribute("num_heads " + Twine(heads) + " does not divide " +
                            Twine(hidden));
    }
    x = splitHeads(c.g, x, heads);
  }
  const int64_t batch = shapeOf(x)[0];
  const int64_t length = shapeOf(x)[2];
  if (2 * half > shapeOf(x)[3]) {
    return c.mismatch("tables rotate " + Twine(2 * half) +
                      " dims of a head "
                      "of " +
                      Twine(shapeOf(x)[3]));
  }
  Value positions = c.in(1);
  if (numElements(c.shape(1)) == 1) {
    // One position is that of the first token.
    positions =
        c.g.mapIndexed(c.g.reshape(positions, {1, 1}), {1, length},
                       c.element(1), [&](Scalars &s, ValueRange v) {
                         return s.add(v[0], s.cast(s.index(1), v[0].getType()));
                       });
  } else if (Shape(c.shape(1)) != Shape{batch, length}) {
    return c.mismatch("positions of shape " + toText(c.shape(1)));
  }
  FailureOr<Value> normal = normalIndices(c, positions, c.shape(2)[0]);
  if (failed(normal)) {
    return failure();
  }
  Value result = buildRotary(c.g, x, c.g.gather(c.in(2), *normal, 0),
                             c.g.gather(c.in(3), *normal, 0),
                             c.intAttr("interleaved", 0) != 0);
  return c.set(0, flat ? mergeHeads(c.g, result) : result);
}

//===----------------------------------------------------------------------===//
// GroupQueryAttention
//===----------------------------------------------------------------------===//

/// Inputs query, key, value, past key, past value, seqlens_k (the length of
/// each row, minus 1), total length, cosines, sines.
class GroupQuery {
public:
  explicit GroupQuery(DecodeContext &c) : c(c) {}

  LogicalResult decode() {
    if (failed(readAttributes()) || failed(readHeads()) ||
        failed(readLengths()) || failed(rotate()) || failed(appendPast())) {
      return failure();
    }
    AttentionResult result = buildAttention(c.g, problem);
    (void)c.set(1, problem.key);
    (void)c.set(2, problem.value);
    return c.set(0, mergeHeads(c.g, result.result));
  }

private:
  LogicalResult readAttributes() {
    queryHeads = c.intAttr("num_heads", 0);
    keyHeads = c.intAttr("kv_num_heads", 0);
    problem.softcap = c.floatAttr("softcap", 0);
    problem.causal = true;
    problem.window = std::max<int64_t>(c.intAttr("local_window_size", -1), 0);
    if (queryHeads < 1 || queryHeads > kMaxCount || keyHeads < 1 ||
        queryHeads % keyHeads != 0) {
      return c.badAttribute("num_heads " + Twine(queryHeads) +
                            " and kv_num_heads " + Twine(keyHeads));
    }
    if (c.intAttr("smooth_softmax", 0) > 0) {
      return c.unsupported("attribute \"smooth_softmax\"");
    }
    for (size_t i = 9; i < c.numInputs(); ++i) {
      if (c.has(i)) {
        return c.unsupported("input " + Twine(i));
      }
    }
    return success();
  }

  /// Separate inputs, or query, key and value side by side in the first.
  LogicalResult readHeads() {
    Value query = c.in(0);
    if (c.rank(0) != 3) {
      return c.mismatch("a query of shape " + toText(c.shape(0)));
    }
    Value key = c.in(1);
    Value value = c.in(2);
    int64_t heads = queryHeads;
    if (!key) {
      heads += 2 * keyHeads;
    }
    if (c.shape(0)[2] % heads != 0) {
      return c.mismatch("a query of shape " + toText(c.shape(0)) + " for " +
                        Twine(heads) + " heads");
    }
    const int64_t head = c.shape(0)[2] / heads;
    if (!key) {
      key = c.g.slice(query, 2, queryHeads * head, keyHeads * head);
      value =
          c.g.slice(query, 2, (queryHeads + keyHeads) * head, keyHeads * head);
      query = c.g.slice(query, 2, 0, queryHeads * head);
    }
    Shape wanted(c.shape(0));
    wanted[2] = keyHeads * head;
    if (!value || wanted != Shape(shapeOf(key)) ||
        wanted != Shape(shapeOf(value))) {
      return c.mismatch("key or value are not of shape " + toText(wanted));
    }
    problem.query = splitHeads(c.g, query, queryHeads);
    problem.key = splitHeads(c.g, key, keyHeads);
    problem.value = splitHeads(c.g, value, keyHeads);
    const double scale = c.floatAttr("scale", 0);
    problem.scale =
        scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(head));
    return success();
  }

  /// The first position of the queries: 0 in a prompt, which is known from the
  /// total length; otherwise from the length of each row, at run time.
  LogicalResult readLengths() {
    batch = shapeOf(problem.query)[0];
    length = shapeOf(problem.query)[2];
    past = c.has(3) && c.rank(3) == 4 ? c.shape(3)[2] : 0;
    FailureOr<double> total = c.scalar(6, "total_sequence_length");
    if (failed(total)) {
      return failure();
    }
    totalLength = static_cast<int64_t>(*total);
    if (numElements(c.shape(5)) != batch) {
      return c.mismatch("seqlens_k of shape " + toText(c.shape(5)) + " for " +
                        Twine(batch) + " rows");
    }
    if (totalLength == length) {
      return success();
    }
    Value lengths = c.g.reshape(c.in(5), batch);
    offsets = c.g.map(lengths, c.element(5), [&](Scalars &s, ValueRange v) {
      return s.add(v[0], s.like(v[0], static_cast<double>(1 - length)));
    });
    DenseElementsAttr known = constantOf(offsets);
    if (known && known.isSplat()) {
      problem.offset = readSplat(known).integer;
      offsets = Value();
    }
    problem.offsets = offsets;
    return success();
  }

  LogicalResult rotate() {
    if (c.intAttr("do_rotary", 0) == 0) {
      return success();
    }
    if (!c.has(7) || !c.has(8) || c.rank(7) != 2 || c.shape(7) != c.shape(8) ||
        2 * c.shape(7)[1] > shapeOf(problem.query)[3] ||
        c.shape(7)[0] < length) {
      return c.mismatch("rotary tables are missing or do not fit");
    }
    Value cosines;
    Value sines;
    if (!offsets) {
      if (problem.offset < 0 || problem.offset + length > c.shape(7)[0]) {
        return c.mismatch("positions beyond the rotary tables");
      }
      cosines = c.g.unsqueeze(c.g.slice(c.in(7), 0, problem.offset, length), 0);
      sines = c.g.unsqueeze(c.g.slice(c.in(8), 0, problem.offset, length), 0);
    } else {
      Value positions = c.g.mapIndexed(
          c.g.reshape(offsets, {batch, 1}), {batch, length}, elementOf(offsets),
          [&](Scalars &s, ValueRange v) {
            return s.add(v[0], s.cast(s.index(1), v[0].getType()));
          });
      cosines = c.g.gather(c.in(7), positions, 0);
      sines = c.g.gather(c.in(8), positions, 0);
    }
    const bool interleaved = c.intAttr("rotary_interleaved", 0) != 0;
    problem.query =
        buildRotary(c.g, problem.query, cosines, sines, interleaved);
    problem.key = buildRotary(c.g, problem.key, cosines, sines, interleaved);
    return success();
  }

  /// Puts the new keys and values behind those of the past: at the end if all
  /// rows have that length, else each row at its own.
  LogicalResult appendPast() {
    if (!c.has(3)) {
      return success();
    }
    for (auto [index, value] :
         {std::pair<size_t, Value *>(3, &problem.key),
          std::pair<size_t, Value *>(4, &problem.value)}) {
      Shape wanted(shapeOf(*value));
      wanted[2] = past;
      if (!c.has(index) || wanted != Shape(c.shape(index)) ||
          c.element(index) != elementOf(*value)) {
        return c.mismatch("input " + Twine(index) + " is not of shape " +
                          toText(wanted));
      }
      const int64_t extent = std::max(totalLength, past);
      if (!offsets && problem.offset == past && extent == past + length) {
        *value = c.g.concat({c.in(index), *value}, 2);
        continue;
      }
      *value = scatter(c.in(index), *value, extent);
    }
    return success();
  }

  /// The past, extended to `extent` slots, with the new entries at the offset
  /// of each row.
  Value scatter(Value old, Value added, int64_t extent) {
    Shape shape(shapeOf(old));
    shape[2] = extent;
    Type element = elementOf(old);
    Value result = c.g.insert(
        old, c.g.filled(shape, c.g.b.getZeroAttr(element)), Shape(4, 0));
    if (!offsets) {
      return c.g.insert(added, result, {0, 0, problem.offset, 0});
    }
    Value begin = c.g.reshape(offsets, {batch, 1, 1, 1});
    for (int64_t i = 0; i < length; ++i) {
      result = c.g.mapIndexed(
          {result, c.g.slice(added, 2, i, 1), begin}, shape, element,
          [&](Scalars &s, ValueRange v) {
            Value slot = s.cast(v[2], s.builder().getI64Type());
            slot = s.add(slot, s.like(slot, static_cast<double>(i)));
            Value hit = s.compare(Order::Equal, slot, s.index(2));
            return s.select(hit, v[1], v[0]);
          });
    }
    return result;
  }

  DecodeContext &c;
  AttentionProblem problem;
  int64_t queryHeads = 0;
  int64_t keyHeads = 0;
  int64_t batch = 0;
  int64_t length = 0;
  int64_t past = 0;
  int64_t totalLength = 0;
  /// [batch] integers, null where problem.offset holds for all rows.
  Value offsets;
};

LogicalResult decodeGroupQuery(DecodeContext &c) {
  return GroupQuery(c).decode();
}

} // namespace

void addContribDecoders(DecoderRegistry &r) {
  r.add(kMicrosoft, "RotaryEmbedding", 1, decodeRotary, {.numRequired = 4});
  r.add(kMicrosoft, "GroupQueryAttention", 1, decodeGroupQuery,
        {.condition = "no `smooth_softmax`; inputs 0 to 8 and outputs 0 to 2 "
                      "only"});
}

} // namespace spyre
