// SPDX-License-Identifier: Apache-2.0
//
// The C interface on the simulator. E0822 (InvalidCall) is tested here.

#include "CApiProgram.h"
#include "Support.h"
#include "TestPlan.h"

#include <gtest/gtest.h>

using namespace spyre::rt::test;

namespace {

class CApiTest : public testing::Test {
protected:
  void SetUp() override {
    path = (folder.path / "add.spyre").string();
    const spyre::Status status = writeAddArtifact(addPlan(), path);
    ASSERT_TRUE(status) << textOf(status);
  }

  TemporaryFolder folder;
  std::string path;
};

TEST_F(CApiTest, RunsAModel) {
  const char *wrong = runAddModel(path.c_str());
  EXPECT_EQ(wrong, nullptr) << wrong;
}

TEST_F(CApiTest, ReportsMisuse) {
  const char *wrong = misuse(path.c_str());
  EXPECT_EQ(wrong, nullptr) << wrong;
}

} // namespace
