// SPDX-License-Identifier: Apache-2.0
//
// Plans that hardware would run and silently get wrong. Each is a good plan
// changed by hand in one place, and goes through the plan checker alone and,
// unchecked, through the simulator. docs/Machine.md has the table of which of
// the two catches what; this test is where it comes from.

#include "CheckerPlans.h"

#include "spyre/LaunchPlan/Text.h"
#include "spyre/Runtime/Conversion.h"
#include "spyre/Simulator/Simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace spyre;
using namespace spyre::launch;
using testing::HasSubstr;

namespace {

struct Hazard {
  const char *name;
  std::string (*text)();
  PlanParts (*parts)();
  const char *from;
  const char *to;
  /// Part of the message; empty: not caught.
  const char *checker;
  const char *simulator;
};

void PrintTo(const Hazard &hazard, std::ostream *stream) {
  *stream << hazard.name;
}

/// The good plan with the program changed: its footprints stay those of the
/// good one, as if the change came later.
LaunchPlan brokenPlan(const Hazard &hazard) {
  LaunchPlan plan = planOf(hazard.text(), hazard.parts());
  const Expected<Program> program =
      parseProgram(replaced(hazard.text(), hazard.from, hazard.to));
  EXPECT_TRUE(program) << (program ? "" : program.error().str());
  if (program) {
    plan.programs = {*program};
  }
  return plan;
}

/// Memory of a plan on a simulator that nothing checks before.
class UncheckedRun {
public:
  explicit UncheckedRun(const LaunchPlan &executed)
      : plan(executed), device(target::defaultTarget()) {}

  /// The trap, or the text of what the output lacks; empty if neither.
  std::string messages() {
    for (const Argument &argument : plan.arguments) {
      arguments.push_back(add(argument.layout, argument.shape,
                              argument.deviceType,
                              argument.role == ArgumentRole::Input));
    }
    for (const Segment &segment : plan.segments) {
      segments.push_back(*device.allocate(segment.sizeBytes));
    }
    for (const Weight &weight : plan.weights) {
      fill({segments[weight.segment], weight.offset}, weight.layout,
           weight.shape, weight.deviceType);
    }
    const Expected<rt::ComputeStats> stats = device.run(launchOf());
    if (!stats) {
      return stats.error().str();
    }
    const Argument &output = plan.arguments.back();
    const std::vector<uint64_t> mask =
        rt::layoutDefinedMask(output.layout, output.shape, output.deviceType);
    std::vector<std::byte> image(mask.size() * kStickBytes);
    const Status status = device.copyOut({arguments.back(), 0}, image, mask);
    return status ? "" : status.error().str();
  }

private:
  uint32_t add(const layout::StickLayout &layout,
               const std::vector<int64_t> &shape, ElementType type,
               bool isInput) {
    const uint32_t region =
        *device.allocate(*layout::sizeBytes(layout, shape, type));
    if (isInput) {
      fill({region, 0}, layout, shape, type);
    }
    return region;
  }

  /// Ones, as f16; padding stays undefined.
  void fill(rt::Address to, const layout::StickLayout &layout,
            const std::vector<int64_t> &shape, ElementType type) {
    const std::vector<uint64_t> mask =
        rt::layoutDefinedMask(layout, shape, type);
    const std::vector<uint16_t> ones(mask.size() * kStickBytes / 2, 0x3c00);
    EXPECT_TRUE(device.copyIn(to, std::as_bytes(std::span(ones)), mask));
  }

  rt::Address regionOf(const Footprint &footprint) const {
    return {footprint.region == RegionKind::Segment
                ? segments[footprint.index]
                : arguments[footprint.index],
            0};
  }

  rt::ComputeLaunch launchOf() const {
    const Program &program = plan.programs[0];
    rt::ComputeLaunch launch;
    launch.program = &program;
    for (const Buffer &buffer : program.buffers) {
      rt::Address address;
      if (buffer.binding == Binding::Argument) {
        address = {arguments[buffer.bindingIndex], buffer.offset};
      } else if (buffer.binding == Binding::Segment) {
        address = {segments[buffer.bindingIndex], buffer.offset};
      }
      launch.bufferAddresses.push_back(address);
    }
    for (const Step &step : plan.steps) {
      if (step.kind != StepKind::Compute) {
        continue;
      }
      for (const Footprint &read : step.reads) {
        launch.reads.push_back({regionOf(read), read.lo, read.hi});
      }
      for (const Footprint &write : step.writes) {
        launch.writes.push_back({regionOf(write), write.lo, write.hi});
      }
    }
    return launch;
  }

