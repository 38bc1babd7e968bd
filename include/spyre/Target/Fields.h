// SPDX-License-Identifier: Apache-2.0
//
// Every value of a target file, described once: its place in the JSON, its
// unit, which values are accepted and the struct member that holds it. Loader,
// canonical form, hash and documentation table are loops over this list, so
// that a new value is one row here and one member in Target.

#ifndef SPYRE_TARGET_FIELDS_H
#define SPYRE_TARGET_FIELDS_H

#include "spyre/Target/Target.h"

#include <span>
#include <variant>

namespace spyre::target {

/// Which numbers a field accepts.
enum class Range : uint8_t {
  Positive = 0,
  NonNegative = 1,
  /// Above 0 and at most 1.
  Fraction = 2,
  /// Any finite number (regression intercepts).
  Any = 3,
  /// Between 1 and 64: core sets are 64-bit masks.
  CoreCount = 4,
};

/// Sets of confidences; bit i stands for enumerator i of Confidence.
inline constexpr uint8_t kAnyConfidence = 0b1111;
/// A regression has been measured by somebody: it cannot be assumed.
inline constexpr uint8_t kMeasuredConfidence = 0b0111;

struct Field {
  /// Group and key in the file, e.g. "cores.numCores".
  std::string_view path;
  std::string_view unit;
  Range range;
  uint8_t confidences;
  std::variant<int64_t Target::*, double Target::*, ElementType Target::*,
               double ReferenceFits::*>
      member;
  /// What the value is, for the documentation table.
  std::string_view meaning;

  std::string_view group() const { return path.substr(0, path.find('.')); }
  std::string_view key() const { return path.substr(path.find('.') + 1); }
};

/// All fields; those of one group are contiguous.
std::span<const Field> fields();

/// "P", "P*", "D", "A".
std::string_view toString(Confidence confidence);

} // namespace spyre::target

#endif // SPYRE_TARGET_FIELDS_H
