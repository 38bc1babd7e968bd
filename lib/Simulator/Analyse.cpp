// SPDX-License-Identifier: Apache-2.0
//
// Structure of a device program: tables, bodies, buffers and what a phase's
// buffers share. See ProgramInfo.h.

#include "Analyser.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace spyre::sim {

using launch::Affine;
using launch::Box;
using launch::Buffer;
using launch::BufferKind;
using launch::Command;
using launch::CommandKind;
using launch::Extent;
using launch::Program;
using launch::Space;
using launch::TableRef;
using launch::TermKind;
using launch::Unit;

void Analyser::checkTables() {
  int64_t bound = std::min<int64_t>(target.numCores, 63);
  if (program.numCores < 1 || program.numCores > bound) {
    malformed(fmt::format("the program has {} cores, the device {}",
                          program.numCores, bound));
  }
  for (const launch::Table &table : program.tables) {
    if (!isOneTo(table.innerSize, 256) ||
        static_cast<int64_t>(table.values.size()) !=
            table.innerSize * program.numCores) {
      malformed(fmt::format(
          "table \"{}\" has {} values for {} cores with {} (1 to 256) entries",
          table.name, table.values.size(), program.numCores, table.innerSize));
    }
  }
}

void Analyser::checkBodies() {
  for (const launch::Body &body : program.bodies) {
    int64_t values = body.numInputs;
    if (values + static_cast<int64_t>(body.ops.size()) > kMaxBodyValues) {
      malformed(fmt::format("body \"{}\" has more than {} values", body.name,
                            kMaxBodyValues));
    }
    for (const launch::BodyOp &op : body.ops) {
      if (op.opcode > launch::BodyOpcode::RoundTo) {
        malformed(fmt::format("body \"{}\" has an unknown opcode", body.name));
      }
      for (int i = 0; i < launch::numOperands(op.opcode); ++i) {
        if (!isMember(op.operands[static_cast<size_t>(i)], values)) {
          malformed(fmt::format("body \"{}\" uses a value before its "
                                "definition",
                                body.name));
        }
      }
      ++values;
    }
    for (int32_t value : body.results) {
      if (!isMember(value, values)) {
        malformed(fmt::format("body \"{}\" returns value {} of {}", body.name,
                              value, values));
      }
    }
  }
}

void Analyser::checkQueue(const Buffer &buffer) {
  bool isQueue = buffer.kind == BufferKind::Queue;
  if (isQueue != buffer.queue.has_value()) {
    malformed(
        fmt::format("buffer \"{}\": kind and queue disagree", buffer.name));
  }
  if (!isQueue) {
    return;
  }
  const launch::Queue &queue = *buffer.queue;
  std::set<Unit> units = {queue.producer};
  units.insert(queue.consumers.begin(), queue.consumers.end());
  if (!isOneTo(queue.slots, kMaxSlots) || queue.consumers.empty() ||
      units.size() != queue.consumers.size() + 1 ||
      *units.rbegin() > Unit::SFU) {
    malformed(fmt::format("queue \"{}\" needs 1 to {} slots, a producer and "
                          "other, distinct consumers",
                          buffer.name, kMaxSlots));
  }
  if (!queue.fillTable) {
    return;
  }
  if (!isMember(*queue.fillTable,
                static_cast<int64_t>(program.tables.size())) ||
      program.tables[*queue.fillTable].innerSize != 1) {
    malformed(fmt::format("queue \"{}\" needs a fill table with one entry a "
                          "core",
                          buffer.name));
  }
  for (int64_t mask : program.tables[*queue.fillTable].values) {
    if (mask < 0 || mask >> program.numCores != 0) {
      malformed(fmt::format("queue \"{}\": fill mask {:#x} names cores beyond "
                            "{}",
                            buffer.name, mask, program.numCores));
    }
  }
}

BufferInfo Analyser::analyseBuffer(const Buffer &buffer) {
  if (static_cast<int>(buffer.type) >= kNumElementTypes ||
      buffer.space > Space::LX || buffer.kind > BufferKind::Queue) {
    malformed(fmt::format("buffer \"{}\" has an unknown kind", buffer.name));
  }
  if (bitWidth(buffer.type) < 8 || buffer.type == ElementType::F8E4M3 ||
      buffer.type == ElementType::F8E5M2) {
    trap(ErrorCode::SimUnsupportedType, place,
         fmt::format("buffer \"{}\" has element type {}", buffer.name,
                     toString(buffer.type)));
  }
  checkQueue(buffer);
  int64_t rank = static_cast<int64_t>(buffer.shape.size());
  if (!isOneTo(rank, kMaxDeviceDims) ||
      buffer.shape.back() != elementsPerStick(buffer.type)) {
    malformed(fmt::format("buffer \"{}\" needs 1 to {} dims, the last {}",
                          buffer.name, kMaxDeviceDims,
                          elementsPerStick(buffer.type)));
  }
  BufferInfo info;
  info.strides.assign(static_cast<size_t>(rank) - 1, 1);
  info.slots = buffer.queue ? buffer.queue->slots : 1;
  int64_t sticks = 1;
  for (int64_t dim = rank - 2; dim >= 0; --dim) {
    int64_t extent = buffer.shape[static_cast<size_t>(dim)];
    info.strides[static_cast<size_t>(dim)] = sticks;
    if (extent < 1 || __builtin_mul_overflow(sticks, extent, &sticks)) {
      malformed(fmt::format("buffer \"{}\" has shape {}", buffer.name,
                            listText(buffer.shape)));
    }
  }
  info.slotSticks = sticks;
  if (__builtin_mul_overflow(sticks, info.slots * kStickBytes, &info.bytes)) {
    malformed(
        fmt::format("buffer \"{}\" has more than 2^63 bytes", buffer.name));
  }
  if (buffer.space == Space::LX) {
    if (buffer.offset % kStickBytes != 0) {
      trap(ErrorCode::SimMisaligned, place,
           fmt::format("buffer \"{}\" lies at LX offset {}", buffer.name,
                       buffer.offset));
    }
    if (buffer.offset < 0 || info.bytes > target.lxBytes ||
        buffer.offset > target.lxBytes - info.bytes) {
      trap(ErrorCode::SimBufferOutsideMemory, place,
           fmt::format("buffer \"{}\" lies outside LX", buffer.name),
           {fmt::format("offset {}, {} bytes, LX has {}", buffer.offset,
                        info.bytes, target.lxBytes)});
    }
  }
  return info;
}

