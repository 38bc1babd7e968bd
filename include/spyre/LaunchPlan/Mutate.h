// SPDX-License-Identifier: Apache-2.0
//
// Every place where a plan can be wrong, enumerated from Fields.h: the tests of
// checker and simulator change one at a time and expect to be told.

#ifndef SPYRE_LAUNCHPLAN_MUTATE_H
#define SPYRE_LAUNCHPLAN_MUTATE_H

#include "spyre/LaunchPlan/Fields.h"
#include "spyre/LaunchPlan/LaunchPlan.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace spyre::launch {

/// One scalar field (integer, flag or enum). Refers into the plan: changing
/// the length of any list of the plan invalidates it.
struct FieldRef {
  /// Such as "programs[0].buffers[2].shape[1]".
  std::string path;
  FieldKind kind = FieldKind::Group;
  /// Number of enumerators (2 for a flag), 0 for an integer.
  int64_t numValues = 0;
  std::function<int64_t()> get;
  /// Integers are truncated to the field's width; the value of an enum or flag
  /// must lie in [0, numValues).
  std::function<void(int64_t)> set;
};

/// One list (or optional: a list of at most one), for mutations of structure.
struct ListRef {
  std::string path;
  FieldKind kind = FieldKind::Group;
  std::function<size_t()> size;
  /// Removes the entry; invalidates every other reference into the list.
  std::function<void(size_t)> erase;
  std::function<void(size_t, size_t)> swap;
};

/// In the order of the artifact.
std::vector<FieldRef> enumerateFields(LaunchPlan &plan);
std::vector<FieldRef> enumerateFields(Program &program);
std::vector<ListRef> enumerateLists(LaunchPlan &plan);
std::vector<ListRef> enumerateLists(Program &program);

} // namespace spyre::launch

#endif // SPYRE_LAUNCHPLAN_MUTATE_H
