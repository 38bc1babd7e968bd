// SPDX-License-Identifier: Apache-2.0
//
// Types and constants of ONNX in terms of MLIR.

#ifndef SPYRE_LIB_IMPORT_ONNX_VALUES_H
#define SPYRE_LIB_IMPORT_ONNX_VALUES_H

#include "spyre/Import/Onnx/Import.h"
#include "spyre/Support/Error.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace spyre {

/// A dense constant from the bytes of an ONNX tensor, whose size the reader
/// has checked. Equal elements are stored once.
mlir::DenseElementsAttr toDenseElements(mlir::RankedTensorType type,
                                        onnxfile::DataType dataType,
                                        std::span<const std::byte> bytes);

/// Makes constants of a model's tensors.
class ConstantBuilder {
public:
  ConstantBuilder(const onnxfile::Model &model, const ImportOptions &options,
                  mlir::MLIRContext *context);

  /// The tensor as arith.constant if it is small or an integer, otherwise as
  /// stick.weight.
  Expected<mlir::Value> create(mlir::OpBuilder &builder, mlir::Location loc,
                               const onnxfile::Tensor &tensor,
                               const std::string &name) const;

  /// The tensor as an attribute, whatever its size.
  Expected<mlir::DenseElementsAttr>
  createAttribute(const onnxfile::Tensor &tensor,
                  const std::string &name) const;

private:
  Expected<mlir::RankedTensorType> typeOf(const onnxfile::Tensor &tensor,
                                          const std::string &name) const;
  bool isInline(const onnxfile::Tensor &tensor) const;
  std::string relativePath(uint32_t file) const;

  const onnxfile::Model &model;
  const ImportOptions &options;
  mlir::MLIRContext *context;
};

} // namespace spyre

#endif // SPYRE_LIB_IMPORT_ONNX_VALUES_H
