// SPDX-License-Identifier: Apache-2.0

#ifndef SPYRE_SUPPORT_WRITEFILE_H
#define SPYRE_SUPPORT_WRITEFILE_H

#include "spyre/Support/Error.h"

#include <string>
#include <string_view>

namespace spyre {

/// Makes a file of these bytes, in place of what it was. An error has `code`
/// and the reason that the host gives.
Status writeFile(const std::string &path, std::string_view bytes,
                 ErrorCode code);

} // namespace spyre

#endif // SPYRE_SUPPORT_WRITEFILE_H
