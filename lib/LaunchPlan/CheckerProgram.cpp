// SPDX-License-Identifier: Apache-2.0
//
// Structure of one program's tables, scalars, buffers and phases. Proves that
// every index names something, so that later stages index without looking.

#include "CheckerInternal.h"
#include "spyre/LaunchPlan/Names.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace spyre::launch::checker {
namespace {

template <typename E> bool isNamed(E value) {
  return static_cast<size_t>(value) < enumNames<E>.size();
}

template <typename T>
void checkNames(Context &context, const Program &program,
                const std::vector<T> &things, std::string_view kind) {
  std::set<std::string> names;
  for (size_t index = 0; index < things.size(); ++index) {
    const std::string &name = things[index].name;
    if (name.empty()) {
      context.errors.add(ErrorCode::CheckName, subjectOfProgram(program),
                         fmt::format("{} {} has no name", kind, index));
    } else if (!names.insert(name).second) {
      context.errors.add(
          ErrorCode::CheckName, subjectOfProgram(program),
          fmt::format("two {}s have the name {}", kind, quoted(name)));
    }
  }
}

void checkTables(Context &context, const Program &program) {
  for (const Table &table : program.tables) {
    std::string subject = fmt::format("table {}", quoted(table.name));
    if (table.innerSize < 1 || table.innerSize > kMaxTableInner) {
      context.errors.add(ErrorCode::CheckValue, subject,
                         fmt::format("{} entries per core are not in [1, {}]",
                                     table.innerSize, kMaxTableInner));
      continue;
    }
    int64_t wanted = program.numCores * table.innerSize;
    if (static_cast<int64_t>(table.values.size()) != wanted) {
      context.errors.add(ErrorCode::CheckCount, subject,
                         fmt::format("has {} entries, {} cores of {} need {}",
                                     table.values.size(), program.numCores,
                                     table.innerSize, wanted));
    }
  }
}

void checkScalars(Context &context, const Program &program) {
  for (const Scalar &scalar : program.scalars) {
    std::string subject = fmt::format("scalar {}", quoted(scalar.name));
    if (scalar.argument >= context.plan.arguments.size()) {
      context.errors.add(ErrorCode::CheckIndex, subject,
                         fmt::format("reads argument {}, the plan has {}",
                                     scalar.argument,
                                     context.plan.arguments.size()));
    }
    if (scalar.lo >= scalar.hi || scalar.granule < 1 ||
        scalar.lo < -kMaxMagnitude || scalar.hi > kMaxMagnitude) {
      context.errors.add(
          ErrorCode::CheckValue, subject,
          fmt::format("its range [{}, {}) in steps of {} is empty or too wide",
                      scalar.lo, scalar.hi, scalar.granule));
    }
  }
}

/// Shape: extents, whole sticks, bytes. Fills the facts.
bool checkShape(Context &context, const std::string &subject,
                const Buffer &buffer, BufferFacts &facts) {
  if (buffer.shape.empty() || buffer.shape.size() > kMaxRank) {
    context.errors.add(ErrorCode::CheckCount, subject,
                       fmt::format("has {} dims, possible are 1 to {}",
                                   buffer.shape.size(), kMaxRank));
    return false;
  }
  facts.elementsPerStick = elementsPerStick(buffer.type);
  if (buffer.shape.back() != facts.elementsPerStick) {
    context.errors.add(
        ErrorCode::CheckValue, subject,
        fmt::format("its last extent is {}, a stick of {} has {}",
                    buffer.shape.back(), toString(buffer.type),
                    facts.elementsPerStick));
    return false;
  }
  int64_t sticks = 1;
  facts.strides.assign(buffer.shape.size() - 1, 0);
  for (size_t dim = buffer.shape.size() - 1; dim-- > 0;) {
    int64_t extent = buffer.shape[dim];
    facts.strides[dim] = sticks;
    std::optional<int64_t> product = checkedProduct(sticks, extent);
    if (extent < 0 || !product || *product > kMaxMagnitude / kStickBytes) {
      context.errors.add(ErrorCode::CheckValue, subject,
                         fmt::format("its shape exceeds {} bytes (extent {})",
                                     kMaxMagnitude, extent));
      return false;
    }
    sticks = *product;
  }
  facts.slotSticks = sticks;
  int64_t slots = buffer.queue ? buffer.queue->slots : 1;
  std::optional<int64_t> bytes = checkedProduct(sticks * kStickBytes, slots);
  if (!bytes || *bytes > kMaxMagnitude) {
    context.errors.add(
        ErrorCode::CheckValue, subject,
        fmt::format("its {} slots exceed {} bytes", slots, kMaxMagnitude));
    return false;
  }
  facts.totalBytes = *bytes;
  if (buffer.queue && sticks == 0) {
    context.errors.add(ErrorCode::CheckQueueDeclaration, subject,
                       "its slots have no sticks");
    return false;
  }
  return true;
}

bool canConsume(Space space, Unit unit) {
  return space == Space::DDR ? unit == Unit::Load : unit != Unit::Load;
}

void checkQueue(Context &context, const std::string &subject,
                const Program &program, const Buffer &buffer) {
  if (buffer.queue.has_value() != (buffer.kind == BufferKind::Queue)) {
    context.errors.add(ErrorCode::CheckQueueDeclaration, subject,
                       "a queue needs slots and units, a private buffer has "
                       "none");
    return;
  }
  if (!buffer.queue) {
    return;
  }
  const Queue &queue = *buffer.queue;
  auto refuse = [&](std::string message) {
    context.errors.add(ErrorCode::CheckQueueDeclaration, subject,
                       std::move(message));
  };
  if (queue.slots < 1) {
    refuse(fmt::format("has {} slots, needs 1 or more", queue.slots));
  }
  if (!isNamed(queue.producer) || queue.consumers.empty()) {
    refuse("needs a producer and at least one consumer");
    return;
  }
  bool storeProduces = queue.producer == Unit::Store;
  if (storeProduces != (buffer.space == Space::DDR)) {
    refuse("its producer does not write to its memory: store fills DDR, the "
           "other units LX");
  }
  std::set<Unit> seen = {queue.producer};
  for (Unit unit : queue.consumers) {
    if (!isNamed(unit) || !seen.insert(unit).second ||
        !canConsume(buffer.space, unit)) {
      refuse(fmt::format("unit {} cannot be a consumer: it is the producer, "
                         "listed twice, or does not read this memory",
                         static_cast<int>(unit)));
      return;
    }
  }
  if (buffer.role != BufferRole::Scratch) {
    refuse("only scratch buffers can be queues");
  }
  if (!queue.fillTable) {
    return;
  }
  if (*queue.fillTable >= program.tables.size()) {
    context.errors.add(ErrorCode::CheckIndex, subject,
                       fmt::format("its fill set is table {}, the program "
                                   "has {}",
                                   *queue.fillTable, program.tables.size()));
    return;
  }
  const Table &table = program.tables[*queue.fillTable];
  for (int64_t mask : table.values) {
    if (table.innerSize != 1 || mask < 0 || (mask >> program.numCores) != 0) {
      refuse(fmt::format("its fill set {} is not one mask of {} cores per core",
                         quoted(table.name), program.numCores));
      return;
    }
  }
}

void checkPhases(Context &context, const Program &program) {
  for (size_t index = 0; index < program.phases.size(); ++index) {
    const Phase &phase = program.phases[index];
    std::set<uint32_t> seen;
    for (uint32_t buffer : phase.residents) {
      std::string subject = subjectOfProgram(program);
      if (buffer >= program.buffers.size()) {
        context.errors.add(ErrorCode::CheckIndex, subject,
                           fmt::format("phase {} lists buffer {} as resident, "
                                       "the program has {}",
                                       index, buffer, program.buffers.size()));
      } else if (!seen.insert(buffer).second) {
        context.errors.add(
            ErrorCode::CheckResident, subject,
            fmt::format("phase {} lists buffer {} as resident twice", index,
                        quoted(program.buffers[buffer].name)));
      }
    }
  }
}

/// A view names an earlier buffer that is none, in the same place.
void checkView(Context &context, const Program &program, uint32_t index,
               ProgramFacts &facts) {
  const Buffer &view = program.buffers[index];
  facts.sameSticks[index] = index;
  if (view.viewOf == -1) {
    return;
  }
  bool exists = view.viewOf >= 0 && view.viewOf < static_cast<int64_t>(index);
  const Buffer &source = program.buffers[exists ? view.viewOf : index];
  bool fits =
      exists && source.viewOf == -1 && source.space == Space::DDR &&
      view.space == Space::DDR && source.role == view.role &&
      source.type == view.type && source.binding == view.binding &&
      source.bindingIndex == view.bindingIndex &&
      source.offset == view.offset && !source.queue && !view.queue &&
      facts.buffers[view.viewOf].totalBytes == facts.buffers[index].totalBytes;
  if (!fits) {
    context.errors.add(
        ErrorCode::CheckBinding,
        fmt::format("buffer {} of program {}", quoted(view.name),
                    quoted(program.name)),
        fmt::format("is a view of buffer number {}, which is not an earlier "
                    "buffer of the same bytes in the same place in device "
                    "memory",
                    view.viewOf));
    return;
  }
  facts.sameSticks[index] = static_cast<uint32_t>(view.viewOf);
}

} // namespace

