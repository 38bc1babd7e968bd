// SPDX-License-Identifier: Apache-2.0
//
// The ONNX operators that convert-onnx-to-linalg has decoders for, for
// documentation.

#ifndef SPYRE_CONVERSION_ONNXTOLINALG_SUPPORTEDOPS_H
#define SPYRE_CONVERSION_ONNXTOLINALG_SUPPORTEDOPS_H

#include <cstdint>
#include <string>
#include <vector>

namespace spyre {

/// A decoder serves its operator from opset `since` on, up to the next entry
/// of the operator.
struct SupportedOp {
  /// "" is ai.onnx.
  std::string domain;
  std::string op;
  int64_t since = 1;
  /// Which uses of it are supported, or not; empty: all of them.
  std::string condition;
};

/// All decoders, ordered by domain, operator and version.
std::vector<SupportedOp> supportedOnnxOps();

} // namespace spyre

#endif // SPYRE_CONVERSION_ONNXTOLINALG_SUPPORTEDOPS_H
