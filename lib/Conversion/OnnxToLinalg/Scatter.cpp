// SPDX-License-Identifier: Apache-2.0
//
// Operators that write at indices. A known block is an insert_slice. Computed
// indices (the slot of a cache) are compared with the position: one elementwise
// op for each slot, so the number of slots is bounded.

#include "Gather.h"
#include "Registry.h"

using namespace mlir;

namespace spyre {

namespace {

using Order = Scalars::Order;

/// Slots that computed indices may write; each costs a pass over the tensor.
constexpr int64_t kMaxSlots = 64;

/// What is stored where an update meets an element.
enum class Combine { Replace, Add, Multiply, Maximum, Minimum };

FailureOr<Combine> combineOf(DecodeContext &c) {
  const std::string reduction = c.stringAttr("reduction", "none");
  if (reduction == "none") {
    return Combine::Replace;
  }
  if (reduction == "add") {
    return Combine::Add;
  }
  if (reduction == "mul") {
    return Combine::Multiply;
  }
  if (reduction == "max") {
    return Combine::Maximum;
  }
  if (reduction == "min") {
    return Combine::Minimum;
  }
  return c.badAttribute("attribute \"reduction\" is \"" + reduction + "\"");
}

Value combine(Scalars &s, Combine kind, Value old, Value update) {
  switch (kind) {
  case Combine::Replace:
    return update;
  case Combine::Add:
    return s.add(old, update);
  case Combine::Multiply:
    return s.mul(old, update);
  case Combine::Maximum:
    return s.max(old, update);
  case Combine::Minimum:
    return s.min(old, update);
  }
  llvm_unreachable("covered switch");
}

/// Writes `updates` at the block that the grid names, if its coordinates keep
/// the order of the dims.
std::optional<Value> insertGrid(GraphBuilder &g, Value data, Value updates,
                                const Grid &grid, ShapeRef points) {
  Shape offsets(shapeOf(data).size(), 0);
  Shape sizes(shapeOf(data));
  int64_t covered = 1;
  int64_t previous = -1;
  for (size_t k = 0; k < grid.begin.size(); ++k) {
    const int64_t dim = grid.dim[k];
    if (dim >= 0 && dim < previous) {
      return std::nullopt;
    }
    previous = dim >= 0 ? dim : previous;
    offsets[k] = grid.begin[k];
    sizes[k] = dim < 0 ? 1 : points[dim];
    covered *= sizes[k];
  }
  // Points beyond the grid would write twice.
  if (covered != numElements(points)) {
    return std::nullopt;
  }
  return g.insert(g.reshape(updates, sizes), data, offsets);
}

//===----------------------------------------------------------------------===//
// ScatterElements
//===----------------------------------------------------------------------===//

/// The coordinates of every update, of constant indices.
std::vector<Number> elementCoordinates(ArrayRef<Number> indices, ShapeRef shape,
                                       int64_t axis) {
  std::vector<Number> coordinates;
  Shape position(shape.size(), 0);
  for (const Number &index : indices) {
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      coordinates.push_back(
          static_cast<int64_t>(dim) == axis ? index : Number{0, position[dim]});
    }
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++position[dim] < shape[dim]) {
        break;
      }
      position[dim] = 0;
    }
  }
  return coordinates;
}

