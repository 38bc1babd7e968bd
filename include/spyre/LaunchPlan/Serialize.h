// SPDX-License-Identifier: Apache-2.0
//
// The binary form of a launch plan (the plan section of an artifact) and its
// JSON dump, both made by visitors over Fields.h. The binary form has one
// encoding per plan: fixed-width little-endian scalars, counts before lists.

#ifndef SPYRE_LAUNCHPLAN_SERIALIZE_H
#define SPYRE_LAUNCHPLAN_SERIALIZE_H

#include "spyre/LaunchPlan/Artifact.h"
#include "spyre/LaunchPlan/LaunchPlan.h"
#include "spyre/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace spyre::launch {

/// Loops of a unit's list nest at most this deep in an artifact or a text.
inline constexpr int kMaxLoopNesting = 64;

std::vector<std::byte> encodePlan(const LaunchPlan &plan);

/// Decodes untrusted bytes: counts are bounded by the bytes that remain, enums
/// and flags by their range, loops are balanced and nest within bounds, and
/// every byte must be used. Indices are the checker's business. `minor` is the
/// format's minor version that the bytes were written in.
Expected<LaunchPlan> decodePlan(std::span<const std::byte> bytes,
                                uint16_t minor = kFormatMinor);

/// xxh3-64 of the binary form.
uint64_t hashPlan(const LaunchPlan &plan);

/// The whole plan. Enums are names, hashes hexadecimal strings. Deterministic.
nlohmann::ordered_json toJson(const LaunchPlan &plan);
nlohmann::ordered_json toJson(const Program &program);

/// The summary that the artifact's manifest section holds.
nlohmann::ordered_json manifestOf(const LaunchPlan &plan);

/// Text of a dump; bytes that are not UTF-8 are replaced.
std::string dumpJson(const nlohmann::ordered_json &json);

} // namespace spyre::launch

#endif // SPYRE_LAUNCHPLAN_SERIALIZE_H
