// SPDX-License-Identifier: Apache-2.0
//
// The `flow` fidelity: every command is a flow through the parts that it
// needs, and the parts are shared max-min fairly (Sharing.h). Rates change only
// where a command begins or ends, so that time does not grow with bytes.

#include "Machine.h"
#include "Sharing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace spyre::sim {
namespace {

struct Flow {
  int32_t process = 0;
  Path path = Path::Core;
  int64_t latencyTicks = 0;
  double bytesLeft = 0;
  FlowRate rate;
  int64_t endTicks = kNever;
  std::array<double, rt::kNumWaitCauses> lost = {};
};

class FlowMachine final : public Machine {
public:
  explicit FlowMachine(const target::Target &target);

  void begin(int32_t process, const Demand &demand, int64_t now) override;
  int64_t nextTime() override;
  void advance(int64_t now, std::vector<Release> &released) override;
  std::vector<rt::PartStats> parts() const override;

private:
  int32_t addPart(std::string name, rt::WaitCause cause, double gigabytes);
  void addParts();
  void use(Flow &flow, int32_t part, double bytes = 1);
  void useWay(Flow &flow, int64_t from, const std::array<int64_t, 2> &hops);
  void limitByWindow(Flow &flow, int64_t now);
  void useMemory(Flow &flow);
  void useRequests(Flow &flow, const Demand &demand);
  void useReceivers(Flow &flow, uint64_t cores);
  void shape(Flow &flow, const Demand &demand);
  void slowForRefreshes();
  void settle(int64_t now);
  void scaleWrites(double cost);
  void share();
  double turnaround() const;

  const target::Target &target;
  TimeBase base;
  RingWays ways;
  std::vector<SharedPart> allParts;
  int32_t memory = 0;
  /// By direction of travel.
  std::array<int32_t, 2> nodeOut = {};
  std::array<int32_t, 2> nodeIn = {};
  std::array<int32_t, 2> requests = {};
  std::array<int32_t, 2> links = {};
  int32_t portsOut = 0;
  int32_t portsIn = 0;
  int32_t scratchpads = 0;
  int32_t matrixUnits = 0;
  int32_t partialSums = 0;
  /// What a written byte costs more while reads are as many.
  double writePenalty = 0;
  /// When memory refreshes first; kNever once it has.
  int64_t firstRefresh = 0;

