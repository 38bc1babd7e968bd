// SPDX-License-Identifier: Apache-2.0
//
// The compiler as a function: phases over a module, from source text to an
// artifact. Re-entrant, no global state, no command-line code.

#ifndef SPYRE_DRIVER_DRIVER_H
#define SPYRE_DRIVER_DRIVER_H

#include "spyre/Import/Onnx/Import.h"
#include "spyre/LaunchPlan/LaunchPlan.h"

#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spyre {

/// The phases in order. The names are those of the pipelines, of the dumps and
/// of --compile-to and --compile-from.
enum class Phase : uint8_t {
  Import = 0,
  Normalize,
  Layout,
  Plan,
  Schedule,
  Emit
};
inline constexpr size_t kNumPhases = 6;
llvm::StringRef toString(Phase phase);
std::optional<Phase> parsePhase(llvm::StringRef name);

/// What the source holds.
enum class SourceFormat : uint8_t {
  /// MLIR text or bytecode of any level.
  Mlir,
  /// An ONNX model.
  Onnx,
};

/// How the device stores the f32 tensors of an ONNX model.
enum class FloatStorage : uint8_t { F16, AsGiven };

struct CompileOptions {
  SourceFormat format = SourceFormat::Mlir;
  /// Where the source comes from: names it in messages; external data of an
  /// ONNX model lies in its folder.
  std::string sourcePath;
  /// Bindings of dims, shapes and constants of an ONNX model.
  ImportOptions import;
  FloatStorage floatStorage = FloatStorage::F16;
  /// Folders outside of the model's in which external data may lie.
  std::vector<std::string> externalDataDirs;
  /// First phase to run; none: told from what the input contains.
  std::optional<Phase> from;
  /// Last phase to run.
  Phase to = Phase::Emit;
  /// 0: every tensor in device memory. 1 and 2: local decisions, tensors stay
  /// in the scratchpad where they can.
  int optimizationLevel = 2;
  /// A target file or the name of a built-in target.
  std::string target = "spyre-32";
  /// Whether the artifact holds the weights, names their files (and holds those
  /// that have none), or neither.
  launch::WeightStorage weights = launch::WeightStorage::Embedded;
  /// Folder that the files of weight references are relative to.
  std::string weightsFolder = ".";
  /// Folder for the IR after each phase; empty: none.
  std::string dumpFolder;
  /// Name of the model in the plan.
  std::string modelName;
  /// Threads that passes may use; 0: as many as the host has. The result does
  /// not depend on it.
  unsigned threads = 0;
};

/// What a compilation decided, from which the summary, --report and any other
/// view follow.
struct CompileReport {
  std::string model;
  std::string target;
  /// An error or a warning, as it was printed.
  struct Problem {
    bool isWarning = false;
    std::string code;
    std::string phase;
    /// What it is about: a node, an operator, a file.
    std::string subject;
    std::string message;
    /// Names of the nodes of the graph that it concerns.
    std::vector<std::string> nodes;
    std::vector<std::string> notes;
    std::string help;
  };
  std::vector<Problem> problems;
  /// Whether the phase plan was reached, from which the numbers below are.
  bool isPlanned = false;
  int64_t kernels = 0;
  int64_t restickifies = 0;
  int64_t restickifyBytes = 0;
  int64_t tensors = 0;
  int64_t residentTensors = 0;
  int64_t lxPeakBytes = 0;
  int64_t lxBudgetBytes = 0;
  int64_t weights = 0;
  int64_t weightBytes = 0;
  /// Of these, what is dequantized or a constant of the module: it is embedded
  /// where the others are external.
  int64_t filelessWeights = 0;
  int64_t filelessWeightBytes = 0;
  int64_t ddrReadBytes = 0;
  int64_t ddrWriteBytes = 0;
  int64_t ringBytes = 0;
  /// Of the kernels: transfers and host work are not in it.
  double predictedNs = 0;
  /// The time of the arithmetic, and of all arguments and weights once through
  /// device memory, at the target's peak.
  double computeFloorNs = 0;
  double ddrFloorNs = 0;
  struct Kernel {
    std::string name;
    std::string kind;
    std::vector<int64_t> slices;
    std::vector<int64_t> tiles;
    double predictedNs = 0;
    int64_t lxBytes = 0;
    int64_t ddrBytes = 0;
  };
  std::vector<Kernel> kernelList;
  /// What the host does between kernels, known from the phase normalize on:
  /// why, and the bytes of the tensors that it takes and gives (with padding,
  /// once they are laid out).
  struct HostWork {
    std::string name;
    std::string function;
    std::string reason;
    int64_t bytes = 0;
  };
  std::vector<HostWork> hostWork;
  /// Tensors in device memory with the reason.
  std::vector<std::pair<std::string, std::string>> spills;
  /// Seconds per phase that ran; not part of any artifact.
  std::vector<std::pair<std::string, double>> phaseSeconds;
};

/// Compiles the source. Writes the artifact (phase emit) or the IR after the
/// last phase to `outputPath`; "-" is the standard output, empty is nowhere.
/// Diagnostics go to `errors` in the documented format, and into the report,
/// which says of a compilation that failed what was known by then.
mlir::LogicalResult compile(const CompileOptions &options,
                            const llvm::MemoryBuffer &source,
                            const std::string &outputPath,
                            llvm::raw_ostream &errors, CompileReport &report);

/// The closing summary, at most 25 lines.
std::string summaryText(const CompileReport &report);
/// What --check-only finds, of the compilation as far as normalize.
std::string checkText(const CompileReport &report);
/// The same and more as JSON.
std::string reportJson(const CompileReport &report);

} // namespace spyre

#endif // SPYRE_DRIVER_DRIVER_H
