// SPDX-License-Identifier: Apache-2.0
//
// Verifiers of the kernel level and the adapter from a kernel to the planner's
// problem. The rules here need no target; what depends on one (LX, cores,
// spans) is checked by cost::verifyPlan in the verify pass of the phase.

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"

#include "spyre/Dialect/Sdsc/IR/BodyTable.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/AffineIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace spyre::sdsc {

//===----------------------------------------------------------------------===//
// Device coordinates
//===----------------------------------------------------------------------===//

int64_t deviceBytes(ArrayRef<int64_t> shape) {
  int64_t sticks = 1;
  for (int64_t extent : shape.drop_back()) {
    sticks *= extent;
  }
  return sticks * kStickBytes;
}

/// `d floordiv E` or `d mod E`.
static std::optional<cost::OperandCoord> parseStickPart(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  auto dim = binary ? dyn_cast<AffineDimExpr>(binary.getLHS()) : nullptr;
  auto factor =
      binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : nullptr;
  bool isTile = expr.getKind() == AffineExprKind::FloorDiv;
  if (!dim || !factor || factor.getValue() <= 0 ||
      (!isTile && expr.getKind() != AffineExprKind::Mod)) {
    return std::nullopt;
  }
  cost::OperandCoord coord;
  coord.kind = isTile ? layout::DimKind::Tile : layout::DimKind::Stick;
  coord.dim = static_cast<int32_t>(dim.getPosition());
  coord.factor = factor.getValue();
  return coord;
}

/// Reads one result of a coordinate map; nullopt if it has another form.
static std::optional<cost::OperandCoord> parseCoord(AffineMap map,
                                                    unsigned position) {
  AffineExpr expr = map.getResult(position);
  AffineExpr base = expr;
  int64_t offset = 0;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
      sum && expr.getKind() == AffineExprKind::Add) {
    if (auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS())) {
      base = sum.getLHS();
      offset = constant.getValue();
    }
  }
  if (std::optional<cost::OperandCoord> part = parseStickPart(base)) {
    part->offset = offset;
    bool isStick = part->kind == layout::DimKind::Stick;
    return offset < 0 || (isStick && offset != 0) ? std::nullopt : part;
  }
  std::optional<ResultIndex> index = readIndex(map, position);
  if (!index || (index->dim < 0 && index->offset != 0)) {
    return std::nullopt;
  }
  cost::OperandCoord coord;
  coord.kind = index->dim < 0 ? layout::DimKind::Unit : layout::DimKind::Full;
  coord.dim = static_cast<int32_t>(index->dim);
  coord.stride = index->stride;
  coord.offset = index->offset;
  coord.windowDim = static_cast<int32_t>(index->windowDim);
  coord.windowStride = index->windowStride;
  return coord;
}

/// The extent that a memref dim must have for a coordinate.
static int64_t requiredExtent(const cost::OperandCoord &coord,
                              ArrayRef<int64_t> extents) {
  switch (coord.kind) {
  case layout::DimKind::Full: {
    int64_t last = (extents[coord.dim] - 1) * coord.stride + coord.offset;
    if (coord.windowDim >= 0) {
      last += (extents[coord.windowDim] - 1) * coord.windowStride;
    }
    return last + 1;
  }
  case layout::DimKind::Tile:
    return llvm::divideCeil(extents[coord.dim], coord.factor) + coord.offset;
  case layout::DimKind::Stick:
    return coord.factor;
  case layout::DimKind::Unit:
    return 1;
  }
  return 1;
}

static bool isLx(Type type) {
  auto space =
      dyn_cast_or_null<SpaceAttr>(cast<MemRefType>(type).getMemorySpace());
  return space && space.getValue() == launch::Space::LX;
}

//===----------------------------------------------------------------------===//
// AllocOp, WeightOp
//===----------------------------------------------------------------------===//

/// The last device dim is one whole stick of the element type.
static LogicalResult verifyWholeSticks(Operation *op, Type type) {
  auto memref = cast<MemRefType>(type);
  std::optional<ElementType> element = toElementType(memref.getElementType());
  if (!element) {
    return op->emitOpError("element type ")
           << memref.getElementType() << " does not exist on the device";
  }
  int64_t perStick = elementsPerStick(*element);
  if (memref.getRank() == 0 || memref.getShape().back() != perStick) {
    return op->emitOpError("the last dim of ")
           << memref << " must be one stick of " << perStick << " elements";
  }
  return success();
}

LogicalResult AllocOp::verify() {
  if (!isa<RankedTensorType>(getTensor())) {
    return emitOpError("the graph type must be a ranked tensor");
  }
  if (getAddress() && *getAddress() % kStickBytes != 0) {
    return emitOpError("LX address ")
           << *getAddress() << " is not a multiple of " << kStickBytes;
  }
  if (getAddress() && !isLx(getType())) {
    return emitOpError("only a buffer in LX has an address at this level");
  }
  return verifyWholeSticks(*this, getType());
}

