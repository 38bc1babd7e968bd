// SPDX-License-Identifier: Apache-2.0
//
// Names and sizes of the launch plan's parts.

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/LaunchPlan/Names.h"

namespace spyre::launch {

std::string_view toString(HostType type) { return nameOf(type); }

int64_t sizeOf(HostType type) {
  switch (type) {
  case HostType::I8:
  case HostType::U8:
  case HostType::Bool:
    return 1;
  case HostType::F16:
  case HostType::BF16:
  case HostType::I16:
    return 2;
  case HostType::F32:
  case HostType::I32:
    return 4;
  case HostType::F64:
  case HostType::I64:
    return 8;
  }
  return 0;
}

std::string_view toString(SegmentKind kind) { return nameOf(kind); }

std::string_view toString(StepKind kind) { return nameOf(kind); }

} // namespace spyre::launch
