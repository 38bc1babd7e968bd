// SPDX-License-Identifier: Apache-2.0
//
// The comparator. Two passes over the rows: norms of the reference first, as
// the largest decides which rows are small, then the errors.

#include "spyre/Runtime/Compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace spyre;
using namespace spyre::rt;

namespace {

constexpr int64_t kMinRowElements = 32;
constexpr double kSmallRow = 1e-3;

/// Sums over the elements of a row that are finite on both sides.
struct RowSums {
  double reference = 0;
  double actual = 0;
  double product = 0;
  double error = 0;
};

bool isSameSpecial(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || a == b;
}

bool isWithin(const Gates::Elementwise &gate, double difference,
              double reference) {
  return difference <= gate.absolute + gate.relative * std::fabs(reference);
}

RowSums sumRow(const HostTensor &actual, const HostTensor &reference,
               const Gates &gates, int64_t first, int64_t count,
               Comparison &result) {
  RowSums sums;
  for (int64_t i = first; i < first + count; ++i) {
    const double a = elementAsDouble(actual, i);
    const double r = elementAsDouble(reference, i);
    if (!std::isfinite(a) || !std::isfinite(r)) {
      if (!isSameSpecial(a, r)) {
        result.firstNonFinite =
            result.nonFiniteMismatches++ == 0 ? i : result.firstNonFinite;
      }
      continue;
    }
    const double difference = std::fabs(a - r);
    if (difference > result.maxAbs) {
      result.maxAbs = difference;
      result.maxElement = i;
    }
    result.maxReference = std::max(result.maxReference, std::fabs(r));
    if (gates.elementwise && !isWithin(*gates.elementwise, difference, r)) {
      result.firstElementMismatch =
          result.elementMismatches++ == 0 ? i : result.firstElementMismatch;
    }
    sums.reference += r * r;
    sums.actual += a * a;
    sums.product += a * r;
    sums.error += difference * difference;
  }
  return sums;
}

void compareFloats(const HostTensor &actual, const HostTensor &reference,
                   const Gates &gates, int64_t elements, int64_t rowElements,
                   Comparison &result) {
  std::vector<RowSums> rows;
  double largest = 0;
  for (int64_t first = 0; first < elements; first += rowElements) {
    rows.push_back(
        sumRow(actual, reference, gates, first, rowElements, result));
    largest = std::max(largest, std::sqrt(rows.back().reference));
  }
  result.numRows = static_cast<int64_t>(rows.size());
  for (size_t row = 0; row < rows.size(); ++row) {
    const RowSums &sums = rows[row];
    const double norm = std::sqrt(sums.reference);
    const bool isSmall = norm < kSmallRow * largest || norm == 0;
    double relative = std::sqrt(sums.error);
    if (isSmall) {
      ++result.numSmallRows;
      relative /= largest > 0 ? largest : 1;
    } else {
      relative /= norm;
      const double norms = norm * std::sqrt(sums.actual);
      const double cosine = norms > 0 ? sums.product / norms : 0;
      if (cosine < result.cosine) {
        result.cosine = cosine;
        result.cosineRow = static_cast<int64_t>(row);
      }
    }
    if (relative > result.rowL2) {
      result.rowL2 = relative;
      result.worstRow = static_cast<int64_t>(row);
    }
  }
}

/// The first gate that a float comparison does not pass, in words.
std::string findFailure(const Comparison &result, const Gates &gates) {
  if (result.nonFiniteMismatches > 0) {
    return fmt::format("NaN or infinity differs in {} elements, first in "
                       "element {}",
                       result.nonFiniteMismatches, result.firstNonFinite);
  }
  if (gates.rowL2 && !(result.rowL2 <= *gates.rowL2)) {
    return fmt::format("row L2 {:.3e} in row {} of {}, at most {:g}",
                       result.rowL2, result.worstRow, result.numRows,
                       *gates.rowL2);
  }
  if (gates.cosine && !(result.cosine > *gates.cosine)) {
    return fmt::format("cosine {:.7f} in row {} of {}, must exceed {:g}",
                       result.cosine, result.cosineRow, result.numRows,
                       *gates.cosine);
  }
  if (gates.maxRelative && !(result.maxRelative() <= *gates.maxRelative)) {
    return fmt::format("max error {:.3e} of the largest element (element {}), "
                       "at most {:g}",
                       result.maxRelative(), result.maxElement,
                       *gates.maxRelative);
  }
  if (result.elementMismatches > 0) {
    return fmt::format("{} elements beyond rtol {:g}, atol {:g}, first element "
                       "{}; max error {:.3e} (element {})",
                       result.elementMismatches, gates.elementwise->relative,
                       gates.elementwise->absolute, result.firstElementMismatch,
                       result.maxAbs, result.maxElement);
  }
  return {};
}

void compareIntegers(const HostTensor &actual, const HostTensor &reference,
                     int64_t elements, Comparison &result) {
  for (int64_t i = 0; i < elements; ++i) {
    const int64_t a = elementAsInteger(actual, i);
    const int64_t r = elementAsInteger(reference, i);
    if (a == r) {
      continue;
    }
    ++result.integerMismatches;
    const double difference =
        std::fabs(static_cast<double>(a) - static_cast<double>(r));
    if (difference > result.maxAbs) {
      result.maxAbs = difference;
      result.maxElement = i;
    }
  }
  if (result.integerMismatches > 0) {
    result.failure = fmt::format("{} of {} elements differ, most by {:g} "
                                 "(element {})",
                                 result.integerMismatches, elements,
                                 result.maxAbs, result.maxElement);
  }
}

} // namespace

double Comparison::maxRelative() const {
  return maxReference > 0 ? maxAbs / maxReference : maxAbs;
}

double rt::defaultTolerance(ElementType deviceType) {
  switch (deviceType) {
  case ElementType::F16:
  case ElementType::BF16:
    return 4e-3;
  case ElementType::DL16:
    return 8e-3;
  case ElementType::F32:
    return 2e-5;
  default:
    return 0;
  }
}

Expected<Comparison> rt::compare(const HostTensor &actual,
                                 const HostTensor &reference,
                                 const Gates &gates, std::string_view name) {
  if (actual.shape != reference.shape ||
      isFloat(actual.type) != isFloat(reference.type)) {
    return makeError(ErrorCode::ShapesDiffer,
                     fmt::format("output \"{}\"", name),
                     fmt::format("the result is {}, the reference {}",
                                 describe(actual.type, actual.shape),
                                 describe(reference.type, reference.shape)));
  }
  Comparison result;
  result.tolerance = gates.rowL2.value_or(0);
  const int64_t elements = numElements(actual.shape).value_or(0);
  if (isFloat(actual.type)) {
    const int64_t last = actual.shape.empty() ? 1 : actual.shape.back();
    const int64_t rowElements =
        last >= kMinRowElements ? last : std::max<int64_t>(elements, 1);
    compareFloats(actual, reference, gates, elements, rowElements, result);
    result.failure = findFailure(result, gates);
  } else {
    compareIntegers(actual, reference, elements, result);
  }
  result.passed = result.failure.empty();
  return result;
}

Expected<Comparison> rt::compare(const HostTensor &actual,
                                 const HostTensor &reference, double tolerance,
                                 std::string_view name) {
  Gates gates;
  gates.rowL2 = tolerance;
  return compare(actual, reference, gates, name);
}
