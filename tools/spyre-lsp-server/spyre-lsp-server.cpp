// SPDX-License-Identifier: Apache-2.0
//
// Editor support: MLIR's language server with the project's dialects.

#include "spyre/Pipelines/Pipelines.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  spyre::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
