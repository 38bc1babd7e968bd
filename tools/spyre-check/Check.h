// SPDX-License-Identifier: Apache-2.0
//
// Runs the data sets of one test on the simulator and compares what comes out.

#ifndef SPYRE_TOOLS_SPYRE_CHECK_CHECK_H
#define SPYRE_TOOLS_SPYRE_CHECK_CHECK_H

#include "Row.h"
#include "TestFolder.h"

#include "spyre/Driver/Driver.h"
#include "spyre/Target/Target.h"

#include <functional>
#include <string>

namespace spyre::tools {

struct CheckOptions {
  /// What the command line says of the compilation.
  CompileOptions compile;
  /// --precision was given. Otherwise the device stores floats as the model
  /// does.
  bool hasPrecision = false;
  target::Target target;
};

/// Checks the data sets from the `first` on, in order, and hands over the row
/// of each as soon as it is known. `artifact` is a file to write.
void checkTest(const TestFolder &test, const CheckOptions &options,
               size_t first, const std::string &artifact,
               const std::function<void(Row)> &emit);

/// A row without results.
Row rowFor(const TestFolder &test, size_t set);

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_CHECK_CHECK_H
