// SPDX-License-Identifier: Apache-2.0
//
// Tensors in files: NumPy's .npy and ONNX's TensorProto (.pb). Both readers
// take untrusted bytes: sizes are checked against what is there before
// anything is allocated.

#ifndef SPYRE_RUNTIME_TENSORFILE_H
#define SPYRE_RUNTIME_TENSORFILE_H

#include "spyre/Runtime/HostTensor.h"

namespace spyre::rt {

/// Parses a .npy file (format versions 1 to 3, little-endian). Fortran order
/// is converted to row-major; `<V2` is bf16, as ml_dtypes writes it. `origin`
/// names the source in messages.
Expected<HostTensor> parseNpy(std::span<const std::byte> file,
                              std::string_view origin);
/// The bytes of a version 1 .npy file.
std::vector<std::byte> formatNpy(const HostTensor &tensor);

/// Parses a serialised onnx.TensorProto (raw or typed data, not external).
Expected<HostTensor> parseTensorProto(std::span<const std::byte> file,
                                      std::string_view origin);

/// Reads a .npy or .pb file, by its ending.
Expected<HostTensor> readTensorFile(const std::string &path);
Status writeNpyFile(const std::string &path, const HostTensor &tensor);

} // namespace spyre::rt

#endif // SPYRE_RUNTIME_TENSORFILE_H
