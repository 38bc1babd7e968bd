// SPDX-License-Identifier: Apache-2.0
//
// Structure of command lists: loop nesting, and for each command its unit, the
// shape of its operands (spaces, types, dims) and the queues that it uses.
// Numbers that differ per core or loop trip are the interval stage's business.

#include "CheckerInternal.h"
#include "spyre/LaunchPlan/Names.h"

#include <algorithm>
#include <fmt/format.h>

namespace spyre::launch::checker {
namespace {

/// Checks one command at a loop depth.
class CommandChecker {
public:
  CommandChecker(Context &context, const Program &program,
                 const ProgramFacts &facts, const Command &command,
                 const Place &place, int32_t depth)
      : context(context), program(program), facts(facts), command(command),
        place(place), depth(depth) {}

  void check() {
    if (!checkCommon() || !checkBoxes()) {
      return;
    }
    checkUnit();
    checkQueues();
    checkOperands(context, program, facts, command, place, depth);
  }

private:
  void refuse(ErrorCode code, std::string message) {
    context.errors.addAt(code, place, std::move(message));
  }

  bool checkTableRef(const std::optional<TableRef> &ref) {
    if (!ref) {
      return true;
    }
    if (ref->table >= program.tables.size()) {
      refuse(ErrorCode::CheckIndex,
             fmt::format("uses table {}, the program has {}", ref->table,
                         program.tables.size()));
      return false;
    }
    bool indexed = program.tables[ref->table].innerSize != 1;
    if (indexed != (ref->loopDepth >= 0) || ref->loopDepth < -1 ||
        ref->loopDepth >= depth) {
      refuse(ErrorCode::CheckLoopNesting,
             fmt::format("indexes table {} by loop {} at depth {}",
                         quoted(program.tables[ref->table].name),
                         ref->loopDepth, depth));
      return false;
    }
    return true;
  }

  bool checkExtent(const Extent &extent, std::string_view what) {
    if (extent.bounds.empty() || extent.bounds.size() > kMaxTerms) {
      refuse(ErrorCode::CheckCount,
             fmt::format("its {} extent has {} bounds, needs 1 to {}", what,
                         extent.bounds.size(), kMaxTerms));
      return false;
    }
    return std::all_of(
        extent.bounds.begin(), extent.bounds.end(), [&](const Affine &bound) {
          return checkAffine(context, program, bound, depth, place);
        });
  }

  bool needsStick() const {
    return command.kind == CommandKind::Matmul ||
           command.kind == CommandKind::Map ||
           command.kind == CommandKind::Transpose ||
           command.kind == CommandKind::Shift;
  }
  bool needsInner() const {
    return command.kind == CommandKind::Matmul ||
           command.kind == CommandKind::Transpose;
  }

  /// A load whose source rows an i32 buffer in LX chooses.
  bool checkIndexed(const IndexedAccess &indexed) {
    if (command.kind != CommandKind::Move || place.unit != Unit::Load ||
        indexed.pageSize != 0) {
      refuse(ErrorCode::CheckNotProved,
             "indexed access is proved for loads without pages only");
      return false;
    }
    if (indexed.indexBuffer >= program.buffers.size() ||
        command.boxes.empty() ||
        command.boxes[0].buffer >= program.buffers.size()) {
      refuse(ErrorCode::CheckIndex,
             fmt::format("reads indices from buffer {}, the program has {}",
                         indexed.indexBuffer, program.buffers.size()));
      return false;
    }
    const Buffer &index = program.buffers[indexed.indexBuffer];
    const Buffer &table = program.buffers[command.boxes[0].buffer];
    bool isRow =
        indexed.deviceDim >= 0 &&
        indexed.deviceDim < static_cast<int64_t>(table.shape.size()) - 1 &&
        indexed.deviceDim != table.validTileDim;
    if (!isRow || index.space != Space::LX || index.queue ||
        index.type != ElementType::I32) {
      refuse(ErrorCode::CheckOperands,
             "an indexed load takes a dim outside of the stick and a private "
             "i32 buffer in LX");
      return false;
    }
    return checkAffine(context, program, indexed.first, depth, place) &&
           checkExtent(indexed.count, "index");
  }

  bool checkCommon() {
    if (command.indexed && !checkIndexed(*command.indexed)) {
      return false;
    }
    if (command.dims.size() > kMaxCommandDims ||
        command.boxes.size() > kMaxBoxes) {
      refuse(ErrorCode::CheckCount,
             fmt::format("has {} dims and {} boxes, at most {} and {} are "
                         "possible",
                         command.dims.size(), command.boxes.size(),
                         kMaxCommandDims, kMaxBoxes));
      return false;
    }
    for (const Extent &extent : command.dims) {
      if (!checkExtent(extent, "dim")) {
        return false;
      }
    }
    if ((needsStick() && !checkExtent(command.stick, "stick")) ||
        (needsInner() && !checkExtent(command.inner, "inner")) ||
        !checkTableRef(command.cores) || !checkTableRef(command.predicate)) {
      return false;
    }
    for (int32_t loop : command.first) {
      if (loop < 0 || loop >= depth) {
        refuse(ErrorCode::CheckLoopNesting,
               fmt::format("'first' names loop {} at depth {}", loop, depth));
        return false;
      }
    }
    for (uint32_t buffer : command.next) {
      if (buffer >= program.buffers.size()) {
        refuse(ErrorCode::CheckIndex,
               fmt::format("'next' names buffer {}, the program has {}", buffer,
                           program.buffers.size()));
        return false;
      }
    }
    return true;
  }

