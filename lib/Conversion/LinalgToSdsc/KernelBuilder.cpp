// SPDX-License-Identifier: Apache-2.0

#include "KernelBuilder.h"

#include "KernelBodies.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

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
// Kernels
//===----------------------------------------------------------------------===//

/// Whether sums of the tensor's elements are i32, not f32.
static bool sumsAreIntegers(Value tensor) {
  Type element = getElementTypeOrSelf(tensor.getType());
  return element.isInteger() && !element.isInteger(1);
}

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
  // The type of the kernel's result is that of its accumulator.
  if (sumsAreIntegers(op.getResult(0)) != sumsAreIntegers(user.getResult(0))) {
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

static cost::KernelKind toKernelKind(OpClass opClass) {
  switch (opClass) {
  case OpClass::Map:
    return cost::KernelKind::Map;
  case OpClass::Reduce:
    return cost::KernelKind::Reduce;
  case OpClass::Contract:
    return cost::KernelKind::Contract;
  }
  return cost::KernelKind::Map;
}

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

namespace {

/// Builds the kernel of one linalg.generic and of the elementwise op that
/// finishes it, if any.
class GenericKernel {
public:
  GenericKernel(OpBuilder &builder, linalg::GenericOp op,
                linalg::GenericOp epilogue, BufferOf bufferOf)
      : builder(builder), op(op), epilogue(epilogue), bufferOf(bufferOf) {}

  FailureOr<sdsc::KernelOp> build(StringRef name) {
    if (failed(analyse())) {
      return failure();
    }
    addInputs();
    if (epilogue) {
      addEpilogueInputs();
    }
    addOutput();
    sdsc::KernelOp kernel = create(name);
    if (classified.opClass == OpClass::Map) {
      return failed(fillMap(kernel)) ? FailureOr<sdsc::KernelOp>() : kernel;
    }
    if (classified.opClass == OpClass::Reduce && failed(fillReduced(kernel))) {
      return failure();
    }
    if (failed(fillEpilogue(kernel))) {
      return failure();
    }
    return kernel;
  }

private:
  /// Everything that can be found missing before a kernel exists.
  LogicalResult analyse() {
    std::string reason;
    FailureOr<OpClassification> opClass = classify(op, reason);
    FailureOr<std::vector<OperandAccess>> opAccesses =
        operandAccesses(op, reason);
    if (failed(opClass) || failed(opAccesses)) {
      return emitCoded(op, ErrorCode::UnsupportedBody, reason);
    }
    if (op.getNumResults() != 1) {
      return emitCoded(op, ErrorCode::UnsupportedBody,
                       "it has several results; a kernel has one");
    }
    classified = *opClass;
    accesses = *opAccesses;
    if (epilogue) {
      FailureOr<std::vector<OperandAccess>> last =
          operandAccesses(epilogue, reason);
      if (failed(last)) {
        return emitCoded(epilogue, ErrorCode::UnsupportedBody, reason);
      }
      epilogueAccesses = *last;
    }
    return success();
  }

  /// The kernel's dim for one of the epilogue, by way of the positions of the
  /// tensor between them.
  int32_t renamed(int32_t dim) {
    OpOperand &use = *op.getResult(0).use_begin();
    AffineMap readMap = epilogue.getMatchingIndexingMap(&use);
    AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    for (unsigned i = 0; i < readMap.getNumResults(); ++i) {
      if (readMap.getDimPosition(i) == static_cast<unsigned>(dim)) {
        return static_cast<int32_t>(resultMap.getDimPosition(i));
      }
    }
    return -1;
  }

  void addCoords(const OperandAccess &access, RenameDim rename) {
    parts.coords.push_back(AffineMapAttr::get(coordMap(
        builder.getContext(), op.getNumLoops(), access.coords, rename)));
  }

  void addInputs() {
    order = llvm::to_vector(llvm::seq<int64_t>(0, op.getNumDpsInputs()));
    if (classified.opClass == OpClass::Contract) {
      order = {classified.left, classified.right};
    }
    // An operand that only gives a window its extent is not read.
    llvm::erase_if(order, [&](int64_t operand) {
      return op.getBody()->getArgument(operand).use_empty();
    });
    for (int64_t operand : order) {
      parts.inputs.push_back(bufferOf(op.getDpsInputs()[operand]));
      addCoords(accesses[operand], sameDim);
    }
  }

  /// The epilogue's first argument is what the kernel accumulated.
  void addEpilogueInputs() {
    int64_t accumulated = op.getResult(0).use_begin()->getOperandNumber();
    epilogueOrder = {accumulated};
    for (int64_t i = 0; i < epilogue.getNumDpsInputs(); ++i) {
      if (i == accumulated || epilogue.getBody()->getArgument(i).use_empty()) {
        continue;
      }
      epilogueOrder.push_back(i);
      parts.epilogueInputs.push_back(bufferOf(epilogue.getDpsInputs()[i]));
      addCoords(epilogueAccesses[i], [&](int32_t dim) { return renamed(dim); });
    }
  }

  void addOutput() {
    if (epilogue) {
      parts.outputs.push_back(bufferOf(epilogue.getResult(0)));
      addCoords(epilogueAccesses.back(),
                [&](int32_t dim) { return renamed(dim); });
    } else {
      parts.outputs.push_back(bufferOf(op.getResult(0)));
      addCoords(accesses.back(), sameDim);
    }
  }

  sdsc::KernelOp create(StringRef name) {
    SmallVector<int32_t> reductions;
    for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray())) {
      if (iterator == utils::IteratorType::reduction) {
        reductions.push_back(static_cast<int32_t>(dim));
      }
    }
    std::optional<launch::Combine> combine;
    if (classified.opClass == OpClass::Reduce) {
      combine = toCombine(classified.combiner);
    }
    Location loc = epilogue
                       ? builder.getFusedLoc({op.getLoc(), epilogue.getLoc()})
                       : op.getLoc();
    sdsc::KernelOp kernel =
        createKernel(builder, loc, toKernelKind(classified.opClass), name,
                     parts, op.getStaticLoopRanges(), reductions,
                     stickDimOf(classified, accesses), combine);
    if (auto forced = op->getAttrOfType<DictionaryAttr>("sdsc.force")) {
      kernel.setForceAttr(forced);
    }
    return kernel;
  }

  LogicalResult fillMap(sdsc::KernelOp kernel) {
    return fillElementwise(builder, op, kernel.getBody(), order,
                           elementTypesOf(parts.inputs), sameDim);
  }

  /// The body of a reduction gives what is combined.
  LogicalResult fillReduced(sdsc::KernelOp kernel) {
    Block *block = addBlock(kernel.getBody(), elementTypesOf(parts.inputs),
                            kernel.getLoc());
    IRMapping mapping;
    for (auto [position, operand] : llvm::enumerate(order)) {
      mapping.map(op.getBody()->getArgument(operand),
                  block->getArgument(position));
    }
    return cloneBody(builder, op, block, mapping, classified.combined,
                     classified.combineOp, sameDim);
  }

  LogicalResult fillEpilogue(sdsc::KernelOp kernel) {
    SmallVector<Type> types = {getElementTypeOrSelf(op.getResult(0).getType())};
    llvm::append_range(types, elementTypesOf(parts.epilogueInputs));
    if (epilogue) {
      return fillElementwise(builder, epilogue, kernel.getEpilogue(),
                             epilogueOrder, types,
                             [&](int32_t dim) { return renamed(dim); });
    }
    Block *block = addBlock(kernel.getEpilogue(), types, kernel.getLoc());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    sdsc::KernelYieldOp::create(builder, kernel.getLoc(),
                                block->getArgument(0));
    return success();
  }

  OpBuilder &builder;
  linalg::GenericOp op;
  linalg::GenericOp epilogue;
  BufferOf bufferOf;
  OpClassification classified;
  std::vector<OperandAccess> accesses;
  std::vector<OperandAccess> epilogueAccesses;
  KernelParts parts;
  /// Inputs of the op, and of the epilogue, in the order of the arguments of
  /// the kernel's regions.
  SmallVector<int64_t> order;
  SmallVector<int64_t> epilogueOrder;
};

} // namespace

FailureOr<sdsc::KernelOp> buildKernel(OpBuilder &builder, linalg::GenericOp op,
                                      linalg::GenericOp epilogue,
                                      StringRef name, BufferOf bufferOf) {
  return GenericKernel(builder, op, epilogue, bufferOf).build(name);
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
