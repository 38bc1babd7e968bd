// SPDX-License-Identifier: Apache-2.0
//
// The matrix kernel, compiled for x86-64-v2 (see CMakeLists.txt).

#include "MatrixImpl.h"

namespace spyre::sim {

MatrixKernel matrixKernelV2() { return multiply; }

} // namespace spyre::sim