LogicalResult decodeScatterElements(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", 0), c.rank(0));
  FailureOr<Combine> kind = combineOf(c);
  if (failed(axis) || failed(kind) || failed(c.sameElements({0, 2}))) {
    return failure();
  }
  if (c.rank(1) != c.rank(0) || c.shape(1) != c.shape(2)) {
    return c.mismatch("data, indices and updates of shapes " +
                      toText(c.shape(0)) + ", " + toText(c.shape(1)) + ", " +
                      toText(c.shape(2)));
  }
  FailureOr<Value> indices = normalIndices(c, c.in(1), c.shape(0)[*axis]);
  if (failed(indices)) {
    return failure();
  }
  DenseElementsAttr known = constantOf(*indices);
  if (known && *kind == Combine::Replace) {
    std::vector<Number> coordinates =
        elementCoordinates(readNumbers(known), c.shape(1), *axis);
    std::optional<Grid> grid = gridOf(coordinates, c.shape(1), c.rank(0));
    std::optional<Value> result =
        grid ? insertGrid(c.g, c.in(0), c.in(2), *grid, c.shape(1))
             : std::nullopt;
    if (result) {
      return c.set(0, *result);
    }
  }
  const int64_t slots = c.shape(1)[*axis];
  if (slots > kMaxSlots) {
    return c.unsupported("more than " + Twine(kMaxSlots) +
                         " slots at computed indices");
  }
  // The indices may cover a part of the other dims: pad with an index that no
  // position has.
  const auto cover = [&](Value value, double pad) {
    Shape full(c.shape(0));
    full[*axis] = slots;
    Type element = elementOf(value);
    TypedAttr scalar = isFloatType(element)
                           ? TypedAttr(c.g.b.getFloatAttr(element, pad))
                           : TypedAttr(c.g.b.getIntegerAttr(
                                 element, static_cast<int64_t>(pad)));
    return full == Shape(shapeOf(value))
               ? value
               : c.g.insert(value, c.g.filled(full, scalar),
                            Shape(full.size(), 0));
  };
  Value where = cover(*indices, -1);
  Value updates = cover(c.in(2), 0);
  Value result = c.in(0);
  for (int64_t slot = 0; slot < slots; ++slot) {
    result = c.g.mapIndexed(
        {result, c.g.slice(where, *axis, slot, 1),
         c.g.slice(updates, *axis, slot, 1)},
        c.shape(0), c.element(0), [&](Scalars &s, ValueRange v) {
          Value at = s.cast(v[1], s.builder().getI64Type());
          Value hit = s.compare(Order::Equal, at, s.index(*axis));
          return s.select(hit, combine(s, *kind, v[0], v[2]), v[0]);
        });
  }
  return c.set(0, result);
}

//===----------------------------------------------------------------------===//
// ScatterND
//===----------------------------------------------------------------------===//

LogicalResult decodeScatterNd(DecodeContext &c) {
  FailureOr<Combine> kind = combineOf(c);
  if (failed(kind) || failed(c.sameElements({0, 2}))) {
    return failure();
  }
  const int64_t count = c.rank(1) > 0 ? c.shape(1).back() : 0;
  if (count < 1 || count > c.rank(0)) {
    return c.mismatch("indices of shape " + toText(c.shape(1)) +
                      " for data of shape " + toText(c.shape(0)));
  }
  ShapeRef points = c.shape(1).drop_back();
  ShapeRef row = c.shape(0).drop_front(count);
  Shape wanted(points);
  llvm::append_range(wanted, row);
  if (wanted != Shape(c.shape(2))) {
    return c.mismatch("updates of shape " + toText(c.shape(2)) +
                      ", needed is " + toText(wanted));
  }
  const int64_t numPoints = numElements(points);
  Value table = c.g.reshape(c.in(1), {numPoints, count});
  SmallVector<Value> columns;
  for (int64_t k = 0; k < count; ++k) {
    FailureOr<Value> column =
        normalIndices(c, c.g.slice(table, 1, k, 1), c.shape(0)[k]);
    if (failed(column)) {
      return failure();
    }
    columns.push_back(*column);
  }
  table = c.g.concat(columns, 1);
  DenseElementsAttr known = constantOf(table);
  if (known && *kind == Combine::Replace) {
    std::optional<Grid> grid = gridOf(readNumbers(known), points, count);
    std::optional<Value> result =
        grid ? insertGrid(c.g, c.in(0), c.in(2), *grid, points) : std::nullopt;
    if (result) {
      return c.set(0, *result);
    }
  }
  if (numPoints > kMaxSlots) {
    return c.unsupported("more than " + Twine(kMaxSlots) +
                         " slots that are no block");
  }
  Shape rows = {numPoints};
  llvm::append_range(rows, row);
  Value updates = c.g.reshape(c.in(2), rows);
  Value result = c.in(0);
  for (int64_t point = 0; point < numPoints; ++point) {
    SmallVector<Value> operands = {result, c.g.slice(updates, 0, point, 1)};
    Value at = c.g.slice(table, 0, point, 1);
    for (int64_t k = 0; k < count; ++k) {
      operands.push_back(c.g.reshape(c.g.slice(at, 1, k, 1), {}));
    }
    // One row of updates broadcasts over the coordinates' dims.
    operands[1] = c.g.reshape(operands[1], row);
    result = c.g.mapIndexed(
        operands, c.shape(0), c.element(0), [&](Scalars &s, ValueRange v) {
          Value hit;
          for (int64_t k = 0; k < count; ++k) {
            Value coordinate = s.cast(v[2 + k], s.builder().getI64Type());
            Value same = s.compare(Order::Equal, coordinate, s.index(k));
            hit = hit ? s.bitAnd(hit, same) : same;
          }
          return s.select(hit, combine(s, *kind, v[0], v[1]), v[0]);
        });
  }
  return c.set(0, result);
}

