// SPDX-License-Identifier: Apache-2.0
//
// A user's program: loads the artifact of double.mlir on a simulated device and
// runs it on an input made in memory.

#include "spyre/Runtime/Runtime.h"
#include "spyre/Simulator/Simulator.h"
#include "spyre/Target/Target.h"

#include <iostream>

using namespace spyre;

namespace {

Status runModel(const char *path) {
  const target::Target &machine = target::defaultTarget();
  sim::Simulator device(machine);
  Expected<std::unique_ptr<rt::Model>> model = rt::load(path, device, machine);
  if (!model) {
    return tl::unexpected(model.error());
  }
  Expected<rt::HostTensor> x = rt::parseLiteral("3x5xf16=1.5");
  if (!x) {
    return tl::unexpected(x.error());
  }
  Expected<rt::RunResult> result = rt::run(**model, {{"x", *x}});
  if (!result) {
    return tl::unexpected(result.error());
  }
  std::cout << "y = " << rt::elementAsDouble(result->outputs.at("y"), 14)
            << " after " << result->stats.computeTicks << " ticks\n";
  return {};
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: consumer MODEL.spyre\n";
    return 2;
  }
  Status status = runModel(argv[1]);
  if (!status) {
    std::cerr << status.error().str() << '\n';
    return 1;
  }
  return 0;
}
