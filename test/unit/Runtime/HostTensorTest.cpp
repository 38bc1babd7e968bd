// SPDX-License-Identifier: Apache-2.0

#include "Support.h"

#include <gmock/gmock.h>

using namespace spyre;
using namespace spyre::rt;
using namespace spyre::rt::test;
using launch::HostType;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(HostTensorTest, CountsWithOverflow) {
  EXPECT_EQ(numElements(std::vector<int64_t>{2, 3}), 6);
  EXPECT_EQ(numElements(std::vector<int64_t>{}), 1);
  EXPECT_EQ(numElements(std::vector<int64_t>{2, -1}), std::nullopt);
  const int64_t big = int64_t{1} << 32;
  EXPECT_EQ(numElements(std::vector<int64_t>{big, big}), std::nullopt);
  // An empty tensor is empty whatever its other extents are.
  EXPECT_EQ(numElements(std::vector<int64_t>{big, big, 0}), 0);
  EXPECT_EQ(denseBytes(HostType::F64, std::vector<int64_t>{int64_t{1} << 61}),
            std::nullopt);
}

TEST(HostTensorTest, ParsesLiterals) {
  const Expected<HostTensor> tensor = parseLiteral("2x2xf32=1,-2,3.5,4e1");
  ASSERT_TRUE(tensor) << textOf(tensor);
  EXPECT_EQ(tensor->type, HostType::F32);
  EXPECT_THAT(tensor->shape, ElementsAre(2, 2));
  EXPECT_THAT(valuesOf<float>(tensor->bytes), ElementsAre(1, -2, 3.5, 40));

  const Expected<HostTensor> splat = parseLiteral("3xi64=7");
  ASSERT_TRUE(splat) << textOf(splat);
  EXPECT_THAT(valuesOf<int64_t>(splat->bytes), ElementsAre(7, 7, 7));

  const Expected<HostTensor> scalar = parseLiteral("bool=true");
  ASSERT_TRUE(scalar) << textOf(scalar);
  EXPECT_TRUE(scalar->shape.empty());
  EXPECT_THAT(valuesOf<uint8_t>(scalar->bytes), ElementsAre(1));

  const Expected<HostTensor> empty = parseLiteral("0x4xf16=");
  ASSERT_TRUE(empty) << textOf(empty);
  EXPECT_TRUE(empty->bytes.empty());
}

TEST(HostTensorTest, RefusesOtherText) {
  for (const char *text :
       {"", "2xf32", "2xfloat=1", "axf32=1", "-1xf32=1", "2xf32=1,2,3",
        "2xf32=1,", "i8=128", "u8=-1", "f32=abc", "i32=1.5", "bool=2",
        "4611686018427387904x4xf32=1", "1000000x1000000xf32=0"}) {
    EXPECT_THAT(textOf(parseLiteral(text)), HasSubstr("E0805")) << text;
  }
}

// The expected numbers follow from the documented generator: state = 7 ^
// FNV-1a-64("x"); its first two splitmix64 outputs are 0xbdc542ea21c8f8bf and
// 0xd4e509ba8568864b.
TEST(HostTensorTest, RandomValuesFollowTheDocumentedGenerator) {
  const std::vector<int64_t> shape = {2};
  const auto values = [&](HostType type, int64_t bound) {
    const Expected<HostTensor> tensor =
        randomTensor(type, shape, bound, "x", 7);
    EXPECT_TRUE(tensor) << textOf(tensor);
    return std::vector<double>{elementAsDouble(*tensor, 0),
                               elementAsDouble(*tensor, 1)};
  };
  EXPECT_THAT(values(HostType::F32, 0),
              ElementsAre(0.48258233070373535, 0.663239598274231));
  EXPECT_THAT(values(HostType::F16, 0), ElementsAre(0.482421875, 0.6630859375));
  EXPECT_THAT(values(HostType::BF16, 0), ElementsAre(0.4765625, 0.65625));
  EXPECT_THAT(values(HostType::I64, 100), ElementsAre(74, 83));
  EXPECT_THAT(values(HostType::Bool, 0), ElementsAre(1, 1));
}

TEST(HostTensorTest, RandomIntegersStayBelowTheBoundAndInTheType) {
  const std::vector<int64_t> shape = {1000};
  for (const auto &[type, bound, limit] :
       {std::tuple(HostType::I64, int64_t{3}, 3.0),
        std::tuple(HostType::I8, int64_t{1000}, 128.0),
        std::tuple(HostType::I32, int64_t{0}, 2.0)}) {
    const Expected<HostTensor> tensor =
        randomTensor(type, shape, bound, "i", 1);
    ASSERT_TRUE(tensor);
    double largest = 0;
    for (int64_t i = 0; i < 1000; ++i) {
      const double value = elementAsDouble(*tensor, i);
      ASSERT_GE(value, 0);
      largest = std::max(largest, value);
    }
    EXPECT_EQ(largest, limit - 1);
  }
}

} // namespace
