// SPDX-License-Identifier: Apache-2.0
//
// The root of the sdsc dialect's TableGen: device programs and kernels.

#ifndef SPYRE_SDSC_OPS
#define SPYRE_SDSC_OPS

include "Sdsc/IR/SdscProgramOps.td"
include "Sdsc/IR/SdscCommandOps.td"
include "Sdsc/IR/SdscKernelOps.td"

#endif // SPYRE_SDSC_OPS
