// SPDX-License-Identifier: Apache-2.0
//
// Builders for small device programs, and a device with matrices in it. Images
// are laid out here by hand, [tiles][rows][E], so that the tests depend on no
// other library's arithmetic.

#ifndef SPYRE_TEST_SIMULATOR_SUPPORT_H
#define SPYRE_TEST_SIMULATOR_SUPPORT_H

#include "spyre/Simulator/Simulator.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace spyre::sim::test {

using namespace spyre::launch;

inline Affine at(int64_t constant) { return {constant, {}}; }
inline Affine loopTerm(int32_t depth, int64_t step, int64_t constant = 0) {
  return {constant, {{TermKind::Loop, depth, -1, step}}};
}
inline Affine tableTerm(int32_t table, int64_t step = 1, int64_t constant = 0) {
  return {constant, {{TermKind::Table, table, -1, step}}};
}
inline Extent extent(int64_t value) { return {{at(value)}}; }
inline Extent extent(Affine value) { return {{std::move(value)}}; }

inline Box box(uint32_t buffer, std::vector<Affine> offsets,
               std::vector<DimMap> dims, int32_t tileDim = -1,
               int32_t rowDim = -1) {
  return {buffer, std::move(offsets),   std::move(dims), tileDim,
          rowDim, LaneAccess::Stickwise};
}

inline Command move(std::vector<Extent> dims, Box from, Box to) {
  Command command;
  command.kind = CommandKind::Move;
  command.dims = std::move(dims);
  command.boxes = {std::move(from), std::move(to)};
  return command;
}
inline Command loop(int64_t trip) {
  Command command;
  command.kind = CommandKind::Loop;
  command.trip = extent(trip);
  return command;
}
inline Command end() {
  Command command;
  command.kind = CommandKind::End;
  return command;
}
inline Command next(std::vector<uint32_t> buffers) {
  Command command;
  command.next = std::move(buffers);
  return command;
}

inline BodyOp op(BodyOpcode opcode, int32_t a = -1, int32_t b = -1,
                 int32_t c = -1) {
  BodyOp result;
  result.opcode = opcode;
  result.operands = {a, b, c};
  return result;
}
inline BodyOp constant(float value) {
  BodyOp result = op(BodyOpcode::ConstF32);
  result.immediate = __builtin_bit_cast(uint32_t, value);
  return result;
}
inline BodyOp constant(int32_t value) {
  BodyOp result = op(BodyOpcode::ConstI32);
  result.immediate = value;
  return result;
}

inline uint16_t toHalf(float value) {
  return __builtin_bit_cast(uint16_t, static_cast<_Float16>(value));
}
inline float fromHalf(uint16_t bits) {
  return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}

/// A program under construction and the device that runs it.
class Bench {
public:
  explicit Bench(int32_t cores = 1, SimulatorOptions options = {})
      : device(target::defaultTarget(), options) {
    program.name = "bench";
    program.numCores = cores;
    program.phases.resize(1);
    program.sources = {{"kernel0", {"graph/node0"}}};
  }

  uint32_t table(std::vector<int64_t> values) {
    program.tables.push_back({"t", 1, std::move(values)});
    return static_cast<uint32_t>(program.tables.size() - 1);
  }
  uint32_t ddr(const std::string &name, std::vector<int64_t> shape,
               ElementType type = ElementType::F16) {
    Buffer buffer;
    buffer.name = name;
    buffer.space = Space::DDR;
    buffer.type = type;
    buffer.shape = std::move(shape);
    uint32_t region = *device.allocate(sizeBytes(buffer));
    program.buffers.push_back(buffer);
    addresses.resize(program.buffers.size());
    addresses.back() = {region, 0};
    return static_cast<uint32_t>(program.buffers.size() - 1);
  }
  uint32_t lx(const std::string &name, std::vector<int64_t> shape,
              ElementType type = ElementType::F16) {
    Buffer buffer;
    buffer.name = name;
    buffer.type = type;
    buffer.shape = std::move(shape);
    buffer.offset = lxTop;
    lxTop += sizeBytes(buffer);
    program.buffers.push_back(buffer);
    return static_cast<uint32_t>(program.buffers.size() - 1);
  }
  uint32_t queue(const std::string &name, std::vector<int64_t> shape,
                 ElementType type, int32_t slots, Unit producer,
                 std::vector<Unit> consumers,
                 std::optional<uint32_t> fill = std::nullopt) {
    uint32_t index = lx(name, std::move(shape), type);
    Buffer &buffer = program.buffers[index];
    lxTop -= sizeBytes(buffer);
    buffer.kind = BufferKind::Queue;
    buffer.queue = Queue{slots, producer, std::move(consumers), fill};
    lxTop += sizeBytes(buffer);
    return index;
  }
  uint32_t body(uint32_t inputs, std::vector<BodyOp> ops,
                std::vector<int32_t> results) {
    program.bodies.push_back(
        {"body", inputs, std::move(ops), std::move(results)});
    return static_cast<uint32_t>(program.bodies.size() - 1);
  }
  Command map(uint32_t bodyIndex, std::vector<Extent> dims, Extent stick,
              std::vector<Box> boxes, std::vector<MapOutput> outputs = {{}}) {
    Command command;
    command.kind = CommandKind::Map;
    command.body = bodyIndex;
    command.dims = std::move(dims);
    command.stick = std::move(stick);
    command.boxes = std::move(boxes);
    command.outputs = std::move(outputs);
    return command;
  }
  std::vector<Command> &list(Unit unit, size_t phase = 0) {
    return program.phases[phase].units[static_cast<size_t>(unit)];
  }
  void add(Unit unit, Command command, std::vector<uint32_t> nexts = {}) {
    command.next = std::move(nexts);
    list(unit).push_back(std::move(command));
  }

