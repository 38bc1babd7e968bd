// SPDX-License-Identifier: Apache-2.0

#ifndef SPYRE_DIALECT_SUPPORT_UNIQUENAME_H
#define SPYRE_DIALECT_SUPPORT_UNIQUENAME_H

#include "llvm/ADT/StringSet.h"

#include <string>

namespace spyre {

/// `base`, or `base_1`, `base_2`, ... if that is taken; takes it.
inline std::string uniqueName(llvm::StringSet<> &taken, llvm::StringRef base) {
  std::string name = base.str();
  for (int64_t number = 1; !taken.insert(name).second; ++number) {
    name = base.str() + "_" + std::to_string(number);
  }
  return name;
}

} // namespace spyre

#endif // SPYRE_DIALECT_SUPPORT_UNIQUENAME_H