LogicalResult WeightOp::verify() {
  if (!isa<RankedTensorType>(getTensor())) {
    return emitOpError("the graph type must be a ranked tensor");
  }
  if (static_cast<int64_t>(getOffset()) < 0 ||
      static_cast<int64_t>(getLength()) < 0) {
    return emitOpError("offset and length must not be negative");
  }
  if (auto dequantized = dyn_cast<stick::DequantizedAttr>(getFile())) {
    const Type stored = getHostType().value_or(
        cast<RankedTensorType>(getTensor()).getElementType());
    if (failed(dequantized.verifyRange([&] { return emitOpError(); },
                                       stored.isF32(),
                                       static_cast<int64_t>(getOffset()),
                                       static_cast<int64_t>(getLength())))) {
      return failure();
    }
  }
  return verifyWholeSticks(*this, getType());
}

LogicalResult ViewOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto result = cast<MemRefType>(getType());
  if (isLx(source) || source.getMemorySpace() != result.getMemorySpace()) {
    return emitOpError("renames the sticks of a buffer in device memory");
  }
  if (source.getElementType() != result.getElementType() ||
      source.getNumElements() != result.getNumElements()) {
    return emitOpError("must keep the sticks: ")
           << source << " has other bytes than " << result;
  }
  return verifyWholeSticks(*this, result);
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelOp::getAllOperands() {
  SmallVector<Value> values(getInputs());
  llvm::append_range(values, getEpilogueInputs());
  llvm::append_range(values, getOutputs());
  return values;
}

bool KernelOp::isReduction(int32_t dim) {
  return llvm::is_contained(getReductions(), dim);
}

static LogicalResult verifyCoords(KernelOp op) {
  SmallVector<Value> operands = op.getAllOperands();
  if (op.getCoords().size() != operands.size()) {
    return op.emitOpError("has ")
           << operands.size() << " operands but " << op.getCoords().size()
           << " coordinate maps";
  }
  for (auto [index, operand, attr] :
       llvm::enumerate(operands, op.getCoords())) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    auto type = cast<MemRefType>(operand.getType());
    if (map.getNumDims() != op.getExtents().size() ||
        map.getNumSymbols() != 0) {
      return op.emitOpError("coordinate map #")
             << index << " must take the " << op.getExtents().size()
             << " iteration dims";
    }
    if (static_cast<int64_t>(map.getNumResults()) != type.getRank()) {
      return op.emitOpError("coordinate map #")
             << index << " has " << map.getNumResults() << " results for "
             << type;
    }
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
      std::optional<cost::OperandCoord> coord = parseCoord(map, dim);
      if (!coord) {
        return op.emitOpError("coordinate map #")
               << index << ": result #" << dim
               << " must be `dim * S + window * T + O`, `dim floordiv E + O`, "
                  "`dim mod E` or 0";
      }
      if (coord->windowDim >= 0 && !op.isReduction(coord->windowDim)) {
        return op.emitOpError("coordinate map #")
               << index << ": window dim d" << coord->windowDim
               << " must be reduced";
      }
      // A slice in LX is smaller than the tensor.
      bool isStickDim = static_cast<int64_t>(dim) + 1 == type.getRank();
      // An index chooses the row of a table, whatever its number.
      bool isRow = op.getKind() == cost::KernelKind::Gather && index == 0 &&
                   coord->dim == 0;
      if (isRow && coord->kind != layout::DimKind::Full) {
        return op.emitOpError("the rows of the table are in its stick");
      }
      if (!isLx(type) && !isRow && coord->kind != layout::DimKind::Unit &&
          type.getDimSize(dim) < requiredExtent(*coord, op.getExtents())) {
        return op.emitOpError("operand #")
               << index << ": device dim #" << dim << " of " << type
               << " must have at least extent "
               << requiredExtent(*coord, op.getExtents())
               << " to cover the iteration space";
      }
      if (coord->kind == layout::DimKind::Stick && !isStickDim) {
        return op.emitOpError("coordinate map #")
               << index << ": the stick must be the last device dim";
      }
    }
    if (failed(verifyWholeSticks(op, type))) {
      return failure();
    }
  }
  return success();
}

