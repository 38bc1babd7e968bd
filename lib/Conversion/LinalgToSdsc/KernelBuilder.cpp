// SPDX-License-Identifier: Apache-2.0

#include "KernelBuilder.h"

#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <functional>

using namespace mlir;

namespace spyre {

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// Coordinates as an affine map over the iteration dims; `rename` gives the
/// iteration dim of the kernel for one of the op.
static AffineMap coordMap(MLIRContext *context, unsigned numDims,
                          ArrayRef<cost::OperandCoord> coords,
                          function_ref<int32_t(int32_t)> rename) {
  SmallVector<AffineExpr> results;
  for (const cost::OperandCoord &coord : coords) {
    if (coord.dim < 0) {
      results.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    AffineExpr dim = getAffineDimExpr(rename(coord.dim), context);
    switch (coord.kind) {
    case layout::DimKind::Tile:
      results.push_back(dim.floorDiv(coord.factor) + coord.offset);
      break;
    case layout::DimKind::Stick:
      results.push_back(dim % coord.factor);
      break;
    default:
      AffineExpr index = dim * coord.stride;
      if (coord.windowDim >= 0) {
        index = index + getAffineDimExpr(rename(coord.windowDim), context) *
                            coord.windowStride;
      }
      results.push_back(index + coord.offset);
    }
  }
  return AffineMap::get(numDims, 0, results, context);
}

static int32_t sameDim(int32_t dim) { return dim; }

static launch::Combine toCombine(Combiner combiner) {
  switch (combiner) {
  case Combiner::AddF:
  case Combiner::AddI:
    return launch::Combine::Add;
  case Combiner::MulF:
  case Combiner::MulI:
    return launch::Combine::Mul;
  case Combiner::MaximumF:
  case Combiner::MaxNumF:
  case Combiner::MaxSI:
    return launch::Combine::Max;
  case Combiner::MinimumF:
  case Combiner::MinNumF:
  case Combiner::MinSI:
    return launch::Combine::Min;
  case Combiner::AndI:
    return launch::Combine::And;
  case Combiner::OrI:
    return launch::Combine::Or;
  }
  return launch::Combine::Add;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The iteration dim of a kernel for one of an op.
using RenameDim = function_ref<int32_t(int32_t)>;

/// Copies what `values` depend on inside `body` to `block` and yields them;
/// `mapping` holds the block arguments. Constants from outside are copied too.
static LogicalResult cloneBody(OpBuilder &builder, linalg::GenericOp op,
                               Block *block, IRMapping &mapping,
                               ValueRange values, Operation *skip,
                               RenameDim rename) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  auto captureConstant = [&](Value value) {
    TypedAttr attr;
    if (mapping.contains(value) || !matchPattern(value, m_Constant(&attr))) {
      return;
    }
    mapping.map(
        value,
        arith::ConstantOp::create(builder, op.getLoc(), attr).getResult());
  };
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (&inner == skip) {
      continue;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      int32_t dim = rename(static_cast<int32_t>(index.getDim()));
      mapping.map(index.getResult(),
                  sdsc::PositionOp::create(builder, index.getLoc(),
                                           builder.getIndexType(),
                                           builder.getI64IntegerAttr(dim))
                      .getResult());
      continue;
    }
    if (inner.getNumRegions() > 0) {
      return emitCoded(op, ErrorCode::UnsupportedBody,
                       "its body contains '" + inner.getName().getStringRef() +
                           "', which a kernel cannot hold");
    }
    llvm::for_each(inner.getOperands(), captureConstant);
    for (Value operand : inner.getOperands()) {
      if (!mapping.contains(operand)) {
        return emitCoded(op, ErrorCode::UnsupportedBody,
                         "its body reads a value from outside that is not a "
                         "constant, or its initial value");
      }
    }
    builder.clone(inner, mapping);
  }
  llvm::for_each(values, captureConstant);
  SmallVector<Value> yields;
  for (Value value : values) {
    if (!mapping.contains(value)) {
      return emitCoded(op, ErrorCode::UnsupportedBody,
                       "its body yields a value from outside");
    }
    yields.push_back(mapping.lookup(value));
  }
  sdsc::KernelYieldOp::create(builder, op.getLoc(), yields);
  return success();
}

static Block *addBlock(Region &region, TypeRange types, Location loc) {
  Block &block = region.emplaceBlock();
  block.addArguments(types, SmallVector<Location>(types.size(), loc));
  return &block;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

linalg::GenericOp findEpilogue(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumResults() != 1 ||
      !op.getResult(0).hasOneUse()) {
    return nullptr;
  }
  OpOperand &use = *op.getResult(0).use_begin();
  auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!user || user.getNumResults() != 1 || !user.isDpsInput(&use) ||
      user.getNumReductionLoops() > 0 ||
      user.getNumLoops() != op.getNumParallelLoops() ||
      !user.getMatchingIndexingMap(&use).isPermutation()) {
    return nullptr;
  }
  // The result of the kernel is walked along the accumulator's stick.
  std::string reason;
  FailureOr<std::vector<OperandAccess>> accesses =
      operandAccesses(user, reason);
  if (failed(accesses)) {
    return nullptr;
  }
  const OperandAccess &read = (*accesses)[use.getOperandNumber()];
  return read.stickDims() == accesses->back().stickDims() ? user : nullptr;
}

