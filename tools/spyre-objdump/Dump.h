// SPDX-License-Identifier: Apache-2.0
//
// What spyre-objdump prints of an artifact, as text or JSON.

#ifndef SPYRE_TOOLS_OBJDUMP_DUMP_H
#define SPYRE_TOOLS_OBJDUMP_DUMP_H

#include "spyre/LaunchPlan/Artifact.h"
#include "spyre/Support/Error.h"

#include <string>

namespace spyre::objdump {

struct DumpOptions {
  bool json = false;
  /// header, manifest, plan or weights; empty: everything.
  std::string section;
  /// Only this program; empty: all.
  std::string program;
};

Expected<std::string> dump(const launch::Artifact &artifact,
                           const DumpOptions &options);

} // namespace spyre::objdump

#endif // SPYRE_TOOLS_OBJDUMP_DUMP_H
