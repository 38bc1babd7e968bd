// SPDX-License-Identifier: Apache-2.0

#include "spyre/Dialect/Support/AffineIndex.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;

namespace spyre {

/// Adds factor * expr to the coefficients of the dims and, last, the constant;
/// false if the expression is not linear.
static bool addTerms(AffineExpr expr, int64_t factor,
                     MutableArrayRef<int64_t> coefficients) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += factor;
    return true;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    coefficients.back() += factor * constant.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && expr.getKind() == AffineExprKind::Add) {
    return addTerms(binary.getLHS(), factor, coefficients) &&
           addTerms(binary.getRHS(), factor, coefficients);
  }
  // Simplified expressions have the constant on the right.
  auto scale = binary && expr.getKind() == AffineExprKind::Mul
                   ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                   : AffineConstantExpr();
  return scale &&
         addTerms(binary.getLHS(), factor * scale.getValue(), coefficients);
}

std::optional<ResultIndex> readIndex(AffineMap map, unsigned position) {
  SmallVector<int64_t> coefficients(map.getNumDims() + 1, 0);
  if (!addTerms(map.getResult(position), 1, coefficients)) {
    return std::nullopt;
  }
  ResultIndex index;
  index.offset = coefficients.back();
  for (int64_t dim = 0; dim < static_cast<int64_t>(map.getNumDims()); ++dim) {
    const int64_t coefficient = coefficients[dim];
    if (coefficient == 0) {
      continue;
    }
    if (coefficient < 0 || index.windowDim >= 0) {
      return std::nullopt;
    }
    (index.dim < 0 ? index.stride : index.windowStride) = coefficient;
    (index.dim < 0 ? index.dim : index.windowDim) = dim;
  }
  return index.offset < 0 ? std::nullopt : std::optional(index);
}

} // namespace spyre
