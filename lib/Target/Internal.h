// SPDX-License-Identifier: Apache-2.0
//
// What the files of this library share.

#ifndef SPYRE_LIB_TARGET_INTERNAL_H
#define SPYRE_LIB_TARGET_INTERNAL_H

#include "spyre/Target/Target.h"

#include <span>

namespace spyre::target::detail {

struct BuiltinText {
  std::string_view name;
  std::string_view json;
};
/// The target files of this folder, embedded.
std::span<const BuiltinText> builtinTexts();

/// Appends one error for each pair of values that contradict each other.
void checkConsistency(const Target &target, std::vector<Error> &errors);

/// xxh3-64 of the canonical form.
uint64_t hashOf(const Target &target);

} // namespace spyre::target::detail

#endif // SPYRE_LIB_TARGET_INTERNAL_H
