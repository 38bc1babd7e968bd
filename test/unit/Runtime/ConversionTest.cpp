// SPDX-License-Identifier: Apache-2.0

#include "Support.h"

#include "spyre/Runtime/Conversion.h"
#include "spyre/Runtime/StorageFloat.h"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

using namespace spyre;
using namespace spyre::rt;
using namespace spyre::rt::test;
using launch::HostType;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(DefinedMaskTest, TailOfTheStickDim) {
  // [2, 67] in f16: device [2, 2, 64]; the second tile holds 3 elements.
  const std::vector<int64_t> shape = {2, 67};
  const auto layout = layout::defaultLayout(2, 1, ElementType::F16);
  EXPECT_THAT(layoutDefinedMask(layout, shape, ElementType::F16),
              ElementsAre(~uint64_t{0}, ~uint64_t{0}, 0b111, 0b111));
  // Any range is a part of the whole.
  EXPECT_THAT(layoutDefinedMask(layout, shape, ElementType::F16, 1, 2),
              ElementsAre(~uint64_t{0}, 0b111));
}

TEST(DefinedMaskTest, WideAndNarrowElements) {
  // A 4-byte element is two parts of a stick; 3 one-byte elements are one and
  // a half, rounded up.
  const std::vector<int64_t> shape = {1, 3};
  EXPECT_THAT(layoutDefinedMask(layout::defaultLayout(2, 1, ElementType::F32),
                                shape, ElementType::F32),
              ElementsAre(0b111111));
  EXPECT_THAT(layoutDefinedMask(layout::defaultLayout(2, 1, ElementType::I8),
                                shape, ElementType::I8),
              ElementsAre(0b11));
}

TEST(DefinedMaskTest, SparseSticksHoldLaneZero) {
  const std::vector<int64_t> shape = {3};
  EXPECT_THAT(layoutDefinedMask(layout::defaultLayout(1, -1, ElementType::F16),
                                shape, ElementType::F16),
              ElementsAre(1, 1, 1));
}

template <typename T>
std::vector<double> asF16(HostType from, const std::vector<T> &values) {
  const Expected<std::vector<std::byte>> device =
      convertToDevice(from, bytesOf(values), ElementType::F16, "x");
  EXPECT_TRUE(device) << textOf(device);
  std::vector<double> result;
  for (uint16_t bits : valuesOf<uint16_t>(*device)) {
    result.push_back(decode(StorageFloat::F16, bits));
  }
  return result;
}

TEST(ConversionTest, FloatsRoundToNearestEven) {
  // 2049 lies between 2048 and 2050, 2051 between 2050 and 2052.
  EXPECT_THAT(asF16<float>(HostType::F32, {2049, 2051}),
              ElementsAre(2048, 2052));
  EXPECT_THAT(asF16<double>(HostType::F64, {0.5, -INFINITY}),
              ElementsAre(0.5, -INFINITY));
  EXPECT_THAT(asF16<uint16_t>(HostType::BF16, {0x3F80}), ElementsAre(1));
  EXPECT_THAT(asF16<uint8_t>(HostType::Bool, {0, 1, 255}),
              ElementsAre(0, 1, 1));
  const auto narrow = convertToDevice(
      HostType::F64, bytesOf(std::vector<double>{0.1}), ElementType::F32, "x");
  ASSERT_TRUE(narrow);
  EXPECT_EQ(valuesOf<float>(*narrow)[0], 0.1F);
}

TEST(ConversionTest, ValuesOutOfRangeNameTheElement) {
  const auto i64 = convertToDevice(
      HostType::I64, bytesOf(std::vector<int64_t>{5, int64_t{1} << 31}),
      ElementType::I32, "argument \"ids\"");
  EXPECT_THAT(textOf(i64), HasSubstr("E0809"));
  EXPECT_THAT(textOf(i64), HasSubstr("argument \"ids\""));
  EXPECT_THAT(textOf(i64), HasSubstr("element 1 is 2147483648"));
  const auto f32 =
      convertToDevice(HostType::F32, bytesOf(std::vector<float>{1, 2, 1e5}),
                      ElementType::F16, "x");
  EXPECT_THAT(textOf(f32), HasSubstr("element 2 is 100000"));
  EXPECT_THAT(textOf(f32), HasSubstr("--precision=f32"));
  // DL16 saturates, so that the overflow must be found before.
  EXPECT_THAT(
      textOf(convertToDevice(HostType::F32, bytesOf(std::vector<float>{1e10F}),
                             ElementType::DL16, "x")),
      HasSubstr("E0809"));
  EXPECT_THAT(
      textOf(convertToHost(ElementType::I32, bytesOf(std::vector<int32_t>{-1}),
                           HostType::U8, "x")),
      HasSubstr("element 0 is -1"));
}

TEST(ConversionTest, IntegersWidenBack) {
  const auto host =
      convertToHost(ElementType::I32, bytesOf(std::vector<int32_t>{-7, 8}),
                    HostType::I64, "x");
  ASSERT_TRUE(host);
  EXPECT_THAT(valuesOf<int64_t>(*host), ElementsAre(-7, 8));
  // Any non-zero f16 is true; -0 is false.
  const auto bools = convertToHost(
      ElementType::Bool, bytesOf(std::vector<uint16_t>{0, 0x8000, 0x0001}),
      HostType::Bool, "x");
  ASSERT_TRUE(bools);
  EXPECT_THAT(valuesOf<uint8_t>(*bools), ElementsAre(0, 0, 1));
}

TEST(ConversionTest, RefusesMeaninglessPairs) {
  for (const auto &[host, device] :
       {std::pair(HostType::F32, ElementType::I32),
        std::pair(HostType::I64, ElementType::F16),
        std::pair(HostType::F32, ElementType::F8E4M3),
        std::pair(HostType::I8, ElementType::I4)}) {
    EXPECT_FALSE(isConvertible(host, device));
    EXPECT_THAT(textOf(convertToDevice(host, {}, device, "x")),
                HasSubstr("E0811"));
    EXPECT_THAT(textOf(convertToHost(device, {}, host, "x")),
                HasSubstr("E0811"));
  }
}

TEST(ConversionTest, PacksAndUnpacks) {
  // [3, 2] with dim 0 in the stick: device [1, 2, 64] holds the columns.
  const std::vector<int64_t> shape = {3, 2};
  const auto layout = layout::defaultLayout(2, 0, ElementType::F16);
  const std::vector<std::byte> host =
      bytesOf(std::vector<float>{1, 2, 3, 4, 5, 6});
  const Expected<std::vector<std::byte>> image =
      packTensor(HostType::F32, host, shape, layout, ElementType::F16, "x");
  ASSERT_TRUE(image) << textOf(image);
  ASSERT_EQ(image->size(), 256u);
  const std::vector<uint16_t> lanes = valuesOf<uint16_t>(*image);
  EXPECT_EQ(decode(StorageFloat::F16, lanes[0]), 1);
  EXPECT_EQ(decode(StorageFloat::F16, lanes[2]), 5);
  EXPECT_EQ(decode(StorageFloat::F16, lanes[3]), 0);
  EXPECT_EQ(decode(StorageFloat::F16, lanes[64]), 2);
  const Expected<std::vector<std::byte>> back =
      unpackTensor(ElementType::F16, *image, shape, layout, HostType::F32, "x");
  ASSERT_TRUE(back) << textOf(back);
  EXPECT_EQ(*back, host);
  EXPECT_THAT(textOf(packTensor(HostType::F32, std::span(host).first(20), shape,
                                layout, ElementType::F16, "x")),
              HasSubstr("E0808"));
}

} // namespace
