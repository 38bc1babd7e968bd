// SPDX-License-Identifier: Apache-2.0
//
// The Chrome trace of one launch, for Perfetto and chrome://tracing: one track
// per stream and one per core and unit; slices of a track never overlap.

#ifndef SPYRE_TOOLS_SPYRE_RUN_TRACE_H
#define SPYRE_TOOLS_SPYRE_RUN_TRACE_H

#include "spyre/Runtime/Runtime.h"

#include <string>

namespace spyre::tools {

std::string formatChromeTrace(const rt::Model &model,
                              const rt::LaunchStats &stats);

/// For aiu-trace-analyzer.
std::string formatAnalyserTrace(const rt::Model &model,
                                const rt::LaunchStats &stats);

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_RUN_TRACE_H
