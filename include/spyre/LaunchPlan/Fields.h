// SPDX-License-Identifier: Apache-2.0
//
// The fields of every struct of a launch plan, described once. The writer, the
// bounds-checked reader, the JSON dump, the hash and the mutations of the tests
// are visitors over this description.
//
// fields(visit, object) calls visit(name, kind, member) for each member in the
// order of the artifact. A field that a later minor version of the format added
// says since which. The structured bindings make a member that is missing
// here a compile error.

#ifndef SPYRE_LAUNCHPLAN_FIELDS_H
#define SPYRE_LAUNCHPLAN_FIELDS_H

#include "spyre/LaunchPlan/LaunchPlan.h"

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace spyre::launch {

/// What a field means: which class of mistake a wrong value would be.
enum class FieldKind : uint8_t {
  /// A nested struct or a list of structs: no meaning of its own.
  Group,
  Name,
  /// Bytes of a buffer, a segment or a weight.
  Size,
  /// An extent of a shape, an iteration space or a trip count.
  Extent,
  /// A declared limit: range of a scalar, of an index, of valid lanes.
  Bound,
  /// A byte offset or an address.
  Address,
  /// Constant, coefficient or step of an affine position.
  Offset,
  TableValue,
  Immediate,
  Opcode,
  CommandKind,
  DataType,
  Layout,
  Role,
  /// Space, binding, kind, unit of a buffer or a queue.
  Placement,
  /// Slots of a queue.
  Slots,
  /// Entry of Command::next.
  QueueAction,
  Combine,
  Flag,
  BufferIndex,
  TableIndex,
  ScalarIndex,
  BodyIndex,
  /// SSA value of a body.
  ValueIndex,
  ArgumentIndex,
  SegmentIndex,
  ProgramIndex,
  /// Binding::Argument or Binding::Segment, Footprint::index, Symbol::target.
  RegionIndex,
  /// A dim of a device shape or of a host shape.
  DimIndex,
  LoopDepth,
  /// Kind, role and card of a step, whose order is its list's order.
  StepOrder,
  /// Program, argument, event, peer or host call of a step.
  StepTarget,
  Footprint,
  /// Number of cores, inner entries, inputs, row dims or events.
  Count,
  /// Index into the debug table: no meaning for the machine.
  Source,
  Storage,
  Hash,
};
std::string_view toString(FieldKind kind);

/// S is T or const T: one description serves readers and writers.
template <typename S, typename T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

template <typename V, Is<layout::DeviceDim> S> void fields(V &visit, S &s) {
  auto &[kind, hostDim, factor] = s;
  visit("kind", FieldKind::Layout, kind);
  visit("host_dim", FieldKind::Layout, hostDim);
  visit("factor", FieldKind::Layout, factor);
}

template <typename V, Is<layout::ArrangementFold> S>
void fields(V &visit, S &s) {
  auto &[factor, stride] = s;
  visit("factor", FieldKind::Layout, factor);
  visit("stride", FieldKind::Layout, stride);
}

template <typename V, Is<layout::StickLayout> S> void fields(V &visit, S &s) {
  auto &[dims, arrangement, sparse] = s;
  visit("dims", FieldKind::Layout, dims);
  visit("arrangement", FieldKind::Layout, arrangement);
  visit("sparse", FieldKind::Layout, sparse);
}

//===----------------------------------------------------------------------===//
// Device program
//===----------------------------------------------------------------------===//

template <typename V, Is<Table> S> void fields(V &visit, S &s) {
  auto &[name, innerSize, values] = s;
  visit("name", FieldKind::Name, name);
  visit("inner_size", FieldKind::Count, innerSize);
  visit("values", FieldKind::TableValue, values);
}

template <typename V, Is<TableRef> S> void fields(V &visit, S &s) {
  auto &[table, loopDepth] = s;
  visit("table", FieldKind::TableIndex, table);
  visit("loop_depth", FieldKind::LoopDepth, loopDepth);
}

template <typename V, Is<Term> S> void fields(V &visit, S &s) {
  auto &[kind, index, loopDepth, coefficient] = s;
  visit("kind", FieldKind::Offset, kind);
  visit("index", FieldKind::TableIndex, index);
  visit("loop_depth", FieldKind::LoopDepth, loopDepth);
  visit("coefficient", FieldKind::Offset, coefficient);
}

template <typename V, Is<Affine> S> void fields(V &visit, S &s) {
  auto &[constant, terms] = s;
  visit("constant", FieldKind::Offset, constant);
  visit("terms", FieldKind::Group, terms);
}

template <typename V, Is<Extent> S> void fields(V &visit, S &s) {
  auto &[bounds] = s;
  visit("bounds", FieldKind::Extent, bounds);
}

template <typename V, Is<Scalar> S> void fields(V &visit, S &s) {
  auto &[name, argument, lo, hi, granule] = s;
  visit("name", FieldKind::Name, name);
  visit("argument", FieldKind::ArgumentIndex, argument);
  visit("lo", FieldKind::Bound, lo);
  visit("hi", FieldKind::Bound, hi);
  visit("granule", FieldKind::Bound, granule);
}

template <typename V, Is<Queue> S> void fields(V &visit, S &s) {
  auto &[slots, producer, consumers, fillTable] = s;
  visit("slots", FieldKind::Slots, slots);
  visit("producer", FieldKind::Placement, producer);
  visit("consumers", FieldKind::Placement, consumers);
  visit("fill_table", FieldKind::TableIndex, fillTable);
}

template <typename V, Is<Buffer> S> void fields(V &visit, S &s) {
  auto &[name, space, role, kind, type, shape, binding, bindingIndex, offset,
         queue, validTileDim, validElements, viewOf] = s;
  visit("name", FieldKind::Name, name);
  visit("space", FieldKind::Placement, space);
  visit("role", FieldKind::Role, role);
  visit("kind", FieldKind::Placement, kind);
  visit("type", FieldKind::DataType, type);
  visit("shape", FieldKind::Extent, shape);
  visit("binding", FieldKind::Placement, binding);
  visit("binding_index", FieldKind::RegionIndex, bindingIndex);
  visit("offset", FieldKind::Address, offset);
  visit("queue", FieldKind::Group, queue);
  visit("valid_tile_dim", FieldKind::DimIndex, validTileDim);
  visit("valid_elements", FieldKind::Bound, validElements);
  visit("view_of", FieldKind::BufferIndex, viewOf);
}

template <typename V, Is<DimMap> S> void fields(V &visit, S &s) {
  auto &[deviceDim, step] = s;
  visit("device_dim", FieldKind::DimIndex, deviceDim);
  visit("step", FieldKind::Offset, step);
}

template <typename V, Is<Box> S> void fields(V &visit, S &s) {
  auto &[buffer, offsets, dims, tileDim, rowDim, access] = s;
  visit("buffer", FieldKind::BufferIndex, buffer);
  visit("offsets", FieldKind::Offset, offsets);
  visit("dims", FieldKind::Group, dims);
  visit("tile_dim", FieldKind::DimIndex, tileDim);
  visit("row_dim", FieldKind::DimIndex, rowDim);
  visit("access", FieldKind::Flag, access);
}

template <typename V, Is<IndexedAccess> S> void fields(V &visit, S &s) {
  auto &[deviceDim, indexBuffer, first, count, pageSize] = s;
  visit("device_dim", FieldKind::DimIndex, deviceDim);
  visit("index_buffer", FieldKind::BufferIndex, indexBuffer);
  visit("first", FieldKind::Offset, first);
  visit("count", FieldKind::Extent, count);
  visit("page_size", FieldKind::Extent, pageSize);
}

template <typename V, Is<BodyOp> S> void fields(V &visit, S &s) {
  auto &[opcode, operands, immediate, index, dimCoefficients, laneCoefficient] =
      s;
  visit("opcode", FieldKind::Opcode, opcode);
  visit("operands", FieldKind::ValueIndex, operands);
  visit("immediate", FieldKind::Immediate, immediate);
  visit("index", FieldKind::Offset, index);
  visit("dim_coefficients", FieldKind::Offset, dimCoefficients);
  visit("lane_coefficient", FieldKind::Offset, laneCoefficient);
}

template <typename V, Is<Body> S> void fields(V &visit, S &s) {
  auto &[name, numInputs, ops, results] = s;
  visit("name", FieldKind::Name, name);
  visit("num_inputs", FieldKind::Count, numInputs);
  visit("ops", FieldKind::Group, ops);
  visit("results", FieldKind::ValueIndex, results);
}

template <typename V, Is<MapOutput> S> void fields(V &visit, S &s) {
  auto &[combine, lanes, accumulate] = s;
  visit("combine", FieldKind::Combine, combine);
  visit("lanes", FieldKind::Combine, lanes);
  visit("accumulate", FieldKind::Flag, accumulate);
}

template <typename V, Is<Command> S> void fields(V &visit, S &s) {
  auto &[kind, trip, dims, numRowDims, stick, inner, boxes, first, cores,
         predicate, indexed, combine, body, outputs, shiftLanes, next, source] =
      s;
  visit("kind", FieldKind::CommandKind, kind);
  visit("trip", FieldKind::Extent, trip);
  visit("dims", FieldKind::Extent, dims);
  visit("num_row_dims", FieldKind::Count, numRowDims);
  visit("stick", FieldKind::Extent, stick);
  visit("inner", FieldKind::Extent, inner);
  visit("boxes", FieldKind::Group, boxes);
  visit("first", FieldKind::LoopDepth, first);
  visit("cores", FieldKind::Group, cores);
  visit("predicate", FieldKind::Group, predicate);
  visit("indexed", FieldKind::Group, indexed);
  visit("combine", FieldKind::Combine, combine);
  visit("body", FieldKind::BodyIndex, body);
  visit("outputs", FieldKind::Group, outputs);
  visit("shift_lanes", FieldKind::Offset, shiftLanes);
  visit("next", FieldKind::QueueAction, next);
  visit("source", FieldKind::Source, source);
}

template <typename V, Is<Phase> S> void fields(V &visit, S &s) {
  auto &[name, units, residents] = s;
  visit("name", FieldKind::Name, name);
  visit("units", FieldKind::Group, units);
  visit("residents", FieldKind::BufferIndex, residents);
}

template <typename V, Is<SourceInfo> S> void fields(V &visit, S &s) {
  auto &[kernel, nodes] = s;
  visit("kernel", FieldKind::Name, kernel);
  visit("nodes", FieldKind::Name, nodes);
}

template <typename V, Is<Program> S> void fields(V &visit, S &s) {
  auto &[name, numCores, tables, scalars, buffers, bodies, phases, sources] = s;
  visit("name", FieldKind::Name, name);
  visit("num_cores", FieldKind::Count, numCores);
  visit("tables", FieldKind::Group, tables);
  visit("scalars", FieldKind::Group, scalars);
  visit("buffers", FieldKind::Group, buffers);
  visit("bodies", FieldKind::Group, bodies);
  visit("phases", FieldKind::Group, phases);
  visit("sources", FieldKind::Group, sources);
}

//===----------------------------------------------------------------------===//
// Launch plan
//===----------------------------------------------------------------------===//

template <typename V, Is<Argument> S> void fields(V &visit, S &s) {
  auto &[name, role, hostType, shape, deviceType, layout, indexBound, alias] =
      s;
  visit("name", FieldKind::Name, name);
  visit("role", FieldKind::Role, role);
  visit("host_type", FieldKind::DataType, hostType);
  visit("shape", FieldKind::Extent, shape);
  visit("device_type", FieldKind::DataType, deviceType);
  visit("layout", FieldKind::Layout, layout);
  visit("index_bound", FieldKind::Bound, indexBound);
  visit("alias", FieldKind::ArgumentIndex, alias);
}

template <typename V, Is<Segment> S> void fields(V &visit, S &s) {
  auto &[kind, sizeBytes] = s;
  visit("kind", FieldKind::Role, kind);
  visit("size_bytes", FieldKind::Size, sizeBytes);
}

template <typename V, Is<Weight> S> void fields(V &visit, S &s) {
  auto &[name, segment, offset, sizeBytes, storage, file, fileOffset, hostBytes,
         hostType, shape, deviceType, layout, hash] = s;
  visit("name", FieldKind::Name, name);
  visit("segment", FieldKind::SegmentIndex, segment);
  visit("offset", FieldKind::Address, offset);
  visit("size_bytes", FieldKind::Size, sizeBytes);
  visit("storage", FieldKind::Storage, storage);
  visit("file", FieldKind::Name, file);
  visit("file_offset", FieldKind::Storage, fileOffset);
  visit("host_bytes", FieldKind::Size, hostBytes);
  visit("host_type", FieldKind::DataType, hostType);
  visit("shape", FieldKind::Extent, shape);
  visit("device_type", FieldKind::DataType, deviceType);
  visit("layout", FieldKind::Layout, layout);
  visit("hash", FieldKind::Hash, hash);
}

template <typename V, Is<Footprint> S> void fields(V &visit, S &s) {
  auto &[region, index, lo, hi] = s;
  visit("region", FieldKind::Footprint, region);
  visit("index", FieldKind::RegionIndex, index);
  visit("lo", FieldKind::Footprint, lo);
  visit("hi", FieldKind::Footprint, hi);
}

template <typename V, Is<Step> S> void fields(V &visit, S &s) {
  auto &[kind, role, card, index, reads, writes, name] = s;
  visit("kind", FieldKind::StepOrder, kind);
  visit("role", FieldKind::StepOrder, role);
  visit("card", FieldKind::StepOrder, card);
  visit("index", FieldKind::StepTarget, index);
  visit("reads", FieldKind::Footprint, reads);
  visit("writes", FieldKind::Footprint, writes);
  visit("name", FieldKind::Name, name);
}

template <typename V, Is<HostOperand> S> void fields(V &visit, S &s) {
  auto &[region, index, offset, shape, deviceType, layout] = s;
  visit("region", FieldKind::Placement, region);
  visit("index", FieldKind::RegionIndex, index);
  visit("offset", FieldKind::Address, offset);
  visit("shape", FieldKind::Extent, shape);
  visit("device_type", FieldKind::DataType, deviceType);
  visit("layout", FieldKind::Layout, layout);
}

template <typename V, Is<HostCall> S> void fields(V &visit, S &s) {
  auto &[function, attributes, operands, results, reason] = s;
  visit("function", FieldKind::Opcode, function);
  visit("attributes", FieldKind::Immediate, attributes);
  visit("operands", FieldKind::Group, operands);
  visit("results", FieldKind::Group, results);
  visit("reason", FieldKind::Name, reason);
}

template <typename V, Is<Symbol> S> void fields(V &visit, S &s) {
  auto &[kind, argument, program, target] = s;
  visit("kind", FieldKind::Role, kind);
  visit("argument", FieldKind::ArgumentIndex, argument);
  visit("program", FieldKind::ProgramIndex, program);
  visit("target", FieldKind::RegionIndex, target);
}

/// Visits a field that format 1.`minor` added, unless the visitor, which then
/// has has(minor), reads an older artifact.
template <typename V, typename T>
void since(uint16_t minor, V &visit, std::string_view name, FieldKind kind,
           T &member) {
  if constexpr (requires { visit.has(minor); }) {
    if (!visit.has(minor)) {
      return;
    }
  }
  visit(name, kind, member);
}

template <typename V, Is<LaunchPlan> S> void fields(V &visit, S &s) {
  auto &[producer, modelName, targetName, targetHash, arguments, segments,
         weights, programs, steps, symbols, numEvents, hostCalls] = s;
  visit("producer", FieldKind::Name, producer);
  visit("model_name", FieldKind::Name, modelName);
  visit("target_name", FieldKind::Name, targetName);
  visit("target_hash", FieldKind::Hash, targetHash);
  visit("arguments", FieldKind::Group, arguments);
  visit("segments", FieldKind::Group, segments);
  visit("weights", FieldKind::Group, weights);
  visit("programs", FieldKind::Group, programs);
  visit("steps", FieldKind::StepOrder, steps);
  visit("symbols", FieldKind::Group, symbols);
  visit("num_events", FieldKind::Count, numEvents);
  since(1, visit, "host_calls", FieldKind::Group, hostCalls);
}

} // namespace spyre::launch

#endif // SPYRE_LAUNCHPLAN_FIELDS_H
