// SPDX-License-Identifier: Apache-2.0
//
// Verifies a command against its unit, its loops and the program's symbols.
// Works on views, so that a new command needs a row in `allowedUnits` only.
// What depends on extents and trip counts (bounds, counts of queue actions) is
// the plan checker's business.

#include "spyre/Dialect/Sdsc/IR/SdscOps.h"

#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/Target/Target.h"

using namespace mlir;

namespace spyre::sdsc {

int64_t loopDepth(Operation *op) {
  int64_t depth = 0;
  for (Operation *parent = op->getParentOp(); parent && !isa<UnitOp>(parent);
       parent = parent->getParentOp()) {
    depth += isa<LoopOp>(parent) ? 1 : 0;
  }
  return depth;
}

namespace {

constexpr uint32_t bit(launch::Unit unit) {
  return 1u << static_cast<unsigned>(unit);
}

/// The units that run a kind of command.
uint32_t allowedUnits(launch::CommandKind kind) {
  using launch::CommandKind;
  using launch::Unit;
  switch (kind) {
  case CommandKind::Move:
    return bit(Unit::Load) | bit(Unit::Store) | bit(Unit::Ring);
  case CommandKind::Reduce:
    return bit(Unit::Ring);
  case CommandKind::Matmul:
    return bit(Unit::PT);
  case CommandKind::Map:
  case CommandKind::Transpose:
  case CommandKind::Shift:
    return bit(Unit::SFU);
  case CommandKind::Loop:
  case CommandKind::End:
  case CommandKind::Next:
    break;
  }
  return ~0u;
}

/// The space of a box: a load reads DDR, a store writes it, all else is LX.
launch::Space expectedSpace(launch::Unit unit, size_t box) {
  bool ddr = (unit == launch::Unit::Load && box == 0) ||
             (unit == launch::Unit::Store && box == 1);
  return ddr ? launch::Space::DDR : launch::Space::LX;
}

class Verifier {
public:
  Verifier(Operation *op, UnitOp unit, SymbolTableCollection &symbols)
      : op(op), unit(unit), program(unit->getParentOfType<ProgramOp>()),
        symbols(symbols), depth(loopDepth(op)) {}

  LogicalResult verify(const CommandView &view);
  LogicalResult verifyAffine(AffineAttr affine);
  LogicalResult verifyMap(MapOp map);
  LogicalResult verifyScalar(FlatSymbolRefAttr scalar);

private:
  LogicalResult verifyKind(const CommandView &view);
  LogicalResult verifyExtent(ExtentAttr extent);
  LogicalResult verifyTable(FlatSymbolRefAttr table, int32_t loop);
  LogicalResult verifyTable(TableOp table, int32_t loop);
  LogicalResult verifyLoopVariable(int32_t loop);
  LogicalResult verifyBox(BoxAttr box, size_t index, size_t numDims,
                          launch::CommandKind kind);
  LogicalResult verifyIndexed(const CommandView &view);
  LogicalResult verifyNext(ArrayAttr next);
  LogicalResult verifyTrip(ExtentAttr trip);

  InFlightDiagnostic error(ErrorCode code, const Twine &message) {
    return emitCoded(op, code, message);
  }
  /// The symbol as an op of one kind, or null after an error.
  template <typename OpT> OpT lookup(FlatSymbolRefAttr symbol, StringRef kind) {
    Operation *found = symbols.lookupSymbolIn(program, symbol);
    if (!found) {
      error(ErrorCode::UnknownProgramSymbol,
            "@" + symbol.getValue() + " is not declared in program @" +
                program.getSymName());
      return {};
    }
    auto result = dyn_cast<OpT>(found);
    if (!result) {
      error(ErrorCode::WrongProgramSymbol,
            "@" + symbol.getValue() + " is not a " + kind)
              .attachNote(found->getLoc())
          << "declared here";
    }
    return result;
  }

