// SPDX-License-Identifier: Apache-2.0
//
// With grouped heads the tensors have a dim more: [batch, key heads, group,
// queries, ...], so that keys and values are read by all heads of a group
// through their indexing maps.

#include "AttentionCore.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace spyre {

using Order = Scalars::Order;

Value splitHeads(GraphBuilder &g, Value value, int64_t heads) {
  ShapeRef shape = shapeOf(value);
  Value split = g.reshape(value, {shape[0], shape[1], heads,
                                  shape[2] / std::max<int64_t>(heads, 1)});
  return g.transpose(split, {0, 2, 1, 3});
}

Value mergeHeads(GraphBuilder &g, Value value) {
  Value swapped = g.transpose(value, {0, 2, 1, 3});
  ShapeRef shape = shapeOf(swapped);
  return g.reshape(swapped, {shape[0], shape[1], shape[2] * shape[3]});
}

namespace {

class AttentionBuilder {
public:
  AttentionBuilder(GraphBuilder &g, const AttentionProblem &problem)
      : g(g), problem(problem), grouped(problem.isGrouped()),
        wide(computeType(elementOf(problem.query))) {
    ShapeRef query = shapeOf(problem.query);
    ShapeRef key = shapeOf(problem.key);
    batch = query[0];
    keyHeads = key[1];
    group = query[1] / std::max<int64_t>(keyHeads, 1);
    queries = query[2];
    keys = key[2];
  }

  AttentionResult build() {
    AttentionResult result;
    Value scores = buildScores();
    result.scaled = scores;
    if (problem.softcap != 0) {
      scores = g.map(scores, wide, [&](Scalars &s, ValueRange v) {
        Value cap = s.like(v[0], problem.softcap);
        return s.mul(s.tanh(s.div(v[0], cap)), cap);
      });
    }
    result.capped = scores;
    scores = hide(scores);
    result.masked = scores;
    Value probabilities = softmax(scores);
    probabilities = g.cast(probabilities, elementOf(problem.value));
    result.probabilities = probabilities;
    result.result = weigh(probabilities);
    for (Value *value : {&result.scaled, &result.capped, &result.masked,
                         &result.probabilities, &result.result}) {
      *value = ungroup(*value);
    }
    return result;
  }

private:
  /// [.., heads, ..] as [.., key heads, group, ..] if heads are grouped.
  Value regroup(Value value) {
    if (!grouped) {
      return value;
    }
    Shape shape(shapeOf(value));
    shape[1] = keyHeads;
    shape.insert(shape.begin() + 2, group);
    return g.reshape(value, shape);
  }

  Value ungroup(Value value) {
    if (!grouped) {
      return value;
    }
    Shape shape(shapeOf(value));
    shape[1] *= shape[2];
    shape.erase(shape.begin() + 2);
    return g.reshape(value, shape);
  }

  Shape scoreShape() const {
    return grouped ? Shape{batch, keyHeads, group, queries, keys}
                   : Shape{batch, keyHeads, queries, keys};
  }

  /// scale * query * transposed key. Iteration: batch, heads, (group,)
  /// queries, keys, head.
  Value buildScores() {
    const int64_t rank = grouped ? 5 : 4;
    const int64_t depth = rank;
    Shape left;
    for (int64_t dim = 0; dim < rank - 1; ++dim) {
      left.push_back(dim);
    }
    Shape out(left);
    left.push_back(depth);
    out.push_back(rank - 1);
    Value product = g.contract(regroup(problem.query), problem.key,
                               g.dimsMap(rank + 1, left),
                               g.dimsMap(rank + 1, {0, 1, rank - 1, depth}),
                               g.dimsMap(rank + 1, out), scoreShape());
    return g.map(product, wide, [&](Scalars &s, ValueRange v) {
      return s.mul(v[0], s.like(v[0], problem.scale));
    });
  }

