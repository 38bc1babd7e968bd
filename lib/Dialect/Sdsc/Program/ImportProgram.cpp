// SPDX-License-Identifier: Apache-2.0
//
// From the structs of a device program to its op.

#include "spyre/Dialect/Sdsc/Program/Body.h"
#include "spyre/Dialect/Sdsc/Program/Program.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace spyre::sdsc {

namespace {

class Importer {
public:
  Importer(OpBuilder &builder, const launch::Program &program)
      : builder(builder), context(builder.getContext()), program(program) {}

  ProgramOp run(Location loc);

private:
  FlatSymbolRefAttr tableRef(uint32_t index) {
    return FlatSymbolRefAttr::get(context, program.tables[index].name);
  }
  FlatSymbolRefAttr bufferRef(uint32_t index) {
    return FlatSymbolRefAttr::get(context, program.buffers[index].name);
  }
  TermAttr term(const launch::Term &term);
  AffineAttr affine(const launch::Affine &affine);
  ExtentAttr extent(const launch::Extent &extent);
  ArrayAttr extents(const std::vector<launch::Extent> &list);
  BoxAttr box(const launch::Box &box);
  TableUseAttr tableUse(const std::optional<launch::TableRef> &use);
  IndexedAttr indexed(const std::optional<launch::IndexedAccess> &access);
  ArrayAttr bufferList(const std::vector<uint32_t> &buffers);
  StringAttr kernel(const launch::Command &command);
  Location location(const launch::Command &command);

  void table(Location loc, const launch::Table &table);
  void scalar(Location loc, const launch::Scalar &scalar);
  void buffer(Location loc, const launch::Buffer &buffer);
  void phase(Location loc, const launch::Phase &phase);
  void command(const launch::Command &command);
  void work(Location loc, const launch::Command &command);
  void map(Location loc, const launch::Command &command);
  void body(MapOp op, const launch::Command &command);

