// SPDX-License-Identifier: Apache-2.0
//
// The records at the start of an artifact, shared by its writer and reader.

#ifndef SPYRE_LIB_LAUNCHPLAN_ARTIFACTFORMAT_H
#define SPYRE_LIB_LAUNCHPLAN_ARTIFACTFORMAT_H

#include "spyre/LaunchPlan/Artifact.h"

#include <array>
#include <cstdint>

namespace spyre::launch {

/// The first byte is not ASCII and the last two are a line end, so that a
/// transfer in text mode is noticed (as in PNG).
inline constexpr std::array<uint8_t, 8> kMagic = {0x89, 'S', 'P',  'Y',
                                                  'R',  'E', '\r', '\n'};

inline constexpr uint64_t kSectionAlignment = 4096;
inline constexpr uint64_t kWeightSectionAlignment = 65536;
/// Of each image inside the weight section.
inline constexpr uint64_t kWeightAlignment = 4096;

struct HeaderRecord {
  std::array<uint8_t, 8> magic = kMagic;
  uint16_t major = kFormatMajor;
  uint16_t minor = kFormatMinor;
  uint32_t numSections = kNumSectionKinds;
  uint64_t fileBytes = 0;
  /// xxh3-64 of the header, with this field 0, and the section table.
  uint64_t hash = 0;
};
static_assert(sizeof(HeaderRecord) == 32);

struct SectionRecord {
  uint32_t kind = 0;
  uint32_t reserved = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
  uint64_t hash = 0;
};
static_assert(sizeof(SectionRecord) == 32);

/// What precedes the first section.
struct FrontMatter {
  HeaderRecord header;
  /// In the order of the file: manifest, plan, weights.
  std::array<SectionRecord, kNumSectionKinds> sections;
};
static_assert(sizeof(FrontMatter) == 128);

/// An empty section needs no place of its own: an artifact without embedded
/// weights is not padded to the alignment of weights.
inline uint64_t alignmentOf(uint32_t sectionKind, uint64_t length) {
  if (length == 0) {
    return 1;
  }
  return sectionKind == static_cast<uint32_t>(SectionKind::Weights)
             ? kWeightSectionAlignment
             : kSectionAlignment;
}

/// Hash of the front matter as the header's hash field states it.
uint64_t hashOf(FrontMatter frontMatter);

} // namespace spyre::launch

#endif // SPYRE_LIB_LAUNCHPLAN_ARTIFACTFORMAT_H
