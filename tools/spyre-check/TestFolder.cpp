// SPDX-License-Identifier: Apache-2.0

#include "TestFolder.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

using namespace spyre;
using namespace spyre::tools;
namespace fs = std::filesystem;

namespace {

/// N of PREFIX N SUFFIX, written in digits only.
std::optional<int64_t> numberIn(std::string_view name, std::string_view prefix,
                                std::string_view suffix) {
  if (name.size() <= prefix.size() + suffix.size() ||
      !name.starts_with(prefix) || !name.ends_with(suffix)) {
    return std::nullopt;
  }
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  const bool isWhole = error == std::errc() && end == name.data() + name.size();
  return isWhole && number >= 0 ? std::optional(number) : std::nullopt;
}

/// Names of what a folder holds; empty if it cannot be read.
std::vector<std::string> entriesOf(const fs::path &folder,
                                   std::error_code &error) {
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

/// PREFIX k SUFFIX in a folder, without those that `files` has already.
void findFiles(const fs::path &folder, const std::vector<std::string> &names,
               std::string_view prefix, std::string_view suffix,
               NumberedFiles &files) {
  for (const std::string &name : names) {
    if (std::optional<int64_t> number = numberIn(name, prefix, suffix)) {
      files.emplace(*number, (folder / name).string());
    }
  }
}

tl::unexpected<Error> unreadable(const fs::path &folder, std::string message) {
  return makeError(ErrorCode::FileUnreadable,
                   fmt::format("folder \"{}\"", folder.string()),
                   std::move(message), {},
                   "give folders that hold model.onnx and test_data_set_N");
}

Expected<DataSet> findDataSet(const fs::path &test, const std::string &name,
                              int64_t number) {
  DataSet set;
  set.number = number;
  set.folder = (test / name).string();
  std::error_code error;
  const std::vector<std::string> names = entriesOf(set.folder, error);
  if (error) {
    return unreadable(set.folder, error.message());
  }
  for (std::string_view suffix : {".pb", ".npy"}) {
    findFiles(set.folder, names, "input_", suffix, set.inputs);
    findFiles(set.folder, names, "output_", suffix, set.outputs);
  }
  const fs::path golden =
      test / (number == 0 ? "golden" : fmt::format("golden_{}", number));
  if (fs::is_directory(golden, error)) {
    findFiles(golden, entriesOf(golden, error), "ref32_", ".npy", set.goldens);
  }
  return set;
}

} // namespace

std::string tools::testName(const std::string &path) {
  std::error_code error;
  fs::path whole = fs::absolute(path, error).lexically_normal();
  // A path that ends in a slash has no last component.
  return whole.has_filename() ? whole.filename().string()
                              : whole.parent_path().filename().string();
}

Expected<TestFolder> tools::findTest(const std::string &path) {
  TestFolder test;
  test.path = path;
  test.name = testName(path);
  test.isNodeTest = test.name.starts_with("test_");
  std::error_code error;
  const std::vector<std::string> names = entriesOf(path, error);
  if (error) {
    return unreadable(path, error.message());
  }
  if (!fs::exists(test.modelPath(), error)) {
    return makeError(
        ErrorCode::OnnxOpen, fmt::format("folder \"{}\"", path),
        "it has no model.onnx; give the folders of the tests, DIR/*");
  }
  for (const std::string &name : names) {
    std::optional<int64_t> number = numberIn(name, "test_data_set_", "");
    if (!number || !fs::is_directory(fs::path(path) / name, error)) {
      continue;
    }
    Expected<DataSet> set = findDataSet(path, name, *number);
    if (!set) {
      return tl::unexpected(set.error());
    }
    test.sets.push_back(std::move(*set));
  }
  if (test.sets.empty()) {
    return unreadable(path, "it has no test_data_set_0");
  }
  std::sort(
      test.sets.begin(), test.sets.end(),
      [](const DataSet &a, const DataSet &b) { return a.number < b.number; });
  return test;
}
