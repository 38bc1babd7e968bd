// SPDX-License-Identifier: Apache-2.0
//
// One function per host function. They pick and order elements by value and
// copy bytes, so that nothing is rounded.

#include "spyre/Runtime/HostFunctions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

using namespace spyre;
using namespace spyre::rt;

namespace {

HostTensor zeros(launch::HostType type, const std::vector<int64_t> &shape) {
  HostTensor tensor{type, shape, {}};
  tensor.bytes.resize(static_cast<size_t>(denseBytes(type, shape).value_or(0)));
  return tensor;
}

int64_t product(std::span<const int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t{1},
                         std::multiplies<>());
}

/// A total order: NaN counts as greater than every number.
bool isLess(double a, double b) {
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

std::vector<HostTensor> runTopK(const launch::HostCall &call,
                                const HostTensor &x) {
  const auto axis = static_cast<size_t>(call.attributes[0]);
  const int64_t k = call.attributes[1];
  const bool isLargest = call.attributes[2] != 0;
  const int64_t extent = x.shape[axis];
  const int64_t outer = product(std::span(x.shape).first(axis));
  const int64_t inner = product(std::span(x.shape).subspan(axis + 1));
  std::vector<int64_t> shape = x.shape;
  shape[axis] = k;
  HostTensor values = zeros(x.type, shape);
  HostTensor positions = zeros(launch::HostType::I32, shape);
  const auto size = static_cast<size_t>(launch::sizeOf(x.type));
  std::vector<double> row(static_cast<size_t>(extent));
  std::vector<int32_t> order(row.size());
  for (int64_t line = 0; line < outer * inner; ++line) {
    const int64_t from = line / inner * extent * inner + line % inner;
    const int64_t to = line / inner * k * inner + line % inner;
    for (int64_t i = 0; i < extent; ++i) {
      row[static_cast<size_t>(i)] = elementAsDouble(x, from + i * inner);
    }
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(
        order.begin(), order.begin() + k, order.end(),
        [&](int32_t a, int32_t b) {
          const double first = row[static_cast<size_t>(isLargest ? b : a)];
          const double second = row[static_cast<size_t>(isLargest ? a : b)];
          return isLess(first, second) || (!isLess(second, first) && a < b);
        });
    for (int64_t i = 0; i < k; ++i) {
      const int32_t position = order[static_cast<size_t>(i)];
      const auto source = static_cast<size_t>(from + position * inner);
      const auto target = static_cast<size_t>(to + i * inner);
      std::memcpy(values.bytes.data() + target * size,
                  x.bytes.data() + source * size, size);
      std::memcpy(positions.bytes.data() + target * sizeof(position), &position,
                  sizeof(position));
    }
  }
  return {std::move(values), std::move(positions)};
}

} // namespace

std::vector<HostTensor>
rt::runHostCall(const launch::HostCall &call,
                const std::vector<HostTensor> &operands) {
  switch (call.function) {
  case launch::HostFunction::TopK:
    return runTopK(call, operands[0]);
  }
  return {};
}
