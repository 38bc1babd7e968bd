// SPDX-License-Identifier: Apache-2.0
//
// Weights on their way to the device. Embedded images are copied as they are;
// external tensors are read, converted and laid out, one at a time, so that
// memory is bounded by the largest weight. A file name in an artifact is
// untrusted: it may only lead to files below the artifact's folder.

#include "LoadParts.h"

#include "spyre/Runtime/Conversion.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace spyre;
using namespace spyre::rt;
namespace fs = std::filesystem;

namespace {

/// 8 MiB of image and 512 KiB of mask at a time.
constexpr int64_t kSticksPerPiece = 65536;

std::string subjectOf(const launch::Weight &weight) {
  return fmt::format("weight \"{}\"", weight.name);
}

Status checkHash(const launch::Weight &weight,
                 std::span<const std::byte> bytes) {
  const uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  if (hash == weight.hash) {
    return {};
  }
  return makeError(ErrorCode::WeightMismatch, subjectOf(weight),
                   fmt::format("its bytes hash to {:016x}, the plan was made "
                               "for {:016x}",
                               hash, weight.hash));
}

/// True if `path` is `folder` or below it, after resolving links.
bool isInside(const fs::path &path, const fs::path &folder) {
  const auto [end, unused] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

Expected<fs::path> resolvePath(const launch::Weight &weight,
                               const std::string &folder) {
  const fs::path relative(weight.file);
  const bool climbs =
      std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (weight.file.empty() || relative.is_absolute() || climbs ||
      weight.file.find('\0') != std::string::npos) {
    return makeError(
        ErrorCode::UnsafeWeightPath, subjectOf(weight),
        fmt::format("\"{}\" is not a relative path without ..", weight.file));
  }
  std::error_code error;
  const fs::path base = fs::weakly_canonical(folder, error);
  const fs::path path =
      error ? fs::path() : fs::weakly_canonical(base / relative, error);
  if (error || !isInside(path, base)) {
    return makeError(ErrorCode::UnsafeWeightPath, subjectOf(weight),
                     fmt::format("\"{}\" leads outside of folder \"{}\"",
                                 weight.file, folder));
  }
  return path;
}

Expected<std::vector<std::byte>> readRange(const launch::Weight &weight,
                                           const fs::path &path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    return makeError(ErrorCode::WeightMismatch, subjectOf(weight),
                     fmt::format("there is no file \"{}\"", path.string()));
  }
  const uintmax_t size = fs::file_size(path, error);
  const bool fits = !error && weight.fileOffset >= 0 && weight.hostBytes >= 0 &&
                    static_cast<uintmax_t>(weight.fileOffset) <= size &&
                    static_cast<uintmax_t>(weight.hostBytes) <=
                        size - static_cast<uintmax_t>(weight.fileOffset);
  if (!fits) {
    return makeError(
        ErrorCode::WeightMismatch, subjectOf(weight),
        fmt::format("bytes {} to {} of file \"{}\" are needed, it has {}",
                    weight.fileOffset, weight.fileOffset + weight.hostBytes,
                    path.string(),
                    error ? error.message() : fmt::to_string(size)));
  }
  std::vector<std::byte> bytes(static_cast<size_t>(weight.hostBytes));
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(weight.fileOffset);
  stream.read(reinterpret_cast<char *>(bytes.data()), weight.hostBytes);
  if (!stream) {
    return makeError(ErrorCode::WeightMismatch, subjectOf(weight),
                     fmt::format("file \"{}\" cannot be read", path.string()));
  }
  return bytes;
}

Expected<std::vector<std::byte>> layOutExternal(const launch::Weight &weight,
                                                const std::string &folder) {
  const Expected<fs::path> path = resolvePath(weight, folder);
  if (!path) {
    return tl::unexpected(path.error());
  }
  Expected<std::vector<std::byte>> bytes = readRange(weight, *path);
  if (!bytes) {
    return bytes;
  }
  if (Status status = checkHash(weight, *bytes); !status) {
    return tl::unexpected(status.error());
  }
  return packTensor(weight.hostType, *bytes, weight.shape, weight.layout,
                    weight.deviceType, subjectOf(weight));
}

} // namespace

Status rt::copyImage(Device &device, Address to,
                     std::span<const std::byte> image,
                     const layout::StickLayout &layout,
                     std::span<const int64_t> shape, ElementType type) {
  const int64_t sticks = static_cast<int64_t>(image.size()) / kStickBytes;
  for (int64_t first = 0; first < sticks; first += kSticksPerPiece) {
    const int64_t count = std::min(kSticksPerPiece, sticks - first);
    const std::vector<uint64_t> mask =
        layoutDefinedMask(layout, shape, type, first, count);
    const Status status =
        device.copyIn({to.region, to.offset + first * kStickBytes},
                      image.subspan(static_cast<size_t>(first * kStickBytes),
                                    static_cast<size_t>(count * kStickBytes)),
                      mask);
    if (!status) {
      return status;
    }
  }
  return {};
}

Status rt::loadWeights(const launch::Artifact &artifact, const Model &model) {
  const launch::LaunchPlan &plan = model.plan();
  for (uint32_t i = 0; i < plan.weights.size(); ++i) {
    const launch::Weight &weight = plan.weights[i];
    std::vector<std::byte> owned;
    std::span<const std::byte> image;
    if (weight.storage == launch::WeightStorage::None) {
      return makeError(
          ErrorCode::WeightsAbsent, subjectOf(weight),
          fmt::format("none of its {} bytes are stored", weight.sizeBytes));
    }
    if (weight.storage == launch::WeightStorage::External) {
      Expected<std::vector<std::byte>> laidOut =
          layOutExternal(weight, artifact.folder);
      if (!laidOut) {
        return tl::unexpected(laidOut.error());
      }
      owned = std::move(*laidOut);
      image = owned;
    } else {
      image = artifact.weightBytes(i);
      if (Status status = checkHash(weight, image); !status) {
        return status;
      }
    }
    Address to = model.segment(weight.segment);
    to.offset += weight.offset;
    if (Status status = copyImage(model.device(), to, image, weight.layout,
                                  weight.shape, weight.deviceType);
        !status) {
      return status;
    }
  }
  return {};
}
