// SPDX-License-Identifier: Apache-2.0
//
// What a linalg.generic does, read from its iterators, maps and body: an
// elementwise map, a reduction, or a contraction for the matrix unit. No op
// names: whatever lowers to this form is recognised.

#ifndef SPYRE_ANALYSIS_OPCLASS_H
#define SPYRE_ANALYSIS_OPCLASS_H

#include "spyre/Dialect/Support/AffineIndex.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace spyre {

enum class OpClass : uint8_t {
  /// All dims parallel; the initial values are not read.
  Map,
  /// out = combine(out, f(inputs)) over at least one reduction dim.
  Reduce,
  /// out += a * b, with dims that only one factor and the result have.
  Contract,
};
llvm::StringRef toString(OpClass opClass);

/// How a reduction combines. MaximumF and MinimumF propagate NaN, MaxNumF and
/// MinNumF ignore it.
enum class Combiner : uint8_t {
  AddF,
  MulF,
  MaximumF,
  MinimumF,
  MaxNumF,
  MinNumF,
  AddI,
  MulI,
  MaxSI,
  MinSI,
  AndI,
  OrI,
};
llvm::StringRef toString(Combiner combiner);

struct OpClassification {
  OpClass opClass = OpClass::Map;

  // Reduce and Contract:
  Combiner combiner = Combiner::AddF;
  /// The combining op in the body, the last before the yield.
  mlir::Operation *combineOp = nullptr;
  /// f(inputs): the value that is combined with the accumulator.
  mlir::Value combined;

  // Contract: iteration dims by role, ascending, and the input operands.
  /// Operand numbers of A (has M and K) and B (has N and K).
  int64_t left = 0;
  int64_t right = 1;
  llvm::SmallVector<int64_t> batch;
  llvm::SmallVector<int64_t> m;
  llvm::SmallVector<int64_t> n;
  llvm::SmallVector<int64_t> k;
};

/// Classifies the op, or says why it has no class.
///
/// Contract: two inputs, body `extf? a, extf? b, mulf, addf acc` (or the signed
/// integer forms), f32 or i32 accumulator, every reduction dim in both inputs,
/// every parallel dim of the result in at least one. The input that has a dim
/// which it shares with the result only is B; if both have one, the second is.
/// If neither has one, or the conditions do not hold, it is a Reduce. The
/// initial value of Reduce and Contract must be a fill with the combiner's
/// neutral element.
mlir::FailureOr<OpClassification> classify(mlir::linalg::GenericOp op,
                                           std::string &reason);

/// The iteration dim that result `position` of an indexing map reads as it is,
/// or -1 for a constant or any other index.
int64_t dimOfResult(mlir::AffineMap map, unsigned position);

/// The position of iteration dim `dim` among the map's results, read as it is,
/// or -1.
int64_t resultOfDim(mlir::AffineMap map, int64_t dim);

} // namespace spyre

#endif // SPYRE_ANALYSIS_OPCLASS_H
