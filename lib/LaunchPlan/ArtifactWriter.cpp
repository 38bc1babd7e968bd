// SPDX-License-Identifier: Apache-2.0
//
// The writer of artifacts. The sizes of manifest and plan do not depend on the
// weights' hashes, so that their room is known before the weights stream
// through; both are written last, with the hashes filled in.

#include "ArtifactFormat.h"

#include "spyre/LaunchPlan/Serialize.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

namespace spyre::launch {
namespace {

tl::unexpected<Error> writeError(const std::string &path,
                                 const std::string &message) {
  return makeError(ErrorCode::ArtifactWrite, fmt::format("file \"{}\"", path),
                   message);
}

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// A new file beside the final one. Removed unless committed.
class TemporaryFile {
public:
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  explicit TemporaryFile(const std::string &path) : finalPath(path) {}

  ~TemporaryFile() {
    if (descriptor >= 0) {
      close(descriptor);
      unlink(temporaryPath.c_str());
    }
  }

  Status create() {
    struct stat info = {};
    if (stat(finalPath.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
      return writeError(finalPath, "it exists and is not a regular file");
    }
    // Unique among threads and processes; a stale file of a killed process is
    // stepped over.
    static std::atomic<uint64_t> counter = 0;
    for (int attempt = 0; attempt < 100 && descriptor < 0; ++attempt) {
      temporaryPath =
          fmt::format("{}.{}-{}.tmp", finalPath, getpid(), counter++);
      descriptor = open(temporaryPath.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor < 0 && errno != EEXIST) {
        break;
      }
    }
    if (descriptor < 0) {
      return writeError(finalPath, std::strerror(errno));
    }
    return {};
  }

  Status writeAt(uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(),
                               static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written <= 0) {
        return writeError(finalPath, written < 0 ? std::strerror(errno)
                                                 : "the file does not grow");
      }
      bytes = bytes.subspan(static_cast<size_t>(written));
      offset += static_cast<uint64_t>(written);
    }
    return {};
  }

  /// Gives the file its size (gaps read as zeros) and its final name.
  Status commit(uint64_t fileBytes) {
    if (ftruncate(descriptor, static_cast<off_t>(fileBytes)) != 0) {
      return writeError(finalPath, std::strerror(errno));
    }
    int closing = descriptor;
    descriptor = -1;
    if (close(closing) != 0 ||
        rename(temporaryPath.c_str(), finalPath.c_str()) != 0) {
      int failure = errno;
      unlink(temporaryPath.c_str());
      return writeError(finalPath, std::strerror(failure));
    }
    return {};
  }

private:
  std::string finalPath;
  std::string temporaryPath;
  int descriptor = -1;
};

/// xxh3-64 of a stream.
class StreamHash {
public:
  StreamHash() { XXH3_64bits_reset(&state); }
  void update(std::span<const std::byte> bytes) {
    XXH3_64bits_update(&state, bytes.data(), bytes.size());
  }
  void updateZeros(uint64_t count) {
    static constexpr std::array<std::byte, kWeightAlignment> zeros = {};
    while (count > 0) {
      size_t piece =
          static_cast<size_t>(std::min<uint64_t>(count, zeros.size()));
      update(std::span(zeros).first(piece));
      count -= piece;
    }
  }
  uint64_t value() const { return XXH3_64bits_digest(&state); }

private:
  XXH3_state_t state;
};

/// Writes one weight image to its place, hashing it for the weight and for the
/// section.
class WeightSink final : public ByteSink {
public:
  WeightSink(TemporaryFile &file, uint64_t offset, const Weight &weight,
             StreamHash &sectionHash)
      : file(file), offset(offset), weight(weight), sectionHash(sectionHash) {}

  Status write(std::span<const std::byte> bytes) override {
    uint64_t expected = static_cast<uint64_t>(weight.sizeBytes);
    if (bytes.size() > expected - written) {
      return countError(written + bytes.size());
    }
    Status status = file.writeAt(offset + written, bytes);
    if (status) {
      written += bytes.size();
      hash.update(bytes);
      sectionHash.update(bytes);
    }
    return status;
  }

  Status finish() const {
    if (written != static_cast<uint64_t>(weight.sizeBytes)) {
      return countError(written);
    }
    return {};
  }

