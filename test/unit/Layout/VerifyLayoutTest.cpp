// SPDX-License-Identifier: Apache-2.0
//
// One layout per broken rule (E0300); each must be refused for that rule, by
// its words.

#include "spyre/Layout/StickLayout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace spyre::layout {
namespace {

using testing::HasSubstr;

DeviceDim full(int32_t d) { return {DimKind::Full, d, 1}; }
DeviceDim tile(int32_t d, int64_t k) { return {DimKind::Tile, d, k}; }
DeviceDim stick(int32_t d, int64_t k) { return {DimKind::Stick, d, k}; }
DeviceDim unit(int64_t k) { return {DimKind::Unit, -1, k}; }

std::string refusal(const StickLayout &layout, int64_t rank,
                    ElementType type = ElementType::F16) {
  const Status status = verify(layout, rank, type);
  return status.has_value() ? "accepted" : status.error().str();
}

TEST(VerifyLayout, MessageHasCodeLayoutAndHelp) {
  EXPECT_THAT(refusal({{tile(0, 64), stick(0, 32)}}, 1),
              testing::AllOf(HasSubstr("E0300"),
                             HasSubstr("d0 floordiv 64, d0 mod 32"),
                             HasSubstr("help:")));
}

TEST(VerifyLayout, HostDims) {
  EXPECT_THAT(refusal({{tile(1, 64), stick(1, 64)}}, 2),
              HasSubstr("host dim d0 is missing"));
  EXPECT_THAT(refusal({{full(0), full(0), tile(1, 64), stick(1, 64)}}, 2),
              HasSubstr("host dim d0 appears more than once"));
  EXPECT_THAT(refusal({{full(0), tile(0, 64), stick(0, 64)}}, 1),
              HasSubstr("host dim d0 appears more than once"));
  EXPECT_THAT(refusal({{full(2), tile(1, 64), stick(1, 64)}}, 2),
              HasSubstr("host dim d2 does not exist"));
  EXPECT_THAT(refusal({{full(-1), tile(0, 64), stick(0, 64)}}, 1),
              HasSubstr("host dim d-1 does not exist"));
  EXPECT_THAT(refusal({{tile(0, 64), stick(0, 64)}}, 1000000000000),
              HasSubstr("too few"));
}

TEST(VerifyLayout, Pairs) {
  EXPECT_THAT(refusal({{tile(0, 64), full(1), unit(64)}, {}, true}, 2),
              HasSubstr("floordiv without its mod"));
  EXPECT_THAT(refusal({{full(1), stick(0, 64)}}, 2),
              HasSubstr("mod without its floordiv"));
  EXPECT_THAT(refusal({{tile(0, 32), stick(0, 64)}}, 1),
              HasSubstr("floordiv 32 but mod 64"));
}

TEST(VerifyLayout, Stick) {
  EXPECT_THAT(refusal({{tile(1, 64), stick(1, 64), full(0)}}, 2),
              HasSubstr("d1 mod 64 is not at the end"));
  EXPECT_THAT(refusal({{tile(0, 32), stick(0, 32)}}, 1),
              HasSubstr("the stick holds 32 elements"));
  EXPECT_EQ(refusal({{tile(0, 32), stick(0, 32)}}, 1, ElementType::F32),
            "accepted");
  EXPECT_THAT(refusal({{full(0)}}, 1), HasSubstr("the stick holds 1 elements"));
  EXPECT_THAT(refusal({}, 0), HasSubstr("the stick holds 1 elements"));
}

TEST(VerifyLayout, Sparse) {
  EXPECT_THAT(refusal({{tile(0, 64), stick(0, 64)}, {}, true}, 1),
              HasSubstr("is sparse but has a host dim in the stick"));
  EXPECT_THAT(refusal({{unit(64)}, {}, true}, 0),
              HasSubstr("a scalar has one element anyway"));
  EXPECT_THAT(refusal({{full(0), unit(64)}}, 1),
              HasSubstr("no host dim in the stick and is not sparse"));
}

TEST(VerifyLayout, Numbers) {
  EXPECT_THAT(refusal({{tile(0, 0), stick(0, 0)}}, 1),
              HasSubstr("a factor is 0"));
  EXPECT_THAT(refusal({{tile(0, -64), stick(0, -64)}}, 1),
              HasSubstr("a factor is -64"));
  const int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(refusal({{unit(huge), unit(huge)}}, 0), HasSubstr("overflow"));
  EXPECT_THAT(refusal({{{DimKind::Full, 0, 2}, tile(1, 64), stick(1, 64)}}, 2),
              HasSubstr("a whole dim has the factor 2"));
  EXPECT_THAT(refusal({{{DimKind::Unit, 0, 64}}}, 0),
              HasSubstr("a constant dim refers to host dim d0"));
  EXPECT_THAT(refusal({{{static_cast<DimKind>(9), 0, 64}}}, 1),
              HasSubstr("unknown kind 9"));
}

TEST(VerifyLayout, Arrangement) {
  StickLayout layout = defaultLayout(1, 0, ElementType::F16);
  layout.arrangement = {{32, 1}};
  EXPECT_THAT(refusal(layout, 1), HasSubstr("orders 32 elements"));
  layout.arrangement = {{128, 1}};
  EXPECT_THAT(refusal(layout, 1), HasSubstr("leaves the stick"));
  // Both digits advance by 1: element 1 and element 2 land on lane 1.
  layout.arrangement = {{32, 1}, {2, 1}};
  EXPECT_THAT(refusal(layout, 1), HasSubstr("lane 1, which is taken"));
  // 31 * 64 is far outside.
  layout.arrangement = {{32, 64}, {2, 1}};
  EXPECT_THAT(refusal(layout, 1), HasSubstr("lane 64, outside the stick"));
}

} // namespace
} // namespace spyre::layout
