// SPDX-License-Identifier: Apache-2.0
//
// What an output must satisfy. The limits are those that the project promises
// for a kind of test and a precision; how they are measured is Runtime's.

#ifndef SPYRE_TOOLS_SPYRE_CHECK_GATES_H
#define SPYRE_TOOLS_SPYRE_CHECK_GATES_H

#include "spyre/Runtime/Compare.h"

namespace spyre::tools {

struct GateCase {
  /// One of ONNX's node tests rather than a model.
  bool isNodeTest = false;
  /// The model keeps floats in 16 bits, or was compiled so.
  bool isHalfModel = false;
  /// How the device stores the output.
  ElementType deviceType = ElementType::F32;
  /// The output's type in the model.
  launch::HostType outputType = launch::HostType::F32;
};

/// The gates of a float output; other outputs must be equal.
rt::Gates chooseGates(const GateCase &gateCase);

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_CHECK_GATES_H
