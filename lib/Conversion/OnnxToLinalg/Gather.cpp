// SPDX-License-Identifier: Apache-2.0
//
// Operators that read at indices. Known indices that form a range or a grid are
// slices and broadcasts; other known or computed ones are a tensor.gather.

#include "Gather.h"

#include "Evaluate.h"
#include "Registry.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace spyre {

FailureOr<Value> normalIndices(DecodeContext &c, Value indices,
                               int64_t extent) {
  DenseElementsAttr attr = constantOf(indices);
  if (!attr) {
    // A negative index counts from the end.
    return c.g.map(indices, elementOf(indices), [&](Scalars &s, ValueRange v) {
      Value negative = s.compare(Scalars::Order::Less, v[0], s.like(v[0], 0));
      Value wrapped = s.add(v[0], s.like(v[0], static_cast<double>(extent)));
      return s.select(negative, wrapped, v[0]);
    });
  }
  std::vector<Number> numbers = readNumbers(attr);
  bool changed = false;
  for (Number &number : numbers) {
    if (number.integer < -extent || number.integer >= extent) {
      return c.mismatch("index " + Twine(number.integer) +
                        " is outside of an axis of " + Twine(extent));
    }
    if (number.integer < 0) {
      number.integer += extent;
      changed = true;
    }
  }
  return changed ? c.g.constant(writeNumbers(typeOf(indices), numbers))
                 : indices;
}

//===----------------------------------------------------------------------===//
// Grids
//===----------------------------------------------------------------------===//

std::optional<Grid> gridOf(ArrayRef<Number> coordinates, ShapeRef shape,
                           int64_t numCoordinates) {
  const int64_t points = numElements(shape);
  if (points == 0 || numCoordinates == 0) {
    return std::nullopt;
  }
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;) {
    strides[dim - 1] = strides[dim] * shape[dim];
  }
  Grid grid;
  for (int64_t k = 0; k < numCoordinates; ++k) {
    const auto at = [&](int64_t point) {
      return coordinates[point * numCoordinates + k].integer;
    };
    grid.begin.push_back(at(0));
    grid.dim.push_back(-1);
    // The dim along which this coordinate steps by one.
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      if (shape[dim] > 1 && at(strides[dim]) == at(0) + 1) {
        grid.dim.back() = static_cast<int64_t>(dim);
        break;
      }
    }
    const int64_t dim = grid.dim.back();
    for (int64_t point = 0; point < points; ++point) {
      const int64_t step = dim < 0 ? 0 : point / strides[dim] % shape[dim];
      if (at(point) != at(0) + step) {
        return std::nullopt;
      }
    }
  }
  // Two coordinates along one dim would read a diagonal.
  for (size_t k = 0; k < grid.dim.size(); ++k) {
    if (grid.dim[k] >= 0 &&
        llvm::is_contained(ArrayRef(grid.dim).drop_front(k + 1), grid.dim[k])) {
      return std::nullopt;
    }
  }
  return grid;
}

/// Reads the grid: a slice whose coordinate dims are placed among the dims of
/// the result; the other dims of the input follow.
static Value readGrid(GraphBuilder &g, Value input, const Grid &grid,
                      ShapeRef shape) {
  ShapeRef from = shapeOf(input);
  const size_t numCoordinates = grid.begin.size();
  Shape offsets(from.size(), 0);
  Shape sizes(from);
  Shape strides(from.size(), 1);
  for (size_t k = 0; k < numCoordinates; ++k) {
    offsets[k] = grid.begin[k];
    sizes[k] = grid.dim[k] < 0 ? 1 : shape[grid.dim[k]];
  }
  Value part = g.slice(input, offsets, sizes, strides);
  Shape result(shape);
  llvm::append_range(result, from.drop_front(numCoordinates));
  const auto rank = static_cast<unsigned>(result.size());
  SmallVector<AffineExpr> exprs;
  for (size_t dim = 0; dim < from.size(); ++dim) {
    int64_t at = static_cast<int64_t>(shape.size() + dim - numCoordinates);
    if (dim < numCoordinates) {
      at = grid.dim[dim];
    }
    exprs.push_back(at < 0 ? g.b.getAffineConstantExpr(0)
                           : g.b.getAffineDimExpr(static_cast<unsigned>(at)));
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return g.generic(
      part,
      {AffineMap::get(rank, 0, exprs, g.b.getContext()), g.identity(rank)},
      iterators, result, elementOf(input), Value(),
      [](Scalars &, ValueRange v) { return v[0]; });
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

/// input[coordinates[..., 0], coordinates[..., 1], ..., :]. Coordinates are in
/// range and not negative.
static Value gatherPoints(GraphBuilder &g, Value input, Value coordinates) {
  ShapeRef all = shapeOf(coordinates);
  ShapeRef shape = all.drop_back();
  const int64_t count = all.back();
  Shape result(shape);
  llvm::append_range(result, shapeOf(input).drop_front(count));
  if (numElements(result) == 0) {
    return g.nothing(result, elementOf(input));
  }
  if (DenseElementsAttr attr = constantOf(coordinates)) {
    std::vector<Number> numbers = readNumbers(attr);
    if (std::optional<Grid> grid = gridOf(numbers, shape, count)) {
      return readGrid(g, input, *grid, shape);
    }
    ShapeRef from = shapeOf(input);
    const int64_t row = numElements(from.drop_front(count));
    const auto source = [&](ShapeRef position) {
      const int64_t point = rowMajor(shape, position.take_front(shape.size()));
      int64_t at = 0;
      for (int64_t k = 0; k < count; ++k) {
        at = at * from[k] + numbers[point * count + k].integer;
      }
      return at * row + rowMajor(from.drop_front(count),
                                 position.drop_front(shape.size()));
    };
    if (Value moved = g.movementOf(input, result, source)) {
      return moved;
    }
  }
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, count));
  return tensor::GatherOp::create(
      g.b, g.loc, RankedTensorType::get(result, elementOf(input)), input,
      coordinates, dims, /*unique=*/false);
}

