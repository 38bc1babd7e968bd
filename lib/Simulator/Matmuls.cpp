// SPDX-License-Identifier: Apache-2.0
//
// Matrix products. K is taken in panels; the rows of A's panel and one tile of
// B's at a time are converted to 32-bit values, so that scratch memory stays
// bounded, and multiplied onto the accumulator where it lies. Integer products
// wrap at 32 bits.

#include "Executor.h"

#include <algorithm>

namespace spyre::sim {
namespace {

/// The integer counterpart of MatrixKernel.
void multiplyIntegers(int64_t rows, int64_t columns, int64_t depth,
                      const float *a, const float *b, int64_t ldb,
                      float *const *c, int64_t offset, bool starts) {
  // The bits stand in memory that floats use too.
  using Word = uint32_t __attribute__((may_alias));
  const auto *x = reinterpret_cast<const Word *>(a);
  const auto *y = reinterpret_cast<const Word *>(b);
  for (int64_t row = 0; row < rows; ++row) {
    auto *sum = reinterpret_cast<Word *>(c[row]) + offset;
    if (starts) {
      std::fill_n(sum, columns, 0);
    }
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t column = 0; column < columns; ++column) {
        sum[column] += x[row * kPanelDepth + k] * y[k * ldb + column];
      }
    }
  }
}

float *atLeast(std::vector<float> &scratch, int64_t size) {
  if (std::ssize(scratch) < size) {
    scratch.resize(static_cast<size_t>(size));
  }
  return scratch.data();
}

} // namespace

/// One matmul command.
class MatmulRun {
public:
  MatmulRun(Executor &executor, Workspace &workspace, const Place &place,
            const ResolvedCommand &command)
      : executor(executor), workspace(workspace), place(place),
        command(command), type(command.boxes[0].type), n(command.stick),
        starts(command.starts) {}
  void run();

private:
  void listRows();
  void openAccumulator();
  void clearAccumulator();
  void multiplyPanel(int64_t aOffset, int64_t bOffset, int64_t k0,
                     int64_t depth);
  const float *loadRows(int64_t offset, int64_t k0, int64_t depth);
  const float *loadTile(int64_t first, int64_t depth, int64_t count);

  Executor &executor;
  Workspace &workspace;
  const Place &place;
  const ResolvedCommand &command;
  ElementType type;
  int64_t n;
  /// Nothing has been added yet to what starts from zero.
  bool starts;
  Operand a;
  Operand b;
  Operand acc;
  /// First stick per row of A and of the accumulator.
  std::vector<int64_t> aSticks;
  std::vector<int64_t> accSticks;
  std::vector<float *> accRows;
};

void MatmulRun::listRows() {
  PositionWalker walker(command, command.boxes, 0, command.command->numRowDims);
  do {
    aSticks.push_back(walker.stick(0));
    accSticks.push_back(walker.stick(2));
    accRows.push_back(acc.view.stick<float>(walker.stick(2)));
  } while (walker.next());
}

/// Checks the sticks that the product is added to, and marks them as written.
void MatmulRun::openAccumulator() {
  const ResolvedBox &box = command.boxes[2];
  for (int64_t row : accSticks) {
    for (int64_t tile = 0; tile < box.tiles; ++tile) {
      const int64_t stick = row + tile * box.tileStride;
      const int64_t count = std::min(kStripColumns, n - tile * kStripColumns);
      const uint64_t mask = laneMask(box.type, count);
      if (!starts) {
        executor.requireDefined(place, acc, stick, mask);
      }
      acc.view.defined[stick] = mask;
      if (acc.view.tags) {
        executor.writeTag(place, acc, stick);
      }
    }
  }
}

/// A sum of no products is zero.
void MatmulRun::clearAccumulator() {
  const ResolvedBox &box = command.boxes[2];
  for (int64_t row : accSticks) {
    for (int64_t tile = 0; tile < box.tiles; ++tile) {
      std::fill_n(acc.view.stick<float>(row + tile * box.tileStride),
                  std::min(kStripColumns, n - tile * kStripColumns), 0.0f);
    }
  }
}

