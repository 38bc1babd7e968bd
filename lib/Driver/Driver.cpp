// SPDX-License-Identifier: Apache-2.0
//
// Parses the source and runs the phases that are asked for, one pass manager
// per phase so that each can be timed and dumped.

#include "spyre/Driver/Driver.h"

#include "Diagnostics.h"
#include "Report.h"
#include "spyre/Conversion/Passes.h"
#include "spyre/Dialect/Launch/IR/LaunchOps.h"
#include "spyre/Dialect/Onnx/Transforms/Passes.h"
#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"
#include "spyre/Export/LaunchPlan/Export.h"
#include "spyre/OnnxFile/Reader.h"
#include "spyre/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/ToolOutputFile.h"

#include <array>
#include <chrono>

using namespace mlir;

namespace spyre {

static constexpr std::array<llvm::StringLiteral, kNumPhases> kPhaseNames = {
    "import", "normalize", "layout", "plan", "schedule", "emit"};

StringRef toString(Phase phase) {
  return kPhaseNames[static_cast<size_t>(phase)];
}

std::optional<Phase> parsePhase(StringRef name) {
  for (size_t i = 0; i < kNumPhases; ++i) {
    if (kPhaseNames[i] == name) {
      return static_cast<Phase>(i);
    }
  }
  return std::nullopt;
}

namespace {

class Compilation {
public:
  Compilation(const CompileOptions &options, llvm::raw_ostream &errors,
              CompileReport &report)
      : options(options), report(report),
        context(allDialects(), MLIRContext::Threading::DISABLED),
        handler(&context, [&errors, &report](Diagnostic &diagnostic) {
          report.problems.push_back(describe(diagnostic));
          print(errors, report.problems.back());
        }) {
    if (options.threads > 1) {
      threads.emplace(llvm::hardware_concurrency(options.threads));
      context.setThreadPool(*threads);
    } else if (options.threads == 0) {
      context.enableMultithreading();
    }
    context.printOpOnDiagnostic(false);
  }

  LogicalResult run(const llvm::MemoryBuffer &source,
                    const std::string &outputPath) {
    report.model = options.modelName;
    report.target = options.target;
    bool isOnnx = options.format == SourceFormat::Onnx;
    auto importStart = std::chrono::steady_clock::now();
    OwningOpRef<ModuleOp> module = isOnnx ? importModel(source) : parse(source);
    if (!module) {
      return failure();
    }
    Phase first = isOnnx         ? Phase::Normalize
                  : options.from ? *options.from
                                 : firstPhase(*module);
    if (isOnnx) {
      noteTime(Phase::Import, importStart);
      if (failed(dump(Phase::Import, *module))) {
        return failure();
      }
    }
    if (first > options.to && options.to != Phase::Import) {
      return emitCoded(*module, ErrorCode::InvalidInput,
                       "the input is that of the phase " + toString(first) +
                           ", which comes after " + toString(options.to),
                       "stop after " + toString(first) +
                           " or later with --compile-to, or give the input of "
                           "an earlier phase");
    }
    // An input that is planned already is described as it is.
    if (first == Phase::Schedule &&
        failed(describePlan(*module, options.target, report))) {
      return failure();
    }
    for (size_t i = static_cast<size_t>(first);
         i <= static_cast<size_t>(options.to); ++i) {
      auto phase = static_cast<Phase>(i);
      auto start = std::chrono::steady_clock::now();
      const LogicalResult ran = runPhase(phase, *module, outputPath);
      if (phase == Phase::Normalize) {
        // If it failed too: what could be converted was.
        describeHostWork(*module, report);
      }
      if (failed(ran)) {
        return failure();
      }
      noteTime(phase, start);
      if (phase == Phase::Layout) {
        countRestickifies(*module, report);
      } else if (phase == Phase::Plan &&
                 failed(describePlan(*module, options.target, report))) {
        return failure();
      }
      if (failed(dump(phase, *module))) {
        return failure();
      }
    }
    if (options.to != Phase::Emit && !outputPath.empty()) {
      return writeModule(*module, outputPath);
    }
    return success();
  }

private:
  OwningOpRef<ModuleOp> parse(const llvm::MemoryBuffer &source) {
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(source.getMemBufferRef(),
                                         /*RequiresNullTerminator=*/false),
        llvm::SMLoc());
    return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  }

