// SPDX-License-Identifier: Apache-2.0
//
// Plans for the tests of the format: a meaningful one and random ones in which
// every field of every struct takes arbitrary values.

#ifndef SPYRE_TEST_LAUNCHPLAN_TESTPLANS_H
#define SPYRE_TEST_LAUNCHPLAN_TESTPLANS_H

#include "spyre/LaunchPlan/Artifact.h"
#include "spyre/LaunchPlan/LaunchPlan.h"

#include <cstdint>
#include <string>

namespace spyre::launch {

/// The complete example of docs/LaunchPlanFormat.md.
std::string documentedProgram();

/// A plan with one entry of each kind; weight 0 is embedded (256 bytes).
LaunchPlan examplePlan();

/// Every field random, from small to extreme values; loops are balanced and
/// names unique, as the text form asks.
LaunchPlan randomPlan(uint64_t seed);

/// Writes `bytes[i]` as the image of weight i.
WeightProvider provide(std::vector<std::string> images);

/// The bytes of a file, and a fresh path in the test's folder.
std::string readFile(const std::string &path);
std::string temporaryPath(const std::string &name);

} // namespace spyre::launch

#endif // SPYRE_TEST_LAUNCHPLAN_TESTPLANS_H