  const LaunchPlan &plan;
  sim::Simulator device;
  std::vector<uint32_t> arguments;
  std::vector<uint32_t> segments;
};

class Hazards : public testing::TestWithParam<Hazard> {};

TEST_P(Hazards, AreCaught) {
  const Hazard &hazard = GetParam();
  const LaunchPlan good = planOf(hazard.text(), hazard.parts());
  ASSERT_EQ(errorsOf(good), "");
  ASSERT_EQ(UncheckedRun(good).messages(), "");
  const LaunchPlan plan = brokenPlan(hazard);
  const std::string checker = errorsOf(plan);
  const std::string simulator = UncheckedRun(plan).messages();
  EXPECT_THAT(checker, HasSubstr(hazard.checker));
  EXPECT_THAT(simulator, HasSubstr(hazard.simulator));
  EXPECT_EQ(checker.empty(), hazard.checker[0] == '\0') << checker;
  EXPECT_EQ(simulator.empty(), hazard.simulator[0] == '\0') << simulator;
  EXPECT_FALSE(checker.empty() && simulator.empty());
}

constexpr auto kMatmul = matmulText;
constexpr auto kMatmulParts = matmulParts;
constexpr auto kResident = residentText;
constexpr auto kResidentParts = residentParts;
constexpr auto kReduce = reduceText;
constexpr auto kReduceParts = reduceParts;

const Hazard kHazards[] = {
    {"DroppedDelivery", kMatmul, kMatmulParts, "to %row next %a", "to %row",
     "E0740", "E0918"},
    {"DroppedDeparture", kMatmul, kMatmulParts, "first(i0) next %a, %b",
     "first(i0) next %a", "E0740", "E0918"},
    {"SwappedAddress", kMatmul, kMatmulParts, "buffer %out lx at 24576",
     "buffer %out lx at 20480", "E0721", "E0928"},
    {"OverlappingSlots", kMatmul, kMatmulParts, "buffer %b lx at 4096",
     "buffer %b lx at 2048", "E0721", "E0928"},
    {"ShortCopy", kMatmul, kMatmulParts, "move [1, 32] %B", "move [1, 31] %B",
     "E0753", "E0913"},
    {"MissingMulticastTarget", kMatmul, kMatmulParts, "to %row next %a",
     "next %a", "E0744", "E0913"},
    {"WrongCore", kMatmul, kMatmulParts, "-> %C[%n + d0, 16*%m + d1]",
     "-> %C[%n + d0, d1]", "E0753", "E0924"},
    {"WrongRowOfTheInput", kMatmul, kMatmulParts,
     "%A[i0 + d0, 16*%m + 8*%n + d1]", "%A[i0 + d0, 16*%m + 8*%n + 1 + d1]",
     "E0730", "E0910"},
    {"PaddingLaneRead", kResident, kResidentParts, "map @two [4] stick 50",
     "map @two [4] stick 64", "E0744", "E0913"},
    {"StaleReadAfterReuse", kResident, kResidentParts,
     "phase @second residents %kept", "phase @second", "E0756", "E0913"},
    {"ReadOfAnotherCoresScratch", kResident, kResidentParts,
     "move [1, 4] %S[d0, 4*%c + d1]", "move [1, 4] %S[d0, 4 + d1]", "E0753",
     ""},
    {"OutputNotFullyWritten", kResident, kResidentParts,
     "move [1, 4] %out[d0, d1] -> %Y", "move [1, 3] %out[d0, d1] -> %Y",
     "E0753", "E0905"},
    {"MisalignedBuffer", kResident, kResidentParts, "%kept lx at 512",
     "%kept lx at 500", "E0720", "E0912"},
    {"BeyondTheScratchpad", kResident, kResidentParts, "%out lx at 1024",
     "%out lx at 2096768", "E0720", "E0911"},
    {"BeyondTheFootprint", kResident, kResidentParts, "seg(1) f16 [1, 8, 64]",
     "seg(1) at 128 f16 [1, 8, 64]", "E0753", "E0914"},
    {"LoopBound", kMatmul, kMatmulParts, "pt { loop 4", "pt { loop 65536",
     "E0731", "E0921"},
    {"WrongUnit", kResident, kResidentParts, "sfu { map @two", "pt { map @two",
     "E0705", "E0922"},
    {"WrittenTwice", kMatmul, kMatmulParts, "%b[d0, 32*%m + d1]", "%b[d0, d1]",
     "E0748", "E0913"},
    {"ReductionWithoutItsOwner", kReduce, kReduceParts, "-> %Y[d0] if %last",
     "-> %Y[d0]", "E0745", "E0924"},
    {"ReductionOfOneCoreAlone", kReduce, kReduceParts, "%all = [3, 3]",
     "%all = [3, 2]", "E0749", "E0918"},
    {"SumOfTheOtherGroup", kReduce, kReduceParts, "%fill = [0, 2]",
     "%fill = [1, 0]", "E0742", "E0915"},
};

INSTANTIATE_TEST_SUITE_P(Plans, Hazards, testing::ValuesIn(kHazards),
                         [](const testing::TestParamInfo<Hazard> &info) {
                           return std::string(info.param.name);
                         });

} // namespace
