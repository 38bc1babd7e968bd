// SPDX-License-Identifier: Apache-2.0
//
// Bodies compute in f32 and round once, at the yield; reductions accumulate in
// f32 tensors that start at the neutral element of their combiner. After this
// pass the rest of the compiler need not ask how a value was accumulated.

#include "spyre/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace spyre::graph {
#define GEN_PASS_DEF_WIDENARITHMETICPASS
#include "spyre/Dialect/Graph/Transforms/Passes.h.inc"

namespace {

bool isNarrow(Type type) { return type.isF16() || type.isBF16(); }

Type widened(Type type) {
  return isNarrow(type) ? Float32Type::get(type.getContext()) : type;
}

/// The value in f32: itself, a wider constant, or an extension.
Value extendIfNarrow(OpBuilder &b, Location loc, Value value) {
  if (!isNarrow(value.getType())) {
    return value;
  }
  FloatAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    APFloat number = constant.getValue();
    bool losesInfo = false;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return arith::ConstantOp::create(b, loc,
                                     b.getFloatAttr(b.getF32Type(), number));
  }
  return arith::ExtFOp::create(b, loc, b.getF32Type(), value);
}

/// Copies the ops of a generic's body to `b` in f32. `mapping` already holds
/// the (widened) block arguments; afterwards it holds every value.
void cloneWidened(OpBuilder &b, Block &body, IRMapping &mapping) {
  for (Operation &op : body.without_terminator()) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
        widened(op.getResult(0).getType()).isF32()) {
      // Both sides are f32 now.
      mapping.map(op.getResult(0), mapping.lookupOrDefault(op.getOperand(0)));
      continue;
    }
    for (Value operand : op.getOperands()) {
      if (!mapping.contains(operand) && isNarrow(operand.getType())) {
        mapping.map(operand, extendIfNarrow(b, op.getLoc(), operand));
      }
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op);
        constant && isNarrow(constant.getType())) {
      mapping.map(constant.getResult(),
                  extendIfNarrow(b, op.getLoc(), constant.getResult()));
      continue;
    }
    Operation *copy = b.clone(op, mapping);
    for (Value result : copy->getResults()) {
      result.setType(widened(result.getType()));
    }
  }
}

Value truncateTo(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type || !isNarrow(type)) {
    return value;
  }
  return arith::TruncFOp::create(b, loc, type, value);
}

Value emptyOf(OpBuilder &b, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(b, loc, type.getShape(),
                                 type.getElementType());
}

bool needsWideBody(linalg::GenericOp op) {
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(inner)) {
      continue;
    }
    auto narrowType = [](Type type) { return isNarrow(type); };
    if (llvm::any_of(inner.getOperandTypes(), narrowType) ||
        llvm::any_of(inner.getResultTypes(), narrowType)) {
      return true;
    }
  }
  return false;
}

/// An elementwise generic. An initial value that the body reads becomes an
/// input, so that outputs are only written.
void widenElementwise(RewriterBase &rewriter, linalg::GenericOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps(op.getIndexingMapsArray());
  SmallVector<AffineMap> outputMaps(maps.begin() + inputs.size(), maps.end());
  maps.resize(inputs.size());
  SmallVector<Value> outputs;
  SmallVector<std::pair<BlockArgument, unsigned>> readOutputs;
  for (auto [index, output] : llvm::enumerate(op.getOutputs())) {
    BlockArgument arg = op.getBody()->getArgument(op.getNumDpsInputs() + index);
    if (!arg.use_empty()) {
      readOutputs.emplace_back(arg, inputs.size());
      inputs.push_back(output);
      maps.push_back(outputMaps[index]);
      output = emptyOf(rewriter, loc, cast<RankedTensorType>(output.getType()));
    }
    outputs.push_back(output);
  }
  llvm::append_range(maps, outputMaps);

  auto wide = linalg::GenericOp::create(
      rewriter, loc, op.getResultTypes(), inputs, outputs, maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location, ValueRange args) {
        IRMapping mapping;
        for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
          mapping.map(op.getBody()->getArgument(i),
                      extendIfNarrow(b, loc, args[i]));
        }
        for (auto [arg, position] : readOutputs) {
          mapping.map(arg, extendIfNarrow(b, loc, args[position]));
        }
        cloneWidened(b, *op.getBody(), mapping);
        SmallVector<Value> yields;
        for (auto [value, output] :
             llvm::zip(op.getBody()->getTerminator()->getOperands(), outputs)) {
          yields.push_back(truncateTo(b, loc, mapping.lookupOrDefault(value),
                                      getElementTypeOrSelf(output.getType())));
        }
        linalg::YieldOp::create(b, loc, yields);
      },
      linalg::getPrunedAttributeList(op));
  rewriter.replaceOp(op, wide.getResults());
}

/// The one op that combines output `index` of a reduction, or null.
Operation *combinerOf(linalg::GenericOp op, unsigned index) {
  SmallVector<Operation *> combiners;
  Value reduced = matchReduction(op.getRegionOutputArgs(), index, combiners);
  return reduced && combiners.size() == 1 ? combiners.front() : nullptr;
}

