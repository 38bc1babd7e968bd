// SPDX-License-Identifier: Apache-2.0

#include "spyre/Support/ElementType.h"

#include <gtest/gtest.h>

using namespace spyre;

namespace {

TEST(ElementType, SticksHold1024Bits) {
  EXPECT_EQ(elementsPerStick(ElementType::F16), 64);
  EXPECT_EQ(elementsPerStick(ElementType::Bool), 64); // stored as f16
  EXPECT_EQ(elementsPerStick(ElementType::BF16), 64);
  EXPECT_EQ(elementsPerStick(ElementType::DL16), 64);
  EXPECT_EQ(elementsPerStick(ElementType::F32), 32);
  EXPECT_EQ(elementsPerStick(ElementType::I32), 32);
  EXPECT_EQ(elementsPerStick(ElementType::I8), 128);
  EXPECT_EQ(elementsPerStick(ElementType::F8E4M3), 128);
  EXPECT_EQ(elementsPerStick(ElementType::F8E5M2), 128);
  EXPECT_EQ(elementsPerStick(ElementType::I4), 256);
}

TEST(ElementType, NamesRoundTrip) {
  for (int i = 0; i < kNumElementTypes; ++i) {
    ElementType type = static_cast<ElementType>(i);
    EXPECT_EQ(parseElementType(toString(type)), type);
    EXPECT_EQ(bitWidth(type) * elementsPerStick(type), kStickBytes * 8);
  }
  EXPECT_EQ(toString(ElementType::F8E5M2), "f8e5m2");
  EXPECT_FALSE(parseElementType("F16"));
  EXPECT_FALSE(parseElementType(""));
}

TEST(ElementType, Floats) {
  EXPECT_TRUE(isFloat(ElementType::F16));
  EXPECT_TRUE(isFloat(ElementType::F8E4M3));
  EXPECT_FALSE(isFloat(ElementType::Bool));
  EXPECT_FALSE(isFloat(ElementType::I32));
}

TEST(ElementType, NumbersAreTheArtifactFormat) {
  EXPECT_EQ(static_cast<int>(ElementType::F16), 0);
  EXPECT_EQ(static_cast<int>(ElementType::Bool), 3);
  EXPECT_EQ(static_cast<int>(ElementType::I4), 9);
}

} // namespace
