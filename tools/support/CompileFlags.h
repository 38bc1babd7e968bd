// SPDX-License-Identifier: Apache-2.0
//
// The options of a compilation that several tools take. A tool makes one
// CompileFlags before it parses its command line, and applies it afterwards.

#ifndef SPYRE_TOOLS_SUPPORT_COMPILEFLAGS_H
#define SPYRE_TOOLS_SUPPORT_COMPILEFLAGS_H

#include "spyre/Driver/Driver.h"

#include "llvm/Support/CommandLine.h"

#include <optional>
#include <string>
#include <vector>

namespace spyre::tools {

/// Exit status of a wrong command line.
inline constexpr int kUsageError = 2;

/// Prints E0002 with the message and a way out (none: see --help);
/// returns kUsageError.
int usageError(const llvm::Twine &message, const llvm::Twine &help = "");

/// `-O`, `--target`, `--dim`, `--input-shape`, `--precision`, `--weights`,
/// `--allow-external-data-dir` and `--dump-phases-to`.
class CompileFlags {
public:
  explicit CompileFlags(llvm::cl::OptionCategory &category);

  /// Sets what the flags say, or returns what is wrong with them. Precision
  /// f16 where none was given.
  std::optional<std::string> apply(CompileOptions &options) const;

  /// True if an option was given that only an ONNX model can use.
  bool hasOnnxOptions() const;
  /// True if --precision was given.
  bool hasPrecision() const { return precision.getNumOccurrences() > 0; }
  const std::string &targetName() const { return target; }

private:
  std::optional<std::string> applyBindings(ImportOptions &options) const;

  llvm::cl::opt<char> optimization;
  llvm::cl::opt<std::string> target;
  llvm::cl::list<std::string> dims;
  llvm::cl::list<std::string> inputShapes;
  llvm::cl::opt<std::string> precision;
  llvm::cl::opt<std::string> weights;
  llvm::cl::list<std::string> externalDataDirs;
  llvm::cl::opt<std::string> dumpFolder;
};

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SUPPORT_COMPILEFLAGS_H
