// SPDX-License-Identifier: Apache-2.0
//
// What all steps of a plan have in common.

#ifndef SPYRE_LAUNCH_INTERFACES
#define SPYRE_LAUNCH_INTERFACES

include "mlir/IR/OpBase.td"

def Launch_StepInterface : OpInterface<"StepInterface"> {
  let cppNamespace = "::spyre::launch";
  let description = [{
    A step. Verification and export work on its view.
  }];
  let methods = [
    InterfaceMethod<"The step's attributes under their common names.",
                    "::spyre::launch::StepView", "getView">
  ];
}

#endif // SPYRE_LAUNCH_INTERFACES
