// SPDX-License-Identifier: Apache-2.0
//
// com.microsoft's Attention and MultiHeadAttention, which differ in where
// query, key and value come from. A mask adds mask_filter_value to the scores
// of what it hides; what a causal query must not see is hidden for good.

#include "AttentionCore.h"
#include "MatMul.h"
#include "Registry.h"

#include <cmath>

using namespace mlir;

namespace spyre {

namespace {

using Order = Scalars::Order;

/// Which inputs an operator has where.
struct AttentionInputs {
  size_t bias;
  size_t mask;
  size_t scoreBias;
};

class ContribAttention {
public:
  ContribAttention(DecodeContext &c, AttentionInputs inputs)
      : c(c), inputs(inputs) {}

  LogicalResult decodeMultiHead() {
    if (failed(readHeads()) || failed(readMultiHead()) ||
        failed(appendPast(c.in(6), c.in(7))) || failed(attend())) {
      return failure();
    }
    (void)c.set(1, problem.key);
    (void)c.set(2, problem.value);
    return success();
  }

  LogicalResult decodePacked() {
    if (c.intAttr("do_rotary", 0) != 0) {
      return c.unsupported("rotary embedding (do_rotary)");
    }
    if (c.intAttr("past_present_share_buffer", 0) != 0) {
      return c.unsupported("a cache in place (past_present_share_buffer)");
    }
    if (failed(readHeads()) || failed(project())) {
      return failure();
    }
    Value pastKey;
    Value pastValue;
    if (c.has(4)) {
      if (c.rank(4) != 5 || c.shape(4)[0] != 2) {
        return c.mismatch("a past of shape " + toText(c.shape(4)));
      }
      const Shape shape(c.shape(4).drop_front());
      pastKey = c.g.reshape(c.g.slice(c.in(4), 0, 0, 1), shape);
      pastValue = c.g.reshape(c.g.slice(c.in(4), 0, 1, 1), shape);
    }
    if (failed(appendPast(pastKey, pastValue)) || failed(attend())) {
      return failure();
    }
    if (!c.wants(1)) {
      return success();
    }
    if (shapeOf(problem.key) != shapeOf(problem.value)) {
      return c.mismatch("keys of " + toText(shapeOf(problem.key)) +
                        " and values of " + toText(shapeOf(problem.value)) +
                        " have no common present");
    }
    return c.set(1, c.g.concat({c.g.unsqueeze(problem.key, 0),
                                c.g.unsqueeze(problem.value, 0)},
                               0));
  }

private:
  LogicalResult readHeads() {
    heads = c.intAttr("num_heads", 0);
    if (heads < 1 || heads > kMaxCount) {
      return c.badAttribute("num_heads is " + Twine(heads));
    }
    return success();
  }

  /// The bias has one value for each of query, key and value.
  LogicalResult checkBias(int64_t hidden) {
    if (c.has(inputs.bias) && c.shape(inputs.bias) != ShapeRef(hidden)) {
      return c.mismatch("a bias of shape " + toText(c.shape(inputs.bias)) +
                        " for " + Twine(hidden) + " values");
    }
    return success();
  }

  /// The values of the bias from `begin` on, added along the last dim.
  Value biased(Value value, int64_t begin) {
    if (!c.has(inputs.bias)) {
      return value;
    }
    Value part = c.g.slice(c.in(inputs.bias), 0, begin, shapeOf(value).back());
    return c.g.map({value, part}, elementOf(value),
                   [](Scalars &s, ValueRange v) { return s.add(v[0], v[1]); });
  }

  //===--------------------------------------------------------------------===//
  // MultiHeadAttention
  //===--------------------------------------------------------------------===//

  /// Query, key and value as [batch, length, hidden], or keys and values that
  /// have their heads already.
  LogicalResult readMultiHead() {
    if (c.has(8) || c.has(9)) {
      return c.unsupported("a cache in place (past_sequence_length)");
    }
    if (failed(c.sameElements({0, 1, 2, 3, 5, 6, 7}))) {
      return failure();
    }
    Value query = c.in(0);
    Value key = c.in(1);
    Value value = c.in(2);
    const auto isPacked = [&](size_t index, int64_t parts) {
      return c.rank(index) == 5 && c.shape(index)[2] == heads &&
             c.shape(index)[3] == parts;
    };
    const bool hasPackedKeys = key && !value && isPacked(1, 2);
    if (!key && !value && isPacked(0, 3)) {
      key = unpack(c.in(0), 1);
      value = unpack(c.in(0), 2);
      query = unpack(c.in(0), 0);
    } else if (hasPackedKeys) {
      value = unpack(key, 1);
      key = unpack(key, 0);
    }
    if (!key || !value || shapeOf(query).size() != 3 ||
        shapeOf(key).size() != shapeOf(value).size()) {
      return c.mismatch("query " + toText(c.shape(0)) + ", key " +
                        (c.has(1) ? toText(c.shape(1)) : "none") +
                        " and value " +
                        (c.has(2) ? toText(c.shape(2)) : "none"));
    }
    const bool isSplit = shapeOf(key).size() == 4;
    if (c.has(3) && (isSplit || hasPackedKeys)) {
      return c.unsupported("a bias with keys of shape " + toText(c.shape(1)));
    }
    if (isSplit) {
      problem.query = query;
      problem.key = key;
      problem.value = value;
      return splitQuery();
    }
    return split(query, key, value);
  }