/// The coordinates of a read along one axis: the position itself, except along
/// the axis, where it is the index.
static Value coordinatesAlong(GraphBuilder &g, Value indices, int64_t axis) {
  Shape shape(shapeOf(indices));
  const auto rank = static_cast<int64_t>(shape.size());
  Shape all(shape);
  all.push_back(rank);
  Value unsqueezed = g.unsqueeze(indices, rank);
  Type type = g.b.getI64Type();
  return g.mapIndexed(unsqueezed, all, type, [&](Scalars &s, ValueRange v) {
    Value result = s.cast(v[0], type);
    Value which = s.index(rank);
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (dim != axis) {
        Value here = s.compare(Scalars::Order::Equal, which,
                               s.like(which, static_cast<double>(dim)));
        result = s.select(here, s.index(dim), result);
      }
    }
    return result;
  });
}

namespace {

LogicalResult requireIntegers(DecodeContext &c, size_t index) {
  if (!c.element(index).isSignlessInteger() || isBoolType(c.element(index))) {
    return c.mismatch("indices have elements of type " +
                      toText(c.element(index)));
  }
  return success();
}

LogicalResult decodeGather(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", 0), c.rank(0));
  if (failed(axis) || failed(requireIntegers(c, 1))) {
    return failure();
  }
  FailureOr<Value> indices = normalIndices(c, c.in(1), c.shape(0)[*axis]);
  return failed(indices) ? failure()
                         : c.set(0, c.g.gather(c.in(0), *indices, *axis));
}

LogicalResult decodeGatherElements(DecodeContext &c) {
  FailureOr<int64_t> axis = c.axis(c.intAttr("axis", 0), c.rank(0));
  if (failed(axis) || failed(requireIntegers(c, 1))) {
    return failure();
  }
  if (c.rank(1) != c.rank(0)) {
    return c.mismatch("indices of shape " + toText(c.shape(1)) +
                      " for data of shape " + toText(c.shape(0)));
  }
  for (int64_t dim = 0; dim < c.rank(0); ++dim) {
    if (dim != *axis && c.shape(1)[dim] > c.shape(0)[dim]) {
      return c.mismatch("indices of shape " + toText(c.shape(1)) +
                        " exceed data of shape " + toText(c.shape(0)));
    }
  }
  FailureOr<Value> indices = normalIndices(c, c.in(1), c.shape(0)[*axis]);
  if (failed(indices)) {
    return failure();
  }
  return c.set(
      0, gatherPoints(c.g, c.in(0), coordinatesAlong(c.g, *indices, *axis)));
}

/// Normalises the coordinates of each column by its own extent.
FailureOr<Value> normalCoordinates(DecodeContext &c, Value coordinates,
                                   ShapeRef extents) {
  const auto last = static_cast<int64_t>(shapeOf(coordinates).size()) - 1;
  SmallVector<Value> columns;
  for (auto [k, extent] : llvm::enumerate(extents)) {
    Value column = c.g.slice(coordinates, last, static_cast<int64_t>(k), 1);
    FailureOr<Value> normal = normalIndices(c, column, extent);
    if (failed(normal)) {
      return failure();
    }
    columns.push_back(*normal);
  }
  return c.g.concat(columns, last);
}

LogicalResult decodeGatherNd(DecodeContext &c) {
  if (c.rank(1) < 1 || failed(requireIntegers(c, 1))) {
    return c.mismatch("indices are a scalar");
  }
  const int64_t count = c.shape(1).back();
  const int64_t batch = c.intAttr("batch_dims", 0);
  if (count < 1 || batch < 0 || batch + count > c.rank(0) ||
      batch >= c.rank(1) ||
      c.shape(0).take_front(batch) != c.shape(1).take_front(batch)) {
    return c.mismatch("indices of shape " + toText(c.shape(1)) +
                      " for data of shape " + toText(c.shape(0)));
  }
  FailureOr<Value> coordinates =
      normalCoordinates(c, c.in(1), c.shape(0).slice(batch, count));
  if (failed(coordinates)) {
    return failure();
  }
  // Batch dims are coordinates like the others: the position itself.
  if (batch > 0) {
    const int64_t last = c.rank(1) - 1;
    Shape one(c.shape(1));
    one[last] = 1;
    SmallVector<Value> columns;
    for (int64_t dim = 0; dim < batch; ++dim) {
      columns.push_back(c.g.mapIndexed(
          {}, one, elementOf(*coordinates), [&](Scalars &s, ValueRange) {
            return s.cast(s.index(dim), elementOf(*coordinates));
          }));
    }
    columns.push_back(*coordinates);
    coordinates = c.g.concat(columns, last);
  }
  return c.set(0, gatherPoints(c.g, c.in(0), *coordinates));
}

} // namespace

void addGatherDecoders(DecoderRegistry &r) {
  const DecoderTraits two = {.numRequired = 2, .anyElement = true};
  r.add("Gather", 1, decodeGather, two);
  r.add("GatherElements", 11, decodeGatherElements, two);
  r.add("GatherND", 11, decodeGatherNd, two);
}

} // namespace spyre
