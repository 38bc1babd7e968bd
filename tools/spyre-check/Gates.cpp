// SPDX-License-Identifier: Apache-2.0

#include "Gates.h"

using namespace spyre;
using namespace spyre::tools;
using launch::HostType;

/// How much coarser than f16 a type is: 2 per fraction bit that it lacks.
static double coarseness(const GateCase &gateCase) {
  if (gateCase.outputType == HostType::BF16 ||
      gateCase.deviceType == ElementType::BF16) {
    return 8; // 7 fraction bits against 10.
  }
  return gateCase.deviceType == ElementType::DL16 ? 2 : 1;
}

static bool isHalf(const GateCase &gateCase) {
  return gateCase.isHalfModel || gateCase.outputType == HostType::F16 ||
         gateCase.outputType == HostType::BF16 ||
         gateCase.deviceType == ElementType::F16 ||
         gateCase.deviceType == ElementType::BF16 ||
         gateCase.deviceType == ElementType::DL16;
}

rt::Gates tools::chooseGates(const GateCase &gateCase) {
  rt::Gates gates;
  if (isHalf(gateCase)) {
    const double factor = coarseness(gateCase);
    // The data of f16 node tests is exact in f16; that of f32 tests is not.
    const bool isHalfTest =
        gateCase.isNodeTest && gateCase.outputType != HostType::F32;
    // A row of cosine c and equal norm has L2 sqrt(2 - 2 c): the distance of
    // the cosine from 1 goes with the square.
    gates.rowL2 = (isHalfTest ? 2e-3 : 4e-3) * factor;
    gates.cosine = 1 - 1e-4 * factor * factor;
  } else if (gateCase.isNodeTest) {
    // As upstream's runner compares.
    gates.elementwise = rt::Gates::Elementwise{1e-3, 1e-7};
  } else {
    gates.rowL2 = 2e-5;
    gates.maxRelative = 1e-4;
  }
  return gates;
}
