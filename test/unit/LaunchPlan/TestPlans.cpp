// SPDX-License-Identifier: Apache-2.0

#include "TestPlans.h"

#include "spyre/LaunchPlan/Fields.h"
#include "spyre/LaunchPlan/Names.h"
#include "spyre/LaunchPlan/Text.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <random>

namespace spyre::launch {

std::string documentedProgram() {
  std::string text = readFile(SPYRE_SOURCE_DIR "/docs/LaunchPlanFormat.md");
  const std::string fence = "```spyre-program\n";
  size_t start = text.find(fence);
  if (start == std::string::npos) {
    ADD_FAILURE() << "the page has no block " << fence;
    return {};
  }
  start += fence.size();
  return text.substr(start, text.find("```", start) - start);
}

LaunchPlan examplePlan() {
  LaunchPlan plan;
  plan.producer = "test";
  plan.modelName = "matmul";
  plan.targetName = "spyre-32";
  plan.targetHash = 0x0123456789abcdef;
  Argument argument;
  argument.name = "x";
  argument.shape = {512, 4096};
  argument.layout = layout::defaultLayout(2, 1, ElementType::F16);
  plan.arguments = {argument, argument};
  plan.arguments[1].name = "y";
  plan.arguments[1].role = ArgumentRole::Output;
  plan.segments = {{SegmentKind::Weights, 256}};
  Weight weight;
  weight.name = "w";
  weight.sizeBytes = 256;
  weight.shape = {2, 64};
  weight.layout = layout::defaultLayout(2, 1, ElementType::F16);
  plan.weights = {weight};
  Expected<Program> program = parseProgram(documentedProgram());
  EXPECT_TRUE(program) << program.error().str();
  if (program) {
    plan.programs = {*program};
  }
  Step step;
  step.name = "matmul";
  step.reads = {{RegionKind::Argument, 0, 0, 4194304}};
  step.writes = {{RegionKind::Argument, 1, 0, 4194304}};
  plan.steps = {step};
  plan.symbols = {{SymbolKind::Address, 0, 0, 0}};
  plan.numEvents = 1;
  HostOperand row{RegionKind::Argument, 0, 0, {512, 4096}, ElementType::F16,
                  argument.layout};
  HostCall call{HostFunction::TopK,
                {1, 100, 1},
                {row},
                {row, row},
                "more than 64 rounds"};
  plan.hostCalls = {call};
  return plan;
}

namespace {

class Randomizer {
public:
  explicit Randomizer(uint64_t seed) : engine(seed) {}

  template <typename T> void operator()(std::string_view, FieldKind, T &value) {
    fill(value);
  }

private:
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(limit));
  }

  template <typename T> void fill(T &value) {
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(below(std::size(enumNames<T>)));
    } else if constexpr (std::is_same_v<T, bool>) {
      value = below(2) == 1;
    } else if constexpr (std::is_integral_v<T>) {
      switch (below(12)) {
      case 0:
        value = std::numeric_limits<T>::max();
        break;
      case 1:
        value = std::numeric_limits<T>::min();
        break;
      case 2:
        value = static_cast<T>(engine());
        break;
      default:
        value = static_cast<T>(below(5) - 1);
      }
    } else {
      fields(*this, value);
    }
  }

  void fill(std::string &value) {
    for (int64_t count = below(4); count > 0; --count) {
      value += below(3) == 0 ? static_cast<char>(below(256))
                             : static_cast<char>('a' + below(26));
    }
  }

  template <typename T> void fill(std::vector<T> &values) {
    values.resize(static_cast<size_t>(below(4)));
    for (T &value : values) {
      fill(value);
    }
  }

  template <typename T, size_t N> void fill(std::array<T, N> &values) {
    for (T &value : values) {
      fill(value);
    }
  }

  template <typename T> void fill(std::optional<T> &value) {
    if (below(2) == 1) {
      fill(value.emplace());
    }
  }

  std::mt19937_64 engine;
};

template <typename T> void makeUnique(std::vector<T> &items) {
  for (size_t index = 0; index < items.size(); ++index) {
    items[index].name += std::to_string(index);
  }
}

/// Drops an end without its loop and closes what is open.
void balance(std::vector<Command> &commands) {
  int depth = 0;
  std::vector<Command> balanced;
  for (Command &command : commands) {
    depth += command.kind == CommandKind::Loop ? 1 : 0;
    if (command.kind == CommandKind::End && depth-- == 0) {
      depth = 0;
      continue;
    }
    balanced.push_back(std::move(command));
  }
  for (; depth > 0; --depth) {
    balanced.emplace_back().kind = CommandKind::End;
  }
  commands = std::move(balanced);
}

} // namespace

LaunchPlan randomPlan(uint64_t seed) {
  Randomizer randomizer(seed);
  LaunchPlan plan;
  fields(randomizer, plan);
  for (Program &program : plan.programs) {
    makeUnique(program.tables);
    makeUnique(program.scalars);
    makeUnique(program.buffers);
    makeUnique(program.bodies);
    for (Phase &phase : program.phases) {
      for (std::vector<Command> &list : phase.units) {
        balance(list);
      }
    }
  }
  return plan;
}

WeightProvider provide(std::vector<std::string> images) {
  return [images](uint32_t index, ByteSink &sink) {
    // In two pieces, as a stream would come.
    std::span<const std::byte> bytes = std::as_bytes(std::span(images[index]));
    Status status = sink.write(bytes.first(bytes.size() / 3));
    return status ? sink.write(bytes.subspan(bytes.size() / 3)) : status;
  };
}

std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream),
          std::istreambuf_iterator<char>()};
}

std::string temporaryPath(const std::string &name) {
  const testing::TestInfo *test =
      testing::UnitTest::GetInstance()->current_test_info();
  return testing::TempDir() + "spyre-" + test->test_suite_name() + "-" +
         test->name() + "-" + name;
}

} // namespace spyre::launch
