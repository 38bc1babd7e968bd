// SPDX-License-Identifier: Apache-2.0
//
// The phases of the compiler as pass pipelines. Every phase ends in its
// verifier, so that what a phase hands on is what its contract says.

#ifndef SPYRE_PIPELINES_PIPELINES_H
#define SPYRE_PIPELINES_PIPELINES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace spyre {

/// Every dialect that an input of any phase may contain.
void registerDialects(mlir::DialectRegistry &registry);
/// Every pass of the project and the upstream passes that the pipelines use.
void registerPasses();
/// --spyre-normalize, --spyre-layout, ... and the verifier aliases
/// --spyre-verify-normalize, ...
void registerPhasePipelines();

/// linalg, tensor, arith, math -> linalg.generic with f32 accumulation.
void buildNormalizePipeline(mlir::OpPassManager &pm);

} // namespace spyre

#endif // SPYRE_PIPELINES_PIPELINES_H
