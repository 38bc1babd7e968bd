// SPDX-License-Identifier: Apache-2.0
//
// Ops of the launch dialect: the directives of their text form, the views of
// the steps, and the verifiers of what a plan declares.

#include "spyre/Dialect/Launch/IR/LaunchOps.h"

#include "spyre/Dialect/Stick/IR/HostCall.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/BareAttr.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace spyre::launch {

//===----------------------------------------------------------------------===//
// Directives
//===----------------------------------------------------------------------===//

template <typename AttrT>
static void printBare(OpAsmPrinter &printer, Operation *, AttrT attr) {
  printer << planEnumName(attr.getValue());
}

static ParseResult parseFootprints(OpAsmParser &parser, ArrayAttr &list) {
  return parseList<FootprintAttr>(parser, list);
}

static void printFootprints(OpAsmPrinter &printer, Operation *,
                            ArrayAttr list) {
  printer << "(";
  llvm::interleaveComma(list.getAsRange<FootprintAttr>(), printer.getStream(),
                        [&](FootprintAttr footprint) {
                          printer << footprint.getRegion() << " "
                                  << footprint.getLo() << " to "
                                  << footprint.getHi();
                        });
  printer << ")";
}

static ParseResult parseHostOperands(OpAsmParser &parser, ArrayAttr &list) {
  return parseList<HostOperandAttr>(parser, list);
}

static void printHostOperands(OpAsmPrinter &printer, Operation *,
                              ArrayAttr list) {
  printer << "(";
  llvm::interleaveComma(list.getAsRange<HostOperandAttr>(), printer.getStream(),
                        [&](HostOperandAttr operand) {
                          printer << operand.getRegion() << " at "
                                  << operand.getOffset() << " : "
                                  << operand.getType();
                        });
  printer << ")";
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

Expected<int64_t> deviceBytes(RankedTensorType type) {
  stick::LayoutAttr layout = stick::getLayout(type);
  std::optional<ElementType> element =
      stick::toElementType(type.getElementType());
  if (!layout || !element || !type.hasStaticShape()) {
    std::string text;
    llvm::raw_string_ostream(text) << Type(type);
    return makeError(ErrorCode::ArgumentContract, "type " + text,
                     "has no device image: static shape, stick layout and a "
                     "device element type are needed");
  }
  return layout::sizeBytes(layout.getLayout(), type.getShape(), *element);
}

LogicalResult PlanOp::verifyRegions() {
  for (Operation &child : getBody().front()) {
    // The dialect of programs is of the same layer, hence by name.
    bool isProgram = child.getName().getStringRef() == "sdsc.program";
    if (!isProgram &&
        !isa<ArgumentOp, SegmentOp, WeightOp, SymbolOp, StepInterface>(child)) {
      return emitCoded(&child, ErrorCode::UnexpectedOpInPlan,
                       "'" + Twine(child.getName().getStringRef()) +
                           "' is no part of a launch plan");
    }
  }
  return success();
}

RankedTensorType ArgumentOp::getTensorType() {
  return cast<RankedTensorType>(getType());
}

LogicalResult ArgumentOp::verify() {
  Expected<int64_t> bytes = deviceBytes(getTensorType());
  if (!bytes) {
    return emitCoded(*this, bytes.error());
  }
  if (getBound() > 0 && isa<FloatType>(getTensorType().getElementType())) {
    return emitCoded(*this, ErrorCode::ArgumentContract,
                     "@" + getSymName() + " has index bound " +
                         Twine(getBound()) + " but holds no integers");
  }
  if (getAlias() && getRole() != ArgumentRole::Output) {
    return emitCoded(*this, ErrorCode::AliasMismatch,
                     "@" + getSymName() + " is an " + planEnumName(getRole()) +
                         "; only an output overwrites another argument");
  }
  return success();
}

LogicalResult ArgumentOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FlatSymbolRefAttr alias = getAliasAttr();
  if (!alias) {
    return success();
  }
  Operation *found = symbols.lookupSymbolIn((*this)->getParentOp(), alias);
  auto input = dyn_cast_or_null<ArgumentOp>(found);
  if (!input) {
    return emitCoded(*this, ErrorCode::UnknownPlanSymbol,
                     "@" + alias.getValue() + " is no argument of the plan");
  }
  if (input.getRole() != ArgumentRole::Input || input.getType() != getType()) {
    InFlightDiagnostic diag = emitCoded(
        *this, ErrorCode::AliasMismatch,
        "@" + getSymName() + " cannot overwrite @" + input.getSymName() +
            ": it must be an input of the same type");
    diag.attachNote(input.getLoc()) << "declared here";
    return diag;
  }
  return success();
}

LogicalResult SegmentOp::verify() {
  auto size = static_cast<int64_t>(getSize());
  if (size < 0 || size % kStickBytes != 0) {
    return emitCoded(*this, ErrorCode::SegmentSize,
                     "size " + Twine(size) + " is not a multiple of " +
                         Twine(kStickBytes));
  }
  return success();
}

RankedTensorType WeightOp::getTensorType() {
  return cast<RankedTensorType>(getType());
}

SmallVector<int64_t> WeightOp::getStoredShape() {
  SmallVector<int64_t> shape(getTensorType().getShape());
  if (std::optional<ArrayRef<int64_t>> perm = getPerm()) {
    for (auto [dim, stored] : llvm::enumerate(*perm)) {
      shape[stored] = getTensorType().getDimSize(dim);
    }
  }
  return shape;
}

