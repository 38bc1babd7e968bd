// SPDX-License-Identifier: Apache-2.0
//
// The matrix kernel, compiled for x86-64-v4 (see CMakeLists.txt).

#include "MatrixImpl.h"

namespace spyre::sim {

MatrixKernel matrixKernelV4() { return multiply; }

} // namespace spyre::sim
