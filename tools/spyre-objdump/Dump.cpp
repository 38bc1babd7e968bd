// SPDX-License-Identifier: Apache-2.0
//
// The dumps. Names come from an untrusted file: they are printed as JSON
// strings, so that no control character reaches a terminal.

#include "Dump.h"

#include "spyre/LaunchPlan/HostFunction.h"
#include "spyre/LaunchPlan/Names.h"
#include "spyre/LaunchPlan/Serialize.h"
#include "spyre/LaunchPlan/Text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace spyre::objdump {
namespace {

using namespace spyre::launch;
using Json = nlohmann::ordered_json;

std::string quoted(const std::string &name) {
  return Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape) {
    text += fmt::format("{}{}", text.empty() ? "" : "x", extent);
  }
  return "[" + text + "]";
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string headerText(const Artifact &artifact) {
  std::string text = fmt::format("launch plan, format {}.{}\n", artifact.major,
                                 artifact.minor);
  for (const Section &section : artifact.sections) {
    text += fmt::format("  section {:<8} offset {:>10} bytes {:>10} hash "
                        "{:016x}\n",
                        toString(section.kind), section.offset, section.length,
                        section.hash);
  }
  const LaunchPlan &plan = artifact.plan;
  text += fmt::format("producer {}\nmodel {}\ntarget {} hash {:016x}\n",
                      quoted(plan.producer), quoted(plan.modelName),
                      quoted(plan.targetName), plan.targetHash);
  return text;
}

std::string argumentsText(const LaunchPlan &plan) {
  std::string text = fmt::format("arguments {}\n", plan.arguments.size());
  for (size_t index = 0; index < plan.arguments.size(); ++index) {
    const Argument &argument = plan.arguments[index];
    text += fmt::format("  {} {} {} {} {} on device {} layout ({})", index,
                        nameOf(argument.role), quoted(argument.name),
                        nameOf(argument.hostType), shapeText(argument.shape),
                        nameOf(argument.deviceType),
                        layout::toString(argument.layout));
    if (argument.indexBound != 0) {
      text += fmt::format(" index bound {}", argument.indexBound);
    }
    if (argument.alias != -1) {
      text += fmt::format(" overwrites argument {}", argument.alias);
    }
    text += "\n";
  }
  return text;
}

std::string segmentsText(const LaunchPlan &plan) {
  std::string text = fmt::format("segments {}\n", plan.segments.size());
  for (size_t index = 0; index < plan.segments.size(); ++index) {
    text += fmt::format("  {} {} {} bytes\n", index,
                        nameOf(plan.segments[index].kind),
                        plan.segments[index].sizeBytes);
  }
  return text;
}

std::string weightsText(const LaunchPlan &plan) {
  std::string text = fmt::format("weights {}\n", plan.weights.size());
  for (size_t index = 0; index < plan.weights.size(); ++index) {
    const Weight &weight = plan.weights[index];
    text += fmt::format("  {} {} {} {} segment {} offset {} bytes {} {}", index,
                        quoted(weight.name), nameOf(weight.deviceType),
                        shapeText(weight.shape), weight.segment, weight.offset,
                        weight.sizeBytes, nameOf(weight.storage));
    if (weight.storage == WeightStorage::External) {
      text += fmt::format(" file {} {} bytes", quoted(weight.file),
                          weight.hostBytes);
    }
    if (weight.storage != WeightStorage::None) {
      text +=
          fmt::format(" at {} hash {:016x}", weight.fileOffset, weight.hash);
    }
    text += "\n";
  }
  return text;
}

std::string footprintsText(std::string_view verb,
                           const std::vector<Footprint> &footprints) {
  std::string text;
  for (const Footprint &footprint : footprints) {
    text += fmt::format(" {} {} {} [{}, {})", verb, nameOf(footprint.region),
                        footprint.index, footprint.lo, footprint.hi);
  }
  return text;
}

std::string hostOperandsText(std::string_view verb,
                             const std::vector<HostOperand> &operands) {
  std::string text;
  for (const HostOperand &operand : operands) {
    text += fmt::format("    {} {} {} offset {} {} {} layout ({})\n", verb,
                        nameOf(operand.region), operand.index, operand.offset,
                        nameOf(operand.deviceType), shapeText(operand.shape),
                        layout::toString(operand.layout));
  }
  return text;
}

std::string hostCallsText(const LaunchPlan &plan) {
  std::string text = fmt::format("host calls {}\n", plan.hostCalls.size());
  for (size_t index = 0; index < plan.hostCalls.size(); ++index) {
    const HostCall &call = plan.hostCalls[index];
    text += fmt::format("  {} {} because {}\n{}{}", index, describe(call),
                        quoted(call.reason),
                        hostOperandsText("reads", call.operands),
                        hostOperandsText("writes", call.results));
  }
  return text;
}

std::string stepsText(const LaunchPlan &plan) {
  std::string text =
      fmt::format("steps {} events {}\n", plan.steps.size(), plan.numEvents);
  for (size_t index = 0; index < plan.steps.size(); ++index) {
    const Step &step = plan.steps[index];
    text +=
        fmt::format("  {} {} {} card {} {} {}{}{}\n", index, nameOf(step.role),
                    nameOf(step.kind), step.card, step.index, quoted(step.name),
                    footprintsText("reads", step.reads),
                    footprintsText("writes", step.writes));
  }
  if (!plan.hostCalls.empty()) {
    text += hostCallsText(plan);
  }
  text += fmt::format("symbols {}\n", plan.symbols.size());
  for (const Symbol &symbol : plan.symbols) {
    text +=
        fmt::format("  {} of argument {} into {} {} of program {}\n",
                    nameOf(symbol.kind), symbol.argument,
                    symbol.kind == SymbolKind::Address ? "buffer" : "scalar",
                    symbol.target, symbol.program);
  }
  return text;
}

std::string programsText(const LaunchPlan &plan) {
  std::string text;
  for (const Program &program : plan.programs) {
    text += "\n" + printProgram(program);
  }
  return text;
}

/// The manifest is JSON and its strings are escaped; a foreign producer's may
/// not be.
std::string manifestText(std::string_view manifest) {
  std::string text(manifest);
  for (char &character : text) {
    unsigned char byte = static_cast<unsigned char>(character);
    if ((byte < 0x20 && character != '\n') || byte == 0x7f) {
      character = '?';
    }
  }
  return text;
}

std::string planText(const LaunchPlan &plan) {
  return argumentsText(plan) + segmentsText(plan) + weightsText(plan) +
         stepsText(plan) + programsText(plan);
}

std::string text(const Artifact &artifact, const std::string &section) {
  if (section == "header") {
    return headerText(artifact);
  }
  if (section == "manifest") {
    return manifestText(artifact.manifest);
  }
  if (section == "weights") {
    return weightsText(artifact.plan);
  }
  if (section == "plan") {
    return planText(artifact.plan);
  }
  return headerText(artifact) + planText(artifact.plan);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

Json headerJson(const Artifact &artifact) {
  Json header;
  header["format"] = fmt::format("{}.{}", artifact.major, artifact.minor);
  header["sections"] = Json::array();
  for (const Section &section : artifact.sections) {
    Json entry;
    entry["name"] = std::string(toString(section.kind));
    entry["offset"] = section.offset;
    entry["bytes"] = section.length;
    entry["hash"] = fmt::format("{:016x}", section.hash);
    header["sections"].push_back(std::move(entry));
  }
  return header;
}

Json json(const Artifact &artifact, const std::string &section) {
  if (section == "header") {
    return headerJson(artifact);
  }
  if (section == "manifest") {
    return manifestOf(artifact.plan);
  }
  Json plan = toJson(artifact.plan);
  if (section == "weights") {
    return plan["weights"];
  }
  if (section == "plan") {
    return plan;
  }
  Json everything;
  everything["header"] = headerJson(artifact);
  everything["plan"] = std::move(plan);
  return everything;
}

Expected<std::string> dumpPrograms(const LaunchPlan &plan,
                                   const DumpOptions &options) {
  std::string result;
  std::string names;
  for (const Program &program : plan.programs) {
    names += (names.empty() ? "" : ", ") + quoted(program.name);
    if (program.name == options.program) {
      result +=
          options.json ? dumpJson(toJson(program)) : printProgram(program);
    }
  }
  if (result.empty()) {
    return makeError(
        ErrorCode::ArtifactProgram, "option --program",
        fmt::format("no program is named {}", quoted(options.program)),
        {fmt::format("the {} programs are: {}", plan.programs.size(), names)});
  }
  return result;
}

} // namespace

Expected<std::string> dump(const Artifact &artifact,
                           const DumpOptions &options) {
  if (!options.program.empty()) {
    return dumpPrograms(artifact.plan, options);
  }
  return options.json ? dumpJson(json(artifact, options.section))
                      : text(artifact, options.section);
}

} // namespace spyre::objdump
