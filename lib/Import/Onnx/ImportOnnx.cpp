// SPDX-License-Identifier: Apache-2.0

#include "spyre/Import/Onnx/Import.h"

#include "GraphImporter.h"

#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

#include <filesystem>

using namespace mlir;

namespace spyre {

FailureOr<OwningOpRef<ModuleOp>> importOnnx(const onnxfile::Model &model,
                                            const ImportOptions &options,
                                            MLIRContext *context) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       onnx::OnnxDialect, stick::StickDialect>();
  const std::string file =
      model.files.empty()
          ? std::string("model")
          : std::filesystem::path(model.files.front().path).filename().string();
  OwningOpRef<ModuleOp> module =
      ModuleOp::create(FileLineColLoc::get(context, file, 0, 0));
  GraphImporter importer(model, options, context);
  importer.importMain(*module);
  std::vector<Error> errors = importer.finish();
  for (const Error &error : errors) {
    emitCoded(*module, error);
  }
  if (!errors.empty() || failed(verify(*module))) {
    return failure();
  }
  return module;
}

} // namespace spyre
