// SPDX-License-Identifier: Apache-2.0
//
// An ordinary mlir-opt with the project's dialects, passes and phase
// pipelines.

#include "spyre/Pipelines/Pipelines.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  spyre::registerDialects(registry);
  spyre::registerPasses();
  spyre::registerPhasePipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Spyre optimizer driver\n", registry));
}
