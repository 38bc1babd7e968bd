// SPDX-License-Identifier: Apache-2.0

#include "spyre/Support/MappedFile.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/stat.h>

using namespace spyre;
using testing::HasSubstr;
namespace fs = std::filesystem;

namespace {

class MappedFileTest : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / "spyre-mapped-file";
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string errorOf(const fs::path &path) {
    const auto file = MappedFile::open(path, ErrorCode::FileUnreadable);
    return file ? "opened" : file.error().str();
  }

  fs::path folder;
};

TEST_F(MappedFileTest, HoldsTheBytesOfTheFile) {
  std::ofstream(folder / "a") << "sticks";
  const auto file = MappedFile::open(folder / "a", ErrorCode::FileUnreadable);
  ASSERT_TRUE(file);
  ASSERT_EQ((*file)->bytes().size(), 6U);
  EXPECT_EQ(std::memcmp((*file)->bytes().data(), "sticks", 6), 0);
}

TEST_F(MappedFileTest, AnEmptyFileHasNoBytes) {
  std::ofstream(folder / "a").close();
  const auto file = MappedFile::open(folder / "a", ErrorCode::FileUnreadable);
  ASSERT_TRUE(file);
  EXPECT_TRUE((*file)->bytes().empty());
}

TEST_F(MappedFileTest, TheErrorHasTheCodeAndTheReason) {
  const std::string text = errorOf(folder / "none");
  EXPECT_THAT(text, HasSubstr("E0800"));
  EXPECT_THAT(text, HasSubstr("none\""));
  EXPECT_THAT(text, HasSubstr("No such file"));
}

TEST_F(MappedFileTest, APathIsNotCutAtANul) {
  std::ofstream(folder / "a") << "sticks";
  const std::string path = (folder / "a").string() + std::string("\0b", 2);
  EXPECT_THAT(errorOf(path), HasSubstr("NUL"));
}

TEST_F(MappedFileTest, OnlyRegularFilesAreMapped) {
  EXPECT_THAT(errorOf(folder), HasSubstr("not a regular file"));
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(errorOf(folder / "pipe"), HasSubstr("not a regular file"));
}

} // namespace
