// SPDX-License-Identifier: Apache-2.0
//
// Device memory at the grain of what one channel holds in a row: channels with
// one data bus and banks with one open row each. A row that is not open costs a
// precharge and an activation in its bank; the bus serves other banks
// meanwhile. Writes gather until a batch is there (or the bus is free), since
// the bus loses time at every turn. All banks of all channels refresh together.

#ifndef SPYRE_LIB_SIMULATOR_MEMORYCHANNELS_H
#define SPYRE_LIB_SIMULATOR_MEMORYCHANNELS_H

#include "Calendar.h"
#include "TimeBase.h"

#include <vector>

namespace spyre::sim {

/// The times at which memory stands still, booked in the calendars of what
/// stands still with it.
class Refreshes {
public:
  Refreshes(const target::Target &target, const TimeBase &base)
      : interval(base.ticks(target.ddrRefreshIntervalNs)),
        duration(base.ticks(target.ddrRefreshNs)), next(interval) {}
  /// Books all that may lie in the way of what starts at `until` or before.
  void book(Calendar &calendar, int64_t until, int64_t now);

private:
  int64_t interval;
  int64_t duration;
  int64_t next;
};

class MemoryChannels {
public:
  MemoryChannels(const target::Target &target, const TimeBase &base);

  /// When the last of [address, address + bytes), asked for at `now`, has been
  /// read, or has been accepted for writing.
  int64_t read(int64_t address, int64_t bytes, int64_t now);
  int64_t write(int64_t address, int64_t bytes, int64_t now);

  int64_t numChannels() const { return static_cast<int64_t>(channels.size()); }
  int64_t bytesOf(int64_t channel) const {
    return channels[static_cast<size_t>(channel)].bytes;
  }

private:
  struct Bank {
    int64_t row = -1;
    int64_t activatedAt = 0;
    int64_t readyAt = 0;
    /// The refresh interval in which the row was opened.
    int64_t interval = 0;
  };
  /// Contiguous bytes in one row of one channel.
  struct Piece {
    size_t bank = 0;
    int64_t row = 0;
    int64_t bytes = 0;
  };
  struct Channel {
    explicit Channel(const Refreshes &clock) : refreshes(clock) {}
    Calendar bus;
    Refreshes refreshes;
    int64_t lastEnd = 0;
    bool isWriting = false;
    int64_t bytes = 0;
    std::vector<Bank> banks;
    std::vector<Piece> writes;
    int64_t writeBytes = 0;
  };

  template <typename Serve>
  int64_t overChannels(int64_t address, int64_t bytes, Serve serve);
  int64_t open(Channel &channel, const Piece &piece, int64_t from);
  int64_t serve(Channel &channel, const Piece &piece, int64_t from,
                int64_t now);
  int64_t turn(Channel &channel, bool toWrite, int64_t now);
  int64_t drain(Channel &channel, int64_t now);

  int64_t interleaveBytes;
  int64_t rowBytes;
  double ticksPerByte;
  int64_t drainBytes;
  int64_t activate;
  int64_t precharge;
  int64_t rowCycle;
  int64_t refreshInterval;
  int64_t readToWrite;
  int64_t writeToRead;
  std::vector<Channel> channels;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_MEMORYCHANNELS_H