static LogicalResult verifyRegion(KernelOp op, Region &region, StringRef what,
                                  ArrayRef<Type> arguments,
                                  ArrayRef<Type> results) {
  if (region.empty()) {
    return op.emitOpError("the ") << what << " of this kind must not be empty";
  }
  if (!region.hasOneBlock()) {
    return op.emitOpError("the ") << what << " must be one block";
  }
  Block &block = region.front();
  if (block.getArgumentTypes() != TypeRange(arguments)) {
    return op.emitOpError("the ")
           << what << " must take (" << arguments << ") but takes ("
           << block.getArgumentTypes() << ")";
  }
  auto yield = dyn_cast_or_null<KernelYieldOp>(
      block.mightHaveTerminator() ? block.getTerminator() : nullptr);
  if (!yield) {
    return op.emitOpError("the ") << what << " must end in sdsc.kernel_yield";
  }
  if (yield.getOperandTypes() != TypeRange(results)) {
    return op.emitOpError("the ")
           << what << " must yield (" << results << ") but yields ("
           << yield.getOperandTypes() << ")";
  }
  return success();
}

static SmallVector<Type> elementTypes(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) {
    return cast<MemRefType>(value.getType()).getElementType();
  });
}

static LogicalResult verifyKernelRegions(KernelOp op) {
  SmallVector<Type> inputs = elementTypes(op.getInputs());
  SmallVector<Type> outputs = elementTypes(op.getOutputs());
  switch (op.getKind()) {
  case cost::KernelKind::Restickify:
    if (!op.getBody().empty() || !op.getEpilogue().empty()) {
      return op.emitOpError("a restickify has no body and no epilogue");
    }
    if (inputs.size() != 1 || outputs.size() != 1 || inputs != outputs) {
      return op.emitOpError(
          "a restickify has one input and one output of the same element type");
    }
    return success();
  case cost::KernelKind::Gather:
    if (!op.getBody().empty() || !op.getEpilogue().empty()) {
      return op.emitOpError("a gather has no body and no epilogue");
    }
    if (inputs.size() != 2 || !inputs[1].isInteger(32) || outputs.size() != 1 ||
        inputs[0] != outputs[0]) {
      return op.emitOpError("a gather has a table, an i32 index and an output "
                            "of the table's element type");
    }
    return success();
  case cost::KernelKind::Map:
    if (!op.getEpilogueInputs().empty() || !op.getEpilogue().empty()) {
      return op.emitOpError("a map has no epilogue");
    }
    return verifyRegion(op, op.getBody(), "body", inputs, outputs);
  case cost::KernelKind::Reduce:
  case cost::KernelKind::Contract:
    break;
  }
  Builder builder(op.getContext());
  bool isInteger = !inputs.empty() && inputs.front().isSignlessInteger() &&
                   !inputs.front().isInteger(1);
  Type accumulator =
      isInteger ? Type(builder.getI32Type()) : Type(builder.getF32Type());
  if (op.getKind() == cost::KernelKind::Contract) {
    if (inputs.size() != 2 || !op.getBody().empty()) {
      return op.emitOpError("a contraction has two inputs and no body");
    }
  } else {
    Type combined = accumulator;
    if (!op.getBody().empty() && op.getBody().front().mightHaveTerminator() &&
        op.getBody().front().getTerminator()->getNumOperands() == 1) {
      combined = op.getBody().front().getTerminator()->getOperand(0).getType();
      accumulator = combined;
    }
    if (!accumulator.isF32() && !accumulator.isInteger(32)) {
      return op.emitOpError("a reduction accumulates in f32 or i32, not ")
             << accumulator;
    }
    if (failed(verifyRegion(op, op.getBody(), "body", inputs, combined))) {
      return failure();
    }
  }
  SmallVector<Type> epilogueArguments = {accumulator};
  llvm::append_range(epilogueArguments, elementTypes(op.getEpilogueInputs()));
  return verifyRegion(op, op.getEpilogue(), "epilogue", epilogueArguments,
                      outputs);
}

