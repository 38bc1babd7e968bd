// SPDX-License-Identifier: Apache-2.0
//
// Dims as exporters write them: a name, a number, or a sum such as
// "past_sequence + 1".

#ifndef SPYRE_LIB_IMPORT_ONNX_LINEARDIM_H
#define SPYRE_LIB_IMPORT_ONNX_LINEARDIM_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace spyre {

/// constant + sum of coefficient * name. Ordered, so that messages are.
struct LinearDim {
  std::map<std::string, int64_t> coefficients;
  int64_t constant = 0;

  /// Reads terms `3`, `name`, `2*name`, `name*2` joined by + and -. A text of
  /// any other form is one name as a whole.
  static LinearDim parse(const std::string &text);
};

/// a + b and a * b, nothing on overflow.
std::optional<int64_t> checkedAdd(int64_t a, int64_t b);
std::optional<int64_t> checkedMul(int64_t a, int64_t b);

} // namespace spyre

#endif // SPYRE_LIB_IMPORT_ONNX_LINEARDIM_H
