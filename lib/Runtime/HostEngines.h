// SPDX-License-Identifier: Apache-2.0
//
// The host and its two DMA engines, one for each direction, as what the streams
// of a launch book: each does one thing at a time. Times are seconds from the
// start of the launch.

#ifndef SPYRE_LIB_RUNTIME_HOSTENGINES_H
#define SPYRE_LIB_RUNTIME_HOSTENGINES_H

#include "spyre/Target/Target.h"

#include <algorithm>
#include <cstdint>

namespace spyre::rt {

class HostEngines {
public:
  explicit HostEngines(const target::Target &target) : target(target) {}

  /// The host lays a tensor out, then it goes to the device. Each returns the
  /// end of what may begin at `from`.
  double copyIn(double from, int64_t bytes) {
    return in.book(host.book(from, layoutSeconds(bytes)), dmaSeconds(bytes));
  }
  double copyOut(double from, int64_t bytes) {
    return host.book(out.book(from, dmaSeconds(bytes)), layoutSeconds(bytes));
  }
  /// The host makes the blob of a program's addresses.
  double makeCorrection(double from) {
    return host.book(from, target.addressCorrectionUs * 1e-6);
  }
  double sendCorrection(double from) {
    return in.book(from, dmaSeconds(target.correctionBlobBytes));
  }

private:
  struct Server {
    double freeSeconds = 0;
    double book(double from, double seconds) {
      freeSeconds = std::max(from, freeSeconds) + seconds;
      return freeSeconds;
    }
  };

  double dmaSeconds(int64_t bytes) const {
    return target.dmaSetupUs * 1e-6 +
           static_cast<double>(bytes) / (target.pcieGBps * 1e9);
  }
  double layoutSeconds(int64_t bytes) const {
    return static_cast<double>(bytes) / (target.hostLayoutGBps * 1e9);
  }

  const target::Target &target;
  Server host;
  Server in;
  Server out;
};

} // namespace spyre::rt

#endif // SPYRE_LIB_RUNTIME_HOSTENGINES_H
