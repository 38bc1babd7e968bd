// SPDX-License-Identifier: Apache-2.0
//
// Verifiers and folds of the stick dialect's ops.

#include "spyre/Dialect/Stick/IR/HostCall.h"
#include "spyre/Dialect/Stick/IR/Stick.h"

#include "mlir/IR/PatternMatch.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

#define GET_OP_CLASSES
#include "spyre/Dialect/Stick/IR/StickOps.cpp.inc"

namespace spyre::stick {

//===----------------------------------------------------------------------===//
// WeightOp
//===----------------------------------------------------------------------===//

Type WeightOp::getStoredElementType() {
  return getHostType().value_or(getResult().getType().getElementType());
}

llvm::SmallVector<int64_t> WeightOp::getPermutation() {
  if (std::optional<ArrayRef<int64_t>> perm = getPerm()) {
    return llvm::to_vector(*perm);
  }
  llvm::SmallVector<int64_t> identity(getResult().getType().getRank());
  std::iota(identity.begin(), identity.end(), 0);
  return identity;
}

llvm::SmallVector<int64_t> WeightOp::getStoredShape() {
  llvm::SmallVector<int64_t> stored(getResult().getType().getRank());
  for (auto [dim, from] : llvm::enumerate(getPermutation())) {
    stored[from] = getResult().getType().getDimSize(dim);
  }
  return stored;
}

static LogicalResult verifyPermutation(WeightOp op) {
  llvm::SmallVector<int64_t> sorted = op.getPermutation();
  llvm::sort(sorted);
  llvm::SmallVector<int64_t> identity(op.getResult().getType().getRank());
  std::iota(identity.begin(), identity.end(), 0);
  if (sorted != identity) {
    return op.emitOpError()
           << "perm [" << op.getPermutation() << "] is not a permutation of "
           << identity.size() << " dims";
  }
  return success();
}

LogicalResult WeightOp::verify() {
  if (static_cast<int64_t>(getOffset()) < 0) {
    return emitOpError() << "offset " << static_cast<int64_t>(getOffset())
                         << " is negative";
  }
  if (failed(verifyPermutation(*this))) {
    return failure();
  }
  const Type stored = getStoredElementType();
  if (!stored.isIntOrFloat()) {
    return emitOpError() << "elements of type " << stored
                         << " have no form in a file";
  }
  // A file stores a bool as a byte and packs what is narrower than that.
  const int64_t bits = stored.isInteger(1) ? 8 : stored.getIntOrFloatBitWidth();
  int64_t total = bits;
  for (int64_t extent : getResult().getType().getShape()) {
    if (__builtin_mul_overflow(total, extent, &total)) {
      return emitOpError() << "the size of " << getResult().getType()
                           << " exceeds 2^63 bits";
    }
  }
  const int64_t bytes = total / 8 + (total % 8 != 0);
  if (static_cast<int64_t>(getLength()) != bytes) {
    return emitOpError() << "length is " << static_cast<int64_t>(getLength())
                         << " bytes, but " << getResult().getType()
                         << " stored as " << stored << " has " << bytes;
  }
  auto dequantized = dyn_cast<DequantizedAttr>(getFile());
  return dequantized
             ? dequantized.verifyRange([&] { return emitOpError(); },
                                       stored.isF32(),
                                       static_cast<int64_t>(getOffset()), bytes)
             : success();
}

//===----------------------------------------------------------------------===//
// RestickifyOp
//===----------------------------------------------------------------------===//

LogicalResult RestickifyOp::verify() {
  const RankedTensorType from = getSource().getType();
  const RankedTensorType to = getResult().getType();
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType()) {
    return emitOpError() << "changes the tensor from " << from << " to " << to
                         << ", only the layout may differ";
  }
  for (const RankedTensorType type : {from, to}) {
    if (!stick::getLayout(type)) {
      return emitOpError() << "needs a #stick.layout on both sides, " << type
                           << " has none";
    }
  }
  if (from == to) {
    return emitOpError() << "source and result have the same layout";
  }
  return success();
}

OpFoldResult RestickifyOp::fold(FoldAdaptor) {
  auto previous = getSource().getDefiningOp<RestickifyOp>();
  if (!previous) {
    return {};
  }
  if (previous.getSource().getType() == getType()) {
    return previous.getSource();
  }
  getSourceMutable().assign(previous.getSource());
  return getResult();
}

namespace {

/// A weight is laid out when the artifact is written: its restickify is the
/// weight in the other layout.
struct RestickifyOfWeight : OpRewritePattern<RestickifyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RestickifyOp op,
                                PatternRewriter &rewriter) const override {
    auto weight = op.getSource().getDefiningOp<WeightOp>();
    if (!weight) {
      return rewriter.notifyMatchFailure(op, "the source is not a weight");
    }
    Operation *laidOut = rewriter.clone(*weight);
    laidOut->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, laidOut);
    return success();
  }
};

} // namespace

void RestickifyOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *context) {
  patterns.add<RestickifyOfWeight>(context);
}

//===----------------------------------------------------------------------===//
// CompositeOp
//===----------------------------------------------------------------------===//

LogicalResult CompositeOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getInputs().getTypes()) {
    return emitOpError() << "passes operands of types ("
                         << getInputs().getTypes()
                         << ") to a body whose arguments are ("
                         << body.getArgumentTypes() << ")";
  }
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield) {
    return emitOpError() << "body ends with '" << body.back().getName()
                         << "', expected 'stick.yield'";
  }
  if (yield.getOperandTypes() != getResultTypes()) {
    InFlightDiagnostic diag = emitOpError();
    diag << "has results of types (" << getResultTypes()
         << ") but its body yields (" << yield.getOperandTypes() << ")";
    diag.attachNote(yield.getLoc()) << "yielded here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// HostOp
//===----------------------------------------------------------------------===//

Expected<launch::HostCall> HostOp::readCall() {
  return readHostCall(getFunction(), getParameters(), getReason(),
                      llvm::to_vector(getInputs().getTypes()),
                      llvm::to_vector(getResultTypes()));
}

LogicalResult HostOp::verify() {
  const Expected<launch::HostCall> call = readCall();
  if (!call) {
    return emitOpError() << call.error().subject << ": "
                         << call.error().message;
  }
  return success();
}

} // namespace spyre::stick
