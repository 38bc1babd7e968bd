// SPDX-License-Identifier: Apache-2.0
//
// What happens to a plan when one field of it changes? Seeded mutations of
// single fields, hashes recomputed, each loaded (reader and checker) and run
// with the same inputs. Counts per kind of field: refused before it runs,
// trapped by the simulator, the bit-identical result, another result. Status 1
// if a change of a kind that must be noticed gives another result.

#include "spyre/LaunchPlan/Artifact.h"
#include "spyre/LaunchPlan/Fields.h"
#include "spyre/LaunchPlan/Mutate.h"
#include "spyre/Runtime/Runtime.h"
#include "spyre/Simulator/Simulator.h"
#include "spyre/Target/Target.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <array>
#include <map>
#include <random>

using namespace spyre;

namespace {

enum class Outcome : uint8_t { Refused, Trapped, Identical, Different };
constexpr size_t kNumOutcomes = 4;

struct RunOutcome {
  Outcome outcome = Outcome::Refused;
  std::vector<rt::HostTensor> outputs;
};

/// The inputs of a caller who knows the contract of the unchanged plan, by
/// argument; empty for outputs.
Expected<std::vector<std::optional<rt::HostTensor>>>
inputsOf(const launch::LaunchPlan &plan) {
  std::vector<std::optional<rt::HostTensor>> inputs(plan.arguments.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    constexpr uint64_t kInputSeed = 7;
    const launch::Argument &argument = plan.arguments[i];
    if (argument.role == launch::ArgumentRole::Output) {
      continue;
    }
    Expected<rt::HostTensor> tensor =
        rt::randomTensor(argument.hostType, argument.shape, argument.indexBound,
                         argument.name, kInputSeed);
    if (!tensor) {
      return tl::unexpected(tensor.error());
    }
    inputs[i] = std::move(*tensor);
  }
  return inputs;
}

/// Runs an artifact on inputs. The first failure before the launch is a
/// refusal, a failure of the launch a trap. Outputs of another type or shape
/// than `expected` has are refused: they are not what the caller asked for.
RunOutcome runArtifact(const std::string &path, const target::Target &target,
                       std::span<const std::optional<rt::HostTensor>> inputs,
                       const std::vector<rt::HostTensor> *expected) {
  RunOutcome result;
  sim::SimulatorOptions options;
  options.maxEvents = int64_t{1} << 22;
  options.maxPositions = int64_t{1} << 28;
  sim::Simulator device(target, options);
  Expected<std::unique_ptr<rt::Model>> model = rt::load(path, device, target);
  if (!model) {
    return result;
  }
  Expected<std::unique_ptr<rt::Session>> session = rt::Session::create(**model);
  if (!session) {
    return result;
  }
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] && !(*session)->setInput(i, *inputs[i])) {
      return result;
    }
  }
  if (!(*session)->run()) {
    result.outcome = Outcome::Trapped;
    return result;
  }
  result.outcome = Outcome::Identical;
  const std::vector<launch::Argument> &arguments = (*model)->plan().arguments;
  for (uint32_t i = 0; i < arguments.size(); ++i) {
    const rt::HostTensor *output = (*session)->output(i);
    if (arguments[i].role != launch::ArgumentRole::Input && output) {
      result.outputs.push_back(*output);
    }
  }
  if (expected && !std::equal(result.outputs.begin(), result.outputs.end(),
                              expected->begin(), expected->end(),
                              [](const auto &a, const auto &b) {
                                return a.type == b.type && a.shape == b.shape;
                              })) {
    result.outcome = Outcome::Refused;
  }
  return result;
}

bool sameBytes(const std::vector<rt::HostTensor> &a,
               const std::vector<rt::HostTensor> &b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const auto &x, const auto &y) { return x.bytes == y.bytes; });
}

/// Kinds of which a change must never pass unnoticed: it is refused, trapped or
/// harmless. Another result is legitimate for what only says which value inside
/// the right live buffer is meant, and for what is computed with it.
bool mustBeNoticed(launch::FieldKind kind) {
  switch (kind) {
  case launch::FieldKind::Size:
  case launch::FieldKind::Extent:
  case launch::FieldKind::Bound:
  case launch::FieldKind::Address:
  case launch::FieldKind::BufferIndex:
  case launch::FieldKind::QueueAction:
  case launch::FieldKind::Slots:
  case launch::FieldKind::Placement:
  case launch::FieldKind::StepOrder:
  case launch::FieldKind::StepTarget:
  case launch::FieldKind::Role:
  case launch::FieldKind::Footprint:
  case launch::FieldKind::SegmentIndex:
  case launch::FieldKind::RegionIndex:
  case launch::FieldKind::Layout:
  case launch::FieldKind::DataType:
    return true;
  default:
    return false;
  }
}

