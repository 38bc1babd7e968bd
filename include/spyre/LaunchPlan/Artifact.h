// SPDX-License-Identifier: Apache-2.0
//
// The artifact model.spyre: a header, a section table and aligned sections
// (docs/LaunchPlanFormat.md). The writer streams weights through the caller's
// buffer and never holds one; the reader maps the file and trusts no byte of
// it. The same plan and weights give the same bytes.

#ifndef SPYRE_LAUNCHPLAN_ARTIFACT_H
#define SPYRE_LAUNCHPLAN_ARTIFACT_H

#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::launch {

inline constexpr uint16_t kFormatMajor = 1;
inline constexpr uint16_t kFormatMinor = 1;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Takes the bytes of one weight image in order, in pieces of any size.
class ByteSink {
public:
  virtual ~ByteSink() = default;
  virtual Status write(std::span<const std::byte> bytes) = 0;
};

/// Writes the image of the embedded weight `weightIndex`, exactly
/// Weight::sizeBytes bytes. Called once per embedded weight, in order.
using WeightProvider =
    std::function<Status(uint32_t weightIndex, ByteSink &sink)>;

/// Writes `plan` to `path`. `fileOffset` and `hash` of embedded weights are
/// computed here, whatever the plan says. Writes a temporary file in the same
/// folder and renames it at the end; nothing is left behind on failure.
Status writeArtifact(const LaunchPlan &plan, const std::string &path,
                     const WeightProvider &weights);

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

enum class SectionKind : uint32_t { Manifest = 0, Plan = 1, Weights = 2 };
inline constexpr int kNumSectionKinds = 3;
std::string_view toString(SectionKind kind);

struct Section {
  SectionKind kind = SectionKind::Manifest;
  uint64_t offset = 0;
  uint64_t length = 0;
  /// xxh3-64 of the section's bytes.
  uint64_t hash = 0;
};

struct ReadOptions {
  /// Also hash the weight section (reads all of it). Without, a caller checks
  /// each weight's own hash when it uses it.
  bool verifyWeights = true;
};

/// An opened artifact. Owns the mapping that its spans refer to; moving keeps
/// them valid. The file must not be truncated while it is mapped.
struct Artifact {
  LaunchPlan plan;
  uint16_t major = 0;
  uint16_t minor = 0;
  std::vector<Section> sections;
  std::string_view manifest;
  std::span<const std::byte> weightSection;
  /// Folder that external weights are relative to ("." for a bare name).
  std::string folder;

  /// The image of an embedded weight; empty for other storage.
  std::span<const std::byte> weightBytes(uint32_t weightIndex) const;

  /// Keeps the mapped file alive.
  std::shared_ptr<const void> mapping;
};

/// Maps and checks a file: magic, version, section bounds, hashes, the plan's
/// encoding and the range of every embedded weight. The plan itself is not
/// checked: run the checker before executing it.
Expected<Artifact> readArtifact(const std::string &path,
                                const ReadOptions &options = {});

/// The same over bytes that the caller keeps alive. `origin` names them in
/// messages.
Expected<Artifact> parseArtifact(std::span<const std::byte> bytes,
                                 const std::string &origin,
                                 const ReadOptions &options = {});

} // namespace spyre::launch

#endif // SPYRE_LAUNCHPLAN_ARTIFACT_H
