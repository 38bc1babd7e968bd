// SPDX-License-Identifier: Apache-2.0
//
// The conversion of a plan without its check, and the ops of its weights.
// Private to the export.

#ifndef SPYRE_LIB_EXPORT_LAUNCHPLAN_EXPORTPLAN_H
#define SPYRE_LIB_EXPORT_LAUNCHPLAN_EXPORTPLAN_H

#include "spyre/Dialect/Launch/IR/LaunchOps.h"
#include "spyre/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace spyre {

struct ExportedPlan {
  launch::LaunchPlan plan;
  launch::PlanOp op;
  /// The op of each weight, in the order of plan.weights.
  std::vector<launch::WeightOp> weights;
};

llvm::FailureOr<ExportedPlan> convertPlan(mlir::ModuleOp module,
                                          const target::Target &target);

/// Runs the plan checker; its errors are diagnostics.
llvm::LogicalResult checkExported(const ExportedPlan &exported,
                                  const target::Target &target);

} // namespace spyre

#endif // SPYRE_LIB_EXPORT_LAUNCHPLAN_EXPORTPLAN_H