  uint64_t hashValue() const { return hash.value(); }

private:
  Status countError(uint64_t found) const {
    return makeError(ErrorCode::ArtifactWeightBytes,
                     fmt::format("weight \"{}\"", weight.name),
                     fmt::format("{} bytes are provided, the plan says {}",
                                 found, weight.sizeBytes));
  }

  TemporaryFile &file;
  uint64_t offset;
  const Weight &weight;
  StreamHash &sectionHash;
  StreamHash hash;
  uint64_t written = 0;
};

/// Gives every embedded weight its place; returns the section's length.
Expected<uint64_t> placeWeights(LaunchPlan &plan) {
  // Far below what off_t holds, so that no sum below can overflow.
  constexpr uint64_t maximum = uint64_t{1} << 60;
  uint64_t end = 0;
  for (Weight &weight : plan.weights) {
    if (weight.storage != WeightStorage::Embedded) {
      continue;
    }
    uint64_t start = alignUp(end, kWeightAlignment);
    if (weight.sizeBytes < 0 ||
        static_cast<uint64_t>(weight.sizeBytes) > maximum - start) {
      return makeError(
          ErrorCode::ArtifactWeightBytes,
          fmt::format("weight \"{}\"", weight.name),
          fmt::format("a size of {} bytes after {} bytes is out of range",
                      weight.sizeBytes, start));
    }
    weight.fileOffset = static_cast<int64_t>(start);
    weight.hash = 0;
    end = start + static_cast<uint64_t>(weight.sizeBytes);
  }
  return end;
}

Status streamWeights(LaunchPlan &plan, TemporaryFile &file,
                     SectionRecord &section, const WeightProvider &provider) {
  StreamHash sectionHash;
  uint64_t end = 0;
  for (uint32_t index = 0; index < plan.weights.size(); ++index) {
    Weight &weight = plan.weights[index];
    if (weight.storage != WeightStorage::Embedded) {
      continue;
    }
    uint64_t start = static_cast<uint64_t>(weight.fileOffset);
    sectionHash.updateZeros(start - end);
    WeightSink sink(file, section.offset + start, weight, sectionHash);
    Status status = provider ? provider(index, sink) : Status();
    if (status) {
      status = sink.finish();
    }
    if (!status) {
      return status;
    }
    weight.hash = sink.hashValue();
    end = start + static_cast<uint64_t>(weight.sizeBytes);
  }
  section.hash = sectionHash.value();
  return {};
}

Status writeSection(TemporaryFile &file, SectionRecord &section,
                    std::span<const std::byte> bytes) {
  section.hash = XXH3_64bits(bytes.data(), bytes.size());
  return file.writeAt(section.offset, bytes);
}

} // namespace

Status writeArtifact(const LaunchPlan &original, const std::string &path,
                     const WeightProvider &provider) {
  LaunchPlan plan = original;
  Expected<uint64_t> weightBytes = placeWeights(plan);
  if (!weightBytes) {
    return tl::unexpected<Error>(weightBytes.error());
  }
  FrontMatter front;
  const std::array<uint64_t, kNumSectionKinds> lengths = {
      dumpJson(manifestOf(plan)).size(), encodePlan(plan).size(), *weightBytes};
  uint64_t end = sizeof(front);
  for (uint32_t kind = 0; kind < kNumSectionKinds; ++kind) {
    SectionRecord &section = front.sections[kind];
    section.kind = kind;
    section.length = lengths[kind];
    section.offset = alignUp(end, alignmentOf(kind, section.length));
    end = section.offset + section.length;
  }
  front.header.fileBytes = end;

  TemporaryFile file(path);
  Status status = file.create();
  if (status) {
    status = streamWeights(
        plan, file, front.sections[static_cast<size_t>(SectionKind::Weights)],
        provider);
  }
  if (status) {
    std::string manifest = dumpJson(manifestOf(plan));
    status = writeSection(
        file, front.sections[static_cast<size_t>(SectionKind::Manifest)],
        std::as_bytes(std::span(manifest)));
  }
  if (status) {
    status = writeSection(
        file, front.sections[static_cast<size_t>(SectionKind::Plan)],
        encodePlan(plan));
  }
  if (status) {
    front.header.hash = hashOf(front);
    status = file.writeAt(0, std::as_bytes(std::span(&front, 1)));
  }
  return status ? file.commit(end) : status;
}

} // namespace spyre::launch
