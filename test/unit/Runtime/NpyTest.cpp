// SPDX-License-Identifier: Apache-2.0

#include "Support.h"

#include "spyre/Runtime/TensorFile.h"

#include <fstream>
#include <gmock/gmock.h>

using namespace spyre;
using namespace spyre::rt;
using namespace spyre::rt::test;
using launch::HostType;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A version 1 file around a header text.
std::vector<std::byte> npy(const std::string &header,
                           const std::vector<std::byte> &data = {}) {
  std::string text = std::string("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 0xFF);
  text += static_cast<char>(header.size() >> 8);
  text += header;
  std::vector<std::byte> file = bytesOf(std::string_view(text));
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

std::string dict(const std::string &descr, const std::string &order,
                 const std::string &shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}

TEST(NpyTest, ReadsWhatNumPyWrites) {
  const std::vector<std::byte> data = bytesOf(std::vector<float>{1, 2, 3, 4});
  const Expected<HostTensor> tensor =
      parseNpy(npy(dict("<f4", "False", "(2, 2)"), data), "t");
  ASSERT_TRUE(tensor) << textOf(tensor);
  EXPECT_EQ(*tensor, (HostTensor{HostType::F32, {2, 2}, data}));
}

TEST(NpyTest, ReadsVersionTwoAndScalars) {
  std::vector<std::byte> file =
      npy(dict("<i8", "False", "()"), bytesOf(std::vector<int64_t>{42}));
  // Version 2 has a length of four bytes.
  file[6] = std::byte{2};
  file.insert(file.begin() + 10, 2, std::byte{0});
  const Expected<HostTensor> tensor = parseNpy(file, "t");
  ASSERT_TRUE(tensor) << textOf(tensor);
  EXPECT_TRUE(tensor->shape.empty());
  EXPECT_EQ(elementAsInteger(*tensor, 0), 42);
}

TEST(NpyTest, ConvertsFortranOrder) {
  // [[1, 2, 3], [4, 5, 6]] stored by columns.
  const Expected<HostTensor> tensor =
      parseNpy(npy(dict("<i2", "True", "(2, 3)"),
                   bytesOf(std::vector<int16_t>{1, 4, 2, 5, 3, 6})),
               "t");
  ASSERT_TRUE(tensor) << textOf(tensor);
  EXPECT_THAT(valuesOf<int16_t>(tensor->bytes), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(NpyTest, RoundTripsEveryType) {
  for (int type = 0; type <= static_cast<int>(HostType::BF16); ++type) {
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {3}, {2, 1, 4}, {0, 5}}) {
      HostTensor tensor{static_cast<HostType>(type), shape, {}};
      tensor.bytes.resize(static_cast<size_t>(*denseBytes(tensor.type, shape)),
                          std::byte{1});
      const std::vector<std::byte> file = formatNpy(tensor);
      EXPECT_EQ((file.size() - tensor.bytes.size()) % 64, 0u);
      const Expected<HostTensor> again = parseNpy(file, "t");
      ASSERT_TRUE(again) << textOf(again);
      EXPECT_EQ(*again, tensor);
    }
  }
}

TEST(NpyTest, RefusesMalformedFiles) {
  const std::string good = dict("<f4", "False", "(1,)");
  const std::vector<std::byte> one = bytesOf(std::vector<float>{1});
  std::vector<std::vector<std::byte>> files = {
      {},
      bytesOf(std::string_view("PK\x03\x04 a zip file")),
      npy(good),
      npy(good, bytesOf(std::vector<float>{1, 2})),
      npy(dict("<f4", "Maybe", "(1,)"), one),
      npy(dict("<f4", "False", "(-1,)"), one),
      npy(dict("<f4", "False", "(1"), one),
      npy(dict("<f4", "False", "(99999999999999999999,)"), one),
      // 2^62 elements: the bytes exceed int64.
      npy(dict("<f4", "False", "(4611686018427387904,)"), one),
      npy(dict("<f4", "False", "(4294967296, 4294967296)"), one),
      npy("{'descr': '<f4', 'shape': (1,)}", one),
      npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False}", one),
      npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
          one),
      npy(good + "x", one)};
  std::vector<std::byte> badVersion = npy(good, one);
  badVersion[6] = std::byte{9};
  files.push_back(badVersion);
  std::vector<std::byte> longHeader = npy(good, one);
  longHeader[9] = std::byte{0xFF};
  files.push_back(longHeader);
  for (size_t i = 0; i < files.size(); ++i) {
    EXPECT_THAT(textOf(parseNpy(files[i], "t")), HasSubstr("E0802")) << i;
  }
  const std::vector<std::byte> whole = npy(good, one);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parseNpy(std::span(whole).first(size), "t")) << size;
  }
}

TEST(NpyTest, RefusesOtherTypes) {
  for (const char *descr : {">f4", "<c8", "|S4", "<u4", "|O", "<m8[ns]"}) {
    EXPECT_THAT(textOf(parseNpy(npy(dict(descr, "False", "()")), "t")),
                HasSubstr("E0804"))
        << descr;
  }
}

TEST(TensorFileTest, ReportsFilesThatCannotBeUsed) {
  const TemporaryFolder folder;
  const std::string missing = (folder.path / "missing.npy").string();
  EXPECT_THAT(textOf(readTensorFile(missing)), HasSubstr("E0800"));
  EXPECT_THAT(textOf(readTensorFile(folder.path.string())), HasSubstr("E0800"));
  EXPECT_THAT(textOf(readTensorFile("/dev/zero")), HasSubstr("E0800"));
  const HostTensor tensor{HostType::F16, {1}, {std::byte{0}, std::byte{60}}};
  EXPECT_THAT(
      textOf(writeNpyFile((folder.path / "no" / "file.npy").string(), tensor)),
      HasSubstr("E0801"));
  const std::string good = (folder.path / "good.npy").string();
  ASSERT_TRUE(writeNpyFile(good, tensor));
  const Expected<HostTensor> again = readTensorFile(good);
  ASSERT_TRUE(again) << textOf(again);
  EXPECT_EQ(*again, tensor);
}

} // namespace
