// SPDX-License-Identifier: Apache-2.0
//
// From an ONNX model to a module of onnx nodes. All dims of the inputs have
// numbers afterwards, functions of the model are inlined, constants stand in
// the IR (small) or are references into the model's files. Everything that is
// wrong is reported, not the first thing only.

#ifndef SPYRE_IMPORT_ONNX_IMPORT_H
#define SPYRE_IMPORT_ONNX_IMPORT_H

#include "spyre/OnnxFile/Model.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>
#include <vector>

namespace spyre {

/// The value of an input that is known when compiling: dense little-endian
/// data as in onnxfile::Tensor.
struct ConstantInput {
  onnxfile::DataType dataType = onnxfile::DataType::Undefined;
  std::vector<int64_t> dims;
  std::vector<std::byte> bytes;
};

struct ImportOptions {
  /// Numbers for named dims, by name; a name may be a sum such as "past + 1".
  std::map<std::string, int64_t> dims;
  /// Shapes of inputs, by name. They bind the names of the input's dims.
  std::map<std::string, std::vector<int64_t>> inputShapes;
  /// Inputs that become constants and leave the signature.
  std::map<std::string, ConstantInput> constantInputs;
  /// Constants above this size are references, not values.
  int64_t maxInlineBytes = 4096;
  /// The same for integers of more than 8 bits and bools, which shapes, indices
  /// and masks are made of.
  int64_t maxInlineIntegerBytes = int64_t{1} << 20;
};

/// Imports a model that onnxfile::openModel or parseModel accepted, as
/// `func.func @main`: its arguments are the graph's inputs in order without
/// those that are initializers or constant inputs; `spyre.name` names arguments
/// and results. `stick.weight` names files relative to the folder of the model.
/// Reports through the context's diagnostics: OnnxUnboundDim, OnnxBadBinding,
/// OnnxAttribute, OnnxValueType.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnx(const onnxfile::Model &model, const ImportOptions &options,
           mlir::MLIRContext *context);

} // namespace spyre

#endif // SPYRE_IMPORT_ONNX_IMPORT_H