  /// Null after a report.
  OwningOpRef<ModuleOp> importModel(const llvm::MemoryBuffer &source) {
    onnxfile::ReadOptions reading;
    reading.allowedExternalDirs = options.externalDataDirs;
    Expected<onnxfile::Model> model =
        onnxfile::parseModel(std::as_bytes(std::span(source.getBufferStart(),
                                                     source.getBufferSize())),
                             options.sourcePath, reading);
    if (!model) {
      OwningOpRef<ModuleOp> nowhere =
          ModuleOp::create(UnknownLoc::get(&context));
      emitCoded(nowhere->getOperation(), model.error());
      return nullptr;
    }
    FailureOr<OwningOpRef<ModuleOp>> module =
        importOnnx(*model, options.import, &context);
    if (failed(module)) {
      return nullptr;
    }
    PassManager pm(&context);
    if (options.floatStorage == FloatStorage::F16) {
      // What is known is computed as the model states it, and rounded once.
      pm.addNestedPass<func::FuncOp>(createFoldOnnxNodesPass());
      pm.addNestedPass<func::FuncOp>(onnx::createStoreFloatsAsF16Pass());
    }
    return failed(pm.run(**module)) ? OwningOpRef<ModuleOp>()
                                    : std::move(*module);
  }

  void noteTime(Phase phase, std::chrono::steady_clock::time_point start) {
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    report.phaseSeconds.emplace_back(toString(phase).str(), elapsed.count());
  }

  /// The first phase whose input the module can be.
  static Phase firstPhase(ModuleOp module) {
    Phase phase = Phase::Normalize;
    module.walk([&](Operation *op) {
      if (isa<launch::PlanOp>(op)) {
        phase = Phase::Emit;
        return WalkResult::interrupt();
      }
      if (isa<sdsc::KernelOp>(op)) {
        phase = Phase::Schedule;
        return WalkResult::interrupt();
      }
      if (llvm::any_of(op->getResultTypes(), [](Type type) {
            return static_cast<bool>(stick::getLayout(type));
          })) {
        phase = Phase::Plan;
      }
      return WalkResult::advance();
    });
    return phase;
  }

  LogicalResult runPhase(Phase phase, ModuleOp module,
                         const std::string &outputPath) {
    PassManager pm(&context);
    switch (phase) {
    case Phase::Import:
      return success(); // Done: the source was the model.
    case Phase::Normalize:
      buildNormalizePipeline(pm);
      break;
    case Phase::Layout:
      buildLayoutPipeline(pm);
      break;
    case Phase::Plan: {
      PlanOptions plan;
      plan.target = options.target;
      plan.residency = options.optimizationLevel > 0;
      buildPlanPipeline(pm, plan);
      break;
    }
    case Phase::Schedule: {
      ScheduleOptions schedule;
      schedule.target = options.target;
      schedule.model = options.modelName;
      buildSchedulePipeline(pm, schedule);
      break;
    }
    case Phase::Emit:
      return emit(module, outputPath);
    }
    return pm.run(module);
  }

  LogicalResult emit(ModuleOp module, const std::string &outputPath) {
    EmitOptions emitOptions;
    emitOptions.target = options.target;
    emitOptions.weights = options.weights;
    emitOptions.weightsFolder = options.weightsFolder;
    return emitArtifact(module, outputPath, emitOptions);
  }

  LogicalResult writeModule(ModuleOp module, const std::string &path) {
    std::string message;
    std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(path, &message);
    if (!file) {
      return emitCoded(module, ErrorCode::CannotWrite, message);
    }
    module.print(file->os(), OpPrintingFlags().enableDebugInfo(true));
    file->os() << "\n";
    file->keep();
    return success();
  }

  LogicalResult dump(Phase phase, ModuleOp module) {
    if (options.dumpFolder.empty() || phase == Phase::Emit) {
      return success();
    }
    if (std::error_code error =
            llvm::sys::fs::create_directories(options.dumpFolder)) {
      return emitCoded(module, ErrorCode::CannotWrite,
                       "cannot create folder \"" + options.dumpFolder +
                           "\": " + error.message());
    }
    std::string name = options.modelName.empty() ? "model" : options.modelName;
    return writeModule(module, options.dumpFolder + "/" + name + "." +
                                   std::to_string(static_cast<int>(phase)) +
                                   "." + toString(phase).str() + ".mlir");
  }

  const CompileOptions &options;
  CompileReport &report;
  /// Outlives the context.
  std::optional<llvm::DefaultThreadPool> threads;
  MLIRContext context;
  ScopedDiagnosticHandler handler;
};

} // namespace

LogicalResult compile(const CompileOptions &options,
                      const llvm::MemoryBuffer &source,
                      const std::string &outputPath, llvm::raw_ostream &errors,
                      CompileReport &report) {
  return Compilation(options, errors, report).run(source, outputPath);
}

} // namespace spyre
