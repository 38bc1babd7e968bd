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

/// The failure under one set of gates, "" if it passes.
std::string failureOf(const HostTensor &actual, const HostTensor &reference,
                      const Gates &gates) {
  const Expected<Comparison> result = compare(actual, reference, gates, "y");
  EXPECT_TRUE(result) << textOf(result);
  EXPECT_EQ(result->passed, result->failure.empty());
  return result->failure;
}

TEST(CompareTest, WithoutGatesOnlyNonFiniteElementsFail) {
  EXPECT_EQ(failureOf(f32({2}, {3, 5}), f32({2}, {-3, 4}), {}), "");
  EXPECT_EQ(failureOf(f32({2}, {3, NAN}), f32({2}, {3, 4}), {}),
            "NaN or infinity differs in 1 elements, first in element 1");
}

TEST(CompareTest, EachGateIsALimitOfItsOwn) {
  // As in ShortRowsAreOneRow: row L2 0.2, cosine 29 / (5 sqrt(34)) = 0.9947,
  // max error 1 of 4.
  const HostTensor actual = f32({2, 1}, {3, 5});
  const HostTensor reference = f32({2, 1}, {3, 4});
  EXPECT_EQ(failureOf(actual, reference, {.rowL2 = 0.2}), "");
  EXPECT_EQ(failureOf(actual, reference, {.rowL2 = 0.1}),
            "row L2 2.000e-01 in row 0 of 1, at most 0.1");
  EXPECT_EQ(failureOf(actual, reference, {.cosine = 0.994}), "");
  EXPECT_EQ(failureOf(actual, reference, {.cosine = 0.995}),
            "cosine 0.9946918 in row 0 of 1, must exceed 0.995");
  EXPECT_EQ(failureOf(actual, reference, {.maxRelative = 0.25}), "");
  EXPECT_EQ(failureOf(actual, reference, {.maxRelative = 0.24}),
            "max error 2.500e-01 of the largest element (element 1), at most "
            "0.24");
}

TEST(CompareTest, ElementwiseLimitsCountEveryElement) {
  // Errors 0.5, 0.5 and 0 against limits 0.25 + 0.25 * |r| of 0.5, 0.375 and
  // 0.25: the second is beyond.
  Gates gates;
  gates.elementwise = Gates::Elementwise{0.25, 0.25};
  const HostTensor reference = f32({3}, {-1, 0.5F, 0});
  const Expected<Comparison> result =
      compare(f32({3}, {-0.5F, 1, 0}), reference, gates, "y");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->elementMismatches, 1);
  EXPECT_EQ(result->firstElementMismatch, 1);
  EXPECT_THAT(result->failure, HasSubstr("1 elements beyond rtol 0.25, atol "
                                         "0.25, first element 1"));
  EXPECT_EQ(failureOf(f32({3}, {-0.5F, 0.875F, 0.25F}), reference, gates), "");
}

TEST(CompareTest, MaxRelativeIsAbsoluteForAZeroReference) {
  EXPECT_DOUBLE_EQ(
      compared(f32({2}, {1, -6}), f32({2}, {2, -8}), 1).maxRelative(), 0.25);
  EXPECT_DOUBLE_EQ(compared(f32({1}, {3}), f32({1}, {0}), 3).maxRelative(), 3);
}

TEST(CompareTest, TheWorstRowOfEachMeasureIsNamed) {
  // Row 0: (1, ..., 1) against 1.5 of it, error 0.5, cosine 1. Row 1: one
  // element of 32 has the wrong sign, error 2 / sqrt(32) = 0.354, cosine
  // 30 / 32.
  std::vector<float> reference(64, 1);
  std::vector<float> actual = reference;
  std::fill(actual.begin(), actual.begin() + 32, 1.5F);
  actual[33] = -1;
  const Comparison c =
      compared(f32({2, 32}, actual), f32({2, 32}, reference), 1);
  EXPECT_EQ(c.worstRow, 0);
  EXPECT_DOUBLE_EQ(c.rowL2, 0.5);
  EXPECT_EQ(c.cosineRow, 1);
  EXPECT_DOUBLE_EQ(c.cosine, 30.0 / 32);
}

TEST(CompareTest, TensorsWithoutElementsAreEqual) {
  const HostTensor empty = f32({2, 0, 64}, {});
  EXPECT_EQ(failureOf(empty, empty,
                      {.rowL2 = 0,
                       .cosine = 0.9999,
                       .maxRelative = 0,
                       .elementwise = Gates::Elementwise{}}),
            "");
  const HostTensor integers{HostType::I64, {0}, {}};
  EXPECT_EQ(failureOf(integers, integers, {}), "");
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
