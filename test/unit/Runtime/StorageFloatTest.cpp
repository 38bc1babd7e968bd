// SPDX-License-Identifier: Apache-2.0

#include "spyre/Runtime/StorageFloat.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace spyre::rt;

namespace {

constexpr StorageFloat kF16 = StorageFloat::F16;
constexpr StorageFloat kBF16 = StorageFloat::BF16;
constexpr StorageFloat kDL16 = StorageFloat::DL16;

TEST(StorageFloatTest, F16OfKnownValues) {
  EXPECT_EQ(encode(kF16, 1.0), 0x3C00);
  EXPECT_EQ(encode(kF16, -2.0), 0xC000);
  EXPECT_EQ(encode(kF16, 65504.0), 0x7BFF);
  EXPECT_EQ(encode(kF16, -0.0), 0x8000);
  // 2^-24, the smallest subnormal, and half of it: a tie, which goes to 0.
  EXPECT_EQ(encode(kF16, std::ldexp(1, -24)), 0x0001);
  EXPECT_EQ(encode(kF16, std::ldexp(1, -25)), 0x0000);
  EXPECT_EQ(encode(kF16, std::ldexp(1.5, -25)), 0x0001);
}

TEST(StorageFloatTest, F16RoundsTiesToEven) {
  // Neighbours of 1 are 2^-10 apart: 1 + 2^-11 is a tie to 1, 1 + 3 * 2^-11 a
  // tie to 1 + 2^-9.
  EXPECT_EQ(encode(kF16, 1 + std::ldexp(1, -11)), 0x3C00);
  EXPECT_EQ(encode(kF16, 1 + std::ldexp(3, -11)), 0x3C02);
  // Just above the tie: f32 cannot hold this value, so that a detour over f32
  // would round down.
  EXPECT_EQ(encode(kF16, 1 + std::ldexp(1, -11) + std::ldexp(1, -40)), 0x3C01);
}

TEST(StorageFloatTest, F16Overflow) {
  // 65520 is the tie between 65504 and 65536.
  EXPECT_EQ(encode(kF16, 65519.99), 0x7BFF);
  EXPECT_EQ(encode(kF16, 65520.0), 0x7C00);
  EXPECT_EQ(encode(kF16, -INFINITY), 0xFC00);
  EXPECT_TRUE(std::isnan(decode(kF16, encode(kF16, NAN))));
}

TEST(StorageFloatTest, BF16IsTheUpperHalfOfF32) {
  EXPECT_EQ(encode(kBF16, 1.0), 0x3F80);
  EXPECT_EQ(encode(kBF16, std::ldexp(1, -133)), 0x0001);
  EXPECT_EQ(decode(kBF16, 0x4049), 3.140625);
}

TEST(StorageFloatTest, DL16HasNoInfinityAndNoSubnormals) {
  EXPECT_EQ(encode(kDL16, 1.0), 31 << 9);
  // Largest finite: (1 + 510/512) * 2^32.
  EXPECT_EQ(decode(kDL16, 0x7FFE), 8573157376.0);
  EXPECT_EQ(encode(kDL16, 1e30), 0x7FFE);
  EXPECT_TRUE(std::isnan(decode(kDL16, 0x7FFF)));
  // Smallest: (1 + 1/512) * 2^-31.
  EXPECT_EQ(decode(kDL16, 0x0001), std::ldexp(513.0 / 512, -31));
  EXPECT_EQ(encode(kDL16, std::ldexp(1, -33)), 0);
}

TEST(StorageFloatTest, EveryValueSurvivesARoundTrip) {
  for (StorageFloat format : {kF16, kBF16, kDL16}) {
    for (int bits = 0; bits < 0x10000; ++bits) {
      const double value = decode(format, static_cast<uint16_t>(bits));
      if (!std::isnan(value)) {
        ASSERT_EQ(encode(format, value), bits) << static_cast<int>(format);
      }
    }
  }
}

} // namespace