LogicalResult KernelOp::verify() {
  auto rank = static_cast<int64_t>(getExtents().size());
  if (llvm::any_of(getExtents(), [](int64_t extent) { return extent < 0; })) {
    return emitOpError("extents must not be negative");
  }
  for (int32_t dim : getReductions()) {
    if (dim < 0 || dim >= rank) {
      return emitOpError("reduction dim ")
             << dim << " is not one of the " << rank << " iteration dims";
    }
  }
  auto stick = static_cast<int32_t>(getStick());
  if (stick < -1 || stick >= rank) {
    return emitOpError("stick dim ")
           << getStick() << " is not one of the " << rank << " iteration dims";
  }
  if (getOutputs().size() != 1) {
    return emitOpError("must have one output");
  }
  if ((getKind() == cost::KernelKind::Reduce) != getCombine().has_value()) {
    return emitOpError("`combine` belongs to a reduction, and only there");
  }
  if (failed(verifyCoords(*this)) || failed(verifyKernelRegions(*this))) {
    return failure();
  }
  if (std::optional<DivisionAttr> division = getDivision()) {
    auto size = static_cast<size_t>(rank);
    if (division->getSlices().size() != size ||
        division->getTiles().size() != size ||
        division->getOrder().size() != size ||
        division->getCores().size() != size) {
      return emitOpError("the division must have one entry for each of the ")
             << rank << " iteration dims";
    }
  }
  if (getLx() && getLx()->size() != getAllOperands().size() + 1) {
    return emitOpError("`lx` must have one address per operand and one for the "
                       "accumulator");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// HostOp
//===----------------------------------------------------------------------===//

LogicalResult HostOp::verify() {
  for (Value operand : getOperands()) {
    if (isLx(operand.getType())) {
      return emitOpError("the host reaches device memory, not ")
             << operand.getType();
    }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The planner's view
//===----------------------------------------------------------------------===//

/// The work of what the op becomes on the device; what the table does not have
/// (comparisons, conversions) is one simple operation.
static launch::OpWork workOf(Operation &op) {
  if (isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp>(op)) {
    return launch::OpWork::Free;
  }
  if (auto apply = dyn_cast<ApplyOp>(op)) {
    return launch::workOf(apply.getOpcode());
  }
  for (const BodyPair &pair : bodyPairs()) {
    if (pair.name == op.getName().getStringRef()) {
      return launch::workOf(pair.opcode);
    }
  }
  return launch::OpWork::Simple;
}

static cost::BodyWork countWork(Region &region) {
  cost::BodyWork work{0, 0};
  for (Block &block : region) {
    for (Operation &op : block.without_terminator()) {
      launch::OpWork kind = workOf(op);
      work.simple += kind == launch::OpWork::Simple ? 1 : 0;
      work.transcendental += kind == launch::OpWork::Transcendental ? 1 : 0;
    }
  }
  // A copy passes through the unit as well.
  if (work.simple == 0 && work.transcendental == 0) {
    work.simple = 1;
  }
  return work;
}

cost::KernelProblem KernelOp::getProblem(int64_t lxBudgetBytes) {
  cost::KernelProblem problem;
  problem.name = getName().str();
  problem.kind = getKind();
  problem.stickDim = getStick();
  problem.lxBudgetBytes = lxBudgetBytes;
  for (auto [index, extent] : llvm::enumerate(getExtents())) {
    cost::KernelDim dim;
    dim.name = "d" + std::to_string(index);
    dim.extent = extent;
    dim.reduction = isReduction(static_cast<int32_t>(index));
    dim.splittable = !dim.reduction;
    dim.tileable = getKind() != cost::KernelKind::Gather || index > 0;
    problem.dims.push_back(std::move(dim));
  }
  size_t numInputs = getInputs().size();
  size_t numReads = numInputs + getEpilogueInputs().size();
  for (auto [index, value, attr] :
       llvm::enumerate(getAllOperands(), getCoords())) {
    cost::KernelOperand operand;
    operand.name = (index < numReads ? "in" : "out") + std::to_string(index);
    operand.type =
        *toElementType(cast<MemRefType>(value.getType()).getElementType());
    operand.output = index >= numReads;
    operand.epilogue = index >= numInputs && index < numReads;
    operand.resident = isLx(value.getType());
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    auto type = cast<MemRefType>(value.getType());
    for (unsigned position = 0; position < map.getNumResults(); ++position) {
      cost::OperandCoord coord = *parseCoord(map, position);
      if (!operand.resident && coord.kind != layout::DimKind::Stick) {
        coord.extent = type.getDimSize(position);
      }
      if (coord.kind == layout::DimKind::Tile ||
          coord.kind == layout::DimKind::Stick) {
        cost::KernelDim &dim = problem.dims[coord.dim];
        dim.granule = std::max(dim.granule, coord.factor);
      }
      operand.coords.push_back(coord);
    }
    problem.operands.push_back(std::move(operand));
  }
  problem.body = countWork(getBody());
  problem.epilogue = countWork(getEpilogue());
  return problem;
}

cost::KernelPlan KernelOp::getPlan() {
  DivisionAttr division = *getDivision();
  cost::KernelPlan plan;
  plan.slices.assign(division.getSlices().begin(), division.getSlices().end());
  plan.tiles.assign(division.getTiles().begin(), division.getTiles().end());
  plan.loopOrder.assign(division.getOrder().begin(), division.getOrder().end());
  plan.coreOrder.assign(division.getCores().begin(), division.getCores().end());
  plan.buffers = division.getBuffers();
  return plan;
}

DivisionAttr KernelOp::toAttr(MLIRContext *context,
                              const cost::KernelPlan &plan) {
  return DivisionAttr::get(context, plan.slices, plan.tiles, plan.loopOrder,
                           plan.coreOrder, plan.buffers);
}

} // namespace spyre::sdsc
