// SPDX-License-Identifier: Apache-2.0

#include "SimulateProgram.h"

#include "spyre/LaunchPlan/Text.h"

using namespace spyre;

Expected<rt::ComputeStats> bench::simulateProgram(const std::string &text,
                                                  const Machine &machine) {
  const Expected<launch::Program> program = launch::parseProgram(text);
  if (!program) {
    return tl::unexpected(program.error());
  }
  sim::SimulatorOptions options;
  options.fidelity = machine.fidelity;
  options.functional = false;
  sim::Simulator simulator(machine.target, options);
  rt::ComputeLaunch launch;
  launch.program = &*program;
  launch.timingOnly = true;
  for (const launch::Buffer &buffer : program->buffers) {
    rt::Address address;
    if (buffer.space == launch::Space::DDR) {
      const Expected<uint32_t> region =
          simulator.allocate(launch::sizeBytes(buffer));
      if (!region) {
        return tl::unexpected(region.error());
      }
      address.region = *region;
    }
    launch.bufferAddresses.push_back(address);
  }
  return simulator.run(launch);
}
