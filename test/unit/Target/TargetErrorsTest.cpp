// SPDX-License-Identifier: Apache-2.0
//
// Every way in which a target file can be wrong is refused by name. Each test
// changes one thing of the built-in file.

#include "spyre/Target/Fields.h"
#include "spyre/Target/Target.h"

#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

using namespace spyre;
using namespace spyre::target;
using nlohmann::json;
using testing::HasSubstr;

namespace {

json builtin() {
  std::ifstream stream(SPYRE_SOURCE_DIR "/lib/Target/spyre-32.json");
  return json::parse(stream);
}

std::string errorOf(const json &file) {
  Expected<Target> target = parseTarget(file.dump(), "t.json");
  return target ? "accepted" : target.error().str();
}

/// The built-in file with one part of one entry replaced.
std::string withPart(std::string_view path, const char *part, json value) {
  json file = builtin();
  size_t dot = path.find('.');
  file[std::string(path.substr(0, dot))][std::string(path.substr(dot + 1))]
      [part] = std::move(value);
  return errorOf(file);
}

std::string withValue(std::string_view path, json value) {
  return withPart(path, "value", std::move(value));
}

TEST(TargetErrors, TheFileItselfIsAccepted) {
  EXPECT_EQ(errorOf(builtin()), "accepted");
}

TEST(TargetErrors, Syntax) {
  auto text = [](std::string_view json) {
    return parseTarget(json, "t.json").error().str();
  };
  EXPECT_THAT(text("{"), HasSubstr("E0050"));
  EXPECT_THAT(text(""), HasSubstr("E0050"));
  EXPECT_THAT(text("[1]"), HasSubstr("not an object"));
  EXPECT_THAT(text(R"({"name": "a", "name": "b"})"),
              HasSubstr("\"name\" stands twice"));
  EXPECT_THAT(text(std::string(100000, '[')), HasSubstr("E0050"));
  EXPECT_THAT(text("{\"name\": \"\xff\"}"), HasSubstr("E0050"));
}

TEST(TargetErrors, UnknownKeys) {
  json file = builtin();
  file["coress"] = json::object();
  EXPECT_THAT(errorOf(file), HasSubstr("E0051"));
  file = builtin();
  file["cores"]["numCore"] = 1;
  EXPECT_THAT(errorOf(file), HasSubstr("\"cores.numCore\""));
  EXPECT_THAT(withPart("cores.numCores", "note", "x"),
              HasSubstr("\"cores.numCores.note\""));
}

TEST(TargetErrors, EveryMissingFieldIsNamed) {
  for (const Field &field : fields()) {
    json file = builtin();
    file[std::string(field.group())].erase(std::string(field.key()));
    std::string text = errorOf(file);
    EXPECT_THAT(text, HasSubstr("E0052"));
    EXPECT_THAT(text, HasSubstr(std::string(field.path)));
  }
  json file = builtin();
  file.erase("name");
  EXPECT_THAT(errorOf(file), HasSubstr("no \"name\""));
}

TEST(TargetErrors, AllErrorsAreListed) {
  json file = builtin();
  file["cores"].erase("numCores");
  file["ddr"]["ddrBytes"]["value"] = 0;
  std::string text = errorOf(file);
  EXPECT_THAT(text, HasSubstr("cores.numCores"));
  EXPECT_THAT(text, HasSubstr("also E0054: ddr.ddrBytes"));
}

TEST(TargetErrors, WrongKinds) {
  EXPECT_THAT(withValue("cores.numCores", "32"), HasSubstr("E0053"));
  EXPECT_THAT(withValue("cores.numCores", 31.5), HasSubstr("an integer"));
  EXPECT_THAT(withValue("numerics.floatStorage", "i32"), HasSubstr("E0053"));
  EXPECT_THAT(withValue("numerics.floatStorage", 16), HasSubstr("E0053"));
  EXPECT_THAT(withPart("cores.numCores", "unit", 1), HasSubstr("E0053"));
  json file = builtin();
  file["cores"]["numCores"] = 32;
  EXPECT_THAT(errorOf(file), HasSubstr("E0053"));
  file = builtin();
  file["cores"] = 32;
  EXPECT_THAT(errorOf(file), HasSubstr("group \"cores\""));
  file = builtin();
  file["name"] = 1;
  EXPECT_THAT(errorOf(file), HasSubstr("\"name\" is a JSON number"));
}

TEST(TargetErrors, EveryFieldHasARange) {
  for (const Field &field : fields()) {
    if (std::holds_alternative<ElementType Target::*>(field.member)) {
      continue;
    }
    std::string huge = withValue(field.path, 1e18);
    EXPECT_NE(huge, "accepted") << field.path;
    if (field.range == Range::Any) {
      continue;
    }
    std::string text = withValue(field.path, -1);
    EXPECT_THAT(text, HasSubstr("E0054"));
    EXPECT_THAT(text, HasSubstr(std::string(field.path) + " = -1"));
    if (field.range != Range::NonNegative) {
      EXPECT_THAT(withValue(field.path, 0), HasSubstr("E0054"));
    }
  }
  EXPECT_THAT(withValue("cores.numCores", 65), HasSubstr("between 1 and 64"));
  EXPECT_THAT(withValue("reference.rateFraction1Core", 1.5),
              HasSubstr("at most 1"));
  EXPECT_THAT(withValue("ddr.ddrBytes", int64_t(1) << 49),
              HasSubstr("accepted")); // below 2^50
  EXPECT_THAT(withValue("limits.maxLoopTrips", UINT64_MAX), HasSubstr("E0054"));
}

TEST(TargetErrors, WrongUnitNamesBoth) {
  std::string text = withPart("host.dmaSetupUs", "unit", "ms");
  EXPECT_THAT(text, HasSubstr("E0055"));
  EXPECT_THAT(text, HasSubstr("\"ms\", but must be in \"us\""));
}

TEST(TargetErrors, WrongConfidence) {
  EXPECT_THAT(withPart("cores.numCores", "confidence", "X"),
              HasSubstr("E0056"));
  // A regression cannot be assumed.
  EXPECT_THAT(withPart("reference.ptFillRows", "confidence", "A"),
              HasSubstr("\"A\" is none of P, P*, D"));
}

TEST(TargetErrors, Contradictions) {
  const struct {
    const char *path;
    json value;
    const char *message;
  } cases[] = {
      {"lx.lxPlannerBudgetBytes", 2097280, "exceeds lx.lxBytes = 2097152"},
      {"lx.lxPlannerBudgetBytes", 1000, "not a multiple of a stick"},
      {"lx.lxBytes", 2097153, "not a multiple of a stick"},
      {"ddr.ddrUsableBytes", int64_t(129) << 30, "exceeds ddr.ddrBytes"},
      {"ddr.numSegments", 9, "ddr.numSegments = 9"},
      {"ddr.segmentBytes", 1000, "not a multiple of a stick"},
      {"ddr.segmentAlignmentBytes", 64, "not a multiple of a stick"},
      {"limits.maxSpanBytes", 1000, "not a multiple of a stick"},
      {"limits.maxSpanBytes", int64_t(17) << 30, "exceeds ddr.segmentBytes"},
      {"ddr.ddrChannels", 15, "give 192.0 GB/s, but ddr.ddrPeakGBps = 204.8"},
      {"ddr.ddrMegaTransfersPerSecond", 6300, "give 201.6 GB/s"},
      {"ddr.ddrBurstNs", 2.6, "give 196.9 GB/s"},
      {"ring.ringNodes", 32, "cores.numCores + 1 = 33"},
      {"allocator.regionMediumBytes", int64_t(13) << 30, "regionLargeBytes"},
      {"allocator.regionSmallBytes", int64_t(9) << 30, "regionMediumBytes"},
      {"host.pcieGBps", 64, "exceeds host.pcieLinkGBps = 63"},
      {"host.queuedDispatchGapUs", 2, "exceeds host.dispatchGapUs"},
      {"reference.sustainedDdrGBps", 205, "exceeds ddr.ddrPeakGBps = 204.8"},
  };
  for (const auto &test : cases) {
    std::string text = withValue(test.path, test.value);
    EXPECT_THAT(text, HasSubstr("E0057")) << test.path;
    EXPECT_THAT(text, HasSubstr(test.message)) << test.path;
  }
  // Within one percent is rounding.
  EXPECT_EQ(withValue("ddr.ddrPeakGBps", 204), "accepted");
}

TEST(TargetErrors, UnknownNameAndParent) {
  std::string text = loadTarget("no-such-target").error().str();
  EXPECT_THAT(text, HasSubstr("E0058"));
  EXPECT_THAT(text, HasSubstr("\"spyre-32\""));
  EXPECT_THAT(loadTarget("/").error().str(), HasSubstr("E0058"));
  EXPECT_THAT(loadTarget("/dev/null").error().str(), HasSubstr("E0058"));
  EXPECT_THAT(errorOf({{"name", "x"}, {"inherit", "spyre-33"}}),
              HasSubstr("E0059"));
}

} // namespace
