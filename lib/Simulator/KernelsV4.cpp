// SPDX-License-Identifier: Apache-2.0
//
// The element kernels, compiled for x86-64-v4 (see CMakeLists.txt).

#include "KernelsImpl.h"

namespace spyre::sim {

ElementKernels elementKernelsV4() { return makeElementKernels(); }

} // namespace spyre::sim
