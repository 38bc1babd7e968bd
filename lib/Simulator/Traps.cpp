// SPDX-License-Identifier: Apache-2.0
//
// The text of a trap: the subject names what the user knows (kernel and graph
// nodes), the notes say where the machine stood.

#include "Traps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spyre::sim {
namespace {

std::string subjectOf(const Place &place) {
  const launch::Program &program = *place.program;
  if (place.command && place.command->source < program.sources.size()) {
    const launch::SourceInfo &source = program.sources[place.command->source];
    std::string text = fmt::format("kernel \"{}\"", source.kernel);
    for (const std::string &node : source.nodes) {
      text += fmt::format(" node \"{}\"", node);
    }
    return text;
  }
  return fmt::format("program \"{}\"", program.name);
}

std::string whereOf(const Place &place) {
  const launch::Program &program = *place.program;
  std::string text;
  if (place.phase >= 0) {
    text = fmt::format("in phase {} \"{}\"", place.phase,
                       program.phases[static_cast<size_t>(place.phase)].name);
  }
  if (place.unit >= 0) {
    text += fmt::format(
        ", unit {}", launch::toString(static_cast<launch::Unit>(place.unit)));
  }
  if (place.core >= 0) {
    text += fmt::format(", core {}", place.core);
  }
  if (place.command) {
    text += fmt::format(", command {}", launch::toString(place.command->kind));
  }
  return text;
}

} // namespace

std::string listText(std::span<const int64_t> values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

void trap(ErrorCode code, const Place &place, std::string message,
          std::vector<std::string> notes) {
  std::string where = whereOf(place);
  if (!where.empty()) {
    notes.push_back(std::move(where));
  }
  throw Trap{
      Error{code, subjectOf(place), std::move(message), std::move(notes), ""}};
}

} // namespace spyre::sim
