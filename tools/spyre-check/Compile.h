// SPDX-License-Identifier: Apache-2.0
//
// Compiles a test's model for the shapes of its data and loads it onto a
// simulator. Parameters that the compiler must know (shapes, axes, k) are
// inputs in some models; which ones those are shows in that the model does not
// compile without them.

#ifndef SPYRE_TOOLS_SPYRE_CHECK_COMPILE_H
#define SPYRE_TOOLS_SPYRE_CHECK_COMPILE_H

#include "Reference.h"
#include "Signature.h"

#include "spyre/Driver/Driver.h"
#include "spyre/Runtime/Runtime.h"
#include "spyre/Simulator/Simulator.h"
#include "spyre/Target/Target.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace spyre::tools {

struct CompiledModel {
  /// Inputs that are constants of the model.
  std::vector<std::string> bound;
  /// The model must go before its device.
  std::unique_ptr<sim::Simulator> simulator;
  /// Null if it could not be made.
  std::unique_ptr<rt::Model> model;
  /// Instead of a model, where the options end with normalize.
  std::unique_ptr<ReferenceGraph> graph;
  /// Why there is no model, in one line.
  std::string failure;
  /// What the compiler said.
  std::string diagnostics;
  double compileSeconds = 0;

  bool isUsable() const { return model || graph; }
};

class ModelCompiler {
public:
  /// `options` hold what the command line says. `artifact` is the path of a
  /// file that may be written and removed. All must outlive the compiler.
  ModelCompiler(const CompileOptions &options, const target::Target &target,
                const std::string &artifact);

  /// The model for these inputs: the last one if neither shapes nor constants
  /// differ. Valid until the next call.
  const CompiledModel &compile(const std::vector<NamedTensor> &inputs);

private:
  bool tryCompile(const std::vector<NamedTensor> &inputs, Binding binding,
                  CompiledModel &result);
  void load(CompiledModel &result);
  void loadModel(CompiledModel &result);
  void loadGraph(CompiledModel &result);
  const CompiledModel &keep(CompiledModel result, std::string key);

  const CompileOptions &options;
  const target::Target &target;
  const std::string &artifact;
  /// What `current` was compiled for.
  std::string currentKey;
  CompiledModel current;
  /// Diagnostics of compilations that failed.
  std::map<std::string, std::string> failures;
};

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_CHECK_COMPILE_H
