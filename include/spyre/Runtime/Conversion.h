// SPDX-License-Identifier: Apache-2.0
//
// The host/device boundary of a tensor: element types are converted and
// elements laid out in sticks (or the reverse) in one place, with every value
// that does not fit an error that names the element.

#ifndef SPYRE_RUNTIME_CONVERSION_H
#define SPYRE_RUNTIME_CONVERSION_H

#include "spyre/Runtime/HostTensor.h"

#include <functional>

namespace spyre::rt {

/// Which parts of each stick of a laid-out tensor carry values: bit i of word
/// s stands for bytes [2i, 2i+2) of stick `firstStick` + s. Elements below two
/// bytes count as present if one of the pair is.
std::vector<uint64_t> layoutDefinedMask(const layout::StickLayout &layout,
                                        std::span<const int64_t> shape,
                                        ElementType type, int64_t firstStick,
                                        int64_t numSticks);
/// The whole tensor.
std::vector<uint64_t> layoutDefinedMask(const layout::StickLayout &layout,
                                        std::span<const int64_t> shape,
                                        ElementType type);

/// True if a tensor of the host type can be stored as the device type.
bool isConvertible(launch::HostType host, ElementType device);

/// Bytes of one dense element on the device; types below a byte have none.
int64_t deviceElementBytes(ElementType type);

/// Dense host elements to dense device elements. Floats round to nearest even;
/// integers out of the device type's range are an error naming the element.
/// `subject` names the tensor in messages.
Expected<std::vector<std::byte>>
convertToDevice(launch::HostType from, std::span<const std::byte> host,
                ElementType to, std::string_view subject);
/// The reverse; values out of the host type's range are an error.
Expected<std::vector<std::byte>>
convertToHost(ElementType from, std::span<const std::byte> device,
              launch::HostType to, std::string_view subject);

/// Takes the pieces of an image in order.
using TakePiece = std::function<Status(std::span<const std::byte> piece)>;

/// Makes the device image of a host tensor, converted and laid out, in pieces
/// of some MiB, so that memory is not bounded by its size. Padding is zero and
/// is left out of layoutDefinedMask.
Status packTensor(launch::HostType hostType, std::span<const std::byte> host,
                  std::span<const int64_t> shape,
                  const layout::StickLayout &layout, ElementType deviceType,
                  std::string_view subject, const TakePiece &take);
/// The whole image.
Expected<std::vector<std::byte>>
packTensor(launch::HostType hostType, std::span<const std::byte> host,
           std::span<const int64_t> shape, const layout::StickLayout &layout,
           ElementType deviceType, std::string_view subject);
/// The host bytes of a device image.
Expected<std::vector<std::byte>>
unpackTensor(ElementType deviceType, std::span<const std::byte> device,
             std::span<const int64_t> shape, const layout::StickLayout &layout,
             launch::HostType hostType, std::string_view subject);

} // namespace spyre::rt

#endif // SPYRE_RUNTIME_CONVERSION_H
