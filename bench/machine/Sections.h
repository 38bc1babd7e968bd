// SPDX-License-Identifier: Apache-2.0
//
// The sections of bench-machine, by what runs in them.

#ifndef SPYRE_BENCH_MACHINE_SECTIONS_H
#define SPYRE_BENCH_MACHINE_SECTIONS_H

#include "Anchors.h"

namespace spyre::bench {

/// Elementwise kernels, restickify, softmax, relayout, launches.
std::vector<Section> kernelSections();

} // namespace spyre::bench

#endif // SPYRE_BENCH_MACHINE_SECTIONS_H