//===----------------------------------------------------------------------===//
// TensorScatter
//===----------------------------------------------------------------------===//

LogicalResult decodeTensorScatter(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", -2), c.rank(0));
  const std::string mode = c.stringAttr("mode", "linear");
  if (failed(axis) || (mode != "linear" && mode != "circular")) {
    return c.badAttribute("axis or mode \"" + mode + "\"");
  }
  if (failed(c.sameElements({0, 1})) || c.rank(1) != c.rank(0) || *axis == 0) {
    return c.mismatch("cache and update of shapes " + toText(c.shape(0)) +
                      " and " + toText(c.shape(1)));
  }
  Shape wanted(c.shape(0));
  wanted[*axis] = c.shape(1)[*axis];
  const int64_t extent = c.shape(0)[*axis];
  const int64_t slots = c.shape(1)[*axis];
  if (wanted != Shape(c.shape(1)) || slots > extent) {
    return c.mismatch("an update of shape " + toText(c.shape(1)) +
                      " for a cache of shape " + toText(c.shape(0)));
  }
  if (slots > kMaxSlots) {
    return c.unsupported("more than " + Twine(kMaxSlots) +
                         " slots at computed indices");
  }
  // One first slot for each batch; absent: 0.
  Value first =
      c.has(2) ? c.in(2) : c.g.splat(wanted[0], c.g.b.getI64Type(), 0);
  if (shapeOf(first) != ShapeRef(wanted[0])) {
    return c.mismatch("write_indices of shape " + toText(shapeOf(first)));
  }
  DenseElementsAttr known = constantOf(first);
  if (known && known.isSplat() && readSplat(known).integer >= 0 &&
      readSplat(known).integer + slots <= extent) {
    Shape offsets(wanted.size(), 0);
    offsets[*axis] = readSplat(known).integer;
    return c.set(0, c.g.insert(c.in(1), c.in(0), offsets));
  }
  Shape broadcast(wanted.size(), 1);
  broadcast[0] = wanted[0];
  Value begin = c.g.reshape(first, broadcast);
  Value result = c.in(0);
  for (int64_t slot = 0; slot < slots; ++slot) {
    result = c.g.mapIndexed(
        {result, c.g.slice(c.in(1), *axis, slot, 1), begin}, c.shape(0),
        c.element(0), [&](Scalars &s, ValueRange v) {
          Value at = s.cast(v[2], s.builder().getI64Type());
          at = s.add(at, s.like(at, static_cast<double>(slot)));
          if (mode == "circular") {
            at = s.rem(at, s.like(at, static_cast<double>(extent)));
          }
          Value hit = s.compare(Order::Equal, at, s.index(*axis));
          return s.select(hit, v[1], v[0]);
        });
  }
  return c.set(0, result);
}

} // namespace

void addScatterDecoders(DecoderRegistry &r) {
  const std::string slots = "at most " + std::to_string(kMaxSlots) + " ";
  const std::string block =
      ", or constant indices that are a block and replace";
  const DecoderTraits elements = {
      .numRequired = 3, .condition = slots + "slots along the axis" + block};
  r.add("ScatterElements", 11, decodeScatterElements, elements);
  r.add("Scatter", 9, decodeScatterElements, elements);
  r.add("ScatterND", 11, decodeScatterNd,
        {.numRequired = 3, .condition = slots + "index tuples" + block});
  r.add("TensorScatter", 24, decodeTensorScatter,
        {.numRequired = 2, .condition = slots + "new positions"});
}

} // namespace spyre
