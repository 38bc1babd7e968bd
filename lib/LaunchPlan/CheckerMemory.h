// SPDX-License-Identifier: Apache-2.0
//
// What the checker knows of memory: for every stick which of its lanes have
// been written (bit i stands for bytes [2i, 2i+2)), and for device memory also
// by whom and in which phase. State is by address, so that reuse of an address
// shows.

#ifndef SPYRE_LIB_LAUNCHPLAN_CHECKERMEMORY_H
#define SPYRE_LIB_LAUNCHPLAN_CHECKERMEMORY_H

#include "CheckerInternal.h"

#include <cstdlib>
#include <memory>

namespace spyre::launch::checker {

/// The bits of the first `lanes` lanes of a stick (all beyond a stick).
uint64_t maskOfLanes(ElementType type, int64_t lanes);
/// The bits of one lane.
uint64_t maskOfLane(ElementType type, int64_t lane);
/// The defined bits of stick `index` of an image.
uint64_t maskOfPattern(const ValidPattern &valid, ElementType type,
                       int64_t index);

/// Zeroed memory that costs only what is touched.
template <typename T> class ZeroedArray {
public:
  bool allocate(int64_t count) {
    data.reset(
        static_cast<T *>(std::calloc(static_cast<size_t>(count), sizeof(T))));
    return data != nullptr;
  }
  T *get() const { return data.get(); }

private:
  struct Free {
    void operator()(T *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<T[], Free> data;
};

/// State of the sticks of one argument or segment.
struct TrackedRegion {
  int64_t numSticks = 0;
  ZeroedArray<uint64_t> defined;
  /// Serial number of the phase of the last write; 0 = never by a program.
  ZeroedArray<uint32_t> writePhase;
  /// The phase of the last read; of a queue: 2^31 + slot number of the last
  /// write.
  ZeroedArray<uint32_t> readPhase;
  /// Tag of the buffer of the last write.
  ZeroedArray<uint32_t> owner;
  ZeroedArray<uint8_t> writeCore;
};

/// Why an access to device memory is wrong.
struct AccessFailure {
  ErrorCode code = ErrorCode::Internal;
  int64_t stick = 0;
  std::string message;
};

/// One access to a DDR buffer by a command of a core.
struct DdrAccess {
  /// Null: the image is never written by a program and defined by `valid`.
  TrackedRegion *region = nullptr;
  int64_t baseStick = 0;
  ElementType type = ElementType::F16;
  ValidPattern valid;
  uint32_t phase = 0;
  int32_t core = 0;
  /// Scratch: `tag` of the buffer; tags below `firstTag` are of earlier steps.
  bool checkOwner = false;
  uint32_t tag = 0;
  uint32_t firstTag = 0;
  /// Output buffers are written once per phase.
  bool writeOnce = false;
  /// Queues: slot number, and the cores that fill the reader's slot.
  bool isQueue = false;
  uint32_t slotNumber = 0;
  uint64_t fill = 0;
};

class Memory {
public:
  explicit Memory(Context &context);

  /// Allocates the tracked regions; false after reporting that the budget does
  /// not suffice.
  bool initialise();

  uint64_t *lxDefined(int32_t core);
  /// Lanes that were read since they were written.
  uint64_t *lxRead(int32_t core);
  uint8_t *lxWriter(int32_t core);

  /// Null if no program writes the region.
  TrackedRegion *argument(uint32_t index);
  TrackedRegion *segment(uint32_t index);

  /// The host has sent the argument.
  void defineArgument(uint32_t index);
  /// Tags of what a step writes, one for each buffer of a program or result of
  /// a host call; the first of them. None is given twice.
  std::optional<uint32_t> beginStep(const Step &step);
  /// Why the host cannot read all of a tensor.
  std::optional<AccessFailure> readTensor(const PlacedTensor &tensor);
  void writeTensor(const PlacedTensor &tensor, uint32_t tag);
  /// First stick of an argument whose valid lanes are not all written.
  std::optional<int64_t> firstIncomplete(uint32_t index);

  /// Reads `count` sticks from `first` on, `step` apart, into `out`.
  bool read(const DdrAccess &access, int64_t first, int64_t step, int64_t count,
            uint64_t *out, AccessFailure &failure) const;
  static bool write(const DdrAccess &access, int64_t first, int64_t step,
                    int64_t count, const uint64_t *in, AccessFailure &failure);

private:
  /// A step of the run and the first of its tags.
  struct Writer {
    uint32_t firstTag = 0;
    const Step *step = nullptr;
  };

  TrackedRegion *regionOf(const PlacedTensor &tensor);
  /// The tensor that a tag stands for; tag 0 is nobody's.
  PlacedTensor tensorOf(uint32_t tag) const;
  /// Byte up to which the programs touch each segment.
  std::vector<int64_t> touchedEnds() const;
  bool track(TrackedRegion &region, int64_t sizeBytes);

  Context &context;
  int64_t lxSticks = 0;
  int64_t trackedSticks = 0;
  std::vector<uint64_t> definedBits;
  std::vector<uint64_t> readBits;
  std::vector<uint8_t> writers;
  std::vector<std::unique_ptr<TrackedRegion>> arguments;
  std::vector<std::unique_ptr<TrackedRegion>> segments;
  /// In the order of their tags.
  std::vector<Writer> writersOfSteps;
  uint32_t nextTag = 1;
};

} // namespace spyre::launch::checker

#endif // SPYRE_LIB_LAUNCHPLAN_CHECKERMEMORY_H
