// SPDX-License-Identifier: Apache-2.0
//
// Channels, banks and rows: see MemoryChannels.h.

#include "MemoryChannels.h"

#include <algorithm>
#include <cmath>

namespace spyre::sim {
namespace {

/// The lowest digit of `value` in base `count`, turned by the higher ones: so
/// do controllers choose channels and banks, that strides by powers of two do
/// not fall on one. Each digit weighs `more` than the one below: with the same
/// weights a stride that leaves few channels would leave each few banks.
int64_t folded(int64_t value, int64_t count, int64_t more) {
  int64_t sum = 0;
  if (count == 1) {
    return 0;
  }
  for (int64_t weight = 1; value > 0; value /= count, weight += more) {
    sum += weight * (value % count);
  }
  return sum % count;
}

} // namespace

MemoryChannels::MemoryChannels(const target::Target &target,
                               const TimeBase &base)
    : interleaveBytes(target.ddrInterleaveBytes), rowBytes(target.ddrRowBytes),
      ticksPerByte(static_cast<double>(target.ddrChannels) /
                   base.bytesPerTick(target.ddrPeakGBps)),
      drainBytes(target.ddrDrainBatchSticks * kStickBytes),
      activate(base.ticks(target.ddrRowToColumnNs)),
      precharge(base.ticks(target.ddrPrechargeNs)),
      rowCycle(base.ticks(target.ddrRowCycleNs)),
      refreshInterval(base.ticks(target.ddrRefreshIntervalNs)),
      readToWrite(base.ticks(target.ddrReadToWriteNs)),
      writeToRead(base.ticks(target.ddrWriteToReadNs)),
      channels(static_cast<size_t>(target.ddrChannels),
               Channel(Refreshes(target, base))) {
  for (Channel &channel : channels) {
    channel.banks.resize(static_cast<size_t>(target.ddrBanks));
  }
}

void Refreshes::book(Calendar &calendar, int64_t until, int64_t now) {
  while (duration > 0 && next < until + interval) {
    if (next > now) {
      calendar.book(next, duration, now);
    }
    next += interval;
  }
}

/// When a row can be read or written that is wanted from `from` on.
int64_t MemoryChannels::open(Channel &channel, const Piece &piece,
                             int64_t from) {
  Bank &bank = channel.banks[piece.bank];
  // A refresh closes all rows.
  const int64_t interval = std::max(from, bank.readyAt) / refreshInterval;
  if (bank.row != piece.row || bank.interval != interval) {
    const bool mustClose = bank.row >= 0 && bank.interval == interval;
    const int64_t closing = mustClose ? precharge : 0;
    const int64_t activatedAt =
        std::max(from + closing, bank.activatedAt + rowCycle);
    bank.activatedAt = activatedAt;
    bank.readyAt = activatedAt + activate;
    bank.row = piece.row;
    bank.interval = bank.readyAt / refreshInterval;
  }
  return std::max(from, bank.readyAt);
}

int64_t MemoryChannels::serve(Channel &channel, const Piece &piece,
                              int64_t from, int64_t now) {
  const auto ticks = static_cast<int64_t>(
      std::llround(static_cast<double>(piece.bytes) * ticksPerByte));
  const int64_t ready = open(channel, piece, from);
  channel.refreshes.book(channel.bus, std::max(ready, channel.lastEnd), now);
  const int64_t start = channel.bus.book(ready, ticks, now);
  channel.lastEnd = std::max(channel.lastEnd, start + ticks);
  return start + ticks;
}

/// When the bus is ready for a direction; a turn takes it.
int64_t MemoryChannels::turn(Channel &channel, bool toWrite, int64_t now) {
  if (channel.isWriting == toWrite) {
    return now;
  }
  channel.isWriting = toWrite;
  const int64_t ticks = toWrite ? readToWrite : writeToRead;
  channel.lastEnd =
      channel.bus.book(std::max(now, channel.lastEnd), ticks, now) + ticks;
  return channel.lastEnd;
}

int64_t MemoryChannels::drain(Channel &channel, int64_t now) {
  const int64_t from = turn(channel, true, now);
  int64_t end = now;
  for (const Piece &piece : channel.writes) {
    end = std::max(end, serve(channel, piece, from, now));
  }
  channel.writes.clear();
  channel.writeBytes = 0;
  return end;
}

/// Cuts contiguous bytes where the channel changes.
template <typename Serve>
int64_t MemoryChannels::overChannels(int64_t address, int64_t bytes,
                                     Serve serveOne) {
  int64_t end = 0;
  while (bytes > 0) {
    const int64_t block = address / interleaveBytes;
    const int64_t within = address % interleaveBytes;
    const int64_t count = std::min(bytes, interleaveBytes - within);
    const auto numChannels = static_cast<int64_t>(channels.size());
    Channel &channel =
        channels[static_cast<size_t>(folded(block, numChannels, 0))];
    const int64_t row =
        (block / numChannels * interleaveBytes + within) / rowBytes;
    const auto numBanks = static_cast<int64_t>(channel.banks.size());
    end = std::max(
        end,
        serveOne(channel, Piece{static_cast<size_t>(folded(row, numBanks, 2)),
                                row / numBanks, count}));
    address += count;
    bytes -= count;
  }
  return end;
}

int64_t MemoryChannels::read(int64_t address, int64_t bytes, int64_t now) {
  return overChannels(
      address, bytes, [&](Channel &channel, const Piece &piece) {
        channel.bytes += piece.bytes;
        return serve(channel, piece, turn(channel, false, now), now);
      });
}

int64_t MemoryChannels::write(int64_t address, int64_t bytes, int64_t now) {
  return overChannels(address, bytes,
                      [&](Channel &channel, const Piece &piece) {
                        channel.bytes += piece.bytes;
                        channel.writes.push_back(piece);
                        channel.writeBytes += piece.bytes;
                        if (channel.writeBytes >= drainBytes) {
                          return drain(channel, now);
                        }
                        // A free bus takes what there is; the writer need not
                        // wait for it.
                        if (channel.lastEnd <= now) {
                          drain(channel, now);
                        }
                        return now;
                      });
}

} // namespace spyre::sim