  Operation *op;
  UnitOp unit;
  ProgramOp program;
  SymbolTableCollection &symbols;
  int64_t depth;
};

LogicalResult Verifier::verifyLoopVariable(int32_t loop) {
  if (loop >= 0 && loop < depth) {
    return success();
  }
  return error(ErrorCode::LoopDepth, "d" + Twine(loop) + " is used inside " +
                                         Twine(depth) + " loops");
}

LogicalResult Verifier::verifyTable(TableOp table, int32_t loop) {
  bool indexed = table.getInnerSize() != 1;
  if (indexed != (loop >= 0)) {
    InFlightDiagnostic diag =
        error(ErrorCode::TableIndex,
              "table @" + table.getSymName() +
                  (indexed ? " needs a second index"
                           : " has one entry per core and no second index"));
    diag.attachNote(table.getLoc()) << "declared here";
    return diag;
  }
  return indexed ? verifyLoopVariable(loop) : success();
}

LogicalResult Verifier::verifyTable(FlatSymbolRefAttr symbol, int32_t loop) {
  TableOp table = lookup<TableOp>(symbol, "table");
  return table ? verifyTable(table, loop) : failure();
}

LogicalResult Verifier::verifyScalar(FlatSymbolRefAttr symbol) {
  return success(static_cast<bool>(lookup<ScalarOp>(symbol, "scalar")));
}

LogicalResult Verifier::verifyAffine(AffineAttr affine) {
  for (TermAttr term : affine.getTerms()) {
    if (!term.getSymbol()) {
      if (failed(verifyLoopVariable(term.getLoop()))) {
        return failure();
      }
      continue;
    }
    Operation *found = symbols.lookupSymbolIn(program, term.getSymbol());
    if (isa_and_nonnull<ScalarOp>(found) && term.getLoop() < 0) {
      continue;
    }
    if (failed(verifyTable(term.getSymbol(), term.getLoop()))) {
      return failure();
    }
  }
  return success();
}

LogicalResult Verifier::verifyExtent(ExtentAttr extent) {
  for (AffineAttr bound :
       extent ? extent.getBounds() : ArrayRef<AffineAttr>()) {
    if (failed(verifyAffine(bound))) {
      return failure();
    }
  }
  return success();
}

LogicalResult Verifier::verifyKind(const CommandView &view) {
  if (!(allowedUnits(view.kind) & bit(unit.getUnit()))) {
    InFlightDiagnostic diag =
        error(ErrorCode::WrongUnit, "unit " + planEnumName(unit.getUnit()) +
                                        " does not run " +
                                        planEnumName(view.kind) + " commands");
    diag.attachNote(unit.getLoc()) << "in this list";
    return diag;
  }
  size_t numDims = view.dims ? view.dims.size() : 0;
  if (numDims > kMaxCommandDims) {
    return error(ErrorCode::TooManyDims,
                 "the command has " + Twine(numDims) + " dims, at most " +
                     Twine(kMaxCommandDims) + " are possible");
  }
  if (view.numRowDims > static_cast<int64_t>(numDims)) {
    return error(ErrorCode::ProgramRank, Twine(view.numRowDims) +
                                             " row dims, but " +
                                             Twine(numDims) + " dims");
  }
  return success();
}

LogicalResult Verifier::verifyBox(BoxAttr box, size_t index, size_t numDims,
                                  launch::CommandKind kind) {
  BufferOp buffer = lookup<BufferOp>(box.getBuffer(), "buffer");
  if (!buffer) {
    return failure();
  }
  int64_t rank = buffer.getMemRefType().getRank();
  auto outOfRange = [&](int64_t dim) { return dim < -1 || dim >= rank; };
  if (static_cast<int64_t>(box.getOffsets().size()) != rank ||
      box.getDeviceDims().size() != numDims || outOfRange(box.getTileDim()) ||
      outOfRange(box.getRowDim()) ||
      llvm::any_of(box.getDeviceDims(), outOfRange)) {
    InFlightDiagnostic diag = error(
        ErrorCode::ProgramRank,
        "the box of @" + buffer.getSymName() + " has " +
            Twine(box.getOffsets().size()) + " offsets and follows " +
            Twine(box.getDeviceDims().size()) + " dims; the buffer has rank " +
            Twine(rank) + " and the command " + Twine(numDims) + " dims");
    diag.attachNote(buffer.getLoc()) << "declared here";
    return diag;
  }
  launch::Space expected = expectedSpace(unit.getUnit(), index);
  if (kind == launch::CommandKind::Move && buffer.getSpace() != expected) {
    return error(ErrorCode::BoxSpace,
                 "unit " + planEnumName(unit.getUnit()) +
                     (index == 0 ? " reads " : " writes ") +
                     planEnumName(expected) + ", but @" + buffer.getSymName() +
                     " lies in " + planEnumName(buffer.getSpace()));
  }
  if (kind != launch::CommandKind::Move &&
      buffer.getSpace() != launch::Space::LX) {
    return error(ErrorCode::BoxSpace, "@" + buffer.getSymName() +
                                          " lies in ddr; only moves of load "
                                          "and store reach it");
  }
  for (AffineAttr offset : box.getOffsets()) {
    if (failed(verifyAffine(offset))) {
      return failure();
    }
  }
  return success();
}

LogicalResult Verifier::verifyIndexed(const CommandView &view) {
  IndexedAttr indexed = view.indexed;
  if (!indexed) {
    return success();
  }
  BufferOp index = lookup<BufferOp>(indexed.getIndexBuffer(), "buffer");
  if (!index) {
    return failure();
  }
  if (unit.getUnit() == launch::Unit::Ring ||
      index.getSpace() != launch::Space::LX ||
      index.getElementType() != ElementType::I32) {
    return error(ErrorCode::IndexedMove,
                 "an indexed move runs on load or store, with an i32 index "
                 "buffer in lx");
  }
  size_t ddrBox = unit.getUnit() == launch::Unit::Load ? 0 : 1;
  int64_t rank = view.boxes[ddrBox].getOffsets().size();
  if (indexed.getDeviceDim() < 0 || indexed.getDeviceDim() >= rank - 1 ||
      indexed.getPageSize() < 0) {
    return error(ErrorCode::IndexedMove,
                 "device dim " + Twine(indexed.getDeviceDim()) +
                     " with page size " + Twine(indexed.getPageSize()) +
                     " cannot address a box of rank " + Twine(rank));
  }
  if (failed(verifyAffine(indexed.getFirst()))) {
    return failure();
  }
  return verifyExtent(indexed.getCount());
}

LogicalResult Verifier::verifyNext(ArrayAttr next) {
  llvm::SmallDenseSet<Attribute> seen;
  for (auto symbol : next.getAsRange<FlatSymbolRefAttr>()) {
    BufferOp buffer = lookup<BufferOp>(symbol, "buffer");
    if (!buffer) {
      return failure();
    }
    if (!buffer.isQueueOf(unit.getUnit()) || !seen.insert(symbol).second) {
      InFlightDiagnostic diag =
          error(ErrorCode::QueueRule,
                "unit " + planEnumName(unit.getUnit()) + " advances @" +
                    buffer.getSymName() +
                    " twice, or is neither its producer nor a consumer");
      diag.attachNote(buffer.getLoc()) << "declared here";
      return diag;
    }
  }
  return success();
}

LogicalResult Verifier::verifyTrip(ExtentAttr trip) {
  int64_t limit = target::defaultTarget().maxLoopTrips;
  for (AffineAttr bound : trip.getBounds()) {
    if (bound.getTerms().empty() && bound.getConstant() > limit) {
      return error(ErrorCode::LoopBound,
                   "the loop runs " + Twine(bound.getConstant()) +
                       " times, the bound is " + Twine(limit));
    }
  }
  return success();
}

LogicalResult Verifier::verify(const CommandView &view) {
  if (failed(verifyKind(view))) {
    return failure();
  }
  size_t numDims = view.dims ? view.dims.size() : 0;
  for (auto [index, box] : llvm::enumerate(view.boxes)) {
    if (failed(verifyBox(box, index, numDims, view.kind))) {
      return failure();
    }
  }
  if (view.dims) {
    for (auto extent : view.dims.getAsRange<ExtentAttr>()) {
      if (failed(verifyExtent(extent))) {
        return failure();
      }
    }
  }
  for (ExtentAttr extent : {view.trip, view.stick, view.inner}) {
    if (failed(verifyExtent(extent))) {
      return failure();
    }
  }
  if (view.trip && failed(verifyTrip(view.trip))) {
    return failure();
  }
  for (int32_t loop : view.first) {
    if (failed(verifyLoopVariable(loop))) {
      return failure();
    }
  }
  for (TableUseAttr use : {view.cores, view.predicate}) {
    if (use && failed(verifyTable(use.getTable(), use.getLoop()))) {
      return failure();
    }
  }
  if (failed(verifyIndexed(view))) {
    return failure();
  }
  return view.next ? verifyNext(view.next) : success();
}

/// The body computes with the types of its boxes and yields one value each.
LogicalResult Verifier::verifyMap(MapOp map) {
  SmallVector<Type> types;
  for (BoxAttr box : map.getView().boxes) {
    auto buffer = lookup<BufferOp>(box.getBuffer(), "buffer");
    if (!buffer) {
      return failure();
    }
    types.push_back(bodyType(*buffer.getElementType(), op->getContext()));
  }
  ArrayRef<Type> inputs =
      ArrayRef<Type>(types).take_front(map.getInputs().size());
  ArrayRef<Type> outputs = ArrayRef<Type>(types).drop_front(inputs.size());
  Block &body = map.getBody().front();
  auto yield = dyn_cast<YieldOp>(body.back());
  auto same = [](TypeRange have, ArrayRef<Type> want) {
    return llvm::equal(have, want);
  };
  if (!yield || !same(body.getArgumentTypes(), inputs) ||
      !same(yield.getOperandTypes(), outputs)) {
    std::string wanted;
    llvm::raw_string_ostream stream(wanted);
    stream << "(";
    llvm::interleaveComma(inputs, stream);
    stream << ") and yields (";
    llvm::interleaveComma(outputs, stream);
    stream << ")";
    return error(ErrorCode::BodyRule,
                 "the buffers ask for a body that takes " + wanted);
  }
  return success();
}

} // namespace

LogicalResult verifyCommand(Operation *op, SymbolTableCollection &symbols) {
  auto unit = op->getParentOfType<UnitOp>();
  Verifier verifier(op, unit, symbols);
  if (failed(verifier.verify(cast<CommandInterface>(op).getView()))) {
    return failure();
  }
  auto map = dyn_cast<MapOp>(op);
  return map ? verifier.verifyMap(map) : success();
}

LogicalResult ScalarValueOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto unit = (*this)->getParentOfType<UnitOp>();
  if (!unit) {
    return emitCoded(*this, ErrorCode::BodyRule,
                     "the value of a scalar is used outside of a program");
  }
  return Verifier(*this, unit, symbols).verifyScalar(getScalarAttr());
}

LogicalResult IndexOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto map = (*this)->getParentOfType<MapOp>();
  auto unit = (*this)->getParentOfType<UnitOp>();
  if (getDims().size() > map.getDims().size()) {
    return emitCoded(*this, ErrorCode::BodyRule,
                     "the index has " + Twine(getDims().size()) +
                         " coefficients, the map has " +
                         Twine(map.getDims().size()) + " dims");
  }
  return Verifier(*this, unit, symbols).verifyAffine(getBase());
}

} // namespace spyre::sdsc
