// SPDX-License-Identifier: Apache-2.0
//
// The error table is a contract: sorted, unique, complete texts, and the text
// form that users and tools see.

#include "spyre/Support/Error.h"

#include <gtest/gtest.h>
#include <set>

using namespace spyre;

namespace {

/// Numbers in the order of the file.
const std::vector<int> kNumbersInFile = {
#define SPYRE_ERROR(NAME, NUMBER, PHASE, TITLE, HELP) NUMBER,
#include "spyre/Support/ErrorCodes.def"
};

TEST(ErrorTable, IsAscendingAndUnique) {
  for (size_t i = 1; i < kNumbersInFile.size(); ++i) {
    EXPECT_LT(kNumbersInFile[i - 1], kNumbersInFile[i])
        << errorName(static_cast<ErrorCode>(kNumbersInFile[i]));
  }
  ASSERT_EQ(allErrors().size(), kNumbersInFile.size());
}

TEST(ErrorTable, EveryRowIsOneCleanSentenceEach) {
  std::set<std::string_view> names;
  for (const ErrorInfo &row : allErrors()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(&errorInfo(row.code), &row);
    EXPECT_GE(static_cast<int>(row.code), 1);
    EXPECT_LE(static_cast<int>(row.code), 999);
    for (std::string_view text : {row.phase, row.title, row.help}) {
      EXPECT_FALSE(text.empty()) << row.name;
      EXPECT_EQ(text.find_first_of("\n|"), std::string_view::npos) << row.name;
      EXPECT_NE(text.back(), '.') << row.name;
    }
  }
}

TEST(Error, NamesHaveFourDigits) {
  EXPECT_EQ(errorName(ErrorCode::Internal), "E0001");
  EXPECT_EQ(errorName(ErrorCode::TargetSyntax), "E0050");
}

TEST(Error, TextHasSubjectNotesAndHelp) {
  Error error{ErrorCode::WorkingSetTooLarge,
              "kernel \"k\"",
              "too large",
              {"needs 2 bytes, 1 available"},
              "split M"};
  EXPECT_EQ(error.str(), "error: E0401 [plan] kernel \"k\":\n"
                         "  too large\n"
                         "  note: needs 2 bytes, 1 available\n"
                         "  help: split M");
}

TEST(Error, DefaultHelpAndNoSubject) {
  Error error{ErrorCode::Internal, "", "broken", {}, ""};
  EXPECT_EQ(error.str(), "error: E0001 [internal] broken\n"
                         "  help: report this with the input that caused it");
}

TEST(Error, MakeErrorIsTheUnexpectedSide) {
  Status status = makeError(ErrorCode::Internal, "s", "m", {"n"}, "h");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().subject, "s");
  EXPECT_EQ(status.error().notes, std::vector<std::string>{"n"});
}

} // namespace
