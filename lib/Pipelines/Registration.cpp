// SPDX-License-Identifier: Apache-2.0

#include "spyre/Pipelines/Pipelines.h"

#include "spyre/Conversion/Passes.h"
#include "spyre/Dialect/Graph/Transforms/Passes.h"
#include "spyre/Dialect/Launch/IR/LaunchOps.h"
#include "spyre/Dialect/Onnx/IR/Onnx.h"
#include "spyre/Dialect/Onnx/Transforms/Passes.h"
#include "spyre/Dialect/Sdsc/IR/SdscOps.h"
#include "spyre/Dialect/Sdsc/Transforms/Passes.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Stick/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/Passes.h"

namespace spyre {

void registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                  onnx::OnnxDialect, stick::StickDialect, sdsc::SdscDialect,
                  launch::LaunchDialect>();
}

const mlir::DialectRegistry &allDialects() {
  static const mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry dialects;
    registerDialects(dialects);
    return dialects;
  }();
  return registry;
}

void registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  mlir::registerStripDebugInfoPass();
  mlir::registerLinalgPasses();
  graph::registerSpyreGraphPasses();
  onnx::registerSpyreOnnxPasses();
  stick::registerSpyreStickPasses();
  sdsc::registerSpyreSdscPasses();
  registerSpyreConversionPasses();
}

} // namespace spyre
