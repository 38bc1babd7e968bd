// SPDX-License-Identifier: Apache-2.0
//
// Ops of the sdsc dialect: the directives of their text form, the views of the
// commands, and the verifiers of a program's frame. Commands are verified
// against the program's symbols in CommandVerifier.cpp.

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"

#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/BareAttr.h"
#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/Target/Target.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace spyre::sdsc {

//===----------------------------------------------------------------------===//
// Directives
//===----------------------------------------------------------------------===//

template <typename AttrT>
static void printBare(OpAsmPrinter &printer, Operation *, AttrT attr) {
  if constexpr (requires { attr.getValue(); }) {
    printer << planEnumName(attr.getValue());
  } else {
    printBare(printer, attr);
  }
}

template <typename AttrT>
static void printList(OpAsmPrinter &printer, ArrayAttr list) {
  printer << "(";
  llvm::interleaveComma(list.getAsRange<AttrT>(), printer.getStream(),
                        [&](AttrT element) { printBare(printer, element); });
  printer << ")";
}

static ParseResult parseExtents(OpAsmParser &parser, ArrayAttr &list) {
  return parseList<ExtentAttr>(parser, list);
}
static void printExtents(OpAsmPrinter &printer, Operation *, ArrayAttr list) {
  printList<ExtentAttr>(printer, list);
}
static ParseResult parseBoxes(OpAsmParser &parser, ArrayAttr &list) {
  return parseList<BoxAttr>(parser, list);
}
static void printBoxes(OpAsmPrinter &printer, Operation *, ArrayAttr list) {
  printList<BoxAttr>(printer, list);
}
static ParseResult parseOutputs(OpAsmParser &parser, ArrayAttr &list) {
  return parseList<OutputAttr>(parser, list);
}
static void printOutputs(OpAsmPrinter &printer, Operation *, ArrayAttr list) {
  printList<OutputAttr>(printer, list);
}

static ParseResult parseSymbols(OpAsmParser &parser, ArrayAttr &list) {
  SmallVector<Attribute> symbols;
  auto parseSymbol = [&]() -> ParseResult {
    StringAttr name;
    if (failed(parser.parseSymbolName(name))) {
      return failure();
    }
    symbols.push_back(FlatSymbolRefAttr::get(name));
    return success();
  };
  if (failed(parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                            parseSymbol))) {
    return failure();
  }
  list = parser.getBuilder().getArrayAttr(symbols);
  return success();
}
static void printSymbols(OpAsmPrinter &printer, Operation *, ArrayAttr list) {
  printer << "[";
  llvm::interleaveComma(list, printer.getStream(),
                        [&](Attribute symbol) { printer << symbol; });
  printer << "]";
}

//===----------------------------------------------------------------------===//
// The frame of a program
//===----------------------------------------------------------------------===//

/// Checks that a frame op holds nothing but the given kinds of op.
template <typename... OpTs>
static LogicalResult verifyChildren(Operation *op, StringRef expected) {
  for (Operation &child : op->getRegion(0).front()) {
    if (!isa<OpTs...>(child)) {
      emitCoded(&child, ErrorCode::UnexpectedOpInProgram,
                Twine(child.getName().getStringRef()) + " stands in " +
                    op->getName().getStringRef() + ", which holds " + expected);
      return failure();
    }
  }
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  return verifyChildren<TableOp, ScalarOp, BufferOp, PhaseOp>(
      *this, "tables, scalars, buffers and phases");
}

LogicalResult UnitOp::verifyRegions() {
  return verifyChildren<CommandInterface>(*this, "commands");
}

LogicalResult LoopOp::verifyRegions() {
  return verifyChildren<CommandInterface>(*this, "commands");
}

LogicalResult PhaseOp::verifyRegions() {
  if (failed(verifyChildren<UnitOp>(*this, "units"))) {
    return failure();
  }
  uint32_t seen = 0;
  for (auto unit : getBody().front().getOps<UnitOp>()) {
    uint32_t bit = 1u << static_cast<unsigned>(unit.getUnit());
    if (seen & bit) {
      return emitCoded(unit, ErrorCode::DuplicateUnit,
                       "phase \"" + getName() + "\" has two lists for unit " +
                           planEnumName(unit.getUnit()));
    }
    seen |= bit;
  }
  return success();
}

