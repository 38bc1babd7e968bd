// SPDX-License-Identifier: Apache-2.0
//
// Tests in child processes: a crash or a hang costs the data set in which it
// happens and nothing else. The parent only forks, reads rows and prints, so
// that a child starts from a process without threads.

#ifndef SPYRE_TOOLS_SPYRE_CHECK_ISOLATE_H
#define SPYRE_TOOLS_SPYRE_CHECK_ISOLATE_H

#include "Row.h"
#include "TestFolder.h"

#include <functional>
#include <optional>
#include <vector>

namespace spyre::tools {

/// A folder of the command line.
struct Task {
  /// None if the folder holds no test; `rows` says so already.
  std::optional<TestFolder> test;
  /// One a data set, in order, as they come in.
  std::vector<Row> rows;

  bool isDone() const { return !test || rows.size() == test->sets.size(); }
};

using EmitRow = std::function<void(Row)>;

struct IsolateOptions {
  /// Children at a time.
  unsigned parallel = 1;
  /// Seconds that a data set may take; 0: any.
  unsigned timeoutSeconds = 0;
  /// A child that crashes prints its stack with symbols, which is slow.
  bool symbolize = false;
  /// In the child: emits the rows of a task from the data set `first` on.
  std::function<void(size_t task, size_t first, const EmitRow &emit)> work;
  /// In the parent, for all tasks in their order, each when it is done.
  std::function<void(const Task &task)> report;
};

void runIsolated(std::vector<Task> &tasks, const IsolateOptions &options);

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_CHECK_ISOLATE_H
