// SPDX-License-Identifier: Apache-2.0
//
// --level=normalize: what a model means by its graph alone, in f64, and where
// the device first computes something else.

#ifndef SPYRE_TOOLS_SPYRE_CHECK_REFERENCE_H
#define SPYRE_TOOLS_SPYRE_CHECK_REFERENCE_H

#include "Signature.h"

#include "spyre/Driver/Driver.h"
#include "spyre/Target/Target.h"

#include <memory>
#include <string>
#include <vector>

namespace spyre::tools {

/// A model after the phase normalize.
class ReferenceGraph {
public:
  /// Reads the IR that the compiler wrote after normalize. Weight files are
  /// relative to `weightsFolder`.
  static Expected<std::unique_ptr<ReferenceGraph>>
  load(const std::string &path, const std::string &weightsFolder);
  ~ReferenceGraph();

  /// Evaluates the graph; inputs that it does not have are not used.
  Status run(const std::vector<NamedTensor> &inputs);
  /// The outputs of the last run, rounded to the types that the caller gets.
  const std::vector<rt::HostTensor> &outputs() const;

  /// Runs the model on the simulator with every intermediate value as an
  /// output too. If an output is further from that of the last run than
  /// `tolerance` (relative L2 of a row), names the first node whose values are;
  /// "" if no output is. `artifact` is the path of a file that may be written
  /// and removed.
  Expected<std::string> firstDivergence(const CompileOptions &options,
                                        const target::Target &target,
                                        const std::vector<NamedTensor> &inputs,
                                        double tolerance,
                                        const std::string &artifact);

private:
  ReferenceGraph();
  struct State;
  std::unique_ptr<State> state;
};

} // namespace spyre::tools

#endif // SPYRE_TOOLS_SPYRE_CHECK_REFERENCE_H
