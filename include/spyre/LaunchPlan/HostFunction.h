// SPDX-License-Identifier: Apache-2.0
//
// What the host functions are called with. Compiler, plan checker and runtime
// share this one description; what a function computes is the runtime's
// business (Runtime/HostFunctions.h).
//
// topk(x) {axis, k, largest}: the k largest (largest = 1) or smallest (0)
// elements of x along `axis`, extreme first, and their positions as i32. Of
// equal elements the one with the least position comes first.

#ifndef SPYRE_LAUNCHPLAN_HOSTFUNCTION_H
#define SPYRE_LAUNCHPLAN_HOSTFUNCTION_H

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Support/Error.h"

#include <span>

namespace spyre::launch {

/// Names of a function's integer attributes, in the order of
/// HostCall::attributes.
std::span<const std::string_view> attributeNames(HostFunction function);

/// Do attributes, and shapes and types of operands and results fit the
/// function? Looks neither at places nor at layouts, so that a graph can ask
/// too. An error of code HostCallMismatch says what does not fit.
Status verifyHostCall(const HostCall &call);

/// "topk(axis=1, k=100, largest=1)".
std::string describe(const HostCall &call);

} // namespace spyre::launch

#endif // SPYRE_LAUNCHPLAN_HOSTFUNCTION_H