  bool checkBox(const Box &box) {
    if (box.buffer >= program.buffers.size()) {
      refuse(ErrorCode::CheckIndex,
             fmt::format("uses buffer {}, the program has {}", box.buffer,
                         program.buffers.size()));
      return false;
    }
    const Buffer &buffer = program.buffers[box.buffer];
    if (static_cast<size_t>(box.access) >= enumNames<LaneAccess>.size()) {
      refuse(ErrorCode::CheckEnum, "unknown lane access");
      return false;
    }
    if (box.offsets.size() != buffer.shape.size() ||
        box.dims.size() != command.dims.size()) {
      refuse(ErrorCode::CheckCount,
             fmt::format("a box of {} has {} offsets for {} device dims and "
                         "{} maps for {} command dims",
                         quoted(buffer.name), box.offsets.size(),
                         buffer.shape.size(), box.dims.size(),
                         command.dims.size()));
      return false;
    }
    for (const Affine &offset : box.offsets) {
      if (!checkAffine(context, program, offset, depth, place)) {
        return false;
      }
    }
    int32_t outerDims = static_cast<int32_t>(buffer.shape.size()) - 1;
    auto isDim = [&](int32_t dim) { return dim >= -1 && dim < outerDims; };
    bool valid = isDim(box.tileDim) && isDim(box.rowDim);
    for (const DimMap &map : box.dims) {
      valid = valid && isDim(map.deviceDim) && map.step <= kMaxMagnitude &&
              map.step >= -kMaxMagnitude;
    }
    if (!valid) {
      refuse(ErrorCode::CheckIndex,
             fmt::format("a box of {} walks a dim that is not one of its {} "
                         "outer dims",
                         quoted(buffer.name), outerDims));
    }
    return valid;
  }

  bool checkBoxes() {
    return std::all_of(command.boxes.begin(), command.boxes.end(),
                       [&](const Box &box) { return checkBox(box); });
  }

  void checkUnit() {
    bool fits = true;
    switch (command.kind) {
    case CommandKind::Move:
      fits = place.unit == Unit::Load || place.unit == Unit::Store ||
             place.unit == Unit::Ring;
      break;
    case CommandKind::Reduce:
      fits = place.unit == Unit::Ring;
      break;
    case CommandKind::Matmul:
      fits = place.unit == Unit::PT;
      break;
    case CommandKind::Map:
    case CommandKind::Transpose:
    case CommandKind::Shift:
      fits = place.unit == Unit::SFU;
      break;
    default:
      break;
    }
    if (!fits) {
      refuse(ErrorCode::CheckWrongUnit,
             fmt::format("{} cannot execute {}", toString(place.unit),
                         toString(command.kind)));
    }
  }

  bool isOutput(size_t box) const {
    if (command.kind == CommandKind::Map) {
      return box + command.outputs.size() >= command.boxes.size();
    }
    return box + 1 == command.boxes.size();
  }

  void checkQueues() {
    auto check = [&](uint32_t index, bool output, bool next) {
      const Buffer &buffer = program.buffers[index];
      if (!buffer.queue) {
        if (next) {
          refuse(ErrorCode::CheckQueueForeign,
                 fmt::format("'next' names {}, which is not a queue",
                             quoted(buffer.name)));
        }
        return;
      }
      bool produces = buffer.queue->producer == place.unit;
      bool consumes = std::find(buffer.queue->consumers.begin(),
                                buffer.queue->consumers.end(),
                                place.unit) != buffer.queue->consumers.end();
      if (!produces && (output || !consumes)) {
        refuse(ErrorCode::CheckQueueForeign,
               fmt::format("{} {} queue {} without being its {}",
                           toString(place.unit), output ? "writes" : "uses",
                           quoted(buffer.name),
                           output ? "producer" : "producer or consumer"));
      }
      if (produces && !output && !next && buffer.queue->fillTable) {
        refuse(ErrorCode::CheckNotProved,
               fmt::format("reads back queue {}, which other cores also fill",
                           quoted(buffer.name)));
      }
    };
    for (size_t box = 0; box < command.boxes.size(); ++box) {
      check(command.boxes[box].buffer, isOutput(box), false);
    }
    for (size_t i = 0; i < command.next.size(); ++i) {
      check(command.next[i], false, true);
      if (std::count(command.next.begin(), command.next.end(),
                     command.next[i]) != 1) {
        refuse(ErrorCode::CheckQueueForeign, "'next' names a queue twice");
      }
    }
  }

  Context &context;
  const Program &program;
  const ProgramFacts &facts;
  const Command &command;
  const Place &place;
  int32_t depth;
};

} // namespace

void checkCommand(Context &context, const Program &program,
                  const ProgramFacts &facts, const Command &command,
                  const Place &place, int32_t depth) {
  CommandChecker(context, program, facts, command, place, depth).check();
}

} // namespace spyre::launch::checker
