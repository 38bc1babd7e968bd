// SPDX-License-Identifier: Apache-2.0
//
// The phases of the compiler as pass pipelines. Every phase ends in its
// verifier, so that what a phase hands on is what its contract says.

#ifndef SPYRE_PIPELINES_PIPELINES_H
#define SPYRE_PIPELINES_PIPELINES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <string>

namespace spyre {

/// Options of the phase plan.
struct PlanOptions : mlir::PassPipelineOptions<PlanOptions> {
  Option<std::string> target{
      *this, "target", llvm::cl::init("spyre-32"),
      llvm::cl::desc("target description: a file or a built-in target's name")};
  Option<int64_t> maxCores{
      *this, "max-cores", llvm::cl::init(0),
      llvm::cl::desc("use at most this many cores; 0: all")};
  Option<int64_t> buffers{
      *this, "buffers", llvm::cl::init(0),
      llvm::cl::desc("slots of every staged operand; 0: the planner's choice")};
  Option<bool> residency{
      *this, "residency", llvm::cl::init(true),
      llvm::cl::desc("keep intermediate tensors in LX where they can stay")};
};

/// Options of the phase schedule.
struct ScheduleOptions : mlir::PassPipelineOptions<ScheduleOptions> {
  Option<std::string> target{
      *this, "target", llvm::cl::init("spyre-32"),
      llvm::cl::desc("target description: a file or a built-in target's name")};
  Option<std::string> model{*this, "model", llvm::cl::init(""),
                            llvm::cl::desc("name of the model in the plan")};
};

/// Options of the verifiers whose rules depend on the machine.
struct VerifyOptions : mlir::PassPipelineOptions<VerifyOptions> {
  Option<std::string> target{
      *this, "target", llvm::cl::init("spyre-32"),
      llvm::cl::desc("target description: a file or a built-in target's name")};
};

/// Every dialect that an input of any phase may contain.
void registerDialects(mlir::DialectRegistry &registry);
/// A registry of them, made once.
const mlir::DialectRegistry &allDialects();
/// Every pass of the project and the upstream passes that the pipelines use.
void registerPasses();
/// --spyre-normalize, --spyre-layout, --spyre-plan, --spyre-schedule and the
/// verifiers --spyre-verify-normalize, --spyre-verify-layout,
/// --spyre-verify-plan.
void registerPhasePipelines();

/// linalg, tensor, arith, math -> linalg.generic with f32 accumulation.
void buildNormalizePipeline(mlir::OpPassManager &pm);
/// -> the same ops on tensors with stick layouts, and stick.restickify.
void buildLayoutPipeline(mlir::OpPassManager &pm);
/// -> sdsc kernels with work division, placements and addresses.
void buildPlanPipeline(mlir::OpPassManager &pm, const PlanOptions &options);
/// -> one device program and one launch plan.
void buildSchedulePipeline(mlir::OpPassManager &pm,
                           const ScheduleOptions &options);

} // namespace spyre

#endif // SPYRE_PIPELINES_PIPELINES_H