/// The neutral element in the widened type; +0.0 rather than -0.0, since the
/// device starts sums at +0.0.
TypedAttr neutralOf(OpBuilder &b, Operation *combiner) {
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  if (!neutral) {
    return {};
  }
  auto value = dyn_cast<FloatAttr>(*neutral);
  if (!value) {
    return *neutral;
  }
  APFloat number = value.getValue();
  bool losesInfo = false;
  Type type = widened(value.getType());
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  if (number.isZero()) {
    number.clearSign();
  }
  return b.getFloatAttr(type, number);
}

/// True if `init` is a fill with the neutral element.
bool startsNeutral(Value init, TypedAttr neutral) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  Attribute value;
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&value))) {
    return false;
  }
  if (auto number = dyn_cast<FloatAttr>(value)) {
    APFloat given = number.getValue();
    APFloat wanted = cast<FloatAttr>(neutral).getValue();
    bool losesInfo = false;
    given.convert(wanted.getSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return (given.isZero() && wanted.isZero()) || given.bitwiseIsEqual(wanted);
  }
  return value == neutral;
}

/// The elementwise op after a reduction: combines with an initial value that
/// was not neutral and rounds to the storage type.
Value finishReduction(RewriterBase &rewriter, Location loc, Value reduced,
                      Value init, RankedTensorType type, Operation *combiner) {
  int64_t rank = type.getRank();
  SmallVector<Value> inputs = {reduced};
  if (init) {
    inputs.push_back(init);
  }
  SmallVector<AffineMap> maps(inputs.size() + 1,
                              rewriter.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      rewriter, loc, type, inputs, emptyOf(rewriter, loc, type), maps,
      iterators, [&](OpBuilder &b, Location, ValueRange args) {
        Value value = args[0];
        if (init) {
          Value start = extendIfNarrow(b, loc, args[1]);
          OperationState state(loc, combiner->getName());
          state.addOperands({start, value});
          state.addTypes(value.getType());
          value = b.create(state)->getResult(0);
        }
        linalg::YieldOp::create(
            b, loc, truncateTo(b, loc, value, type.getElementType()));
      });
  return op.getResult(0);
}

void widenReduction(RewriterBase &rewriter, linalg::GenericOp op) {
  Location loc = op.getLoc();
  unsigned numOutputs = op.getNumDpsInits();
  SmallVector<Operation *> combiners;
  SmallVector<TypedAttr> neutrals;
  bool changes = needsWideBody(op);
  for (unsigned i = 0; i < numOutputs; ++i) {
    Operation *combiner = combinerOf(op, i);
    TypedAttr neutral = combiner ? neutralOf(rewriter, combiner) : TypedAttr();
    if (!neutral) {
      return; // Not a reduction that the device knows: reported later.
    }
    combiners.push_back(combiner);
    neutrals.push_back(neutral);
    changes |= isNarrow(getElementTypeOrSelf(op.getOutputs()[i].getType())) ||
               !startsNeutral(op.getOutputs()[i], neutral);
  }
  if (!changes) {
    return;
  }

  SmallVector<Value> inits;
  SmallVector<Type> resultTypes;
  for (auto [output, neutral] : llvm::zip(op.getOutputs(), neutrals)) {
    auto type = cast<RankedTensorType>(output.getType());
    type = type.clone(widened(type.getElementType()));
    Value start = arith::ConstantOp::create(rewriter, loc, neutral);
    inits.push_back(linalg::FillOp::create(rewriter, loc, start,
                                           emptyOf(rewriter, loc, type))
                        .result());
    resultTypes.push_back(type);
  }
  auto wide = linalg::GenericOp::create(
      rewriter, loc, resultTypes, op.getInputs(), inits,
      op.getIndexingMapsArray(), op.getIteratorTypesArray(),
      [&](OpBuilder &b, Location, ValueRange args) {
        IRMapping mapping;
        for (auto [oldArg, newArg] :
             llvm::zip(op.getBody()->getArguments(), args)) {
          mapping.map(oldArg, extendIfNarrow(b, loc, newArg));
        }
        cloneWidened(b, *op.getBody(), mapping);
        SmallVector<Value> yields;
        for (Value value : op.getBody()->getTerminator()->getOperands()) {
          yields.push_back(mapping.lookupOrDefault(value));
        }
        linalg::YieldOp::create(b, loc, yields);
      },
      linalg::getPrunedAttributeList(op));

  SmallVector<Value> results;
  for (unsigned i = 0; i < numOutputs; ++i) {
    auto type = cast<RankedTensorType>(op.getOutputs()[i].getType());
    Value init = startsNeutral(op.getOutputs()[i], neutrals[i])
                     ? Value()
                     : op.getOutputs()[i];
    Value reduced = wide.getResult(i);
    results.push_back(
        init || reduced.getType() != type
            ? finishReduction(rewriter, loc, reduced, init, type, combiners[i])
            : reduced);
  }
  rewriter.replaceOp(op, results);
}

class WidenArithmetic : public impl::WidenArithmeticPassBase<WidenArithmetic> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics()) {
        ops.push_back(op);
      }
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops) {
      rewriter.setInsertionPoint(op);
      if (op.getNumReductionLoops() > 0) {
        widenReduction(rewriter, op);
        continue;
      }
      bool readsOutput = llvm::any_of(
          op.getRegionOutputArgs(), [](Value arg) { return !arg.use_empty(); });
      if (readsOutput || needsWideBody(op)) {
        widenElementwise(rewriter, op);
      }
    }
  }
};

} // namespace
} // namespace spyre::graph