void Analyser::collectBuffers(const launch::Phase &phase, PhaseInfo &info) {
  std::set<uint32_t> used;
  for (const std::vector<Command> &list : phase.units) {
    for (const Command &command : list) {
      for (const Box &box : command.boxes) {
        used.insert(box.buffer);
      }
      used.insert(command.next.begin(), command.next.end());
      if (command.indexed) {
        used.insert(command.indexed->indexBuffer);
      }
    }
  }
  for (uint32_t buffer : phase.residents) {
    require(isMember(buffer, static_cast<int64_t>(program.buffers.size())) &&
                program.buffers[buffer].space == Space::LX,
            "a resident is no LX buffer");
    used.insert(buffer);
  }
  info.buffers.assign(used.begin(), used.end());
}

/// A private buffer is used by one unit, or only read. Where a core writes the
/// LX of others, or DDR, sticks are tracked.
void Analyser::checkSharing(const launch::Phase &phase, PhaseInfo &info) {
  std::vector<uint32_t> units(program.buffers.size(), 0);
  std::vector<bool> written(program.buffers.size(), false);
  info.raceTracked.assign(program.buffers.size(), false);
  for (int unit = 0; unit < launch::kNumUnits; ++unit) {
    for (const Command &command : phase.units[static_cast<size_t>(unit)]) {
      size_t outputs =
          command.kind == CommandKind::Map ? command.outputs.size() : size_t{1};
      for (size_t i = 0; i < command.boxes.size(); ++i) {
        uint32_t buffer = command.boxes[i].buffer;
        units[buffer] |= 1u << unit;
        if (i + outputs >= command.boxes.size()) {
          written[buffer] = true;
          bool isShared = program.buffers[buffer].space == Space::DDR ||
                          command.cores.has_value();
          if (isShared) {
            info.raceTracked[buffer] = true;
          }
        }
      }
      if (command.indexed) {
        units[command.indexed->indexBuffer] |= 1u << unit;
      }
    }
  }
  for (uint32_t index : info.buffers) {
    const Buffer &buffer = program.buffers[index];
    bool severalUnits = (units[index] & (units[index] - 1)) != 0;
    if (buffer.kind == BufferKind::Private && buffer.space == Space::LX &&
        severalUnits && written[index]) {
      trap(ErrorCode::SimBufferOverlap, place,
           fmt::format("private buffer \"{}\" is written, and used by more "
                       "than one unit",
                       buffer.name));
    }
  }
}

void Analyser::checkLxOverlap(const PhaseInfo &info) {
  std::vector<uint32_t> order;
  for (uint32_t buffer : info.buffers) {
    if (program.buffers[buffer].space == Space::LX) {
      order.push_back(buffer);
    }
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(program.buffers[a].offset, a) <
           std::pair(program.buffers[b].offset, b);
  });
  for (size_t i = 1; i < order.size(); ++i) {
    const Buffer &before = program.buffers[order[i - 1]];
    const Buffer &after = program.buffers[order[i]];
    int64_t end = before.offset + result.buffers[order[i - 1]].bytes;
    if (end > after.offset) {
      trap(ErrorCode::SimBufferOverlap, place,
           fmt::format("buffers \"{}\" and \"{}\" share LX bytes", before.name,
                       after.name),
           {fmt::format("[{}, {}) and [{}, {})", before.offset, end,
                        after.offset,
                        after.offset + result.buffers[order[i]].bytes)});
    }
  }
}

ProgramInfo Analyser::run() {
  checkTables();
  checkBodies();
  for (const Buffer &buffer : program.buffers) {
    result.buffers.push_back(analyseBuffer(buffer));
  }
  for (size_t i = 0; i < program.phases.size(); ++i) {
    const launch::Phase &phase = program.phases[i];
    place.phase = static_cast<int32_t>(i);
    PhaseInfo info;
    for (int unit = 0; unit < launch::kNumUnits; ++unit) {
      place.unit = unit;
      info.units[static_cast<size_t>(unit)] =
          analyseList(phase.units[static_cast<size_t>(unit)]);
    }
    place.unit = -1;
    collectBuffers(phase, info);
    checkSharing(phase, info);
    checkLxOverlap(info);
    result.phases.push_back(std::move(info));
  }
  return std::move(result);
}

ValueType valueType(ElementType type) {
  if (type == ElementType::Bool) {
    return ValueType::Bool;
  }
  return isFloat(type) ? ValueType::F32 : ValueType::I32;
}

std::optional<int32_t> queueSide(const launch::Queue &queue, Unit unit) {
  if (queue.producer == unit) {
    return -1;
  }
  for (size_t i = 0; i < queue.consumers.size(); ++i) {
    if (queue.consumers[i] == unit) {
      return static_cast<int32_t>(i);
    }
  }
  return std::nullopt;
}

ProgramInfo analyse(const Program &program, const target::Target &target) {
  return Analyser(program, target).run();
}

} // namespace spyre::sim
