// SPDX-License-Identifier: Apache-2.0
//
// The reader of artifacts. Nothing of the file is believed before it is
// checked: each step below only uses what the steps before have established.

#include "ArtifactFormat.h"

#include "spyre/LaunchPlan/Serialize.h"
#include "spyre/Support/MappedFile.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace spyre::launch {

std::string_view toString(SectionKind kind) {
  switch (kind) {
  case SectionKind::Manifest:
    return "manifest";
  case SectionKind::Plan:
    return "plan";
  case SectionKind::Weights:
    return "weights";
  }
  return "unknown";
}

uint64_t hashOf(FrontMatter frontMatter) {
  frontMatter.header.hash = 0;
  return XXH3_64bits(&frontMatter, sizeof(frontMatter));
}

std::span<const std::byte> Artifact::weightBytes(uint32_t weightIndex) const {
  if (weightIndex >= plan.weights.size() ||
      plan.weights[weightIndex].storage != WeightStorage::Embedded) {
    return {};
  }
  const Weight &weight = plan.weights[weightIndex];
  return weightSection.subspan(static_cast<size_t>(weight.fileOffset),
                               static_cast<size_t>(weight.sizeBytes));
}

namespace {

/// Magic, version and the size of the front matter.
Expected<FrontMatter> readFrontMatter(std::span<const std::byte> bytes,
                                      const std::string &subject) {
  size_t magicBytes = std::min(bytes.size(), kMagic.size());
  if (bytes.empty() ||
      std::memcmp(bytes.data(), kMagic.data(), magicBytes) != 0) {
    return makeError(ErrorCode::ArtifactMagic, subject,
                     bytes.empty() ? "the file is empty"
                                   : "the first 8 bytes are not those of a "
                                     "launch plan");
  }
  FrontMatter front;
  if (bytes.size() < sizeof(HeaderRecord)) {
    return makeError(ErrorCode::ArtifactSection, subject,
                     fmt::format("the header has {} bytes, the file only {}",
                                 sizeof(HeaderRecord), bytes.size()));
  }
  std::memcpy(&front.header, bytes.data(), sizeof(HeaderRecord));
  if (front.header.major != kFormatMajor || front.header.minor > kFormatMinor) {
    return makeError(ErrorCode::ArtifactVersion, subject,
                     fmt::format("the file has format {}.{}, this build reads "
                                 "{}.0 to {}.{}",
                                 front.header.major, front.header.minor,
                                 kFormatMajor, kFormatMajor, kFormatMinor));
  }
  if (front.header.numSections != kNumSectionKinds) {
    return makeError(ErrorCode::ArtifactSection, subject,
                     fmt::format("{} sections are announced, expected {}",
                                 front.header.numSections, kNumSectionKinds));
  }
  if (bytes.size() < sizeof(front)) {
    return makeError(
        ErrorCode::ArtifactSection, subject,
        fmt::format("header and section table have {} bytes, the file only {}",
                    sizeof(front), bytes.size()));
  }
  std::memcpy(&front, bytes.data(), sizeof(front));
  if (front.header.fileBytes != bytes.size()) {
    return makeError(ErrorCode::ArtifactSection, subject,
                     fmt::format("the header announces {} bytes, the file has "
                                 "{}",
                                 front.header.fileBytes, bytes.size()));
  }
  if (hashOf(front) != front.header.hash) {
    return makeError(ErrorCode::ArtifactHash, subject,
                     fmt::format("the header's hash is {:016x}, its content "
                                 "gives {:016x}",
                                 front.header.hash, hashOf(front)));
  }
  return front;
}

/// Each section lies, aligned and in order, in the file, and only zeros lie
/// between sections.
Status verifySections(const FrontMatter &front,
                      std::span<const std::byte> bytes,
                      const std::string &subject) {
  uint64_t end = sizeof(FrontMatter);
  for (uint32_t kind = 0; kind < kNumSectionKinds; ++kind) {
    const SectionRecord &section = front.sections[kind];
    std::string_view name = toString(static_cast<SectionKind>(kind));
    if (section.kind != kind || section.reserved != 0) {
      return makeError(ErrorCode::ArtifactSection, subject,
                       fmt::format("section {} has kind {}, expected {} ({})",
                                   kind, section.kind, kind, name));
    }
    if (section.length > bytes.size() ||
        section.offset > bytes.size() - section.length) {
      return makeError(
          ErrorCode::ArtifactSection, subject,
          fmt::format("section \"{}\" has {} bytes at offset {}, the file has "
                      "{} bytes",
                      name, section.length, section.offset, bytes.size()));
    }
    uint64_t alignment = alignmentOf(kind, section.length);
    if (section.offset < end || section.offset % alignment != 0 ||
        section.offset - end >= alignment) {
      return makeError(
          ErrorCode::ArtifactSection, subject,
          fmt::format("section \"{}\" starts at {}, expected the next multiple "
                      "of {} from {}",
                      name, section.offset, alignment, end));
    }
    std::span<const std::byte> gap = bytes.subspan(end, section.offset - end);
    if (std::any_of(gap.begin(), gap.end(),
                    [](std::byte byte) { return byte != std::byte{0}; })) {
      return makeError(ErrorCode::ArtifactHash, subject,
                       fmt::format("bytes {} to {} before section \"{}\" are "
                                   "not zero",
                                   end, section.offset, name));
    }
    end = section.offset + section.length;
  }
  if (end != bytes.size()) {
    return makeError(ErrorCode::ArtifactSection, subject,
                     fmt::format("the last section ends at {}, the file at {}",
                                 end, bytes.size()));
  }
  return {};
}

Status verifyHash(const Section &section, std::span<const std::byte> content,
                  const std::string &subject) {
  uint64_t hash = XXH3_64bits(content.data(), content.size());
  if (hash != section.hash) {
    return makeError(ErrorCode::ArtifactHash, subject,
                     fmt::format("the hash of section \"{}\" is {:016x}, its "
                                 "content gives {:016x}",
                                 toString(section.kind), section.hash, hash));
  }
  return {};
}

/// Every embedded weight lies, aligned, inside the weight section.
Status verifyWeightRanges(const Artifact &artifact) {
  uint64_t available = artifact.weightSection.size();
  for (const Weight &weight : artifact.plan.weights) {
    if (weight.storage != WeightStorage::Embedded) {
      continue;
    }
    uint64_t offset = static_cast<uint64_t>(weight.fileOffset);
    uint64_t length = static_cast<uint64_t>(weight.sizeBytes);
    if (weight.fileOffset < 0 || weight.sizeBytes < 0 || length > available ||
        offset > available - length) {
      return makeError(
          ErrorCode::ArtifactWeight, fmt::format("weight \"{}\"", weight.name),
          fmt::format("it has {} bytes at offset {}, the weight section has {} "
                      "bytes",
                      weight.sizeBytes, weight.fileOffset, available));
    }
    if (offset % kWeightAlignment != 0) {
      return makeError(ErrorCode::ArtifactWeight,
                       fmt::format("weight \"{}\"", weight.name),
                       fmt::format("its offset {} is not a multiple of {}",
                                   weight.fileOffset, kWeightAlignment));
    }
  }
  return {};
}

std::string fileSubject(const std::string &path) {
  return fmt::format("file \"{}\"", path);
}

} // namespace

