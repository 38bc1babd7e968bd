// SPDX-License-Identifier: Apache-2.0
//
// The host functions of launch plans (LaunchPlan/HostFunction.h), on tensors in
// host memory.

#ifndef SPYRE_RUNTIME_HOSTFUNCTIONS_H
#define SPYRE_RUNTIME_HOSTFUNCTIONS_H

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Runtime/HostTensor.h"

namespace spyre::rt {

/// The results of a call that verifyHostCall accepts. The operands have the
/// call's shapes and any element type; what is picked from one keeps that type,
/// positions are i32.
std::vector<HostTensor> runHostCall(const launch::HostCall &call,
                                    const std::vector<HostTensor> &operands);

} // namespace spyre::rt

#endif // SPYRE_RUNTIME_HOSTFUNCTIONS_H
