// SPDX-License-Identifier: Apache-2.0

#include "spyre/Pipelines/Pipelines.h"

#include "spyre/Conversion/Passes.h"
#include "spyre/Dialect/Graph/Transforms/Passes.h"
#include "spyre/Dialect/Onnx/Transforms/Passes.h"
#include "spyre/Dialect/Sdsc/Transforms/Passes.h"
#include "spyre/Dialect/Stick/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace spyre {

void buildNormalizePipeline(OpPassManager &pm) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createFoldOnnxNodesPass());
  func.addPass(onnx::createMergeNodesPass());
  func.addPass(createCSEPass());
  func.addPass(createConvertOnnxToLinalgPass());
  func.addPass(graph::createNarrowTypesPass());
  func.addPass(graph::createDropEmptyTensorsPass());
  func.addPass(graph::createFlattenGathersPass());
  func.addPass(graph::createDecomposeSoftmaxPass());
  func.addPass(graph::createGeneralizeNamedOpsPass());
  func.addPass(graph::createWidenArithmeticPass());
  func.addPass(graph::createFuseElementwisePass());
  func.addPass(createCanonicalizerPass());
  func.addPass(createCSEPass());
  pm.addPass(graph::createOutlineConstantsPass());
  pm.addNestedPass<func::FuncOp>(graph::createVerifyNormalizedPass());
}

void buildLayoutPipeline(OpPassManager &pm) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(stick::createInlineCompositePass());
  func.addPass(stick::createAssignLayoutsPass());
  func.addPass(createCSEPass());
  func.addPass(stick::createVerifyLaidOutPass());
}

void buildPlanPipeline(OpPassManager &pm, const PlanOptions &options) {
  OpPassManager &func = pm.nest<func::FuncOp>();
  func.addPass(createConvertLinalgToSdscPass());
  func.addPass(sdsc::createDivideWorkPass(
      {options.target, options.maxCores, options.buffers}));
  func.addPass(
      sdsc::createPlaceTensorsPass({options.target, options.residency}));
  func.addPass(sdsc::createAllocateScratchpadPass({options.target}));
  func.addPass(sdsc::createVerifyPlannedPass({options.target}));
}

void buildSchedulePipeline(OpPassManager &pm, const ScheduleOptions &options) {
  pm.addPass(createConvertSdscToLaunchPass({options.target, options.model}));
  pm.addPass(createVerifyScheduledPass({options.target}));
}

void registerPhasePipelines() {
  PassPipelineRegistration<>(
      "spyre-normalize",
      "Phase normalize: the graph as linalg.generic with f32 accumulation",
      buildNormalizePipeline);
  PassPipelineRegistration<>("spyre-layout",
                             "Phase layout: a stick layout for every tensor",
                             buildLayoutPipeline);
  PassPipelineRegistration<PlanOptions>(
      "spyre-plan", "Phase plan: kernels, work division, residency, addresses",
      buildPlanPipeline);
  PassPipelineRegistration<ScheduleOptions>(
      "spyre-schedule", "Phase schedule: the device program and launch plan",
      buildSchedulePipeline);

  PassPipelineRegistration<>(
      "spyre-verify-normalize", "Verify what the phase normalize hands on",
      [](OpPassManager &pm) {
        pm.addNestedPass<func::FuncOp>(graph::createVerifyNormalizedPass());
      });
  PassPipelineRegistration<>(
      "spyre-verify-layout", "Verify what the phase layout hands on",
      [](OpPassManager &pm) {
        pm.addNestedPass<func::FuncOp>(stick::createVerifyLaidOutPass());
      });
  PassPipelineRegistration<VerifyOptions>(
      "spyre-verify-plan", "Verify what the phase plan hands on",
      [](OpPassManager &pm, const VerifyOptions &options) {
        pm.addNestedPass<func::FuncOp>(
            sdsc::createVerifyPlannedPass({options.target}));
      });
  PassPipelineRegistration<VerifyOptions>(
      "spyre-verify-schedule", "Verify what the phase schedule hands on",
      [](OpPassManager &pm, const VerifyOptions &options) {
        pm.addPass(createVerifyScheduledPass({options.target}));
      });
}

} // namespace spyre