/// A changed value of a field: near the old one, at an extreme, or any.
int64_t mutate(const launch::FieldRef &field, std::mt19937_64 &random) {
  int64_t old = field.get();
  if (field.numValues > 0) {
    auto other =
        static_cast<int64_t>(random() % static_cast<uint64_t>(field.numValues));
    return other == old ? (other + 1) % field.numValues : other;
  }
  switch (random() % 6) {
  case 0:
    return old + 1;
  case 1:
    return old - 1;
  case 2:
    return old == 0 ? 128 : 2 * old;
  case 3:
    return 0 == old ? -1 : 0;
  case 4:
    return old + 128;
  default:
    return static_cast<int64_t>(random());
  }
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Outcomes of single-field mutations of an artifact");
  std::string path;
  int64_t count = 1000;
  uint64_t seed = 1;
  std::string scratch = "mutated.spyre";
  bool verbose = false;
  app.add_option("artifact", path, "model.spyre")->required();
  app.add_option("--count", count, "number of mutations");
  app.add_option("--seed", seed, "seed of the mutations");
  app.add_option("--scratch", scratch, "file for the mutated artifacts");
  app.add_flag("-v", verbose, "print every mutation with another result");
  CLI11_PARSE(app, argc, argv);

  Expected<launch::Artifact> artifact = launch::readArtifact(path);
  if (!artifact) {
    fmt::print(stderr, "{}\n", artifact.error().str());
    return 1;
  }
  Expected<target::Target> target =
      target::loadTarget(artifact->plan.targetName);
  if (!target) {
    fmt::print(stderr, "{}\n", target.error().str());
    return 1;
  }
  Expected<std::vector<std::optional<rt::HostTensor>>> inputs =
      inputsOf(artifact->plan);
  if (!inputs) {
    fmt::print(stderr, "{}\n", inputs.error().str());
    return 1;
  }
  // An artifact outlives the description of its machine: it is about the format
  // and what reads it.
  launch::LaunchPlan plan = artifact->plan;
  plan.targetHash = target->hash;
  auto weights = [&](uint32_t weight, launch::ByteSink &sink) {
    return sink.write(artifact->weightBytes(weight));
  };
  if (Status status = launch::writeArtifact(plan, scratch, weights); !status) {
    fmt::print(stderr, "{}\n", status.error().str());
    return 1;
  }
  RunOutcome baseline = runArtifact(scratch, *target, *inputs, nullptr);
  if (baseline.outcome != Outcome::Identical) {
    fmt::print(stderr, "the artifact itself does not run\n");
    return 1;
  }
  std::mt19937_64 random(seed);
  std::map<std::string, std::array<int64_t, kNumOutcomes>> table;
  std::vector<launch::FieldRef> fields = launch::enumerateFields(plan);
  int64_t unnoticed = 0;
  for (int64_t i = 0; i < count; ++i) {
    launch::FieldRef &field = fields[random() % fields.size()];
    int64_t old = field.get();
    field.set(mutate(field, random));
    if (field.get() == old) {
      --i;
      continue;
    }
    RunOutcome outcome;
    if (launch::writeArtifact(plan, scratch, weights)) {
      outcome = runArtifact(scratch, *target, *inputs, &baseline.outputs);
    }
    if (outcome.outcome == Outcome::Identical &&
        !sameBytes(outcome.outputs, baseline.outputs)) {
      outcome.outcome = Outcome::Different;
      unnoticed += mustBeNoticed(field.kind) ? 1 : 0;
      if (verbose) {
        fmt::print("different: {} {} -> {}\n", field.path, old, field.get());
      }
    }
    ++table[std::string(launch::toString(field.kind))]
           [static_cast<size_t>(outcome.outcome)];
    field.set(old);
  }
  fmt::print("{:<16}{:>9}{:>9}{:>11}{:>11}\n", "kind of field", "refused",
             "trapped", "identical", "different");
  for (const auto &[kind, counts] : table) {
    fmt::print("{:<16}{:>9}{:>9}{:>11}{:>11}\n", kind, counts[0], counts[1],
               counts[2], counts[3]);
  }
  fmt::print("{} unnoticed changes of kinds that must be noticed\n", unnoticed);
  return unnoticed == 0 ? 0 : 1;
}