  /// [batch] as a tensor that broadcasts to the scores.
  Value perBatch(Value value) {
    Shape shape(scoreShape().size(), 1);
    shape[0] = shapeOf(value)[0];
    return g.reshape(value, shape);
  }

  /// The mask with the rank of the scores and all keys.
  Value fullMask() {
    Value mask = problem.mask;
    Shape shape(shapeOf(mask));
    while (shape.size() < 4) {
      shape.insert(shape.begin(), 1);
    }
    mask = g.reshape(mask, shape);
    if (shape[3] != keys && shape[3] != 1) {
      // Keys beyond the mask are hidden.
      Type element = elementOf(mask);
      TypedAttr hidden;
      if (auto floatType = dyn_cast<FloatType>(element)) {
        hidden = g.b.getFloatAttr(
            floatType, APFloat::getInf(floatType.getFloatSemantics(), true));
      } else {
        hidden = g.b.getIntegerAttr(element, 0);
      }
      shape[3] = keys;
      mask = g.insert(mask, g.filled(shape, hidden), Shape(4, 0));
    }
    if (grouped) {
      shape[1] = shape[1] == 1 ? 1 : keyHeads;
      shape.insert(shape.begin() + 2, shape[1] == 1 ? 1 : group);
      mask = g.reshape(mask, shape);
    }
    return mask;
  }

  /// Scores of hidden keys become minus infinity.
  Value hide(Value scores) {
    SmallVector<Value> operands = {scores};
    const auto add = [&](Value value) -> size_t {
      operands.push_back(value);
      return operands.size() - 1;
    };
    size_t mask = problem.mask ? add(fullMask()) : 0;
    size_t offsets = problem.offsets ? add(perBatch(problem.offsets)) : 0;
    size_t valid = problem.validKeys ? add(perBatch(problem.validKeys)) : 0;
    // Without an offset the last key hides nothing from the last query only.
    const bool causal =
        problem.causal &&
        (offsets || problem.offset < keys - 1 || problem.window != 0);
    if (operands.size() == 1 && !causal) {
      return scores;
    }
    const Shape shape = scoreShape();
    const auto keyDim = static_cast<int64_t>(shape.size()) - 1;
    return g.mapIndexed(operands, shape, wide, [&](Scalars &s, ValueRange v) {
      Value score = v[0];
      Value visible;
      const auto require = [&](Value condition) {
        visible = visible ? s.bitAnd(visible, condition) : condition;
      };
      if (mask && isBoolType(v[mask].getType())) {
        require(v[mask]);
      } else if (mask) {
        score = s.add(score, s.cast(v[mask], wide));
      }
      if (causal) {
        Value position = s.index(keyDim - 1);
        if (offsets) {
          position = s.add(position, s.cast(v[offsets], position.getType()));
        } else if (problem.offset != 0) {
          position = s.add(
              position, s.like(position, static_cast<double>(problem.offset)));
        }
        Value key = s.index(keyDim);
        require(s.compare(Order::LessOrEqual, key, position));
        if (problem.window != 0) {
          Value last =
              s.add(key, s.like(key, static_cast<double>(problem.window)));
          require(s.compare(Order::Greater, last, position));
        }
      }
      if (valid) {
        Value key = s.index(keyDim);
        require(s.compare(Order::Less, key, s.cast(v[valid], key.getType())));
      }
      return visible ? s.select(visible, score, s.extreme(wide, false)) : score;
    });
  }