/// Operands, coordinates and types of a kernel under construction.
namespace {
struct KernelParts {
  SmallVector<Value> inputs;
  SmallVector<Value> epilogueInputs;
  SmallVector<Value> outputs;
  SmallVector<Attribute> coords;
};
} // namespace

static SmallVector<Type> elementTypesOf(ValueRange buffers) {
  return llvm::map_to_vector(buffers, [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementType();
  });
}

static sdsc::KernelOp createKernel(OpBuilder &builder, Location loc,
                                   cost::KernelKind kind, StringRef name,
                                   const KernelParts &parts,
                                   ArrayRef<int64_t> extents,
                                   ArrayRef<int32_t> reductions, int64_t stick,
                                   std::optional<launch::Combine> combine) {
  MLIRContext *context = builder.getContext();
  auto kernel = sdsc::KernelOp::create(
      builder, loc, sdsc::KernelKindAttr::get(context, kind),
      builder.getStringAttr(name), parts.inputs, parts.epilogueInputs,
      parts.outputs, builder.getDenseI64ArrayAttr(extents),
      builder.getDenseI32ArrayAttr(reductions),
      builder.getI32IntegerAttr(static_cast<int32_t>(stick)),
      builder.getArrayAttr(parts.coords),
      combine ? sdsc::CombineAttr::get(context, *combine) : sdsc::CombineAttr(),
      /*division=*/sdsc::DivisionAttr(), /*lx=*/DenseI64ArrayAttr(),
      /*force=*/DictionaryAttr());
  return kernel;
}

/// Body or epilogue from an elementwise op; `operands` are those that the block
/// takes, in order.
static LogicalResult fillElementwise(OpBuilder &builder, linalg::GenericOp op,
                                     Region &region, ArrayRef<int64_t> operands,
                                     TypeRange argumentTypes,
                                     RenameDim rename) {
  Block *block = addBlock(region, argumentTypes, op.getLoc());
  IRMapping mapping;
  for (auto [position, operand] : llvm::enumerate(operands)) {
    mapping.map(op.getBody()->getArgument(operand),
                block->getArgument(position));
  }
  return cloneBody(builder, op, block, mapping,
                   op.getBody()->getTerminator()->getOperands(), nullptr,
                   rename);
}