  OpBuilder &builder;
  MLIRContext *context;
  const launch::Program &program;
};

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

TermAttr Importer::term(const launch::Term &term) {
  switch (term.kind) {
  case launch::TermKind::Loop:
    return TermAttr::get(context, term.coefficient, term.index, {});
  case launch::TermKind::Table:
    return TermAttr::get(context, term.coefficient, term.loopDepth,
                         tableRef(term.index));
  case launch::TermKind::Scalar:
    break;
  }
  return TermAttr::get(
      context, term.coefficient, -1,
      FlatSymbolRefAttr::get(context, program.scalars[term.index].name));
}

AffineAttr Importer::affine(const launch::Affine &affine) {
  SmallVector<TermAttr> terms;
  for (const launch::Term &each : affine.terms) {
    terms.push_back(term(each));
  }
  return AffineAttr::get(context, affine.constant, terms);
}

ExtentAttr Importer::extent(const launch::Extent &extent) {
  SmallVector<AffineAttr> bounds;
  for (const launch::Affine &bound : extent.bounds) {
    bounds.push_back(affine(bound));
  }
  return ExtentAttr::get(context, bounds);
}

ArrayAttr Importer::extents(const std::vector<launch::Extent> &list) {
  SmallVector<Attribute> attrs;
  for (const launch::Extent &each : list) {
    attrs.push_back(extent(each));
  }
  return builder.getArrayAttr(attrs);
}

BoxAttr Importer::box(const launch::Box &box) {
  SmallVector<AffineAttr> offsets;
  for (const launch::Affine &offset : box.offsets) {
    offsets.push_back(affine(offset));
  }
  SmallVector<int32_t> deviceDims;
  SmallVector<int64_t> steps;
  for (const launch::DimMap &map : box.dims) {
    deviceDims.push_back(map.deviceDim);
    steps.push_back(map.step);
  }
  return BoxAttr::get(context, bufferRef(box.buffer), offsets, deviceDims,
                      steps, box.tileDim, box.rowDim, box.access);
}

TableUseAttr Importer::tableUse(const std::optional<launch::TableRef> &use) {
  return use ? TableUseAttr::get(context, tableRef(use->table), use->loopDepth)
             : TableUseAttr();
}

IndexedAttr
Importer::indexed(const std::optional<launch::IndexedAccess> &access) {
  if (!access) {
    return {};
  }
  return IndexedAttr::get(context, access->deviceDim,
                          bufferRef(access->indexBuffer), affine(access->first),
                          extent(access->count), access->pageSize);
}

ArrayAttr Importer::bufferList(const std::vector<uint32_t> &buffers) {
  SmallVector<Attribute> attrs;
  for (uint32_t buffer : buffers) {
    attrs.push_back(bufferRef(buffer));
  }
  return attrs.empty() ? ArrayAttr() : builder.getArrayAttr(attrs);
}

/// The source of a command; programs without sources are allowed.
static const launch::SourceInfo *sourceOf(const launch::Program &program,
                                          const launch::Command &command) {
  return command.source < program.sources.size()
             ? &program.sources[command.source]
             : nullptr;
}

StringAttr Importer::kernel(const launch::Command &command) {
  const launch::SourceInfo *source = sourceOf(program, command);
  return source && !source->kernel.empty()
             ? builder.getStringAttr(source->kernel)
             : StringAttr();
}

Location Importer::location(const launch::Command &command) {
  SmallVector<Location> names;
  if (const launch::SourceInfo *source = sourceOf(program, command)) {
    for (const std::string &node : source->nodes) {
      names.push_back(NameLoc::get(builder.getStringAttr(node)));
    }
  }
  return names.empty() ? Location(UnknownLoc::get(context))
                       : FusedLoc::get(context, names);
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

void Importer::table(Location loc, const launch::Table &table) {
  SmallVector<int64_t, 2> shape = {program.numCores};
  if (table.innerSize != 1) {
    shape.push_back(table.innerSize);
  }
  auto type = RankedTensorType::get(shape, builder.getI64Type());
  TableOp::create(
      builder, loc, builder.getStringAttr(table.name),
      DenseIntElementsAttr::get(type, ArrayRef<int64_t>(table.values)));
}

void Importer::scalar(Location loc, const launch::Scalar &scalar) {
  ScalarOp::create(builder, loc, builder.getStringAttr(scalar.name),
                   builder.getI32IntegerAttr(scalar.argument),
                   builder.getI64IntegerAttr(scalar.lo),
                   builder.getI64IntegerAttr(scalar.hi),
                   builder.getI64IntegerAttr(scalar.granule));
}

void Importer::buffer(Location loc, const launch::Buffer &buffer) {
  auto type = MemRefType::get(buffer.shape, toMlirType(buffer.type, context),
                              MemRefLayoutAttrInterface(),
                              SpaceAttr::get(context, buffer.space));
  auto binding = [&](launch::Binding kind) {
    return buffer.binding == kind
               ? builder.getI32IntegerAttr(buffer.bindingIndex)
               : IntegerAttr();
  };
  QueueAttr queue;
  if (buffer.queue) {
    queue = QueueAttr::get(context, buffer.queue->slots, buffer.queue->producer,
                           buffer.queue->consumers,
                           buffer.queue->fillTable
                               ? tableRef(*buffer.queue->fillTable)
                               : FlatSymbolRefAttr());
  }
  BufferOp::create(builder, loc, builder.getStringAttr(buffer.name),
                   TypeAttr::get(type), RoleAttr::get(context, buffer.role),
                   binding(launch::Binding::Argument),
                   binding(launch::Binding::Segment),
                   builder.getI64IntegerAttr(buffer.offset), queue,
                   builder.getI64IntegerAttr(buffer.validElements),
                   builder.getI32IntegerAttr(buffer.validTileDim),
                   builder.getI32IntegerAttr(buffer.viewOf));
}

/// Enters the region of a frame op.
template <typename OpT> static OpT enter(OpBuilder &builder, OpT op) {
  builder.setInsertionPointToStart(&op.getBody().emplaceBlock());
  return op;
}

void Importer::phase(Location loc, const launch::Phase &phase) {
  OpBuilder::InsertionGuard phaseGuard(builder);
  enter(builder,
        PhaseOp::create(builder, loc, phase.name, bufferList(phase.residents)));
  for (int unit = 0; unit < launch::kNumUnits; ++unit) {
    if (phase.units[unit].empty()) {
      continue;
    }
    OpBuilder::InsertionGuard unitGuard(builder);
    enter(builder,
          UnitOp::create(
              builder, loc,
              DeviceUnitAttr::get(context, static_cast<launch::Unit>(unit))));
    for (const launch::Command &each : phase.units[unit]) {
      command(each);
    }
  }
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

void Importer::command(const launch::Command &command) {
  Location loc = location(command);
  if (command.kind == launch::CommandKind::Loop) {
    enter(builder,
          LoopOp::create(builder, loc, extent(command.trip), kernel(command)));
  } else if (command.kind == launch::CommandKind::End) {
    builder.setInsertionPointAfter(builder.getInsertionBlock()->getParentOp());
  } else {
    work(loc, command);
  }
}

void Importer::work(Location loc, const launch::Command &command) {
  SmallVector<BoxAttr> boxes;
  if (command.kind != launch::CommandKind::Map) {
    for (const launch::Box &each : command.boxes) {
      boxes.push_back(box(each));
    }
  }
  ArrayAttr dims = extents(command.dims);
  TableUseAttr predicate = tableUse(command.predicate);
  ArrayAttr next = bufferList(command.next);
  StringAttr name = kernel(command);
  switch (command.kind) {
  case launch::CommandKind::Move:
    MoveOp::create(builder, loc, boxes[0], boxes[1], dims,
                   indexed(command.indexed), tableUse(command.cores), predicate,
                   next, name);
    break;
  case launch::CommandKind::Reduce:
    ReduceOp::create(builder, loc, CombineAttr::get(context, command.combine),
                     boxes[0], boxes[1], dims, tableUse(command.cores),
                     predicate, next, name);
    break;
  case launch::CommandKind::Matmul:
    MatmulOp::create(builder, loc, boxes[2], boxes[0], boxes[1],
                     builder.getI32IntegerAttr(command.numRowDims), dims,
                     extent(command.inner), extent(command.stick),
                     builder.getDenseI32ArrayAttr(command.first), predicate,
                     next, name);
    break;
  case launch::CommandKind::Map:
    map(loc, command);
    break;
  case launch::CommandKind::Transpose:
    TransposeOp::create(builder, loc, boxes[0], boxes[1], dims,
                        extent(command.inner), extent(command.stick), predicate,
                        next, name);
    break;
  case launch::CommandKind::Shift:
    ShiftOp::create(builder, loc, builder.getI64IntegerAttr(command.shiftLanes),
                    boxes[0], boxes[1], boxes[2], dims, extent(command.stick),
                    predicate, next, name);
    break;
  case launch::CommandKind::Next:
    NextOp::create(builder, loc, next ? next : builder.getArrayAttr({}), name);
    break;
  case launch::CommandKind::Loop:
  case launch::CommandKind::End:
    break;
  }
}

void Importer::map(Location loc, const launch::Command &command) {
  size_t numInputs = command.boxes.size() - command.outputs.size();
  SmallVector<Attribute> inputs;
  SmallVector<Attribute> outputs;
  for (auto [index, each] : llvm::enumerate(command.boxes)) {
    if (index < numInputs) {
      inputs.push_back(box(each));
      continue;
    }
    const launch::MapOutput &how = command.outputs[index - numInputs];
    outputs.push_back(OutputAttr::get(context, box(each), how.combine,
                                      how.lanes, how.accumulate));
  }
  const std::string &bodyName = program.bodies[command.body].name;
  auto op = MapOp::create(
      builder, loc, builder.getArrayAttr(inputs), builder.getArrayAttr(outputs),
      extents(command.dims), extent(command.stick),
      builder.getDenseI32ArrayAttr(command.first),
      bodyName.empty() ? StringAttr() : builder.getStringAttr(bodyName),
      tableUse(command.predicate), bufferList(command.next), kernel(command));
  body(op, command);
}

void Importer::body(MapOp op, const launch::Command &command) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = op.getLoc();
  const launch::Body &source = program.bodies[command.body];
  Block &block = op.getBody().emplaceBlock();
  builder.setInsertionPointToStart(&block);
  SmallVector<Value> values;
  for (uint32_t input = 0; input < source.numInputs; ++input) {
    const launch::Buffer &read = program.buffers[command.boxes[input].buffer];
    values.push_back(block.addArgument(bodyType(read.type, context), loc));
  }
  for (const launch::BodyOp &each : source.ops) {
    if (each.opcode == launch::BodyOpcode::ScalarValue) {
      values.push_back(ScalarValueOp::create(
          builder, loc, builder.getI32Type(),
          FlatSymbolRefAttr::get(context,
                                 program.scalars[each.immediate].name)));
      continue;
    }
    if (each.opcode == launch::BodyOpcode::Index) {
      values.push_back(IndexOp::create(
          builder, loc, builder.getI32Type(), affine(each.index),
          builder.getDenseI64ArrayAttr(each.dimCoefficients),
          builder.getI64IntegerAttr(each.laneCoefficient)));
      continue;
    }
    SmallVector<Value, 3> operands;
    for (int index = 0; index < launch::numOperands(each.opcode); ++index) {
      operands.push_back(values[each.operands[index]]);
    }
    values.push_back(createBodyOp(builder, loc, each, operands));
  }
  SmallVector<Value> results;
  for (int32_t result : source.results) {
    results.push_back(values[result]);
  }
  YieldOp::create(builder, loc, results);
}

ProgramOp Importer::run(Location loc) {
  OpBuilder::InsertionGuard guard(builder);
  ProgramOp op =
      enter(builder,
            ProgramOp::create(builder, loc, builder.getStringAttr(program.name),
                              builder.getI32IntegerAttr(program.numCores)));
  for (const launch::Table &each : program.tables) {
    table(loc, each);
  }
  for (const launch::Scalar &each : program.scalars) {
    scalar(loc, each);
  }
  for (const launch::Buffer &each : program.buffers) {
    buffer(loc, each);
  }
  for (const launch::Phase &each : program.phases) {
    phase(loc, each);
  }
  return op;
}

} // namespace

ProgramOp importProgram(OpBuilder &builder, Location loc,
                        const launch::Program &program) {
  return Importer(builder, program).run(loc);
}

} // namespace spyre::sdsc
