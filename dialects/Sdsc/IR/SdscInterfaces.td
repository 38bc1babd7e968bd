// SPDX-License-Identifier: Apache-2.0
//
// What all commands of a device program have in common.

#ifndef SPYRE_SDSC_INTERFACES
#define SPYRE_SDSC_INTERFACES

include "mlir/IR/OpBase.td"

def Sdsc_CommandInterface : OpInterface<"CommandInterface"> {
  let cppNamespace = "::spyre::sdsc";
  let description = [{
    A command of a unit's list. Verification and export work on its view, so
    that neither needs a case per operation.
  }];
  let methods = [
    InterfaceMethod<"The command's attributes under their common names.",
                    "::spyre::sdsc::CommandView", "getView">
  ];
}

#endif // SPYRE_SDSC_INTERFACES