FailureOr<sdsc::KernelOp> buildKernel(OpBuilder &builder, linalg::GenericOp op,
                                      linalg::GenericOp epilogue,
                                      StringRef name, BufferOf bufferOf) {
  MLIRContext *context = builder.getContext();
  std::string reason;
  FailureOr<OpClassification> classified = classify(op, reason);
  FailureOr<std::vector<OperandAccess>> accesses = operandAccesses(op, reason);
  if (failed(classified) || failed(accesses)) {
    return emitCoded(op, ErrorCode::UnsupportedBody, reason);
  }
  if (op.getNumResults() != 1) {
    return emitCoded(op, ErrorCode::UnsupportedBody,
                     "it has several results; a kernel has one");
  }
  bool contract = classified->opClass == OpClass::Contract;
  unsigned numDims = op.getNumLoops();
  KernelParts parts;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, op.getNumDpsInputs()));
  if (contract) {
    order = {classified->left, classified->right};
  }
  // An operand that only gives a window its extent is not read.
  llvm::erase_if(order, [&](int64_t operand) {
    return op.getBody()->getArgument(operand).use_empty();
  });
  for (int64_t operand : order) {
    parts.inputs.push_back(bufferOf(op.getDpsInputs()[operand]));
    parts.coords.push_back(AffineMapAttr::get(
        coordMap(context, numDims, (*accesses)[operand].coords, sameDim)));
  }

  linalg::GenericOp last = epilogue ? epilogue : op;
  int64_t accumulated = -1;
  SmallVector<int64_t> epilogueReads;
  std::function<int32_t(int32_t)> renameDim = sameDim;
  if (epilogue) {
    FailureOr<std::vector<OperandAccess>> epilogueAccesses =
        operandAccesses(epilogue, reason);
    if (failed(epilogueAccesses)) {
      return emitCoded(epilogue, ErrorCode::UnsupportedBody, reason);
    }
    OpOperand &use = *op.getResult(0).use_begin();
    accumulated = use.getOperandNumber();
    AffineMap readMap = epilogue.getMatchingIndexingMap(&use);
    AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    // The epilogue's dims by way of the positions of the tensor between.
    renameDim = [readMap, resultMap](int32_t dim) {
      for (unsigned i = 0; i < readMap.getNumResults(); ++i) {
        if (readMap.getDimPosition(i) == static_cast<unsigned>(dim)) {
          return static_cast<int32_t>(resultMap.getDimPosition(i));
        }
      }
      return -1;
    };
    for (int64_t i = 0; i < epilogue.getNumDpsInputs(); ++i) {
      if (i == accumulated || epilogue.getBody()->getArgument(i).use_empty()) {
        continue;
      }
      epilogueReads.push_back(i);
      parts.epilogueInputs.push_back(bufferOf(epilogue.getDpsInputs()[i]));
      parts.coords.push_back(AffineMapAttr::get(coordMap(
          context, numDims, (*epilogueAccesses)[i].coords, renameDim)));
    }
    parts.outputs.push_back(bufferOf(epilogue.getResult(0)));
    parts.coords.push_back(AffineMapAttr::get(coordMap(
        context, numDims, epilogueAccesses->back().coords, renameDim)));
  } else {
    parts.outputs.push_back(bufferOf(op.getResult(0)));
    parts.coords.push_back(AffineMapAttr::get(
        coordMap(context, numDims, accesses->back().coords, sameDim)));
  }

  SmallVector<int32_t> reductions;
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (iterator == utils::IteratorType::reduction) {
      reductions.push_back(static_cast<int32_t>(dim));
    }
  }
  bool reduce = classified->opClass == OpClass::Reduce;
  cost::KernelKind kind = contract ? cost::KernelKind::Contract
                          : reduce ? cost::KernelKind::Reduce
                                   : cost::KernelKind::Map;
  std::optional<launch::Combine> combine;
  if (reduce) {
    combine = toCombine(classified->combiner);
  }
  Location loc = epilogue ? builder.getFusedLoc({op.getLoc(), last.getLoc()})
                          : op.getLoc();
  sdsc::KernelOp kernel =
      createKernel(builder, loc, kind, name, parts, op.getStaticLoopRanges(),
                   reductions, stickDimOf(*classified, *accesses), combine);
  if (auto forced = op->getAttrOfType<DictionaryAttr>("sdsc.force")) {
    kernel.setForceAttr(forced);
  }

  if (kind == cost::KernelKind::Map) {
    if (failed(fillElementwise(builder, op, kernel.getBody(), order,
                               elementTypesOf(parts.inputs), sameDim))) {
      return failure();
    }
    return kernel;
  }
  if (reduce) {
    Block *block =
        addBlock(kernel.getBody(), elementTypesOf(parts.inputs), loc);
    IRMapping mapping;
    for (auto [position, operand] : llvm::enumerate(order)) {
      mapping.map(op.getBody()->getArgument(operand),
                  block->getArgument(position));
    }
    if (failed(cloneBody(builder, op, block, mapping, classified->combined,
                         classified->combineOp, sameDim))) {
      return failure();
    }
  }
  Type accumulator = getElementTypeOrSelf(op.getResult(0).getType());
  SmallVector<Type> epilogueTypes = {accumulator};
  llvm::append_range(epilogueTypes, elementTypesOf(parts.epilogueInputs));
  if (epilogue) {
    SmallVector<int64_t> epilogueOrder = {accumulated};
    llvm::append_range(epilogueOrder, epilogueReads);
    if (failed(fillElementwise(builder, epilogue, kernel.getEpilogue(),
                               epilogueOrder, epilogueTypes, renameDim))) {
      return failure();
    }
    return kernel;
  }
  Block *block = addBlock(kernel.getEpilogue(), epilogueTypes, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  sdsc::KernelYieldOp::create(builder, loc, block->getArgument(0));
  return kernel;
}