  /// Part `which` of [batch, length, heads, parts, head].
  Value unpack(Value packed, int64_t which) {
    ShapeRef shape = shapeOf(packed);
    return c.g.reshape(c.g.slice(packed, 3, which, 1),
                       {shape[0], shape[1], shape[2] * shape[4]});
  }

  LogicalResult splitQuery() {
    if (shapeOf(problem.query)[2] % heads != 0) {
      return wrongHeads();
    }
    problem.query = splitHeads(c.g, problem.query, heads);
    return success();
  }

  LogicalResult wrongHeads() {
    return c.badAttribute("num_heads " + Twine(heads) +
                          " does not divide query, key and value");
  }

  /// Adds the bias, and divides [batch, length, hidden] in heads.
  LogicalResult split(Value query, Value key, Value value) {
    if (shapeOf(key).size() != 3) {
      return c.mismatch("keys of shape " + toText(shapeOf(key)));
    }
    const int64_t sizes[] = {shapeOf(query)[2], shapeOf(key)[2],
                             shapeOf(value)[2]};
    if (llvm::any_of(sizes, [&](int64_t size) { return size % heads != 0; })) {
      return wrongHeads();
    }
    if (failed(checkBias(sizes[0] + sizes[1] + sizes[2]))) {
      return failure();
    }
    problem.query = splitHeads(c.g, biased(query, 0), heads);
    problem.key = splitHeads(c.g, biased(key, sizes[0]), heads);
    problem.value = splitHeads(c.g, biased(value, sizes[0] + sizes[1]), heads);
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Attention
  //===--------------------------------------------------------------------===//

  /// Query, key and value are one product.
  LogicalResult project() {
    if (c.rank(0) != 3 || c.rank(1) != 2 ||
        failed(c.sameElements({0, 1, 2, 4, 5}))) {
      return c.mismatch("input " + toText(c.in(0).getType()) + " and weights " +
                        toText(c.in(1).getType()));
    }
    const int64_t hidden = c.shape(1)[1];
    const Shape sizes =
        c.intsAttr("qkv_hidden_sizes").value_or(Shape(3, hidden / 3));
    int64_t sum = 0;
    for (int64_t size : sizes) {
      if (size < 1 || size > hidden || size % heads != 0) {
        return c.badAttribute("a hidden size of " + Twine(size) + " for " +
                              Twine(heads) + " heads");
      }
      sum += size;
    }
    if (sizes.size() != 3 || sum != hidden) {
      return c.badAttribute("qkv_hidden_sizes do not add up to " +
                            Twine(hidden));
    }
    FailureOr<Value> product = buildMatMul(c, c.in(0), c.in(1));
    if (failed(product) || failed(checkBias(hidden))) {
      return failure();
    }
    Value packed = c.g.cast(biased(*product, 0), c.element(0));
    const auto part = [&](int64_t begin, int64_t size) {
      return splitHeads(c.g, c.g.slice(packed, 2, begin, size), heads);
    };
    problem.query = part(0, sizes[0]);
    problem.key = part(sizes[0], sizes[1]);
    problem.value = part(sizes[0] + sizes[1], sizes[2]);
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Past and mask
  //===--------------------------------------------------------------------===//

  LogicalResult appendPast(Value pastKey, Value pastValue) {
    if (!pastKey != !pastValue) {
      return c.mismatch("past_key and past_value come together");
    }
    if (!pastKey) {
      return success();
    }
    for (auto [past, value] :
         {std::pair<Value, Value *>(pastKey, &problem.key),
          std::pair<Value, Value *>(pastValue, &problem.value)}) {
      Shape wanted(shapeOf(*value));
      if (shapeOf(past).size() == 4) {
        wanted[2] = shapeOf(past)[2];
      }
      if (Shape(shapeOf(past)) != wanted) {
        return c.mismatch("a past of shape " + toText(shapeOf(past)) +
                          " for new ones of " + toText(shapeOf(*value)));
      }
      *value = c.g.concat({past, *value}, 2);
    }
    problem.offset = shapeOf(pastKey)[2];
    return success();
  }

  LogicalResult attend() {
    ShapeRef query = shapeOf(problem.query);
    ShapeRef key = shapeOf(problem.key);
    ShapeRef value = shapeOf(problem.value);
    if (query[0] != key[0] || key[0] != value[0] || query[1] != key[1] ||
        key[1] != value[1] || key[2] != value[2] || query[3] != key[3]) {
      return c.mismatch("query " + toText(query) + ", key " + toText(key) +
                        " and value " + toText(value));
    }
    if (failed(readMask({query[0], query[1], query[2], key[2]}))) {
      return failure();
    }
    problem.scale = c.floatAttr("scale", 0);
    if (problem.scale == 0) {
      problem.scale = 1 / std::sqrt(static_cast<double>(query[3]));
    }
    problem.causal = c.intAttr("unidirectional", 0) != 0;
    AttentionResult result = buildAttention(c.g, problem);
    return c.set(0, mergeHeads(c.g, result.result));
  }

  /// What is added to scores of that shape.
  LogicalResult readMask(ShapeRef scores) {
    Value mask;
    if (c.has(inputs.mask)) {
      FailureOr<Value> hidden = hiddenKeys(scores);
      if (failed(hidden)) {
        return failure();
      }
      mask = *hidden;
    }
    if (c.has(inputs.scoreBias)) {
      Value bias = c.in(inputs.scoreBias);
      if (shapeOf(bias).size() != 4 ||
          broadcastShapes({shapeOf(bias), scores}) != Shape(scores)) {
        return c.mismatch("a bias of shape " + toText(shapeOf(bias)) +
                          " for scores of " + toText(scores));
      }
      mask = mask ? c.g.map({mask, bias}, c.g.b.getF32Type(),
                            [](Scalars &s, ValueRange v) {
                              return s.add(v[0], v[1]);
                            })
                  : bias;
    }
    problem.mask = mask;
    return success();
  }

  /// mask_filter_value where a key is hidden, else 0; it broadcasts to the
  /// scores. The mask has an integer for each key (0: hidden), or the end, or
  /// ends and begins, of the visible keys of each batch.
  FailureOr<Value> hiddenKeys(ShapeRef scores) {
    const int64_t batch = scores[0];
    const int64_t keys = scores[3];
    Value mask = c.in(inputs.mask);
    const Shape shape(shapeOf(mask));
    if (!elementOf(mask).isSignlessInteger() || isBoolType(elementOf(mask))) {
      return c.mismatch("a mask of elements of " + toText(elementOf(mask)));
    }
    const double filter = c.floatAttr("mask_filter_value", -10000);
    Type f32 = c.g.b.getF32Type();
    if (shape == Shape{batch, keys} || shape == Shape{batch, scores[2], keys}) {
      const int64_t rows = shape.size() == 3 ? scores[2] : 1;
      return c.g.map(c.g.reshape(mask, {batch, 1, rows, keys}), f32,
                     [&](Scalars &s, ValueRange v) {
                       Value hidden =
                           s.compare(Order::Equal, v[0], s.like(v[0], 0));
                       return s.select(hidden, s.constant(filter, f32),
                                       s.constant(0, f32));
                     });
    }
    const bool hasBegins = shape == Shape{2 * batch};
    if (shape != Shape{batch} && !hasBegins) {
      return c.unsupported("a mask of shape " + toText(shape) +
                           " for scores of " + toText(scores));
    }
    SmallVector<Value> bounds;
    for (int64_t i = 0; i < (hasBegins ? 2 : 1); ++i) {
      bounds.push_back(
          c.g.reshape(c.g.slice(mask, 0, i * batch, batch), {batch, 1, 1, 1}));
    }
    return c.g.mapIndexed(
        bounds, {batch, 1, 1, keys}, f32, [&](Scalars &s, ValueRange v) {
          Value key = s.cast(s.index(3), v[0].getType());
          Value hidden = s.compare(Order::GreaterOrEqual, key, v[0]);
          if (v.size() == 2) {
            hidden = s.bitOr(hidden, s.compare(Order::Less, key, v[1]));
          }
          return s.select(hidden, s.constant(filter, f32), s.constant(0, f32));
        });
  }

  DecodeContext &c;
  AttentionInputs inputs;
  AttentionProblem problem;
  int64_t heads = 0;
};

LogicalResult decodeMultiHead(DecodeContext &c) {
  return ContribAttention(c, {.bias = 3, .mask = 4, .scoreBias = 5})
      .decodeMultiHead();
}

LogicalResult decodePacked(DecodeContext &c) {
  return ContribAttention(c, {.bias = 2, .mask = 3, .scoreBias = 5})
      .decodePacked();
}

} // namespace

void addContribAttentionDecoders(DecoderRegistry &r) {
  const std::string mask = "a mask of shape batch, 2 x batch, batch x keys or "
                           "batch x queries x keys";
  r.add(kMicrosoft, "MultiHeadAttention", 1, decodeMultiHead,
        {.condition = "no cache in place (inputs 8 and 9); no bias with keys "
                      "that have their heads or are packed; " +
                      mask});
  r.add(
      kMicrosoft, "Attention", 1, decodePacked,
      {.numRequired = 2,
       .condition = "no `do_rotary`, no `past_present_share_buffer`; " + mask});
}

} // namespace spyre