LogicalResult PhaseOp::verifySymbolUses(SymbolTableCollection &symbols) {
  std::optional<ArrayAttr> residents = getResidents();
  if (!residents) {
    return success();
  }
  Operation *program = (*this)->getParentOp();
  for (auto resident : residents->getAsRange<FlatSymbolRefAttr>()) {
    Operation *op = symbols.lookupSymbolIn(program, resident);
    if (!op) {
      return emitCoded(*this, ErrorCode::UnknownProgramSymbol,
                       "resident @" + resident.getValue() +
                           " is not declared in the program");
    }
    auto buffer = dyn_cast<BufferOp>(op);
    if (!buffer || buffer.getSpace() != launch::Space::LX) {
      InFlightDiagnostic diag = emitCoded(*this, ErrorCode::WrongProgramSymbol,
                                          "resident @" + resident.getValue() +
                                              " is not a buffer in lx");
      diag.attachNote(op->getLoc()) << "declared here";
      return diag;
    }
  }
  return success();
}

int64_t TableOp::getInnerSize() {
  ShapedType type = getValues().getShapedType();
  return type.getRank() == 2 ? type.getDimSize(1) : 1;
}

LogicalResult TableOp::verify() {
  ShapedType type = getValues().getShapedType();
  int64_t cores = cast<ProgramOp>((*this)->getParentOp()).getCores();
  bool rankFits = type.getRank() == 1 || type.getRank() == 2;
  if (!rankFits || type.getDimSize(0) != cores) {
    return emitCoded(*this, ErrorCode::TableSize,
                     "the table has " + Twine(type.getNumElements()) +
                         " entries of rank " + Twine(type.getRank()) +
                         ", the program has " + Twine(cores) + " cores");
  }
  int64_t inner = type.getRank() == 2 ? type.getDimSize(1) : 2;
  if (inner < 2 || inner > kMaxTableInnerSize) {
    return emitCoded(*this, ErrorCode::TableSize,
                     "the second index has " + Twine(inner) +
                         " values, a table takes 2 to " +
                         Twine(kMaxTableInnerSize));
  }
  return success();
}