sdsc::KernelOp buildCopyKernel(OpBuilder &builder, Location loc, StringRef name,
                               const CopyEnd &source,
                               const CopyEnd &destination,
                               ArrayRef<int64_t> extents) {
  MLIRContext *context = builder.getContext();
  auto rank = static_cast<unsigned>(extents.size());
  KernelParts parts;
  parts.inputs = {source.buffer};
  parts.outputs = {destination.buffer};
  int64_t stick = -1;
  std::vector<int32_t> stickDims[2];
  for (auto [index, end] :
       llvm::enumerate(ArrayRef<CopyEnd>{source, destination})) {
    OperandAccess access =
        composeAccess(stick::getLayout(end.type).getLayout(),
                      end.map ? end.map : builder.getMultiDimIdentityMap(rank));
    parts.coords.push_back(
        AffineMapAttr::get(coordMap(context, rank, access.coords, sameDim)));
    stickDims[index] = access.stickDims();
  }
  if (stickDims[0] == stickDims[1] && !stickDims[0].empty()) {
    stick = stickDims[0].front();
  }
  return createKernel(builder, loc, cost::KernelKind::Restickify, name, parts,
                      extents, {}, stick, std::nullopt);
}

sdsc::KernelOp buildGatherKernel(OpBuilder &builder, Location loc,
                                 StringRef name, const CopyEnd &table,
                                 const CopyEnd &index,
                                 const CopyEnd &destination) {
  MLIRContext *context = builder.getContext();
  auto rank = static_cast<unsigned>(destination.type.getRank());
  SmallVector<AffineExpr> indexDims = {builder.getAffineDimExpr(0),
                                       builder.getAffineConstantExpr(0)};
  const std::pair<const CopyEnd &, AffineMap> operands[] = {
      {table, builder.getMultiDimIdentityMap(rank)},
      {index, AffineMap::get(rank, 0, indexDims, context)},
      {destination, builder.getMultiDimIdentityMap(rank)}};
  KernelParts parts;
  parts.inputs = {table.buffer, index.buffer};
  parts.outputs = {destination.buffer};
  std::vector<int32_t> stickDims;
  for (const auto &[end, map] : operands) {
    OperandAccess access =
        composeAccess(stick::getLayout(end.type).getLayout(), map);
    parts.coords.push_back(
        AffineMapAttr::get(coordMap(context, rank, access.coords, sameDim)));
    stickDims = access.stickDims();
  }
  return createKernel(builder, loc, cost::KernelKind::Gather, name, parts,
                      destination.type.getShape(), {},
                      stickDims.empty() ? -1 : stickDims.front(), std::nullopt);
}

sdsc::KernelOp buildFillKernel(OpBuilder &builder, Location loc, StringRef name,
                               TypedAttr value, Value destination,
                               RankedTensorType type) {
  auto rank = static_cast<unsigned>(type.getRank());
  OperandAccess access = composeAccess(stick::getLayout(type).getLayout(),
                                       builder.getMultiDimIdentityMap(rank));
  KernelParts parts;
  parts.outputs = {destination};
  parts.coords.push_back(AffineMapAttr::get(
      coordMap(builder.getContext(), rank, access.coords, sameDim)));
  std::vector<int32_t> stickDims = access.stickDims();
  sdsc::KernelOp kernel = createKernel(
      builder, loc, cost::KernelKind::Map, name, parts, type.getShape(), {},
      stickDims.empty() ? -1 : stickDims.front(), std::nullopt);
  Block *block = addBlock(kernel.getBody(), {}, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  Value constant = arith::ConstantOp::create(builder, loc, value);
  sdsc::KernelYieldOp::create(builder, loc, constant);
  return kernel;
}

} // namespace spyre
