// SPDX-License-Identifier: Apache-2.0

#include "spyre/Support/Quote.h"

#include <gtest/gtest.h>

using namespace spyre;
using namespace std::string_literals;

namespace {

TEST(Utf8, AcceptsWellFormedText) {
  EXPECT_TRUE(isUtf8(""));
  EXPECT_TRUE(isUtf8("/layer.0/MatMul:0"));
  // U+00E9, U+20AC, U+1F600: 2, 3 and 4 bytes.
  EXPECT_TRUE(isUtf8("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  EXPECT_TRUE(isUtf8("a\0b"s));
}

TEST(Utf8, RefusesMalformedText) {
  // A lone tail, a cut character, an overlong "/", a surrogate, above U+10FFFF.
  for (std::string_view text : {"\x80", "a\xc3", "\xc0\xaf", "\xed\xa0\x80",
                                "\xf4\x90\x80\x80", "\xe2\x82", "\xff"}) {
    EXPECT_FALSE(isUtf8(text));
    EXPECT_TRUE(isUtf8(toUtf8(text)));
  }
}

TEST(Utf8, LooksAtEveryByteOfLongText) {
  // Words of eight bytes are looked at together.
  for (size_t place = 0; place < 40; ++place) {
    std::string text(40, 'a');
    EXPECT_TRUE(isUtf8(text));
    text[place] = '\xff';
    EXPECT_FALSE(isUtf8(text)) << place;
    std::string repaired(40, 'a');
    repaired.replace(place, 1, "\xef\xbf\xbd");
    EXPECT_EQ(toUtf8(text), repaired);
    EXPECT_TRUE(isUtf8(repaired)) << place;
  }
}

TEST(Utf8, ReplacesOnlyWhatIsMalformed) {
  EXPECT_EQ(toUtf8("caf\xe9 \xc3\xa9"), "caf\xef\xbf\xbd \xc3\xa9");
}

TEST(Quote, EscapesWhatWouldBreakALine) {
  EXPECT_EQ(quote("a/b::c"), "\"a/b::c\"");
  EXPECT_EQ(quote("{\"k\": \\}"), R"("{\"k\": \\}")");
  EXPECT_EQ(quote("a\nb\tc\x07\x7f\0"s), R"("a\nb\tc\x07\x7f\x00")");
  EXPECT_EQ(quote("caf\xe9 \xc3\xa9"), "\"caf\\xe9 \xc3\xa9\"");
}

TEST(Quote, CutsLongText) {
  EXPECT_EQ(quote("abcdefgh", 4), "\"abcd...\"");
  EXPECT_EQ(quote("abcd", 4), "\"abcd\"");
  EXPECT_EQ(quote(std::string(10000, 'x')).size(), 1 + 200 + 3 + 1U);
}

} // namespace
