// SPDX-License-Identifier: Apache-2.0
//
// spyre-check: compiles models, runs them on the simulator and compares what
// comes out with the data that comes with them. Exit status 0: nothing failed;
// 1: something did; 2: a wrong command line.

#include "Check.h"
#include "Isolate.h"
#include "support/CompileFlags.h"

#include "spyre/Support/Error.h"
#include "spyre/Support/WriteFile.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace cl = llvm::cl;

using namespace spyre;
using namespace spyre::tools;

namespace {

cl::OptionCategory category("spyre-check options");
CompileFlags flags(category);

cl::list<std::string>
    folders(cl::Positional,
            cl::desc("DIR... (model.onnx, test_data_set_N/input_k.pb and "
                     "output_k.pb or .npy, golden/ref32_k.npy)"),
            cl::cat(category));
cl::opt<unsigned> parallel("j", cl::desc("Tests at a time (default 1)"),
                           cl::init(1), cl::Prefix, cl::value_desc("n"),
                           cl::cat(category));
cl::opt<unsigned>
    timeout("timeout",
            cl::desc("Seconds that a data set may take (default: any)"),
            cl::init(0), cl::value_desc("n"), cl::cat(category));
cl::opt<std::string> jsonPath("json", cl::desc("Write all rows as JSON"),
                              cl::value_desc("file"), cl::cat(category));
cl::opt<std::string> level(
    "level",
    cl::desc("normalize: evaluate the graph in f64 instead of on the device, "
             "and name the first node at which the device differs"),
    cl::value_desc("phase"), cl::cat(category));
cl::opt<bool> verbose("v", cl::desc("Print each output and all diagnostics"),
                      cl::cat(category));

/// A folder for artifacts, which goes with this object. Children leave files
/// behind when they crash.
class ScratchFolder {
public:
  ScratchFolder() {
    std::error_code error;
    const std::filesystem::path base =
        std::filesystem::temp_directory_path(error);
    std::string name = (base / "spyre-check-XXXXXX").string();
    path = mkdtemp(name.data()) != nullptr ? name : "";
  }
  ~ScratchFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  std::string path;
};

std::optional<int> readOptions(CheckOptions &options) {
  if (folders.empty()) {
    return usageError("a folder is needed");
  }
  if (parallel == 0) {
    return usageError("-j must be at least 1");
  }
  if (std::optional<std::string> wrong = flags.apply(options.compile)) {
    return usageError(*wrong);
  }
  if (options.compile.weights == launch::WeightStorage::None) {
    return usageError("--weights=none leaves nothing to compare");
  }
  if (level.getNumOccurrences() > 0 && level != "normalize") {
    return usageError("--level must be normalize, not '" + level + "'");
  }
  options.compile.format = SourceFormat::Onnx;
  options.compile.to = level.empty() ? Phase::Emit : Phase::Normalize;
  // Children share the host.
  options.compile.threads = 1;
  options.hasPrecision = flags.hasPrecision();
  return std::nullopt;
}

std::vector<Task> findTasks() {
  std::vector<Task> tasks;
  for (const std::string &folder : folders) {
    Task task;
    if (Expected<TestFolder> test = findTest(folder)) {
      task.test = std::move(*test);
    } else {
      Row row;
      row.test = testName(folder);
      row.folder = folder;
      row.reason = test.error().message;
      task.rows.push_back(std::move(row));
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

bool writeJson(std::span<const Row> rows) {
  const Status status =
      writeFile(jsonPath.getValue(), toJson(rows), ErrorCode::CannotWrite);
  if (!status) {
    fmt::print(stderr, "{}\n", status.error().str());
  }
  return status.has_value();
}

int runTool(const CheckOptions &options) {
  const ScratchFolder scratch;
  std::vector<Task> tasks = findTasks();
  std::vector<Row> rows;
  IsolateOptions isolate;
  isolate.parallel = parallel;
  isolate.timeoutSeconds = timeout;
  isolate.symbolize = verbose;
  isolate.work = [&](size_t task, size_t first, const EmitRow &emit) {
    checkTest(*tasks[task].test, options, first,
              fmt::format("{}/{}.spyre", scratch.path, task), emit);
  };
  isolate.report = [&](const Task &task) {
    for (const Row &row : task.rows) {
      fmt::print("{}", formatRow(row, verbose));
      rows.push_back(row);
    }
    std::fflush(stdout);
  };
  runIsolated(tasks, isolate);
  const bool isWritten = jsonPath.empty() || writeJson(rows);
  fmt::print("{}", formatTotals(rows));
  return isWritten && !anyFailed(rows) ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  std::string commandLineErrors;
  llvm::raw_string_ostream errorStream(commandLineErrors);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Checks ONNX models on the simulator\n", &errorStream)) {
    llvm::errs() << commandLineErrors;
    return kUsageError;
  }
  CheckOptions options;
  if (std::optional<int> status = readOptions(options)) {
    return *status;
  }
  Expected<target::Target> machine = target::loadTarget(flags.targetName());
  if (!machine) {
    fmt::print(stderr, "{}\n", machine.error().str());
    return 1;
  }
  options.target = std::move(*machine);
  return runTool(options);
}
