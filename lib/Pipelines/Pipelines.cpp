// SPDX-License-Identifier: Apache-2.0

#include "spyre/Pipelines/Pipelines.h"

#include "spyre/Dialect/Graph/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace spyre {

void buildNormalizePipeline(OpPassManager &pm) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(graph::createDecomposeSoftmaxPass());
  func.addPass(createLinalgGeneralizeNamedOpsPass());
  func.addPass(graph::createWidenArithmeticPass());
  func.addPass(graph::createFuseElementwisePass());
  func.addPass(createCanonicalizerPass());
  func.addPass(createCSEPass());
  func.addPass(graph::createVerifyNormalizedPass());
}

void registerPhasePipelines() {
  PassPipelineRegistration<>("spyre-normalize",
                             "Phase normalize: the graph as linalg.generic "
                             "with f32 accumulation",
                             [](OpPassManager &pm) { buildNormalizePipeline(pm); });
}

} // namespace spyre