Expected<Artifact> parseArtifact(std::span<const std::byte> bytes,
                                 const std::string &origin,
                                 const ReadOptions &options) {
  std::string subject = fileSubject(origin);
  Expected<FrontMatter> front = readFrontMatter(bytes, subject);
  if (!front) {
    return tl::unexpected<Error>(front.error());
  }
  Status status = verifySections(*front, bytes, subject);
  if (!status) {
    return tl::unexpected<Error>(status.error());
  }
  Artifact artifact;
  artifact.major = front->header.major;
  artifact.minor = front->header.minor;
  std::span<const std::byte> planBytes;
  for (const SectionRecord &record : front->sections) {
    Section section{static_cast<SectionKind>(record.kind), record.offset,
                    record.length, record.hash};
    std::span<const std::byte> content =
        bytes.subspan(section.offset, section.length);
    artifact.sections.push_back(section);
    if (section.kind == SectionKind::Manifest) {
      artifact.manifest = {reinterpret_cast<const char *>(content.data()),
                           content.size()};
    } else if (section.kind == SectionKind::Plan) {
      planBytes = content;
    } else {
      artifact.weightSection = content;
    }
    if (section.kind != SectionKind::Weights || options.verifyWeights) {
      status = verifyHash(section, content, subject);
      if (!status) {
        return tl::unexpected<Error>(status.error());
      }
    }
  }
  Expected<LaunchPlan> plan = decodePlan(planBytes, artifact.minor);
  if (!plan) {
    return tl::unexpected<Error>(plan.error());
  }
  artifact.plan = std::move(*plan);
  status = verifyWeightRanges(artifact);
  if (!status) {
    return tl::unexpected<Error>(status.error());
  }
  return artifact;
}

Expected<Artifact> readArtifact(const std::string &path,
                                const ReadOptions &options) {
  Expected<std::shared_ptr<const MappedFile>> file =
      MappedFile::open(path, ErrorCode::ArtifactOpen);
  if (!file) {
    return tl::unexpected<Error>(file.error());
  }
  Expected<Artifact> artifact = parseArtifact((*file)->bytes(), path, options);
  if (artifact) {
    artifact->mapping = *file;
    std::string folder = std::filesystem::path(path).parent_path().string();
    artifact->folder = folder.empty() ? "." : folder;
  }
  return artifact;
}

} // namespace spyre::launch
