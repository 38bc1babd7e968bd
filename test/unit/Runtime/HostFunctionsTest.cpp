// SPDX-License-Identifier: Apache-2.0

#include "Support.h"

#include "spyre/Runtime/HostFunctions.h"
#include "spyre/Runtime/StorageFloat.h"

#include <gmock/gmock.h>
#include <limits>

using namespace spyre;
using namespace spyre::rt;
using namespace spyre::rt::test;
using launch::HostType;
using testing::ElementsAre;

namespace {

struct TopK {
  int64_t axis = 0;
  int64_t k = 1;
  bool isLargest = true;
};

std::vector<HostTensor> topK(const TopK &top, HostTensor x) {
  launch::HostCall call;
  call.attributes = {top.axis, top.k, top.isLargest ? 1 : 0};
  return runHostCall(call, {std::move(x)});
}

HostTensor floats(std::vector<int64_t> shape,
                  const std::vector<float> &values) {
  return {HostType::F32, std::move(shape), bytesOf(values)};
}

TEST(HostFunctions, TopKOrdersByValueThenPosition) {
  const HostTensor x = floats({6}, {3, 1, 3, 5, 1, 3});
  const std::vector<HostTensor> largest = topK({0, 4, true}, x);
  EXPECT_THAT(valuesOf<float>(largest[0].bytes), ElementsAre(5, 3, 3, 3));
  EXPECT_THAT(valuesOf<int32_t>(largest[1].bytes), ElementsAre(3, 0, 2, 5));
  EXPECT_EQ(largest[1].type, HostType::I32);
  const std::vector<HostTensor> smallest = topK({0, 3, false}, x);
  EXPECT_THAT(valuesOf<float>(smallest[0].bytes), ElementsAre(1, 1, 3));
  EXPECT_THAT(valuesOf<int32_t>(smallest[1].bytes), ElementsAre(1, 4, 0));
}

// Rows 1 4 5 / 7 2 5 / 3 9 5: along axis 0 the columns are ordered.
TEST(HostFunctions, TopKAlongAnOuterAxis) {
  const std::vector<HostTensor> result =
      topK({0, 2, true}, floats({3, 3}, {1, 4, 5, 7, 2, 5, 3, 9, 5}));
  EXPECT_EQ(result[0].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_THAT(valuesOf<float>(result[0].bytes), ElementsAre(7, 9, 5, 3, 4, 5));
  EXPECT_THAT(valuesOf<int32_t>(result[1].bytes),
              ElementsAre(1, 2, 0, 2, 0, 1));
}

// [2, 2, 2] along its middle axis, whole: a sort of each pair.
TEST(HostFunctions, TopKOfAllElementsAlongAMiddleAxis) {
  const std::vector<HostTensor> result =
      topK({1, 2, false}, floats({2, 2, 2}, {4, 1, 3, 2, 5, 8, 6, 7}));
  EXPECT_THAT(valuesOf<float>(result[0].bytes),
              ElementsAre(3, 1, 4, 2, 5, 7, 6, 8));
  EXPECT_THAT(valuesOf<int32_t>(result[1].bytes),
              ElementsAre(1, 0, 0, 1, 0, 1, 1, 0));
}

// -0 equals 0: the least position first, and the sign is kept.
TEST(HostFunctions, TopKCopiesHalfFloats) {
  std::vector<uint16_t> bits;
  for (double value : {0.0, -0.0, -65504.0, 0.5}) {
    bits.push_back(encode(StorageFloat::F16, value));
  }
  const std::vector<HostTensor> result =
      topK({0, 4, true}, {HostType::F16, {4}, bytesOf(bits)});
  EXPECT_THAT(valuesOf<uint16_t>(result[0].bytes),
              ElementsAre(bits[3], bits[0], bits[1], bits[2]));
  EXPECT_THAT(valuesOf<int32_t>(result[1].bytes), ElementsAre(3, 0, 1, 2));
}

TEST(HostFunctions, TopKTakesNanForTheGreatest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const HostTensor x = floats({4}, {1, nan, 2, nan});
  EXPECT_THAT(valuesOf<int32_t>(topK({0, 3, true}, x)[1].bytes),
              ElementsAre(1, 3, 2));
  EXPECT_THAT(valuesOf<int32_t>(topK({0, 3, false}, x)[1].bytes),
              ElementsAre(0, 2, 1));
}

TEST(HostFunctions, TopKOfIntegers) {
  const std::vector<int32_t> values = {-5, 2147483647, 7, 2147483646};
  const std::vector<HostTensor> result =
      topK({0, 2, true}, {HostType::I32, {4}, bytesOf(values)});
  EXPECT_THAT(valuesOf<int32_t>(result[0].bytes),
              ElementsAre(2147483647, 2147483646));
}

} // namespace