  /// Fills a [tiles][rows][E] buffer with a rows x columns matrix; padding
  /// stays undefined.
  void put(uint32_t buffer, int64_t rows, int64_t columns,
           const std::vector<float> &values) {
    const Buffer &what = program.buffers[buffer];
    int64_t lanes = what.shape.back();
    std::vector<std::byte> image(static_cast<size_t>(sizeBytes(what)));
    std::vector<uint64_t> mask(image.size() / 128, 0);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        auto stick = static_cast<size_t>(c / lanes * rows + r);
        auto lane = static_cast<size_t>(c % lanes);
        float value = values[static_cast<size_t>(r * columns + c)];
        if (what.type == ElementType::F16) {
          uint16_t half = toHalf(value);
          std::memcpy(&image[stick * 128 + lane * 2], &half, 2);
          mask[stick] |= uint64_t{1} << lane;
        } else if (what.type == ElementType::I32) {
          auto integer = static_cast<int32_t>(value);
          std::memcpy(&image[stick * 128 + lane * 4], &integer, 4);
          mask[stick] |= uint64_t{3} << (2 * lane);
        } else {
          std::memcpy(&image[stick * 128 + lane * 4], &value, 4);
          mask[stick] |= uint64_t{3} << (2 * lane);
        }
      }
    }
    ASSERT_TRUE(device.copyIn(addresses[buffer], image, mask).has_value());
  }
  std::vector<std::byte> bytes(uint32_t buffer) {
    const Buffer &what = program.buffers[buffer];
    std::vector<std::byte> image(static_cast<size_t>(sizeBytes(what)));
    std::vector<uint64_t> mask(image.size() / 128, 0);
    EXPECT_TRUE(device.copyOut(addresses[buffer], image, mask).has_value());
    return image;
  }
  /// Element (r, c) of a [tiles][rows][E] buffer.
  float get(const std::vector<std::byte> &image, uint32_t buffer, int64_t rows,
            int64_t r, int64_t c) {
    const Buffer &what = program.buffers[buffer];
    int64_t lanes = what.shape.back();
    auto stick = static_cast<size_t>(c / lanes * rows + r);
    auto lane = static_cast<size_t>(c % lanes);
    if (lanes == 64) {
      uint16_t half = 0;
      std::memcpy(&half, &image[stick * 128 + lane * 2], 2);
      return fromHalf(half);
    }
    float value = 0;
    std::memcpy(&value, &image[stick * 128 + lane * 4], 4);
    return value;
  }

  rt::ComputeLaunch launch() {
    addresses.resize(program.buffers.size());
    rt::ComputeLaunch result;
    result.program = &program;
    result.bufferAddresses = addresses;
    result.scalarValues = scalars;
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      if (program.buffers[i].space == Space::DDR) {
        rt::Access all{addresses[i], 0, sizeBytes(program.buffers[i])};
        result.reads.push_back(all);
        result.writes.push_back(all);
      }
    }
    return result;
  }
  Expected<rt::ComputeStats> run() { return device.run(launch()); }
  rt::ComputeStats runOk() {
    Expected<rt::ComputeStats> stats = run();
    if (!stats) {
      ADD_FAILURE() << stats.error().str();
      return {};
    }
    return *stats;
  }
  /// Runs and expects a trap of this name (`E0910`) whose text contains all
  /// of `parts`.
  void expectTrap(const std::string &code,
                  const std::vector<std::string> &parts = {}) {
    Expected<rt::ComputeStats> stats = run();
    ASSERT_FALSE(stats.has_value()) << "no trap";
    std::string text = stats.error().str();
    EXPECT_NE(text.find(code), std::string::npos) << text;
    for (const std::string &part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }

  Simulator device;
  Program program;
  std::vector<rt::Address> addresses;
  std::vector<int64_t> scalars;
  int64_t lxTop = 0;
};

inline std::vector<float> randomValues(int64_t count, uint32_t seed,
                                       bool asHalf = true) {
  std::mt19937 generator(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float &value : values) {
    value = static_cast<float>(generator() % 2001) / 1000.0f - 1.0f;
    value = asHalf ? fromHalf(toHalf(value)) : value;
  }
  return values;
}

} // namespace spyre::sim::test

#endif // SPYRE_TEST_SIMULATOR_SUPPORT_H