/// Columns [k0, k0 + depth) of all rows of A.
const float *MatmulRun::loadRows(int64_t offset, int64_t k0, int64_t depth) {
  const ResolvedBox &box = command.boxes[0];
  const ElementKernels &kernels = elementKernels();
  const int64_t lanes = elementsPerStick(type);
  float *const values =
      atLeast(workspace.scratch[0], std::ssize(aSticks) * kPanelDepth);
  float *to = values;
  for (int64_t row : aSticks) {
    // A panel begins with a stick: its depth is a multiple of any stick's.
    int64_t stick = row + offset + k0 / lanes * box.tileStride;
    for (int64_t k = 0; k < depth; k += lanes, stick += box.tileStride) {
      const int64_t count = std::min(lanes, depth - k);
      executor.requireDefined(place, a, stick, laneMask(type, count));
      kernels.load(type, a.view.stick<void>(stick), to + k, count);
    }
    to += kPanelDepth;
  }
  return values;
}

/// `count` lanes of `depth` rows of B whose first stick is `first`.
const float *MatmulRun::loadTile(int64_t first, int64_t depth, int64_t count) {
  const ResolvedBox &box = command.boxes[1];
  const ElementKernels &kernels = elementKernels();
  const int64_t lanes = elementsPerStick(box.type);
  const uint64_t mask = laneMask(box.type, count);
  float *to = atLeast(workspace.scratch[1], kPanelDepth * lanes);
  for (int64_t k = 0; k < depth; ++k) {
    executor.requireDefined(place, b, first + k * box.rowStride, mask);
  }
  if (box.rowStride == 1 && count == lanes) {
    kernels.load(box.type, b.view.stick<void>(first), to, depth * lanes);
    return to;
  }
  for (int64_t k = 0; k < depth; ++k) {
    kernels.load(box.type, b.view.stick<void>(first + k * box.rowStride),
                 to + k * lanes, count);
  }
  return to;
}

void MatmulRun::multiplyPanel(int64_t aOffset, int64_t bOffset, int64_t k0,
                              int64_t depth) {
  const MatrixKernel multiply =
      valueType(type) == ValueType::I32 ? multiplyIntegers : matrixKernel();
  const ResolvedBox &box = command.boxes[1];
  const int64_t accStride = command.boxes[2].tileStride * kStripColumns;
  const int64_t lanes = elementsPerStick(box.type);
  const float *x = loadRows(aOffset, k0, depth);
  int64_t stick = box.first + bOffset + k0 * box.rowStride;
  for (int64_t column = 0; column < n; column += lanes) {
    const int64_t count = std::min(lanes, n - column);
    const float *y = loadTile(stick, depth, count);
    for (int64_t strip = 0; strip < count; strip += kStripColumns) {
      multiply(std::ssize(aSticks), std::min(kStripColumns, count - strip),
               depth, x, y + strip, lanes, accRows.data(),
               (column + strip) / kStripColumns * accStride, starts);
    }
    stick += box.tileStride;
  }
  starts = false;
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
  openAccumulator();
  int32_t firstK = command.command->numRowDims;
  bool hasOuterK = true;
  for (int32_t dim = firstK; dim < command.numDims; ++dim) {
    hasOuterK = hasOuterK && command.extents[static_cast<size_t>(dim)] > 0;
  }
  if (hasOuterK) {
    PositionWalker walker(command, command.boxes, firstK, command.numDims);
    do {
      for (int64_t k = 0; k < command.inner; k += kPanelDepth) {
        // rows hold the box's first stick already.
        multiplyPanel(walker.stick(0) - command.boxes[0].first,
                      walker.stick(1) - command.boxes[1].first, k,
                      std::min(kPanelDepth, command.inner - k));
      }
    } while (walker.next());
  }
  if (starts) {
    clearAccumulator();
  }
}

void Executor::matmul(Workspace &workspace, const Place &place,
                      const ResolvedCommand &command) {
  MatmulRun(*this, workspace, place, command).run();
}

} // namespace spyre::sim
