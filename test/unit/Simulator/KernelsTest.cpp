// SPDX-License-Identifier: Apache-2.0
//
// Conversions and the matrix kernel, at every level that the host has.

#include "Kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace spyre;
using namespace spyre::sim;

namespace {

std::vector<ElementKernels> levels() {
  std::vector<ElementKernels> result = {elementKernelsV2()};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c")) {
    result.push_back(elementKernelsV3());
  }
  result.push_back(elementKernels());
  return result;
}

TEST(Kernels, EveryF16SurvivesTheRoundTrip) {
  for (const ElementKernels &kernels : levels()) {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      auto half = static_cast<uint16_t>(bits);
      float value = 0;
      kernels.load(ElementType::F16, &half, &value, 1);
      auto expected = static_cast<float>(__builtin_bit_cast(_Float16, half));
      ASSERT_TRUE(value == expected ||
                  (std::isnan(value) && std::isnan(expected)))
          << bits;
      uint16_t back = 0;
      kernels.store(ElementType::F16, &value, &back, 1);
      ASSERT_TRUE(back == half || std::isnan(value)) << bits;
    }
  }
}

TEST(Kernels, F16RoundsToNearestEven) {
  std::mt19937 generator(1);
  for (const ElementKernels &kernels : levels()) {
    for (int i = 0; i < 4096; ++i) {
      float values[8];
      uint16_t halves[8];
      for (float &value : values) {
        uint32_t bits = generator();
        std::memcpy(&value, &bits, 4);
        // Half of them in or near the range of f16.
        value =
            std::isnan(value) || i % 2 ? std::ldexp(float(bits), -20) : value;
      }
      kernels.store(ElementType::F16, values, halves, 8);
      uint16_t single[8];
      for (int j = 0; j < 8; ++j) {
        kernels.store(ElementType::F16, &values[j], &single[j], 1);
        auto expected =
            __builtin_bit_cast(uint16_t, static_cast<_Float16>(values[j]));
        ASSERT_EQ(halves[j], expected) << values[j];
        ASSERT_EQ(single[j], expected) << values[j];
      }
    }
  }
}

TEST(Kernels, DL16HasNoInfinityAndSaturates) {
  const ElementKernels &kernels = elementKernels();
  // Largest finite 2^32 * (1 + 510/512); smallest 2^-31 * (1 + 1/512).
  float values[] = {1.0f, 8573157376.0f, 1e12f, 0.0f, std::ldexp(513.0f, -40)};
  uint16_t bits[5];
  EXPECT_EQ(kernels.store(ElementType::DL16, values, bits, 5).overflows, 1);
  EXPECT_EQ(bits[0], 31 << 9);
  EXPECT_EQ(bits[1], 0x7ffe);
  EXPECT_EQ(bits[2], 0x7ffe);
  EXPECT_EQ(bits[3], 0);
  EXPECT_EQ(bits[4], 1);
  float back[5];
  kernels.load(ElementType::DL16, bits, back, 5);
  EXPECT_EQ(back[0], 1.0f);
  EXPECT_EQ(back[1], 8573157376.0f);
  EXPECT_EQ(back[4], values[4]);
}

TEST(Kernels, MinAndMaxPropagateNaNOrIgnoreIt) {
  const ElementKernels &kernels = elementKernels();
  float x[2] = {NAN, 1.0f};
  float y[2] = {2.0f, NAN};
  float result[2];
  kernels.evaluate(launch::BodyOpcode::Max, false, x, y, nullptr, result, 2);
  EXPECT_TRUE(std::isnan(result[0]) && std::isnan(result[1]));
  kernels.evaluate(launch::BodyOpcode::MinNum, false, x, y, nullptr, result, 2);
  EXPECT_EQ(result[0], 2.0f);
  EXPECT_EQ(result[1], 1.0f);
}

/// What is in c counts, or does not if the product starts.
void expectProduct(MatrixKernel multiply, int64_t m, int64_t n, int64_t k,
                   bool starts) {
  std::mt19937 generator(2);
  const auto draw = [&] {
    return static_cast<float>(generator() % 201) / 100 - 1;
  };
  constexpr int64_t kLdb = 64;
  constexpr int64_t kOffset = 32;
  std::vector<float> a(static_cast<size_t>(m * kPanelDepth));
  std::vector<float> b(static_cast<size_t>(k * kLdb));
  std::vector<float> c(static_cast<size_t>(m * 2 * kOffset), 1.0f);
  std::generate(a.begin(), a.end(), draw);
  std::generate(b.begin(), b.end(), draw);
  std::vector<float *> rows;
  for (int64_t i = 0; i < m; ++i) {
    rows.push_back(c.data() + i * 2 * kOffset);
  }
  multiply(m, n, k, a.data(), b.data(), kLdb, rows.data(), kOffset, starts);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < kOffset; ++j) {
      // Columns beyond n keep the 1 that they had.
      double sum = starts && j < n ? 0 : 1;
      for (int64_t l = 0; l < k && j < n; ++l) {
        sum += double(a[static_cast<size_t>(i * kPanelDepth + l)]) *
               b[static_cast<size_t>(l * kLdb + j)];
      }
      ASSERT_NEAR(rows[static_cast<size_t>(i)][kOffset + j], sum, 1e-4);
      ASSERT_EQ(rows[static_cast<size_t>(i)][j], 1.0f);
    }
  }
}

TEST(Kernels, MatrixProductMatchesPlainLoops) {
  for (MatrixKernel multiply : {matrixKernelV2(), matrixKernel()}) {
    for (bool starts : {false, true}) {
      expectProduct(multiply, 1, 32, 256, starts);
      expectProduct(multiply, 2, 5, 3, starts);
      expectProduct(multiply, 13, 31, 255, starts);
      expectProduct(multiply, 100, 17, 100, starts);
    }
  }
}

} // namespace
