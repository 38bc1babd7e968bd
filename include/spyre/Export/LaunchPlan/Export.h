// SPDX-License-Identifier: Apache-2.0
//
// From the IR of the phase schedule to the launch plan and its artifact. Ops
// map to structs one to one; the plan checker has the last word.

#ifndef SPYRE_EXPORT_LAUNCHPLAN_EXPORT_H
#define SPYRE_EXPORT_LAUNCHPLAN_EXPORT_H

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace spyre {

struct EmitOptions {
  /// A target file or the name of a built-in target.
  std::string target = "spyre-32";
  /// Embedded: the artifact holds the images. External: it names the files;
  /// weights without one (dequantized, or constants of the module) are
  /// embedded. None: it runs with timing only.
  launch::WeightStorage weights = launch::WeightStorage::Embedded;
  /// Folder that the files of weights are relative to.
  std::string weightsFolder = ".";
};

/// The plan of a module that holds one launch.plan and the programs that it
/// names. Footprints that the IR leaves out are computed. A weight's layout is
/// expressed over the dims of the tensor in its file.
llvm::FailureOr<launch::LaunchPlan>
exportLaunchPlan(mlir::ModuleOp module, const target::Target &target,
                 launch::WeightStorage weights);

/// Exports the plan, checks it and writes the artifact; weights are read from
/// their files one at a time. An empty path is nowhere: the plan is checked.
llvm::LogicalResult emitArtifact(mlir::ModuleOp module,
                                 const std::string &outputPath,
                                 const EmitOptions &options = {});

} // namespace spyre

#endif // SPYRE_EXPORT_LAUNCHPLAN_EXPORT_H
