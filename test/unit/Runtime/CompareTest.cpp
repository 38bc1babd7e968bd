// SPDX-License-Identifier: Apache-2.0

#include "Support.h"

#include "spyre/Runtime/Compare.h"

#include <cmath>
#include <gmock/gmock.h>

using namespace spyre;
using namespace spyre::rt;
using namespace spyre::rt::test;
using launch::HostType;
using testing::HasSubstr;

namespace {

HostTensor f32(std::vector<int64_t> shape, const std::vector<float> &values) {
  return {HostType::F32, std::move(shape), bytesOf(values)};
}

Comparison compared(const HostTensor &actual, const HostTensor &reference,
                    double tolerance) {
  const Expected<Comparison> result =
      compare(actual, reference, tolerance, "y");
  EXPECT_TRUE(result) << textOf(result);
  return result.value_or(Comparison{});
}

TEST(CompareTest, ShortRowsAreOneRow) {
  // Reference (3, 4), error (0, 1): norm 5, L2 1/5; the dot product is 9 + 20
  // = 29, the norms 5 and sqrt(9 + 25).
  const Comparison c = compared(f32({2, 1}, {3, 5}), f32({2, 1}, {3, 4}), 0.2);
  EXPECT_EQ(c.numRows, 1);
  EXPECT_DOUBLE_EQ(c.rowL2, 0.2);
  EXPECT_DOUBLE_EQ(c.maxAbs, 1);
  EXPECT_EQ(c.maxElement, 1);
  EXPECT_DOUBLE_EQ(c.cosine, 29 / (5 * std::sqrt(34.0)));
  EXPECT_TRUE(c.passed);
  EXPECT_FALSE(
      compared(f32({2, 1}, {3, 5}), f32({2, 1}, {3, 4}), 0.199).passed);
}

TEST(CompareTest, LongRowsAreMeasuredOneByOne) {
  // Row 0 is 1000 everywhere, row 1 is 10: an error of 5 in one element of
  // row 1 is 5 / (10 * sqrt(32)) of its norm, though it is far below row 0.
  std::vector<float> reference(64, 1000);
  std::fill(reference.begin() + 32, reference.end(), 10);
  std::vector<float> actual = reference;
  actual[40] = 15;
  const Comparison c =
      compared(f32({2, 32}, actual), f32({2, 32}, reference), 0.01);
  EXPECT_EQ(c.numRows, 2);
  EXPECT_EQ(c.worstRow, 1);
  EXPECT_DOUBLE_EQ(c.rowL2, 5 / (10 * std::sqrt(32.0)));
  EXPECT_FALSE(c.passed);
}

TEST(CompareTest, SmallRowsCountAgainstTheLargest) {
  // Norms sqrt(32) * 1000 and sqrt(32) * 0.5: row 1 is below 1e-3.
  std::vector<float> reference(64, 1000);
  std::fill(reference.begin() + 32, reference.end(), 0.5F);
  std::vector<float> actual = reference;
  std::fill(actual.begin() + 32, actual.end(), 1.0F);
  Comparison c = compared(f32({2, 32}, actual), f32({2, 32}, reference), 1e-3);
  EXPECT_EQ(c.numSmallRows, 1);
  EXPECT_DOUBLE_EQ(c.rowL2, 0.5 / 1000);
  EXPECT_TRUE(c.passed);
  // Garbage in a small row does not pass.
  actual[50] = 5e4F;
  c = compared(f32({2, 32}, actual), f32({2, 32}, reference), 1e-3);
  EXPECT_EQ(c.worstRow, 1);
  EXPECT_FALSE(c.passed);
}

TEST(CompareTest, AZeroReferenceIsComparedAbsolutely) {
  EXPECT_TRUE(compared(f32({2}, {0, 0}), f32({2}, {0, 0}), 0).passed);
  EXPECT_DOUBLE_EQ(compared(f32({2}, {3, 4}), f32({2}, {0, 0}), 1).rowL2, 5);
}

TEST(CompareTest, NonFiniteValuesMustStandInTheSamePlaces) {
  const HostTensor reference = f32({3}, {NAN, INFINITY, 1});
  EXPECT_TRUE(compared(reference, reference, 0).passed);
  const Comparison c = compared(f32({3}, {NAN, -INFINITY, 1}), reference, 1);
  EXPECT_EQ(c.nonFiniteMismatches, 1);
  EXPECT_EQ(c.firstNonFinite, 1);
  EXPECT_FALSE(c.passed);
  EXPECT_FALSE(compared(f32({3}, {0, INFINITY, 1}), reference, 1).passed);
  EXPECT_FALSE(compared(f32({3}, {NAN, INFINITY, NAN}), reference, 1).passed);
}

TEST(CompareTest, IntegersMustBeEqual) {
  const HostTensor a{
      HostType::I64, {3}, bytesOf(std::vector<int64_t>{1, 2, 3})};
  const HostTensor b{
      HostType::I32, {3}, bytesOf(std::vector<int32_t>{1, 5, 3})};
  const Comparison c = compared(a, b, 10);
  EXPECT_EQ(c.integerMismatches, 1);
  EXPECT_EQ(c.maxAbs, 3);
  EXPECT_FALSE(c.passed);
  EXPECT_TRUE(compared(a, a, 0).passed);
}

TEST(CompareTest, TolerancesFollowTheDeviceType) {
  EXPECT_EQ(defaultTolerance(ElementType::F16), 4e-3);
  EXPECT_EQ(defaultTolerance(ElementType::DL16), 8e-3);
  EXPECT_EQ(defaultTolerance(ElementType::F32), 2e-5);
  EXPECT_EQ(defaultTolerance(ElementType::I32), 0);
}

TEST(CompareTest, DifferentShapesAndKindsAreErrors) {
  const HostTensor row = f32({1, 2}, {1, 2});
  EXPECT_THAT(textOf(compare(row, f32({2}, {1, 2}), 1, "y")),
              HasSubstr("E0821"));
  const HostTensor integers{HostType::I8, {1, 2}, {std::byte{1}, std::byte{2}}};
  EXPECT_THAT(textOf(compare(row, integers, 1, "y")), HasSubstr("E0821"));
}

} // namespace
