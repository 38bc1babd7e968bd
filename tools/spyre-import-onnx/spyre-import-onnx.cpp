// SPDX-License-Identifier: Apache-2.0
//
// Prints the module that the importer makes of an ONNX file, or what passes
// make of that. For tests and for looking at models; users call spyre-compile.

#include "spyre/Conversion/Passes.h"
#include "spyre/Dialect/Graph/Transforms/Passes.h"
#include "spyre/Import/Onnx/Import.h"
#include "spyre/OnnxFile/Reader.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace spyre;
namespace cl = llvm::cl;

namespace {

struct Flags {
  cl::opt<std::string> input{cl::Positional, cl::desc("model.onnx"),
                             cl::Required};
  cl::opt<std::string> output{"o", cl::desc("output file"), cl::init("-")};
  cl::list<std::string> dims{"dim", cl::desc("NAME=N, a named dim")};
  cl::list<std::string> shapes{"input-shape", cl::desc("NAME:1x128")};
  cl::opt<std::string> passes{"passes", cl::desc("pass pipeline to run")};
  cl::list<std::string> constants{
      "constant-input", cl::desc("NAME=FILE.pb, an input that is constant")};
};

/// The passes of import and normalize.
void registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  graph::registerSpyreGraphPasses();
  mlir::registerPass([] { return createConvertOnnxToLinalgPass(); });
}

int fail(const std::string &text) {
  llvm::errs() << text << "\n";
  return 1;
}

/// Splits at the last separator, so that names may contain it.
std::pair<llvm::StringRef, llvm::StringRef> split(llvm::StringRef text,
                                                  char separator) {
  return text.rsplit(separator);
}

bool parseShape(llvm::StringRef text, std::vector<int64_t> &shape) {
  while (!text.empty()) {
    auto [extent, rest] = text.split('x');
    if (extent.getAsInteger(10, shape.emplace_back())) {
      return false;
    }
    text = rest;
  }
  return true;
}

bool parseOptions(const Flags &flags, ImportOptions &options) {
  for (llvm::StringRef dim : flags.dims) {
    auto [name, number] = split(dim, '=');
    if (number.getAsInteger(10, options.dims[name.str()])) {
      return false;
    }
  }
  for (llvm::StringRef shape : flags.shapes) {
    auto [name, extents] = split(shape, ':');
    if (!parseShape(extents, options.inputShapes[name.str()])) {
      return false;
    }
  }
  return true;
}

/// Reads constant inputs; an error text if that fails.
std::string readConstants(const Flags &flags, ImportOptions &options) {
  for (llvm::StringRef constant : flags.constants) {
    auto [name, path] = split(constant, '=');
    Expected<onnxfile::TensorFile> file = onnxfile::readTensorFile(path.str());
    if (!file) {
      return file.error().str();
    }
    std::span<const std::byte> data = file->data();
    options.constantInputs[name.str()] = {
        file->tensor.dataType, file->tensor.dims, {data.begin(), data.end()}};
  }
  return "";
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerPasses();
  mlir::registerAsmPrinterCLOptions();
  Flags flags;
  cl::ParseCommandLineOptions(argc, argv, "ONNX importer\n");
  ImportOptions options;
  if (!parseOptions(flags, options)) {
    return fail("wrong --dim or --input-shape");
  }
  if (std::string error = readConstants(flags, options); !error.empty()) {
    return fail(error);
  }
  Expected<onnxfile::Model> model = onnxfile::openModel(flags.input);
  if (!model) {
    return fail(model.error().str());
  }
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> module =
      importOnnx(*model, options, &context);
  if (failed(module)) {
    return 1;
  }
  mlir::PassManager manager(&context);
  if ((!flags.passes.empty() &&
       failed(mlir::parsePassPipeline(flags.passes, manager))) ||
      failed(manager.run(**module))) {
    return 1;
  }
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file =
      mlir::openOutputFile(flags.output, &error);
  if (!file) {
    return fail(error);
  }
  (*module)->print(file->os());
  file->keep();
  return 0;
}
