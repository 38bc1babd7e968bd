// SPDX-License-Identifier: Apache-2.0
//
// Chooses the kernels of the host's level.

#include "Kernels.h"

namespace spyre::sim {
namespace {

int hostLevel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool isV3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  bool isV4 = isV3 && __builtin_cpu_supports("avx512f") &&
              __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") &&
              __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl");
  return isV4 ? 4 : isV3 ? 3 : 2;
#else
  return 2;
#endif
}

} // namespace

const ElementKernels &elementKernels() {
  static const ElementKernels chosen = hostLevel() == 4   ? elementKernelsV4()
                                       : hostLevel() == 3 ? elementKernelsV3()
                                                          : elementKernelsV2();
  return chosen;
}

MatrixKernel matrixKernel() {
  static const MatrixKernel chosen = hostLevel() == 4   ? matrixKernelV4()
                                     : hostLevel() == 3 ? matrixKernelV3()
                                                        : matrixKernelV2();
  return chosen;
}

} // namespace spyre::sim