LogicalResult WeightOp::verify() {
  Expected<int64_t> bytes = deviceBytes(getTensorType());
  if (!bytes) {
    return emitCoded(*this, bytes.error());
  }
  if (std::optional<ArrayRef<int64_t>> perm = getPerm()) {
    SmallVector<int64_t> sorted(*perm);
    llvm::sort(sorted);
    if (!llvm::equal(sorted,
                     llvm::seq<int64_t>(0, getTensorType().getRank()))) {
      return emitCoded(*this, ErrorCode::WeightPlace,
                       "perm is no permutation of the " +
                           Twine(getTensorType().getRank()) + " dims");
    }
  }
  int64_t elements = getTensorType().getNumElements();
  int64_t wanted = 0;
  if (__builtin_mul_overflow(elements, sizeOf(getHost()), &wanted) ||
      static_cast<int64_t>(getLength()) != wanted ||
      static_cast<int64_t>(getAt()) < 0) {
    return emitCoded(*this, ErrorCode::WeightPlace,
                     Twine(static_cast<int64_t>(getLength())) +
                         " bytes of the file are named, " + Twine(elements) +
                         " elements of " + planEnumName(getHost()) + " take " +
                         Twine(wanted));
  }
  auto dequantized = dyn_cast<stick::DequantizedAttr>(getFile());
  return dequantized
             ? dequantized.verifyRange(
                   [&] { return emitCoded(*this, ErrorCode::WeightPlace, ""); },
                   getHost() == HostType::F32, static_cast<int64_t>(getAt()),
                   static_cast<int64_t>(getLength()))
             : success();
}

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *found =
      symbols.lookupSymbolIn((*this)->getParentOp(), getSegmentAttr());
  auto segment = dyn_cast_or_null<SegmentOp>(found);
  if (!segment) {
    return emitCoded(*this, ErrorCode::UnknownPlanSymbol,
                     "@" + getSegment() + " is no segment of the plan");
  }
  int64_t bytes = deviceBytes(getTensorType()).value_or(0);
  auto offset = static_cast<int64_t>(getOffset());
  auto size = static_cast<int64_t>(segment.getSize());
  if (segment.getKind() != SegmentKind::Weights || offset < 0 ||
      offset % kStickBytes != 0 || offset > size || bytes > size - offset) {
    InFlightDiagnostic diag =
        emitCoded(*this, ErrorCode::WeightPlace,
                  Twine(bytes) + " bytes at offset " + Twine(offset) +
                      " do not lie, stick by stick, in weight segment @" +
                      getSegment() + " of " + Twine(size) + " bytes");
    diag.attachNote(segment.getLoc()) << "declared here";
    return diag;
  }
  return success();
}

LogicalResult SymbolOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *plan = (*this)->getParentOp();
  if (!isa_and_nonnull<ArgumentOp>(
          symbols.lookupSymbolIn(plan, getArgumentAttr()))) {
    return emitCoded(*this, ErrorCode::UnknownPlanSymbol,
                     "@" + getArgument() + " is no argument of the plan");
  }
  StringRef wanted =
      getKind() == SymbolKind::Address ? "sdsc.buffer" : "sdsc.scalar";
  Operation *target = symbols.lookupSymbolIn(plan, getInto());
  if (!target || target->getName().getStringRef() != wanted) {
    std::string path;
    llvm::raw_string_ostream(path) << getInto();
    return emitCoded(*this, ErrorCode::UnknownPlanSymbol,
                     path + " is no " + wanted + " of a program of the plan");
  }
  return success();
}

Expected<HostCall> HostWorkOp::readCall() {
  auto typesOf = [](ArrayAttr operands) {
    return llvm::map_to_vector(
        operands.getAsRange<HostOperandAttr>(),
        [](HostOperandAttr operand) { return operand.getType(); });
  };
  return stick::readHostCall(getFunction(), getParameters(), getReason(),
                             typesOf(getInputs()), typesOf(getOutputs()));
}

LogicalResult HostWorkOp::verify() {
  for (ArrayAttr list : {getInputs(), getOutputs()}) {
    for (auto operand : list.getAsRange<HostOperandAttr>()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || !stick::getLayout(type)) {
        InFlightDiagnostic diag =
            emitCoded(*this, ErrorCode::MissingLayout, "");
        diag << operand.getType() << " is no tensor with a layout";
        return diag;
      }
    }
  }
  const Expected<HostCall> call = readCall();
  return call ? success() : emitCoded(*this, call.error());
}

//===----------------------------------------------------------------------===//
// Views of steps
//===----------------------------------------------------------------------===//

template <typename OpT> static StepView viewOf(OpT op, StepKind kind) {
  StepView view;
  view.kind = kind;
  if constexpr (requires { op.getTargetAttr().getValue().str(); }) {
    view.symbol = op.getTargetAttr();
  } else if constexpr (requires { op.getTarget(); }) {
    view.index = op.getTarget();
  }
  view.name = op.getNameAttr();
  view.role = op.getRole();
  view.card = static_cast<int32_t>(op.getCard());
  view.reads = op.getReadsAttr();
  view.writes = op.getWritesAttr();
  return view;
}

StepView H2DOp::getView() { return viewOf(*this, StepKind::H2D); }
StepView D2HOp::getView() { return viewOf(*this, StepKind::D2H); }
StepView ComputeOp::getView() { return viewOf(*this, StepKind::Compute); }
StepView FillOp::getView() { return viewOf(*this, StepKind::Fill); }
StepView HostWorkOp::getView() { return viewOf(*this, StepKind::HostWork); }
StepView SignalOp::getView() { return viewOf(*this, StepKind::Signal); }
StepView WaitOp::getView() { return viewOf(*this, StepKind::Wait); }
StepView SendOp::getView() { return viewOf(*this, StepKind::Send); }
StepView RecvOp::getView() { return viewOf(*this, StepKind::Recv); }

} // namespace spyre::launch

#define GET_OP_CLASSES
#include "spyre/Dialect/Launch/IR/LaunchOps.cpp.inc"
