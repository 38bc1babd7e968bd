// SPDX-License-Identifier: Apache-2.0
//
// The compiler's command line. It only reads options and prints: the work is
// Driver's.

#include "support/CompileFlags.h"

#include "spyre/Driver/Driver.h"
#include "spyre/Support/Error.h"
#include "spyre/Target/Target.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

namespace cl = llvm::cl;

using spyre::tools::kUsageError;
using spyre::tools::usageError;

namespace {

constexpr int kCompileError = 1;

cl::OptionCategory category("spyre-compile options");
spyre::tools::CompileFlags flags(category);

cl::opt<std::string> inputPath(cl::Positional,
                               cl::desc("model.onnx or .mlir of any phase"),
                               cl::cat(category));
cl::opt<std::string> outputPath(
    "o",
    cl::desc("Artifact, or IR after the last phase (- for standard output)"),
    cl::value_desc("file"), cl::cat(category));
cl::opt<bool> listTargets("list-targets", cl::desc("List the built-in targets"),
                          cl::cat(category));
cl::opt<std::string> compileTo(
    "compile-to",
    cl::desc("Last phase: import, normalize, layout, plan, schedule or emit"),
    cl::init("emit"), cl::cat(category));
cl::opt<std::string>
    compileFrom("compile-from",
                cl::desc("First phase (default: told from the input)"),
                cl::cat(category));
cl::opt<bool> checkOnly("check-only",
                        cl::desc("Report what is not supported and what the "
                                 "host does, and stop"),
                        cl::cat(category));
cl::opt<std::string> weightsFolder(
    "weights-dir",
    cl::desc("Folder of the weight files (default: that of the input)"),
    cl::value_desc("folder"), cl::cat(category));
cl::opt<std::string> reportPath("report", cl::desc("Write the report as JSON"),
                                cl::value_desc("file"), cl::cat(category));
cl::opt<unsigned>
    threads("j", cl::desc("Threads (default: as many as the host has)"),
            cl::init(0), cl::Prefix, cl::value_desc("n"), cl::cat(category));
cl::opt<bool> verbose("v", cl::desc("Print every kernel and every spill"),
                      cl::cat(category));

constexpr llvm::StringLiteral kPhasesHelp =
    "the phases are import, normalize, layout, plan, schedule and emit";

/// Prints an error about a file.
void fileError(spyre::ErrorCode code, llvm::StringRef path,
               const std::error_code &error, llvm::StringRef help = "") {
  llvm::errs() << spyre::Error{code,
                               "file \"" + path.str() + "\"",
                               error.message(),
                               {},
                               help.str()}
                      .str()
               << "\n";
}

std::optional<int> readOptions(spyre::CompileOptions &options) {
  bool isOnnx = llvm::StringRef(inputPath).ends_with(".onnx");
  if (std::optional<std::string> wrong = flags.apply(options)) {
    return usageError(*wrong);
  }
  if (!isOnnx && flags.hasOnnxOptions()) {
    return usageError(
        "--dim, --input-shape and --precision are for ONNX models");
  }
  options.sourcePath = inputPath;
  options.format =
      isOnnx ? spyre::SourceFormat::Onnx : spyre::SourceFormat::Mlir;
  std::optional<spyre::Phase> last = spyre::parsePhase(compileTo);
  if (!last) {
    return usageError("unknown phase '" + compileTo + "' in --compile-to",
                      kPhasesHelp);
  }
  options.to = checkOnly ? spyre::Phase::Normalize : *last;
  if (isOnnx && !compileFrom.empty()) {
    return usageError("--compile-from is for .mlir files: an ONNX model is "
                      "imported first");
  }
  if (!compileFrom.empty()) {
    options.from = spyre::parsePhase(compileFrom);
    if (!options.from) {
      return usageError("unknown phase '" + compileFrom + "' in --compile-from",
                        kPhasesHelp);
    }
    if (*options.from > options.to) {
      return usageError("--compile-from comes after --compile-to");
    }
  }
  llvm::StringRef folder = llvm::sys::path::parent_path(inputPath);
  options.weightsFolder = !weightsFolder.empty() ? std::string(weightsFolder)
                          : folder.empty()       ? "."
                                                 : folder.str();
  options.threads = threads;
  options.modelName = llvm::sys::path::stem(inputPath).str();
  return std::nullopt;
}

bool writeFile(llvm::StringRef path, llvm::StringRef text) {
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_Text);
  if (error) {
    fileError(spyre::ErrorCode::CannotWrite, path, error);
    return false;
  }
  file.os() << text;
  file.keep();
  return true;
}

void printDetails(const spyre::CompileReport &report) {
  for (const auto &kernel : report.kernelList) {
    llvm::outs() << "kernel     " << kernel.name << " " << kernel.kind
                 << "   LX " << kernel.lxBytes << " bytes   DDR "
                 << kernel.ddrBytes << " bytes   "
                 << llvm::format("%.1f us", kernel.predictedNs / 1e3) << "\n";
  }
  for (const auto &[tensor, reason] : report.spills) {
    llvm::outs() << "spill      " << tensor << ": " << reason << "\n";
  }
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  std::string commandLineErrors;
  llvm::raw_string_ostream errorStream(commandLineErrors);
  if (!cl::ParseCommandLineOptions(argc, argv, "Spyre compiler\n",
                                   &errorStream)) {
    llvm::errs() << commandLineErrors;
    return kUsageError;
  }
  if (listTargets) {
    for (const std::string &name : spyre::target::builtinTargets()) {
      llvm::outs() << name << "\n";
    }
    return 0;
  }
  if (inputPath.empty()) {
    return usageError("an input file is needed",
                      "spyre-compile model.onnx -o model.spyre; see --help");
  }
  spyre::CompileOptions options;
  if (std::optional<int> status = readOptions(options)) {
    return *status;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> source =
      llvm::MemoryBuffer::getFileOrSTDIN(inputPath, /*IsText=*/false,
                                         /*RequiresNullTerminator=*/true);
  if (!source) {
    fileError(spyre::ErrorCode::InvalidInput, inputPath, source.getError(),
              "give the path of a readable .onnx or .mlir file");
    return kCompileError;
  }
  if (outputPath.empty() && !checkOnly) {
    if (options.to == spyre::Phase::Emit) {
      return usageError("-o FILE is needed",
                        "add -o model.spyre, or --check-only");
    }
    outputPath = "-";
  }
  if (llvm::sys::fs::equivalent(inputPath, outputPath)) {
    return usageError("-o names the input, which would be lost",
                      "name another file");
  }
  spyre::CompileReport report;
  std::string output = checkOnly ? std::string() : std::string(outputPath);
  const bool isCompiled = mlir::succeeded(
      spyre::compile(options, **source, output, llvm::errs(), report));
  if (!reportPath.empty() &&
      !writeFile(reportPath, spyre::reportJson(report))) {
    return kCompileError;
  }
  if (checkOnly) {
    llvm::outs() << spyre::checkText(report);
  }
  if (!isCompiled) {
    return kCompileError;
  }
  if (options.to == spyre::Phase::Emit) {
    if (verbose) {
      printDetails(report);
    }
    llvm::outs() << spyre::summaryText(report);
  }
  return 0;
}