  /// Along the keys. Where all keys of a query can be hidden, the maximum is
  /// minus infinity and upstream's softmax gives NaN; here 0.
  Value softmax(Value scores) {
    const auto axis = static_cast<int64_t>(shapeOf(scores).size()) - 1;
    if (numElements(shapeOf(scores)) == 0) {
      return scores;
    }
    if (!problem.mask && !problem.validKeys && !problem.offsets &&
        problem.offset >= 0 && !constantOf(scores)) {
      Value init = g.empty(shapeOf(scores), wide);
      return linalg::SoftmaxOp::create(g.b, g.loc, scores.getType(), scores,
                                       init, static_cast<uint64_t>(axis))
          .getResult()[0];
    }
    Value maximum =
        g.unsqueeze(g.reduce(scores, axis, Reduction::Maximum), axis);
    Value powers =
        g.map({scores, maximum}, wide, [&](Scalars &s, ValueRange v) {
          Value none = s.compare(Order::Equal, v[1], s.extreme(wide, false));
          return s.exp(s.sub(v[0], s.select(none, s.like(v[1], 0), v[1])));
        });
    Value sum = g.unsqueeze(g.reduce(powers, axis, Reduction::Sum), axis);
    return g.map({powers, sum}, wide, [&](Scalars &s, ValueRange v) {
      Value none = s.compare(Order::Equal, v[1], s.like(v[1], 0));
      return s.div(v[0], s.select(none, s.like(v[1], 1), v[1]));
    });
  }

  /// probabilities * value. Iteration: batch, heads, (group,) queries, value
  /// head, keys.
  Value weigh(Value probabilities) {
    const int64_t rank = grouped ? 5 : 4;
    Shape left;
    for (int64_t dim = 0; dim < rank - 1; ++dim) {
      left.push_back(dim);
    }
    Shape out(left);
    left.push_back(rank);
    out.push_back(rank - 1);
    Shape shape = scoreShape();
    shape.back() = shapeOf(problem.value)[3];
    Value product =
        g.contract(probabilities, problem.value, g.dimsMap(rank + 1, left),
                   g.dimsMap(rank + 1, {0, 1, rank, rank - 1}),
                   g.dimsMap(rank + 1, out), shape);
    return g.cast(product, elementOf(problem.query));
  }

  GraphBuilder &g;
  const AttentionProblem &problem;
  bool grouped;
  Type wide;
  int64_t batch = 0;
  int64_t keyHeads = 0;
  int64_t group = 0;
  int64_t queries = 0;
  int64_t keys = 0;
};

} // namespace

AttentionResult buildAttention(GraphBuilder &g,
                               const AttentionProblem &problem) {
  return AttentionBuilder(g, problem).build();
}

Value buildRotary(GraphBuilder &g, Value x, Value cosines, Value sines,
                  bool interleaved) {
  const int64_t half = shapeOf(cosines).back();
  const int64_t head = shapeOf(x)[3];
  Value first;
  Value second;
  if (interleaved) {
    Shape sizes(shapeOf(x));
    sizes[3] = half;
    const Shape strides = {1, 1, 1, 2};
    first = g.slice(x, {0, 0, 0, 0}, sizes, strides);
    second = g.slice(x, {0, 0, 0, 1}, sizes, strides);
  } else {
    first = g.slice(x, 3, 0, half);
    second = g.slice(x, 3, half, half);
  }
  Value c = g.unsqueeze(cosines, 1);
  Value s = g.unsqueeze(sines, 1);
  Type element = elementOf(x);
  Value real =
      g.map({first, second, c, s}, element, [](Scalars &k, ValueRange v) {
        return k.sub(k.mul(v[0], v[2]), k.mul(v[1], v[3]));
      });
  Value imaginary =
      g.map({first, second, c, s}, element, [](Scalars &k, ValueRange v) {
        return k.add(k.mul(v[0], v[3]), k.mul(v[1], v[2]));
      });
  Value rotated;
  if (interleaved) {
    Shape shape(shapeOf(real));
    shape[3] = 2 * half;
    rotated = g.reshape(
        g.concat({g.unsqueeze(real, 4), g.unsqueeze(imaginary, 4)}, 4), shape);
  } else {
    rotated = g.concat({real, imaginary}, 3);
  }
  if (2 * half == head) {
    return rotated;
  }
  return g.concat({rotated, g.slice(x, 3, 2 * half, head - 2 * half)}, 3);
}

} // namespace spyre
