// SPDX-License-Identifier: Apache-2.0
//
// Enumerations of the launch plan as attribute parameters of dialects: parsed
// and printed by the names of spyre/LaunchPlan/Names.h, so that the text of the
// IR, of the artifact and of messages cannot differ.

#ifndef SPYRE_DIALECT_SUPPORT_PLANENUM_H
#define SPYRE_DIALECT_SUPPORT_PLANENUM_H

#include "spyre/LaunchPlan/Names.h"

#include "mlir/IR/OpImplementation.h"

namespace spyre {

inline llvm::StringRef toStringRef(std::string_view text) {
  return llvm::StringRef(text.data(), text.size());
}

/// The keyword of an enumerator.
template <typename E> llvm::StringRef planEnumName(E value) {
  return toStringRef(launch::nameOf(value));
}

/// Parses the keyword of an enumerator; the error lists all of them.
template <typename E>
mlir::FailureOr<E> parsePlanEnum(mlir::AsmParser &parser) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef keyword;
  if (failed(parser.parseKeyword(&keyword))) {
    return mlir::failure();
  }
  std::optional<E> value =
      launch::parseName<E>(std::string_view(keyword.data(), keyword.size()));
  if (value) {
    return *value;
  }
  mlir::InFlightDiagnostic diag = parser.emitError(loc)
                                  << "unknown keyword '" << keyword
                                  << "', expected one of";
  for (std::string_view name : launch::enumNames<E>) {
    diag << " " << toStringRef(name);
  }
  return diag;
}

/// Parses the keyword of an enumerator if the next token is one of `E`'s.
template <typename E>
std::optional<E> parseOptionalPlanEnum(mlir::AsmParser &parser) {
  for (size_t index = 0; index < launch::enumNames<E>.size(); ++index) {
    if (succeeded(parser.parseOptionalKeyword(
            toStringRef(launch::enumNames<E>[index])))) {
      return static_cast<E>(index);
    }
  }
  return std::nullopt;
}

} // namespace spyre

#endif // SPYRE_DIALECT_SUPPORT_PLANENUM_H