void checkBuffer(Context &context, const Program &program, uint32_t index,
                 ProgramFacts &facts) {
  const Buffer &buffer = program.buffers[index];
  std::string subject = fmt::format("buffer {} of program {}",
                                    quoted(buffer.name), quoted(program.name));
  if (!isNamed(buffer.space) || !isNamed(buffer.role) ||
      !isNamed(buffer.kind) || !isNamed(buffer.binding) ||
      static_cast<int>(buffer.type) >= kNumElementTypes) {
    context.errors.add(ErrorCode::CheckEnum, subject,
                       "unknown space, role, kind, binding or element type");
    return;
  }
  checkQueue(context, subject, program, buffer);
  if (!checkShape(context, subject, buffer, facts.buffers[index])) {
    return;
  }
  int32_t outerDims = static_cast<int32_t>(buffer.shape.size()) - 1;
  if (buffer.validTileDim < -1 || buffer.validTileDim >= outerDims) {
    context.errors.add(ErrorCode::CheckIndex, subject,
                       fmt::format("its valid elements run along dim {}, it "
                                   "has {} outer dims",
                                   buffer.validTileDim, outerDims));
  } else {
    ValidPattern &valid = facts.valid[index];
    valid.elements = buffer.validElements;
    if (buffer.validTileDim >= 0) {
      size_t dim = static_cast<size_t>(buffer.validTileDim);
      valid.inner = std::max<int64_t>(facts.buffers[index].strides[dim], 1);
      valid.tiles = std::max<int64_t>(buffer.shape[dim], 1);
    }
  }
  if (buffer.validElements < 0 || buffer.validElements > kMaxMagnitude ||
      buffer.offset < 0 || buffer.offset > kMaxMagnitude) {
    context.errors.add(ErrorCode::CheckValue, subject,
                       fmt::format("offset {} or valid elements {} are not in "
                                   "[0, {}]",
                                   buffer.offset, buffer.validElements,
                                   kMaxMagnitude));
  }
  bool isLx = buffer.binding == Binding::Lx;
  if (isLx != (buffer.space == Space::LX)) {
    context.errors.add(ErrorCode::CheckBinding, subject,
                       "LX buffers and only they are bound to LX");
  }
  size_t count = buffer.binding == Binding::Argument
                     ? context.plan.arguments.size()
                     : context.plan.segments.size();
  if (!isLx && buffer.bindingIndex >= count) {
    context.errors.add(ErrorCode::CheckIndex, subject,
                       fmt::format("is bound to {} {}, the plan has {}",
                                   buffer.binding == Binding::Argument
                                       ? "argument"
                                       : "segment",
                                   buffer.bindingIndex, count));
  }
}

void checkProgramStructure(Context &context, size_t index) {
  const Program &program = context.plan.programs[index];
  ProgramFacts &facts = context.facts[index];
  int64_t mostCores = std::min<int64_t>(context.target.numCores, kMaxCores);
  if (program.numCores < 1 || program.numCores > mostCores) {
    context.errors.add(ErrorCode::CheckValue, subjectOfProgram(program),
                       fmt::format("runs on {} cores, the target has {}",
                                   program.numCores, mostCores));
    return;
  }
  checkNames(context, program, program.tables, "table");
  checkNames(context, program, program.scalars, "scalar");
  checkNames(context, program, program.buffers, "buffer");
  checkTables(context, program);
  checkScalars(context, program);
  facts.buffers.resize(program.buffers.size());
  facts.valid.resize(program.buffers.size());
  facts.sameSticks.resize(program.buffers.size());
  facts.stored.assign(program.buffers.size(), false);
  for (uint32_t buffer = 0; buffer < program.buffers.size(); ++buffer) {
    checkBuffer(context, program, buffer, facts);
    checkView(context, program, buffer, facts);
  }
  checkPhases(context, program);
  if (context.errors.empty()) {
    checkCommands(context, program, facts);
  }
}

} // namespace spyre::launch::checker
