// SPDX-License-Identifier: Apache-2.0
//
// From the op of a device program to its structs. Works on the commands' views;
// only bodies and loops need more.

#include "spyre/Dialect/Sdsc/Program/Body.h"
#include "spyre/Dialect/Sdsc/Program/Program.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

using namespace mlir;

namespace spyre::sdsc {

namespace {

class Exporter {
public:
  explicit Exporter(ProgramOp op) : op(op) {}
  FailureOr<launch::Program> run();

private:
  uint32_t indexOf(FlatSymbolRefAttr symbol) {
    return indices.lookup(symbol.getAttr());
  }
  launch::Term term(TermAttr term);
  launch::Affine affine(AffineAttr affine);
  launch::Extent extent(ExtentAttr extent);
  launch::Box box(BoxAttr box);
  std::optional<launch::TableRef> tableUse(TableUseAttr use);
  uint32_t source(Operation *command, StringAttr kernel);

  void table(TableOp table);
  void buffer(BufferOp buffer);
  LogicalResult phase(PhaseOp phase);
  LogicalResult commands(Block &block, std::vector<launch::Command> &list);
  LogicalResult body(MapOp map, launch::Command &command);
  launch::Command command(const CommandView &view);

  ProgramOp op;
  launch::Program program;
  /// Position of each symbol among those of its kind.
  llvm::DenseMap<StringAttr, uint32_t> indices;
  /// Scalars, as opposed to tables and buffers.
  llvm::DenseSet<StringAttr> scalars;
  std::map<std::pair<std::string, std::vector<std::string>>, uint32_t> sources;
};

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

launch::Term Exporter::term(TermAttr term) {
  launch::Term result;
  result.coefficient = term.getCoefficient();
  if (!term.getSymbol()) {
    result.index = term.getLoop();
    return result;
  }
  bool scalar = scalars.contains(term.getSymbol().getAttr());
  result.kind = scalar ? launch::TermKind::Scalar : launch::TermKind::Table;
  result.index = static_cast<int32_t>(indexOf(term.getSymbol()));
  result.loopDepth = term.getLoop();
  return result;
}

launch::Affine Exporter::affine(AffineAttr affine) {
  launch::Affine result;
  result.constant = affine.getConstant();
  for (TermAttr each : affine.getTerms()) {
    result.terms.push_back(term(each));
  }
  return result;
}

launch::Extent Exporter::extent(ExtentAttr extent) {
  launch::Extent result;
  for (AffineAttr bound :
       extent ? extent.getBounds() : ArrayRef<AffineAttr>()) {
    result.bounds.push_back(affine(bound));
  }
  return result;
}

launch::Box Exporter::box(BoxAttr box) {
  launch::Box result;
  result.buffer = indexOf(box.getBuffer());
  for (AffineAttr offset : box.getOffsets()) {
    result.offsets.push_back(affine(offset));
  }
  for (auto [deviceDim, step] :
       llvm::zip_equal(box.getDeviceDims(), box.getSteps())) {
    result.dims.push_back({deviceDim, step});
  }
  result.tileDim = box.getTileDim();
  result.rowDim = box.getRowDim();
  result.access = box.getAccess();
  return result;
}

std::optional<launch::TableRef> Exporter::tableUse(TableUseAttr use) {
  if (!use) {
    return std::nullopt;
  }
  return launch::TableRef{indexOf(use.getTable()), use.getLoop()};
}

uint32_t Exporter::source(Operation *command, StringAttr kernel) {
  launch::SourceInfo info{kernel ? kernel.str() : std::string(),
                          nodeNames(command->getLoc())};
  auto [position, inserted] =
      sources.try_emplace({info.kernel, info.nodes}, program.sources.size());
  if (inserted) {
    program.sources.push_back(std::move(info));
  }
  return position->second;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void Exporter::table(TableOp table) {
  launch::Table result;
  result.name = table.getSymName().str();
  result.innerSize = table.getInnerSize();
  llvm::append_range(result.values, table.getValues().getValues<int64_t>());
  program.tables.push_back(std::move(result));
}

void Exporter::buffer(BufferOp buffer) {
  launch::Buffer result;
  result.name = buffer.getSymName().str();
  result.space = buffer.getSpace();
  result.role = buffer.getRole();
  result.type = *buffer.getElementType();
  llvm::append_range(result.shape, buffer.getMemRefType().getShape());
  if (std::optional<uint32_t> argument = buffer.getArgument()) {
    result.binding = launch::Binding::Argument;
    result.bindingIndex = *argument;
  } else if (std::optional<uint32_t> segment = buffer.getSegment()) {
    result.binding = launch::Binding::Segment;
    result.bindingIndex = *segment;
  }
  result.offset = static_cast<int64_t>(buffer.getOffset());
  if (std::optional<QueueAttr> queue = buffer.getQueue()) {
    result.kind = launch::BufferKind::Queue;
    result.queue.emplace();
    result.queue->slots = queue->getSlots();
    result.queue->producer = queue->getProducer();
    llvm::append_range(result.queue->consumers, queue->getConsumers());
    if (queue->getFill()) {
      result.queue->fillTable = indexOf(queue->getFill());
    }
  }
  result.validElements = static_cast<int64_t>(buffer.getValidElements());
  result.validTileDim = static_cast<int32_t>(buffer.getValidTile());
  result.viewOf = static_cast<int32_t>(buffer.getViewOf());
  program.buffers.push_back(std::move(result));
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

launch::Command Exporter::command(const CommandView &view) {
  launch::Command result;
  result.kind = view.kind;
  result.trip = extent(view.trip);
  result.stick = extent(view.stick);
  result.inner = extent(view.inner);
  result.numRowDims = view.numRowDims;
  result.combine = view.combine;
  result.shiftLanes = view.shiftLanes;
  result.first.assign(view.first.begin(), view.first.end());
  result.cores = tableUse(view.cores);
  result.predicate = tableUse(view.predicate);
  if (view.dims) {
    for (auto dim : view.dims.getAsRange<ExtentAttr>()) {
      result.dims.push_back(extent(dim));
    }
  }
  for (BoxAttr each : view.boxes) {
    result.boxes.push_back(box(each));
  }
  if (IndexedAttr indexed = view.indexed) {
    result.indexed = launch::IndexedAccess{
        indexed.getDeviceDim(), indexOf(indexed.getIndexBuffer()),
        affine(indexed.getFirst()), extent(indexed.getCount()),
        indexed.getPageSize()};
  }
  if (view.outputs) {
    for (auto output : view.outputs.getAsRange<OutputAttr>()) {
      result.outputs.push_back(
          {output.getCombine(), output.getLanes(), output.getAccumulate()});
    }
  }
  if (view.next) {
    for (auto symbol : view.next.getAsRange<FlatSymbolRefAttr>()) {
      result.next.push_back(indexOf(symbol));
    }
  }
  return result;
}

/// The body of a map, shared with an equal one if there is one.
LogicalResult Exporter::body(MapOp map, launch::Command &command) {
  launch::Body result;
  result.name = map.getBodyName().value_or("").str();
  BodyBuilder builder(
      result, [&](Operation *leaf) -> std::optional<launch::BodyOp> {
        launch::BodyOp bodyOp;
        if (auto scalar = dyn_cast<ScalarValueOp>(leaf)) {
          bodyOp.opcode = launch::BodyOpcode::ScalarValue;
          bodyOp.immediate = indexOf(scalar.getScalarAttr());
          return bodyOp;
        }
        auto index = dyn_cast<IndexOp>(leaf);
        if (!index) {
          return std::nullopt;
        }
        bodyOp.opcode = launch::BodyOpcode::Index;
        bodyOp.index = affine(index.getBase());
        llvm::append_range(bodyOp.dimCoefficients, index.getDims());
        bodyOp.laneCoefficient = static_cast<int64_t>(index.getLane());
        return bodyOp;
      });
  Block &block = map.getBody().front();
  for (BlockArgument input : block.getArguments()) {
    builder.addInput(input);
  }
  Operation *yield = block.getTerminator();
  if (failed(builder.convertBlock(block)) ||
      failed(builder.finish(yield->getOperands(), yield))) {
    return failure();
  }
  auto found = llvm::find(program.bodies, result);
  command.body = static_cast<uint32_t>(found - program.bodies.begin());
  if (found == program.bodies.end()) {
    program.bodies.push_back(std::move(result));
  }
  return success();
}

LogicalResult Exporter::commands(Block &block,
                                 std::vector<launch::Command> &list) {
  LogicalResult result = success();
  for (Operation &each : block) {
    CommandView view = cast<CommandInterface>(each).getView();
    launch::Command made = command(view);
    made.source = source(&each, view.kernel);
    if (auto map = dyn_cast<MapOp>(each); map && failed(body(map, made))) {
      result = failure();
    }
    uint32_t sourceIndex = made.source;
    list.push_back(std::move(made));
    if (auto loop = dyn_cast<LoopOp>(each)) {
      if (failed(commands(loop.getBody().front(), list))) {
        result = failure();
      }
      launch::Command end;
      end.kind = launch::CommandKind::End;
      end.source = sourceIndex;
      list.push_back(std::move(end));
    }
  }
  return result;
}

LogicalResult Exporter::phase(PhaseOp phase) {
  launch::Phase result;
  result.name = phase.getName().str();
  if (std::optional<ArrayAttr> residents = phase.getResidents()) {
    for (auto resident : residents->getAsRange<FlatSymbolRefAttr>()) {
      result.residents.push_back(indexOf(resident));
    }
  }
  // In the order of units, whatever the order of the text, so that the order
  // of first uses is the struct's.
  LogicalResult status = success();
  for (int unit = 0; unit < launch::kNumUnits; ++unit) {
    for (auto list : phase.getBody().front().getOps<UnitOp>()) {
      if (static_cast<int>(list.getUnit()) == unit &&
          failed(commands(list.getBody().front(), result.units[unit]))) {
        status = failure();
      }
    }
  }
  program.phases.push_back(std::move(result));
  return status;
}

FailureOr<launch::Program> Exporter::run() {
  program.name = op.getSymName().str();
  program.numCores = static_cast<int32_t>(op.getCores());
  Block &block = op.getBody().front();
  auto number = [&](auto range) {
    uint32_t index = 0;
    for (auto each : range) {
      indices[each.getSymNameAttr()] = index++;
    }
  };
  number(block.getOps<TableOp>());
  number(block.getOps<ScalarOp>());
  number(block.getOps<BufferOp>());
  for (auto each : block.getOps<TableOp>()) {
    table(each);
  }
  for (auto each : block.getOps<ScalarOp>()) {
    scalars.insert(each.getSymNameAttr());
    program.scalars.push_back({each.getSymName().str(), each.getArgument(),
                               static_cast<int64_t>(each.getLo()),
                               static_cast<int64_t>(each.getHi()),
                               static_cast<int64_t>(each.getGranule())});
  }
  for (auto each : block.getOps<BufferOp>()) {
    buffer(each);
  }
  LogicalResult status = success();
  for (auto each : block.getOps<PhaseOp>()) {
    if (failed(phase(each))) {
      status = failure();
    }
  }
  if (failed(status)) {
    return failure();
  }
  if (program.sources.size() == 1 &&
      program.sources.front() == launch::SourceInfo{}) {
    program.sources.clear();
  }
  return std::move(program);
}

} // namespace

FailureOr<launch::Program> exportProgram(ProgramOp op) {
  return Exporter(op).run();
}

} // namespace spyre::sdsc
