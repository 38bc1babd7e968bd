// SPDX-License-Identifier: Apache-2.0
//
// Matrix products: operands are gathered into f32 rows (K in blocks, so that
// scratch memory stays bounded), multiplied, and the accumulator written back.
// Integer products wrap at 32 bits.

#include "Executor.h"

#include <algorithm>
#include <cstring>

namespace spyre::sim {

/// One matmul command.
class MatmulRun {
public:
  MatmulRun(Executor &executor, const Place &place,
            const ResolvedCommand &command)
      : executor(executor), place(place), command(command),
        type(command.boxes[0].type), n(command.stick) {}
  void run();

private:
  void listRows();
  void readAccumulator();
  void writeAccumulator();
  void multiplyBlock(int64_t aOffset, int64_t bOffset, int64_t k0,
                     int64_t depth);
  void gatherSticks(const Operand &operand, const ResolvedBox &box,
                    int64_t stick, int64_t first, int64_t count, float *to);
  void multiplyIntegers(int64_t depth);

  Executor &executor;
  const Place &place;
  const ResolvedCommand &command;
  ElementType type;
  int64_t n;
  Operand a;
  Operand b;
  Operand acc;
  /// First stick of A and of the accumulator per row.
  std::vector<std::pair<int64_t, int64_t>> rows;
};

void MatmulRun::listRows() {
  PositionWalker walker(command, command.boxes, 0, command.command->numRowDims);
  do {
    rows.emplace_back(walker.stick(0), walker.stick(2));
  } while (walker.next());
}

void MatmulRun::readAccumulator() {
  const ResolvedBox &box = command.boxes[2];
  std::vector<float> &values = executor.scratch[2];
  values.assign(rows.size() * static_cast<size_t>(n), 0.0f);
  if (command.starts) {
    return;
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    gatherSticks(acc, box, rows[row].second, 0, n,
                 values.data() + row * static_cast<size_t>(n));
  }
}

void MatmulRun::writeAccumulator() {
  const ResolvedBox &box = command.boxes[2];
  int64_t lanes = elementsPerStick(box.type);
  for (size_t row = 0; row < rows.size(); ++row) {
    const float *values =
        executor.scratch[2].data() + row * static_cast<size_t>(n);
    for (int64_t tile = 0; tile < box.tiles; ++tile) {
      int64_t stick = rows[row].second + tile * box.tileStride;
      int64_t count = std::min(lanes, n - tile * lanes);
      std::memcpy(acc.view.stick<float>(stick), values + tile * lanes,
                  static_cast<size_t>(count) * 4);
      acc.view.defined[stick] = laneMask(box.type, count);
      if (acc.view.tags) {
        executor.writeTag(place, acc, stick);
      }
    }
  }
}

/// Elements [first, first + count) of a row of sticks, as 32-bit values.
void MatmulRun::gatherSticks(const Operand &operand, const ResolvedBox &box,
                             int64_t stick, int64_t first, int64_t count,
                             float *to) {
  int64_t lanes = elementsPerStick(box.type);
  auto bytesPerLane = bitWidth(box.type) / 8;
  for (int64_t done = 0; done < count;) {
    int64_t lane = (first + done) % lanes;
    int64_t part = std::min(lanes - lane, count - done);
    int64_t at = stick + (first + done) / lanes * box.tileStride;
    uint64_t mask = laneMask(box.type, lane + part) & ~laneMask(box.type, lane);
    executor.requireDefined(place, operand, at, mask);
    elementKernels().load(
        box.type, operand.view.stick<std::byte>(at) + lane * bytesPerLane,
        to + done, part);
    done += part;
  }
}

void MatmulRun::multiplyIntegers(int64_t depth) {
  const auto *x =
      reinterpret_cast<const uint32_t *>(executor.scratch[0].data());
  const auto *y =
      reinterpret_cast<const uint32_t *>(executor.scratch[1].data());
  auto *sum = reinterpret_cast<uint32_t *>(executor.scratch[2].data());
  for (size_t row = 0; row < rows.size(); ++row) {
    for (int64_t k = 0; k < depth; ++k) {
      uint32_t factor = x[static_cast<int64_t>(row) * depth + k];
      for (int64_t column = 0; column < n; ++column) {
        sum[static_cast<int64_t>(row) * n + column] +=
            factor * y[k * n + column];
      }
    }
  }
}

void MatmulRun::multiplyBlock(int64_t aOffset, int64_t bOffset, int64_t k0,
                              int64_t depth) {
  std::vector<float> &x = executor.scratch[0];
  std::vector<float> &y = executor.scratch[1];
  auto count = static_cast<int64_t>(rows.size());
  x.resize(static_cast<size_t>(count * depth));
  y.resize(static_cast<size_t>(depth * n));
  for (int64_t row = 0; row < count; ++row) {
    gatherSticks(a, command.boxes[0],
                 rows[static_cast<size_t>(row)].first + aOffset, k0, depth,
                 x.data() + row * depth);
  }
  const ResolvedBox &bBox = command.boxes[1];
  for (int64_t k = 0; k < depth; ++k) {
    gatherSticks(b, bBox, bBox.first + bOffset + (k0 + k) * bBox.rowStride, 0,
                 n, y.data() + k * n);
  }
  if (valueType(type) == ValueType::I32) {
    multiplyIntegers(depth);
  } else {
    matrixKernel()(count, n, depth, x.data(), depth, y.data(), n,
                   executor.scratch[2].data(), n);
  }
}

void MatmulRun::run() {
  const ResolvedBox &accBox = command.boxes[2];
  executor.requireOutputsDistinct(place, command, 2);
  for (size_t i = 0; i < 2; ++i) {
    if (command.boxes[i].buffer == accBox.buffer) {
      requireDisjoint(place, latticeOf(command, accBox),
                      latticeOf(command, command.boxes[i]),
                      executor.program.buffers[accBox.buffer].name);
    }
  }
  a = executor.open(place, command.boxes[0], place.core, false);
  b = executor.open(place, command.boxes[1], place.core, false);
  acc = executor.open(place, accBox, place.core, true);
  listRows();
  readAccumulator();
  // At most 4 Mi values of B and 512 columns of A at a time.
  int64_t block = std::clamp<int64_t>((int64_t{1} << 22) / n, 1, 512);
  int32_t firstK = command.command->numRowDims;
  bool hasOuterK = true;
  for (int32_t dim = firstK; dim < command.numDims; ++dim) {
    hasOuterK = hasOuterK && command.extents[static_cast<size_t>(dim)] > 0;
  }
  if (hasOuterK) {
    PositionWalker walker(command, command.boxes, firstK, command.numDims);
    do {
      for (int64_t k = 0; k < command.inner; k += block) {
        // rows hold the box's first stick already.
        multiplyBlock(walker.stick(0) - command.boxes[0].first,
                      walker.stick(1) - command.boxes[1].first, k,
                      std::min(block, command.inner - k));
      }
    } while (walker.next());
  }
  writeAccumulator();
}

void Executor::matmul(const Place &place, const ResolvedCommand &command) {
  MatmulRun(*this, place, command).run();
}

} // namespace spyre::sim