LogicalResult ScalarOp::verify() {
  auto lo = static_cast<int64_t>(getLo());
  auto hi = static_cast<int64_t>(getHi());
  auto granule = static_cast<int64_t>(getGranule());
  if (lo >= hi || granule < 1) {
    return emitCoded(*this, ErrorCode::ScalarRange,
                     "the range [" + Twine(lo) + ", " + Twine(hi) +
                         ") with granule " + Twine(granule) + " has no value");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

MemRefType BufferOp::getMemRefType() { return cast<MemRefType>(getType()); }

launch::Space BufferOp::getSpace() {
  auto space = dyn_cast_or_null<SpaceAttr>(getMemRefType().getMemorySpace());
  return space ? space.getValue() : launch::Space::DDR;
}

std::optional<ElementType> BufferOp::getElementType() {
  return toElementType(getMemRefType().getElementType());
}

bool BufferOp::isQueueOf(launch::Unit unit) {
  std::optional<QueueAttr> queue = getQueue();
  return queue && (queue->getProducer() == unit ||
                   llvm::is_contained(queue->getConsumers(), unit));
}

/// Space, type and shape: everything that the memref type says.
static LogicalResult verifyBufferType(BufferOp buffer) {
  MemRefType type = buffer.getMemRefType();
  if (!isa_and_nonnull<SpaceAttr>(type.getMemorySpace())) {
    return emitCoded(buffer, ErrorCode::BufferBinding,
                     "the memref has no memory space of this dialect");
  }
  std::optional<ElementType> element = buffer.getElementType();
  if (!element || !type.getLayout().isIdentity() || !type.hasStaticShape() ||
      type.getRank() == 0) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return emitCoded(buffer, ErrorCode::BrokenStick,
                     text + " is not a device shape: static extents, identity "
                            "layout, a device element type");
  }
  int64_t stick = elementsPerStick(*element);
  if (type.getShape().back() != stick ||
      llvm::any_of(type.getShape(), [](int64_t e) { return e < 1; })) {
    return emitCoded(buffer, ErrorCode::BrokenStick,
                     "the last extent is " + Twine(type.getShape().back()) +
                         ", a stick of " + toStringRef(toString(*element)) +
                         " has " + Twine(stick) + " elements");
  }
  return success();
}

/// Where the buffer lies: binding, alignment, size of LX.
static LogicalResult verifyBufferPlace(BufferOp buffer) {
  bool lx = buffer.getSpace() == launch::Space::LX;
  int bindings = (buffer.getArgument() ? 1 : 0) + (buffer.getSegment() ? 1 : 0);
  if (bindings != (lx ? 0 : 1)) {
    return emitCoded(buffer, ErrorCode::BufferBinding,
                     lx ? "a buffer in lx lies in no argument or segment"
                        : "a buffer in ddr lies in one argument or segment, "
                          "not in " +
                              Twine(bindings));
  }
  int64_t offset = buffer.getOffset();
  if (offset % kStickBytes != 0) {
    return emitCoded(buffer, ErrorCode::MisalignedBuffer,
                     "offset " + Twine(offset) + " is not a multiple of " +
                         Twine(kStickBytes));
  }
  launch::Buffer shape;
  shape.shape.assign(buffer.getMemRefType().getShape().begin(),
                     buffer.getMemRefType().getShape().end());
  if (std::optional<QueueAttr> queue = buffer.getQueue()) {
    shape.queue.emplace();
    shape.queue->slots = queue->getSlots();
  }
  int64_t bytes = launch::sizeBytes(shape);
  int64_t available = target::defaultTarget().lxBytes;
  if (lx && (offset > available || bytes > available - offset)) {
    return emitCoded(buffer, ErrorCode::LxOutOfRange,
                     Twine(bytes) + " bytes at offset " + Twine(offset) +
                         " do not fit the scratchpad of " + Twine(available) +
                         " bytes");
  }
  return success();
}

static LogicalResult verifyQueue(BufferOp buffer) {
  std::optional<QueueAttr> queue = buffer.getQueue();
  if (!queue) {
    return success();
  }
  ArrayRef<launch::Unit> consumers = queue->getConsumers();
  if (queue->getSlots() < 1 || consumers.empty()) {
    return emitCoded(buffer, ErrorCode::QueueRule,
                     "a queue needs a slot and a consumer, this one has " +
                         Twine(queue->getSlots()) + " and " +
                         Twine(consumers.size()));
  }
  uint32_t seen = 1u << static_cast<unsigned>(queue->getProducer());
  for (launch::Unit unit : consumers) {
    uint32_t bit = 1u << static_cast<unsigned>(unit);
    if (seen & bit) {
      return emitCoded(buffer, ErrorCode::QueueRule,
                       "unit " + planEnumName(unit) +
                           " stands twice among producer and consumers");
    }
    seen |= bit;
  }
  return success();
}

LogicalResult BufferOp::verify() {
  if (failed(verifyBufferType(*this)) || failed(verifyQueue(*this)) ||
      failed(verifyBufferPlace(*this))) {
    return failure();
  }
  int64_t outerRank = getMemRefType().getRank() - 1;
  auto tile = static_cast<int32_t>(getValidTile());
  if (tile < -1 || tile >= outerRank) {
    return emitCoded(*this, ErrorCode::ProgramRank,
                     "tile dim " + Twine(tile) + " is none of the " +
                         Twine(outerRank) + " dims outside of the stick");
  }
  return success();
}

LogicalResult BufferOp::verifySymbolUses(SymbolTableCollection &symbols) {
  std::optional<QueueAttr> queue = getQueue();
  if (!queue || !queue->getFill()) {
    return success();
  }
  Operation *table =
      symbols.lookupSymbolIn((*this)->getParentOp(), queue->getFill());
  if (!table) {
    return emitCoded(*this, ErrorCode::UnknownProgramSymbol,
                     "fill table @" + queue->getFill().getValue() +
                         " is not declared in the program");
  }
  auto fill = dyn_cast<TableOp>(table);
  if (!fill || fill.getInnerSize() != 1) {
    InFlightDiagnostic diag =
        emitCoded(*this, ErrorCode::WrongProgramSymbol,
                  "fill @" + queue->getFill().getValue() +
                      " is not a table of one entry per core");
    diag.attachNote(table->getLoc()) << "declared here";
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Views of commands
//===----------------------------------------------------------------------===//

/// What all commands but loops have.
template <typename OpT>
static CommandView beginView(OpT op, launch::CommandKind kind) {
  CommandView view;
  view.kind = kind;
  view.kernel = op.getKernelAttr();
  view.next = op.getNextAttr();
  if constexpr (requires { op.getDimsAttr(); }) {
    view.dims = op.getDimsAttr();
    view.predicate = op.getPredicateAttr();
  }
  if constexpr (requires { op.getStickAttr(); }) {
    view.stick = op.getStickAttr();
  }
  return view;
}

CommandView LoopOp::getView() {
  CommandView view;
  view.kind = launch::CommandKind::Loop;
  view.trip = getTripAttr();
  view.kernel = getKernelAttr();
  return view;
}

CommandView MoveOp::getView() {
  CommandView view = beginView(*this, launch::CommandKind::Move);
  view.boxes = {getSourceAttr(), getDestinationAttr()};
  view.indexed = getIndexedAttr();
  view.cores = getCoresAttr();
  return view;
}

CommandView ReduceOp::getView() {
  CommandView view = beginView(*this, launch::CommandKind::Reduce);
  view.boxes = {getSourceAttr(), getDestinationAttr()};
  view.combine = getCombine();
  view.cores = getCoresAttr();
  return view;
}

CommandView MatmulOp::getView() {
  CommandView view = beginView(*this, launch::CommandKind::Matmul);
  view.boxes = {getLhsAttr(), getRhsAttr(), getAccAttr()};
  view.numRowDims = getRows();
  view.inner = getInnerAttr();
  view.first = getFirst();
  return view;
}

CommandView MapOp::getView() {
  CommandView view = beginView(*this, launch::CommandKind::Map);
  llvm::append_range(view.boxes, getInputs().getAsRange<BoxAttr>());
  for (auto output : getOutputs().getAsRange<OutputAttr>()) {
    view.boxes.push_back(output.getBox());
  }
  view.outputs = getOutputs();
  view.first = getFirst();
  return view;
}

CommandView TransposeOp::getView() {
  CommandView view = beginView(*this, launch::CommandKind::Transpose);
  view.boxes = {getSourceAttr(), getDestinationAttr()};
  view.inner = getInnerAttr();
  return view;
}

CommandView ShiftOp::getView() {
  CommandView view = beginView(*this, launch::CommandKind::Shift);
  view.boxes = {getLoAttr(), getHiAttr(), getDestinationAttr()};
  view.shiftLanes = getLanes();
  return view;
}

CommandView NextOp::getView() {
  return beginView(*this, launch::CommandKind::Next);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

LogicalResult ApplyOp::verify() {
  using launch::BodyOpcode;
  Builder builder(getContext());
  Type f32 = builder.getF32Type();
  Type i32 = builder.getI32Type();
  Type i1 = builder.getI1Type();
  Type from;
  Type to;
  switch (getOpcode()) {
  case BodyOpcode::Sign:
  case BodyOpcode::Recip:
  case BodyOpcode::Sigmoid:
    from = to = f32;
    break;
  case BodyOpcode::F32ToBool:
    from = f32;
    to = i1;
    break;
  case BodyOpcode::I32ToBool:
    from = i32;
    to = i1;
    break;
  case BodyOpcode::Not:
    from = to = getOperand().getType().isInteger(1) ? i1 : i32;
    break;
  default:
    return emitCoded(*this, ErrorCode::BodyRule,
                     planEnumName(getOpcode()) +
                         " is an operation of arith or math, or none");
  }
  if (getOperand().getType() != from || getResult().getType() != to) {
    std::string types;
    llvm::raw_string_ostream(types) << from << " -> " << to;
    return emitCoded(*this, ErrorCode::BodyRule,
                     planEnumName(getOpcode()) + " has type " + types);
  }
  return success();
}

} // namespace spyre::sdsc

#define GET_OP_CLASSES
#include "spyre/Dialect/Sdsc/IR/SdscOps.cpp.inc"
