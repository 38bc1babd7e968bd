// SPDX-License-Identifier: Apache-2.0
//
// Copies of whole tensors between host and device, for arguments and for
// operands of host work: both have shape, layout and deviceType. Private to the
// runtime.

#ifndef SPYRE_LIB_RUNTIME_TENSORCOPIES_H
#define SPYRE_LIB_RUNTIME_TENSORCOPIES_H

#include "LoadParts.h"

#include "spyre/Runtime/Conversion.h"

namespace spyre::rt {

/// The host type that holds every value of a device type.
inline launch::HostType hostTypeOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return launch::HostType::F16;
  case ElementType::BF16:
    return launch::HostType::BF16;
  case ElementType::I32:
    return launch::HostType::I32;
  case ElementType::I8:
  case ElementType::I4:
    return launch::HostType::I8;
  case ElementType::Bool:
    return launch::HostType::Bool;
  case ElementType::F32:
  case ElementType::DL16:
  case ElementType::F8E4M3:
  case ElementType::F8E5M2:
    break;
  }
  return launch::HostType::F32;
}

/// Converts, lays out and copies a host tensor to where a tensor of the plan
/// (an argument or an operand of host work) lies.
template <typename T>
Status copyTensorIn(Device &device, Address to, const T &tensor,
                    launch::HostType type, std::span<const std::byte> host,
                    const std::string &subject) {
  const Expected<std::vector<std::byte>> image = packTensor(
      type, host, tensor.shape, tensor.layout, tensor.deviceType, subject);
  if (!image) {
    return tl::unexpected(image.error());
  }
  return copyImage(device, to, *image, tensor.layout, tensor.shape,
                   tensor.deviceType);
}

/// The reverse.
template <typename T>
Expected<std::vector<std::byte>>
copyTensorOut(Device &device, Address from, const T &tensor,
              launch::HostType type, const std::string &subject) {
  const Expected<int64_t> bytes =
      layout::sizeBytes(tensor.layout, tensor.shape, tensor.deviceType);
  if (!bytes) {
    return tl::unexpected(bytes.error());
  }
  std::vector<std::byte> image(static_cast<size_t>(*bytes));
  const std::vector<uint64_t> required =
      layoutDefinedMask(tensor.layout, tensor.shape, tensor.deviceType);
  if (Status status = device.copyOut(from, image, required); !status) {
    return tl::unexpected(status.error());
  }
  return unpackTensor(tensor.deviceType, image, tensor.shape, tensor.layout,
                      type, subject);
}

} // namespace spyre::rt

#endif // SPYRE_LIB_RUNTIME_TENSORCOPIES_H
