// SPDX-License-Identifier: Apache-2.0
//
// The container: round trips, determinism, and that damage of any kind is an
// error that says so.

#include "TestPlans.h"

#include "spyre/LaunchPlan/Serialize.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace spyre;
using namespace spyre::launch;
using testing::HasSubstr;

namespace {

const std::string kImage(256, 'w');

std::span<const std::byte> asBytes(const std::string &text) {
  return std::as_bytes(std::span(text));
}

/// The bytes of the example's artifact.
std::string exampleBytes(const LaunchPlan &plan = examplePlan()) {
  std::string path = temporaryPath("model.spyre");
  Status status = writeArtifact(plan, path, provide({kImage, kImage}));
  EXPECT_TRUE(status) << status.error().str();
  std::string bytes = readFile(path);
  std::filesystem::remove(path);
  return bytes;
}

/// A small artifact without weights.
std::string smallBytes() {
  LaunchPlan plan = examplePlan();
  plan.weights.clear();
  plan.programs.clear();
  return exampleBytes(plan);
}

/// Recomputes all hashes: section records of 32 bytes follow the header of 32.
void rehash(std::string &bytes) {
  for (size_t section = 0; section < 3; ++section) {
    char *record = bytes.data() + 32 + 32 * section;
    uint64_t offset = 0;
    uint64_t length = 0;
    std::memcpy(&offset, record + 8, 8);
    std::memcpy(&length, record + 16, 8);
    if (length <= bytes.size() && offset <= bytes.size() - length) {
      uint64_t hash = XXH3_64bits(bytes.data() + offset, length);
      std::memcpy(record + 24, &hash, 8);
    }
  }
  std::memset(bytes.data() + 24, 0, 8);
  uint64_t hash = XXH3_64bits(bytes.data(), 128);
  std::memcpy(bytes.data() + 24, &hash, 8);
}

std::string errorOf(const std::string &bytes) {
  Expected<Artifact> artifact = parseArtifact(asBytes(bytes), "test");
  return artifact ? "no error" : artifact.error().str();
}

TEST(Artifact, RoundTripsWithWeights) {
  LaunchPlan plan = examplePlan();
  plan.weights.push_back(plan.weights[0]);
  plan.weights[1].sizeBytes = 128;
  std::string second(128, 'z');
  std::string path = temporaryPath("model.spyre");
  Status status = writeArtifact(plan, path, provide({kImage, second}));
  ASSERT_TRUE(status) << status.error().str();
  Expected<Artifact> artifact = readArtifact(path);
  ASSERT_TRUE(artifact) << artifact.error().str();
  EXPECT_EQ(artifact->folder + "/",
            std::filesystem::path(path).parent_path().string() + "/");
  // Each image starts at a multiple of 4 KiB of a section that starts at one
  // of 64 KiB.
  EXPECT_EQ(artifact->plan.weights[1].fileOffset, 4096);
  EXPECT_EQ(artifact->sections[2].offset % 65536, 0u);
  EXPECT_EQ(artifact->sections[2].length, 4096u + 128);
  EXPECT_EQ(artifact->plan.weights[0].hash,
            XXH3_64bits(kImage.data(), kImage.size()));
  EXPECT_EQ(std::memcmp(artifact->weightBytes(1).data(), second.data(), 128),
            0);
  EXPECT_EQ(artifact->weightBytes(1).size(), 128u);
  EXPECT_TRUE(artifact->weightBytes(2).empty());
  EXPECT_THAT(std::string(artifact->manifest), HasSubstr("\"matmul\""));
  plan.weights[0].hash = artifact->plan.weights[0].hash;
  plan.weights[1].hash = artifact->plan.weights[1].hash;
  plan.weights[1].fileOffset = 4096;
  EXPECT_TRUE(artifact->plan == plan);
  std::filesystem::remove(path);
}

TEST(Artifact, IsByteIdenticalAndIndependentOfItsPath) {
  EXPECT_EQ(exampleBytes(), exampleBytes());
  EXPECT_THAT(exampleBytes(), testing::Not(HasSubstr(testing::TempDir())));
}

TEST(Artifact, RoundTripsRandomPlans) {
  for (uint64_t seed = 1000; seed < 1020; ++seed) {
    LaunchPlan plan = randomPlan(seed);
    for (Weight &weight : plan.weights) {
      weight.storage = WeightStorage::None;
    }
    std::string bytes = exampleBytes(plan);
    Expected<Artifact> artifact = parseArtifact(asBytes(bytes), "test");
    ASSERT_TRUE(artifact) << artifact.error().str();
    EXPECT_TRUE(artifact->plan == plan) << seed;
  }
}

TEST(Artifact, EveryTruncationIsAnError) {
  std::string bytes = smallBytes();
  for (size_t size = 0; size < bytes.size(); ++size) {
    // A copy of exact size, so that a sanitizer sees a read past its end.
    std::vector<std::byte> cut(asBytes(bytes).begin(),
                               asBytes(bytes).begin() + size);
    Expected<Artifact> artifact = parseArtifact(cut, "cut");
    ASSERT_FALSE(artifact) << size;
    ASSERT_THAT(artifact.error().str(), HasSubstr("E060")) << size;
  }
}

TEST(Artifact, EveryBitFlipIsDetected) {
  std::string bytes = exampleBytes();
  // All bits of the front matter; a sample of the rest, padding included.
  for (size_t byte = 0; byte < bytes.size(); byte += byte < 128 ? 1 : 61) {
    for (int bit = 0; bit < 8; bit += byte < 128 ? 1 : 3) {
      bytes[byte] ^= static_cast<char>(1 << bit);
      ASSERT_FALSE(parseArtifact(asBytes(bytes), "flipped")) << byte;
      bytes[byte] ^= static_cast<char>(1 << bit);
    }
  }
  EXPECT_EQ(errorOf(bytes), "no error");
}

TEST(Artifact, MutationsWithAFreshHashNeverCrash) {
  std::string original = smallBytes();
  uint64_t state = 7;
  int accepted = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string bytes = original;
    for (int change = 0; change <= round % 4; ++change) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      size_t at =
          round % 2 ? (state >> 33) % 128 : (state >> 33) % bytes.size();
      bytes[at] = static_cast<char>(state >> 25);
    }
    rehash(bytes);
    Expected<Artifact> artifact = parseArtifact(asBytes(bytes), "mutated");
    if (artifact) {
      ++accepted;
      for (uint32_t index = 0; index < artifact->plan.weights.size(); ++index) {
        artifact->weightBytes(index);
      }
    } else {
      ASSERT_THAT(artifact.error().str(), HasSubstr("E060"));
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST(Artifact, WrongMagic) {
  EXPECT_THAT(errorOf("PK\x03\x04 something else"), HasSubstr("E0601"));
  EXPECT_THAT(errorOf(""), HasSubstr("the file is empty"));
}

TEST(Artifact, NewerVersionsNameBoth) {
  std::string bytes = smallBytes();
  bytes[10] = 3;
  EXPECT_THAT(errorOf(bytes), HasSubstr("E0602"));
  EXPECT_THAT(errorOf(bytes),
              HasSubstr("has format 1.3, this build reads 1.0 to 1.1"));
  bytes[8] = 2;
  EXPECT_THAT(errorOf(bytes), HasSubstr("has format 2.3"));
}

TEST(Artifact, SectionOutsideTheFile) {
  std::string bytes = smallBytes();
  // Offset + length wraps around 2^64.
  uint64_t offset = ~uint64_t{0} - 4095;
  std::memcpy(bytes.data() + 32 + 32 + 8, &offset, 8);
  rehash(bytes);
  EXPECT_THAT(errorOf(bytes), HasSubstr("E0603"));
  EXPECT_THAT(errorOf(bytes), HasSubstr("section \"plan\""));
}

TEST(Artifact, DamagedWeightsAreFoundUnlessAskedNotTo) {
  std::string bytes = exampleBytes();
  bytes.back() ^= 1;
  EXPECT_THAT(errorOf(bytes), HasSubstr("E0604"));
  EXPECT_THAT(errorOf(bytes), HasSubstr("section \"weights\""));
  EXPECT_TRUE(parseArtifact(asBytes(bytes), "test", {.verifyWeights = false}));
}

TEST(Artifact, WeightOutsideItsSection) {
  LaunchPlan plan = examplePlan();
  std::string bytes = exampleBytes(plan);
  Expected<Artifact> artifact = parseArtifact(asBytes(bytes), "test");
  ASSERT_TRUE(artifact);
  LaunchPlan changed = artifact->plan;
  changed.weights[0].sizeBytes = 257;
  std::vector<std::byte> encoded = encodePlan(changed);
  std::memcpy(bytes.data() + artifact->sections[1].offset, encoded.data(),
              encoded.size());
  rehash(bytes);
  EXPECT_THAT(errorOf(bytes), HasSubstr("E0606"));
  EXPECT_THAT(errorOf(bytes), HasSubstr("has 257 bytes at offset 0, the weight "
                                        "section has 256"));
}

TEST(Artifact, FilesThatCannotBeRead) {
  EXPECT_THAT(readArtifact("no/such/file").error().str(), HasSubstr("E0600"));
  EXPECT_THAT(readArtifact(testing::TempDir()).error().str(),
              HasSubstr("not a regular file"));
}

TEST(Artifact, AFailedWriteLeavesNothingBehind) {
  std::filesystem::path folder = temporaryPath("folder");
  std::filesystem::create_directories(folder);
  std::string path = (folder / "model.spyre").string();
  for (size_t bytes : {0, 255, 257}) {
    Status status =
        writeArtifact(examplePlan(), path, provide({std::string(bytes, 'w')}));
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().str(), HasSubstr("E0608"));
    EXPECT_THAT(status.error().str(),
                HasSubstr(std::to_string(bytes) +
                          " bytes are provided, the plan says 256"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  Status status = writeArtifact(examplePlan(), path, {});
  ASSERT_FALSE(status);
  status = writeArtifact(examplePlan(), (folder / "no" / "m").string(),
                         provide({kImage}));
  EXPECT_THAT(status.error().str(), HasSubstr("E0607"));
  status = writeArtifact(examplePlan(), folder.string(), provide({kImage}));
  EXPECT_THAT(status.error().str(), HasSubstr("E0607"));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove(folder);
}

TEST(Artifact, AnErrorOfTheProviderPassesThrough) {
  std::string path = temporaryPath("model.spyre");
  Status status =
      writeArtifact(examplePlan(), path, [](uint32_t, ByteSink &) -> Status {
        return makeError(ErrorCode::Internal, "weight", "the source is gone");
      });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "the source is gone");
  EXPECT_FALSE(std::filesystem::exists(path));
}

} // namespace
