// SPDX-License-Identifier: Apache-2.0

#include "CompileFlags.h"

#include "spyre/Support/Error.h"

namespace cl = llvm::cl;

using namespace spyre;
using namespace spyre::tools;

int tools::usageError(const llvm::Twine &message, const llvm::Twine &help) {
  llvm::errs()
      << Error{ErrorCode::CommandLine, "", message.str(), {}, help.str()}.str()
      << "\n";
  return kUsageError;
}

CompileFlags::CompileFlags(cl::OptionCategory &category)
    : optimization("O", cl::desc("Optimisation level: 0, 1 or 2 (default 2)"),
                   cl::value_desc("level"), cl::Prefix, cl::init('2'),
                   cl::cat(category)),
      target("target", cl::desc("Target: a file or a built-in name"),
             cl::init("spyre-32"), cl::cat(category)),
      dims("dim", cl::desc("NAME=N: bind a named dimension (ONNX models)"),
           cl::cat(category)),
      inputShapes("input-shape",
                  cl::desc("NAME:1x128: fix an input's shape (ONNX models)"),
                  cl::cat(category)),
      precision("precision",
                cl::desc("Floats of f32 models on the device: f16 or f32 "
                         "(default: f16; spyre-check: as the model)"),
                cl::value_desc("type"), cl::init("f16"), cl::cat(category)),
      weights(
          "weights",
          cl::desc("embed, external (what has no file of its own, constants "
                   "and dequantized weights, is embedded) or none (then only "
                   "--timing-only runs)"),
          cl::value_desc("where"), cl::init("embed"), cl::cat(category)),
      externalDataDirs(
          "allow-external-data-dir",
          cl::desc("External data may lie in this folder too (ONNX models)"),
          cl::value_desc("folder"), cl::cat(category)),
      dumpFolder("dump-phases-to",
                 cl::desc("Write the IR after each phase into this folder"),
                 cl::value_desc("folder"), cl::cat(category)) {}

bool CompileFlags::hasOnnxOptions() const {
  return !dims.empty() || !inputShapes.empty() || hasPrecision();
}

static bool parseShape(llvm::StringRef text, std::vector<int64_t> &shape) {
  while (!text.empty()) {
    auto [extent, rest] = text.split('x');
    if (extent.getAsInteger(10, shape.emplace_back())) {
      return false;
    }
    text = rest;
  }
  return true;
}

/// --dim and --input-shape; names may contain the separators.
std::optional<std::string>
CompileFlags::applyBindings(ImportOptions &options) const {
  for (llvm::StringRef dim : dims) {
    auto [name, number] = dim.rsplit('=');
    uint32_t extent = 0;
    if (name.empty() || number.getAsInteger(10, extent)) {
      return ("--dim must be NAME=N with N below 2^32, not '" + dim + "'")
          .str();
    }
    if (!options.dims.emplace(name.str(), extent).second) {
      return ("--dim gives '" + name + "' twice").str();
    }
  }
  for (llvm::StringRef shape : inputShapes) {
    auto [name, extents] = shape.rsplit(':');
    if (name.empty() || !parseShape(extents, options.inputShapes[name.str()])) {
      return ("--input-shape must be NAME:1x128, not '" + shape + "'").str();
    }
  }
  return std::nullopt;
}

std::optional<std::string> CompileFlags::apply(CompileOptions &options) const {
  if (optimization < '0' || optimization > '2') {
    return "the optimisation levels are -O0, -O1 and -O2";
  }
  if (precision != "f16" && precision != "f32") {
    return "--precision must be f16 or f32, not '" + precision + "'";
  }
  if (weights == "embed") {
    options.weights = launch::WeightStorage::Embedded;
  } else if (weights == "external") {
    options.weights = launch::WeightStorage::External;
  } else if (weights == "none") {
    options.weights = launch::WeightStorage::None;
  } else {
    return "--weights must be embed, external or none, not '" + weights + "'";
  }
  options.optimizationLevel = optimization - '0';
  options.target = target;
  options.floatStorage =
      precision == "f32" ? FloatStorage::AsGiven : FloatStorage::F16;
  options.externalDataDirs.assign(externalDataDirs.begin(),
                                  externalDataDirs.end());
  options.dumpFolder = dumpFolder;
  return applyBindings(options.import);
}
