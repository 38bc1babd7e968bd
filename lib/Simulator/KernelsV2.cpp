// SPDX-License-Identifier: Apache-2.0
//
// The element kernels, compiled for x86-64-v2 (see CMakeLists.txt).

#include "KernelsImpl.h"

namespace spyre::sim {

ElementKernels elementKernelsV2() { return makeElementKernels(); }

} // namespace spyre::sim