  /// Bytes that a process may ask for at once, as of a time.
  struct Window {
    double bytes = 0;
    int64_t since = 0;
  };
  std::vector<Window> windows;
  std::vector<Flow> flows;
  int64_t settledAt = 0;
  bool changed = false;
};

FlowMachine::FlowMachine(const target::Target &machine)
    : target(machine), base(machine), ways(machine.numCores) {
  addParts();
  // A channel turns its bus around for every batch of writes and back.
  const double batchNs =
      static_cast<double>(target.ddrDrainBatchSticks) * kStickBytes /
      (target.ddrPeakGBps / static_cast<double>(target.ddrChannels));
  writePenalty = (target.ddrReadToWriteNs + target.ddrWriteToReadNs) / batchNs;
  firstRefresh = base.ticks(target.ddrRefreshIntervalNs);
}

int32_t FlowMachine::addPart(std::string name, rt::WaitCause cause,
                             double gigabytes) {
  SharedPart part;
  part.name = std::move(name);
  part.cause = cause;
  part.bytesPerTick = base.bytesPerTick(gigabytes);
  allParts.push_back(std::move(part));
  return static_cast<int32_t>(allParts.size() - 1);
}

void FlowMachine::addParts() {
  using rt::WaitCause;
  memory = addPart("device memory", WaitCause::Memory, target.ddrPeakGBps);
  const auto ringRate = [&](int64_t bytesPerCycle) {
    return static_cast<double>(bytesPerCycle) * target.ringClockGHz;
  };
  for (size_t direction : {0, 1}) {
    const char *name = direction == 0 ? "clockwise" : "counter-clockwise";
    nodeOut[direction] = addPart(fmt::format("memory node out {}", name),
                                 WaitCause::Memory, target.memoryNodeGBps / 2);
    nodeIn[direction] = addPart(fmt::format("memory node in {}", name),
                                WaitCause::Memory, target.memoryNodeGBps / 2);
    requests[direction] =
        addPart(fmt::format("requests {}", name), WaitCause::Memory,
                ringRate(target.requestRingBytesPerCycle));
    for (int64_t node = 0; node < ways.numNodes(); ++node) {
      const int32_t link =
          addPart(fmt::format("link {} {}", node, name), WaitCause::Ring,
                  ringRate(target.ringBytesPerCycle));
      links[direction] = node == 0 ? link : links[direction];
    }
  }
  const auto perCore = [&](const char *name, WaitCause cause,
                           double gigabytes) {
    const auto first = static_cast<int32_t>(allParts.size());
    for (int64_t core = 0; core < target.numCores; ++core) {
      addPart(fmt::format("{} of core {}", name, core), cause, gigabytes);
    }
    return first;
  };
  const double port = ringRate(target.ringCorePortBytesPerCycle);
  portsIn = perCore("ring port in", WaitCause::Ring, port);
  portsOut = perCore("ring port out", WaitCause::Ring, port);
  scratchpads = perCore("scratchpad port", WaitCause::Scratchpad,
                        static_cast<double>(target.lxPortBytesPerCycle) *
                            target.coreClockGHz);
  // Its measure is its time: a tick a tick.
  matrixUnits = perCore("matrix unit", WaitCause::MatrixUnit, base.ticksPerNs);
  // A reduction goes up the cores, and so over the one ring that does; it
  // holds that ring.
  partialSums = addPart("partial sums", WaitCause::Ring,
                        static_cast<double>(target.partialSumBytesPerCycle) *
                            target.coreClockGHz);
}

void FlowMachine::use(Flow &flow, int32_t part, double bytes) {
  for (Use &present : flow.rate.uses) {
    if (present.part == part) {
      present.bytes += bytes;
      return;
    }
  }
  flow.rate.uses.push_back({part, bytes});
}

void FlowMachine::useWay(Flow &flow, int64_t from,
                         const std::array<int64_t, 2> &hops) {
  for (int direction : {0, 1}) {
    for (int64_t i = 0; i < hops[static_cast<size_t>(direction)]; ++i) {
      flow.rate.uses.push_back(
          {links[static_cast<size_t>(direction)] +
               static_cast<int32_t>(ways.link(from, direction, i)),
           1});
    }
  }
}

void FlowMachine::useReceivers(Flow &flow, uint64_t cores) {
  for (uint64_t rest = cores; rest != 0; rest &= rest - 1) {
    const int32_t core = std::countr_zero(rest);
    use(flow, portsIn + core);
    use(flow, scratchpads + core);
  }
}

/// A unit that has asked for nothing for a while asks for a whole window at
/// once; from then on the window holds it to a window a round trip.
void FlowMachine::limitByWindow(Flow &flow, int64_t now) {
  const double window =
      static_cast<double>(target.requestWindowSticks) * kStickBytes;
  const double rate = base.bytesPerTick(window / target.requestLatencyNs);
  if (windows.size() <= static_cast<size_t>(flow.process)) {
    windows.resize(static_cast<size_t>(flow.process) + 1, {window, 0});
  }
  Window &open = windows[static_cast<size_t>(flow.process)];
  open.bytes = std::min(
      window, open.bytes + rate * static_cast<double>(now - open.since));
  const double atOnce = std::min(open.bytes, flow.bytesLeft);
  open.bytes -= atOnce;
  const double port = base.bytesPerTick(
      static_cast<double>(target.ringBytesPerCycle) * target.ringClockGHz);
  const double ticks =
      std::max((flow.bytesLeft - atOnce) / rate, flow.bytesLeft / port);
  flow.rate.most = flow.bytesLeft / ticks;
}

void FlowMachine::useMemory(Flow &flow) {
  flow.latencyTicks += base.ticks(target.requestLatencyNs);
  use(flow, memory);
}

/// What is written carries its address.
void FlowMachine::useRequests(Flow &flow, const Demand &demand) {
  const auto packets = static_cast<double>(target.requestPacketBytes);
  use(flow, requests[ways.directionToMemory(demand.core)],
      packets / std::min(demand.addresses.runBytes, target.maxRequestBytes));
}

void FlowMachine::shape(Flow &flow, const Demand &demand) {
  const double linkRate = base.bytesPerTick(
      static_cast<double>(target.ringBytesPerCycle) * target.ringClockGHz);
  flow.path = demand.path;
  flow.latencyTicks = demand.latencyTicks;
  flow.bytesLeft = static_cast<double>(demand.bytes);
  const auto hopTicks = [&](int64_t hops) {
    return hops * target.ringHopCycles * base.ringCycle;
  };
  switch (demand.path) {
  case Path::Core:
    // Bytes stand for progress; what needs none of the port counts ticks.
    flow.bytesLeft = static_cast<double>(demand.lxBytes > 0 ? demand.lxBytes
                                                            : demand.unitTicks);
    flow.rate.most = flow.bytesLeft / static_cast<double>(demand.unitTicks);
    if (demand.lxBytes > 0) {
      use(flow, scratchpads + demand.core);
    }
    if (demand.onMatrixUnit) {
      use(flow, matrixUnits + demand.core, 1 / flow.rate.most);
    }
    break;
  case Path::Read: {
    useMemory(flow);
    useRequests(flow, demand);
    const std::array<int64_t, 2> hops =
        ways.hopsOfRead(demand.core, demand.cores);
    use(flow, nodeOut[ways.directionFromMemory(demand.core)]);
    useWay(flow, ways.memoryNode(), hops);
    useReceivers(flow, demand.cores);
    // The request's way, and the data's.
    flow.latencyTicks +=
        hopTicks(ways.distance(demand.core, ways.memoryNode()) +
                 std::max(hops[0], hops[1]));
    break;
  }
  case Path::Write:
    useMemory(flow);
    use(flow, nodeIn[ways.directionToMemory(demand.core)]);
    useWay(flow, demand.core,
           ways.hops(demand.core, uint64_t{1} << ways.memoryNode()));
    use(flow, portsOut + demand.core);
    use(flow, scratchpads + demand.core);
    flow.latencyTicks +=
        hopTicks(ways.distance(demand.core, ways.memoryNode()));
    break;
  case Path::Ring: {
    flow.rate.most = linkRate;
    const uint64_t others = demand.cores & ~(uint64_t{1} << demand.core);
    const std::array<int64_t, 2> hops = ways.hops(demand.core, others);
    useWay(flow, demand.core, hops);
    if (others != 0) {
      use(flow, portsOut + demand.core);
      useReceivers(flow, others);
    }
    use(flow, scratchpads + demand.core, others == demand.cores ? 1 : 2);
    flow.latencyTicks += hopTicks(std::max(hops[0], hops[1]));
    break;
  }
  case Path::PartialSum:
    flow.rate.most = allParts[static_cast<size_t>(partialSums)].bytesPerTick;
    use(flow, partialSums);
    for (uint64_t rest = demand.cores; rest != 0; rest &= rest - 1) {
      use(flow, scratchpads + std::countr_zero(rest));
      use(flow, matrixUnits + std::countr_zero(rest), 1 / flow.rate.most);
    }
    use(flow, scratchpads + demand.core);
    break;
  }
}

void FlowMachine::begin(int32_t process, const Demand &demand, int64_t now) {
  settle(now);
  Flow flow;
  flow.process = process;
  shape(flow, demand);
  if (flow.path == Path::Read || flow.path == Path::Write) {
    limitByWindow(flow, now);
  }
  for (const Use &taken : flow.rate.uses) {
    allParts[static_cast<size_t>(taken.part)].bytes +=
        taken.bytes * flow.bytesLeft;
  }
  flows.push_back(std::move(flow));
  changed = true;
}

/// While all banks refresh, memory and with it the memory node stand still:
/// from the first refresh on they lose its share of the time.
void FlowMachine::slowForRefreshes() {
  const double running = 1 - target.ddrRefreshNs / target.ddrRefreshIntervalNs;
  for (const int32_t part :
       {memory, nodeOut[0], nodeOut[1], nodeIn[0], nodeIn[1]}) {
    allParts[static_cast<size_t>(part)].bytesPerTick *= running;
  }
  firstRefresh = kNever;
  changed = true;
}

/// Moves all flows on to `now`.
void FlowMachine::settle(int64_t now) {
  const auto passed = static_cast<double>(now - settledAt);
  settledAt = now;
  if (passed == 0) {
    return;
  }
  for (Flow &flow : flows) {
    flow.bytesLeft -= flow.rate.now * passed;
    flow.lost[static_cast<size_t>(flow.rate.cause)] +=
        passed * (1 - flow.rate.now / flow.rate.most);
  }
}

/// What a written byte costs while both directions are active: a batch of
/// writes for every turn of the bus, and no more turns than there are batches
/// of reads.
double FlowMachine::turnaround() const {
  double reads = 0;
  double writes = 0;
  for (const Flow &flow : flows) {
    reads += flow.path == Path::Read ? flow.rate.now : 0;
    writes += flow.path == Path::Write ? flow.rate.now : 0;
  }
  if (reads == 0 || writes == 0) {
    return 1;
  }
  return 1 + writePenalty * std::min(1.0, reads / writes);
}

/// A byte that is written takes `cost` bytes of memory.
void FlowMachine::scaleWrites(double cost) {
  for (Flow &flow : flows) {
    if (flow.path == Path::Write) {
      const auto use =
          std::find_if(flow.rate.uses.begin(), flow.rate.uses.end(),
                       [&](const Use &taken) { return taken.part == memory; });
      use->bytes = cost;
    }
  }
}

void FlowMachine::share() {
  std::vector<FlowRate *> rates;
  for (Flow &flow : flows) {
    rates.push_back(&flow.rate);
  }
  // Writes first cost what reads do; their share then tells how often the bus
  // turns.
  scaleWrites(1);
  shareFairly(rates, allParts);
  if (const double turned = turnaround(); turned != 1) {
    scaleWrites(turned);
    shareFairly(rates, allParts);
  }
  for (Flow &flow : flows) {
    const double left =
        std::ceil(std::max(flow.bytesLeft, 0.0) / flow.rate.now);
    flow.endTicks =
        settledAt + std::max<int64_t>(1, static_cast<int64_t>(left));
  }
}

int64_t FlowMachine::nextTime() {
  if (changed) {
    share();
    changed = false;
  }
  int64_t next = kNever;
  for (const Flow &flow : flows) {
    next = std::min(next, flow.endTicks);
  }
  return next == kNever ? next
                        : std::min(next, std::max(firstRefresh, settledAt));
}

void FlowMachine::advance(int64_t now, std::vector<Release> &released) {
  settle(now);
  if (now >= firstRefresh) {
    slowForRefreshes();
  }
  const size_t first = released.size();
  const auto ends = [&](const Flow &flow) {
    if (flow.endTicks > now) {
      return false;
    }
    if (flow.path == Path::Read || flow.path == Path::Write) {
      windows[static_cast<size_t>(flow.process)].since = now;
    }
    Release release;
    release.process = flow.process;
    release.completeTicks = now + flow.latencyTicks;
    for (size_t i = 0; i < rt::kNumWaitCauses; ++i) {
      release.lostTicks[i] = static_cast<int64_t>(flow.lost[i]);
    }
    released.push_back(release);
    return true;
  };
  const auto end = std::remove_if(flows.begin(), flows.end(), ends);
  changed = changed || end != flows.end();
  flows.erase(end, flows.end());
  std::sort(
      released.begin() + static_cast<std::ptrdiff_t>(first), released.end(),
      [](const Release &a, const Release &b) { return a.process < b.process; });
}

std::vector<rt::PartStats> FlowMachine::parts() const {
  std::vector<rt::PartStats> result;
  for (const SharedPart &part : allParts) {
    result.push_back(
        {part.name, static_cast<int64_t>(part.bytes), part.bytesPerTick});
  }
  return result;
}

} // namespace

std::unique_ptr<Machine> makeFlowMachine(const target::Target &target) {
  return std::make_unique<FlowMachine>(target);
}

} // namespace spyre::sim
