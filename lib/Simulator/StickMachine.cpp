// SPDX-License-Identifier: Apache-2.0
//
// The `stick` fidelity: commands go as trains of up to sixteen sticks, and
// every train books the parts on its way one after the other: its core's
// request window, the request ring, channels with their rows and turns, the
// memory node, each link, the ring ports and scratchpad ports of all receivers.
// A command within a core goes as chunks through the scratchpad's port. Nothing
// is shared by formula; who comes first is served first.

#include "Machine.h"
#include "Parts.h"
#include "Trains.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <queue>

namespace spyre::sim {
namespace {

constexpr int64_t kTrainSticks = 16;
/// A command within a core: bytes of a chunk, and chunks at most.
constexpr int64_t kChunkBytes = 4096;
constexpr int64_t kMaxChunks = 256;

/// The command that a process is busy with.
struct Job {
  Demand demand;
  RunWalker runs{AddressPattern{}};
  int64_t bytesLeft = 0;
  int64_t began = 0;
  int64_t complete = 0;
  /// Core: when the unit is through with the chunks so far, chunks left.
  int64_t unitFree = 0;
  int64_t chunks = 0;
  int64_t chunksLeft = 0;
  /// When the bytes of chunks that the unit has not begun start to arrive.
  std::deque<int64_t> arrivals;
  /// Ticks that trains waited, by cause.
  std::array<int64_t, rt::kNumWaitCauses> waited = {};
};

class StickMachine final : public Machine {
public:
  explicit StickMachine(const target::Target &target);

  void begin(int32_t process, const Demand &demand, int64_t now) override;
  int64_t nextTime() override {
    return events.empty() ? kNever : std::get<0>(events.top());
  }
  void advance(int64_t now, std::vector<Release> &released) override;
  std::vector<rt::PartStats> parts() const override;

private:
  /// Books a part; the wait counts for `cause`.
  int64_t book(Part &part, int64_t from, int64_t bytes, rt::WaitCause cause,
               Job &job);
  int64_t travel(Job &job, int64_t from, const std::array<int64_t, 2> &hops,
                 int64_t departs, int64_t bytes);
  int64_t receive(Job &job, uint64_t cores, int64_t arrives, int64_t bytes);
  Window &windowOf(int32_t process);
  void step(int32_t process, std::vector<Release> &released);
  int64_t stepRead(int32_t process, Job &job);
  int64_t stepWrite(int32_t process, Job &job);
  int64_t stepRing(Job &job);
  int64_t stepPartialSum(Job &job);
  int64_t stepCore(Job &job);
  int64_t memoryTurn(int32_t process, Job &job, int64_t sticks,
                     int64_t firstReturn, int64_t lastReturn);
  void finish(int32_t process, Job &job, std::vector<Release> &released);
  void schedule(int64_t at, int32_t process) {
    const int64_t core = jobs[static_cast<size_t>(process)].demand.core;
    events.push({at, ways.distance(core, ways.memoryNode()), process});
  }
  int64_t duration(int64_t bytes, double bytesPerTick) const {
    return static_cast<int64_t>(
        std::ceil(static_cast<double>(bytes) / bytesPerTick));
  }

  const target::Target &target;
  TimeBase base;
  RingWays ways;
  MemoryChannels memory;
  Parts shared;
  /// Between a request's issue and its channel; with a row's activation and
  /// the read latency it makes the round trip of an idle machine.
  int64_t requestTicks = 0;
  int64_t readLatency = 0;
  int64_t hopTicks = 0;
  /// What the L0 buffers of a core hold.
  int64_t operandBufferBytes = 0;
  std::vector<Window> windows;
  std::vector<Job> jobs;
  /// Time, way to the memory node, process: at one time the nearest core is the
  /// first, so that neither side of the ring has precedence.
  using Event = std::tuple<int64_t, int64_t, int32_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  int64_t present = 0;
};

StickMachine::StickMachine(const target::Target &machine)
    : target(machine), base(machine), ways(machine.numCores),
      memory(machine, base), shared(machine, base) {
  readLatency = base.ticks(target.ddrReadLatencyNs);
  // What the round trip of one stick holds beside: its request, a row, the bus
  // of its channel and the ports on its way.
  const double channelGBps =
      target.ddrPeakGBps / static_cast<double>(target.ddrChannels);
  const int64_t inParts =
      readLatency + base.ticks(target.ddrRowToColumnNs) +
      base.ticks(static_cast<double>(kStickBytes) / channelGBps) +
      duration(target.requestPacketBytes, shared.requests[0].bytesPerTick) +
      duration(kStickBytes, shared.portsIn[0].bytesPerTick);
  requestTicks =
      std::max<int64_t>(0, base.ticks(target.requestLatencyNs) - inParts);
  hopTicks = target.ringHopCycles * base.ringCycle;
  operandBufferBytes =
      target.l0SlicesPerCorelet * target.l0SliceBytes * target.coreletsPerCore;
}

Window &StickMachine::windowOf(int32_t process) {
  while (windows.size() <= static_cast<size_t>(process)) {
    windows.emplace_back(target.requestWindowSticks);
  }
  return windows[static_cast<size_t>(process)];
}

/// Returns when the last byte is through.
int64_t StickMachine::book(Part &part, int64_t from, int64_t bytes,
                           rt::WaitCause cause, Job &job) {
  const int64_t ticks = duration(bytes, part.bytesPerTick);
  const int64_t start = part.calendar.book(from, ticks, present);
  part.bytes += bytes;
  job.waited[static_cast<size_t>(cause)] += start - from;
  return start + ticks;
}

/// A train from a node over some links in each direction, copied where
/// it passes; its head departs at `departs`. Returns when its head is at the
/// last of them.
int64_t StickMachine::travel(Job &job, int64_t from,
                             const std::array<int64_t, 2> &hops,
                             int64_t departs, int64_t bytes) {
  int64_t latest = departs;
  for (size_t direction : {0, 1}) {
    int64_t head = departs;
    for (int64_t i = 0; i < hops[direction]; ++i) {
      Part &link = shared.links[direction][static_cast<size_t>(
          ways.link(from, static_cast<int>(direction), i))];
      const int64_t end = book(link, head, bytes, rt::WaitCause::Ring, job);
      head = end - duration(bytes, link.bytesPerTick) + hopTicks;
    }
    latest = std::max(latest, head);
  }
  return latest;
}

/// Returns when the last byte is in the last scratchpad.
int64_t StickMachine::receive(Job &job, uint64_t cores, int64_t arrives,
                              int64_t bytes) {
  int64_t latest = arrives;
  for (uint64_t rest = cores; rest != 0; rest &= rest - 1) {
    const auto core = static_cast<size_t>(std::countr_zero(rest));
    const int64_t in =
        book(shared.portsIn[core], arrives, bytes, rt::WaitCause::Ring, job);
    Part &scratchpad = shared.scratchpads[core];
    // The scratchpad takes what arrives as it arrives.
    const int64_t from = in - duration(bytes, scratchpad.bytesPerTick);
    latest = std::max(
        latest, book(scratchpad, from, bytes, rt::WaitCause::Scratchpad, job));
  }
  return latest;
}

/// After a train: when the unit may issue the next, of this command or another.
int64_t StickMachine::memoryTurn(int32_t process, Job &job, int64_t sticks,
                                 int64_t firstReturn, int64_t lastReturn) {
  Window &window = windowOf(process);
  window.add(sticks, firstReturn, lastReturn);
  job.complete = std::max(job.complete, lastReturn);
  return std::max(present, window.opensAt(window.next()));
}

int64_t StickMachine::stepRead(int32_t process, Job &job) {
  Window &window = windowOf(process);
  const int64_t first = window.next();
  const int64_t core = job.demand.core;
  const size_t direction = ways.directionToMemory(core);
  const int64_t way =
      requestTicks + ways.distance(core, ways.memoryNode()) * hopTicks;
  int64_t sticks = 0;
  int64_t firstReady = kNever;
  int64_t lastReady = 0;
  while (sticks < kTrainSticks && job.bytesLeft > 0) {
    const auto [address, bytes] = job.runs.take(
        std::min((kTrainSticks - sticks) * kStickBytes, job.bytesLeft),
        target.maxRequestBytes);
    // The request goes out when the window has room for its first stick.
    const int64_t asked = std::max(present, window.opensAt(first + sticks));
    const int64_t sent =
        book(shared.requests[direction], asked, target.requestPacketBytes,
             rt::WaitCause::Memory, job);
    const int64_t arrives = sent + way;
    const int64_t read = memory.read(address, bytes, arrives) + readLatency;
    const int64_t idle = arrives + readLatency;
    job.waited[static_cast<size_t>(rt::WaitCause::Memory)] +=
        std::max<int64_t>(0, read - idle);
    firstReady = std::min(firstReady, read);
    lastReady = std::max(lastReady, read);
    sticks += bytes / kStickBytes;
    job.bytesLeft -= bytes;
  }
  const int64_t bytes = sticks * kStickBytes;
  NodePort &port = shared.nodeOut[ways.directionFromMemory(core)];
  // The node holds nothing back while memory refreshes.
  port.refreshes.book(port.part.calendar, lastReady, present);
  const int64_t sent =
      book(port.part, firstReady, bytes, rt::WaitCause::Memory, job);
  const int64_t departs =
      std::max(lastReady, sent) - duration(bytes, port.part.bytesPerTick);
  const int64_t arrives =
      travel(job, ways.memoryNode(), ways.hopsOfRead(core, job.demand.cores),
             departs, bytes);
  int64_t last = receive(job, job.demand.cores, arrives, bytes);
  // The last stick was asked for when the window let it.
  const int64_t lastAsked = window.opensAt(first + sticks - 1);
  last = std::max(last, lastAsked + base.ticks(target.requestLatencyNs));
  return memoryTurn(process, job, sticks, std::min(arrives, last), last);
}

int64_t StickMachine::stepWrite(int32_t process, Job &job) {
  Window &window = windowOf(process);
  const int64_t first = window.next();
  const auto core = static_cast<size_t>(job.demand.core);
  const int64_t sticks = std::min(kTrainSticks, job.bytesLeft / kStickBytes);
  const int64_t bytes = sticks * kStickBytes;
  int64_t ready = book(shared.scratchpads[core], present, bytes,
                       rt::WaitCause::Scratchpad, job);
  ready = book(shared.portsOut[core],
               ready - duration(bytes, shared.scratchpads[core].bytesPerTick),
               bytes, rt::WaitCause::Ring, job);
  const int64_t departs =
      ready - duration(bytes, shared.links[0][0].bytesPerTick);
  const int64_t head =
      travel(job, job.demand.core,
             ways.hops(job.demand.core, uint64_t{1} << ways.memoryNode()),
             departs, bytes);
  NodePort &port = shared.nodeIn[ways.directionToMemory(job.demand.core)];
  port.refreshes.book(port.part.calendar, head, present);
  const int64_t in = book(port.part, head, bytes, rt::WaitCause::Memory, job);
  const int64_t half = base.ticks(target.requestLatencyNs) / 2;
  int64_t accepted = in + half;
  for (int64_t left = bytes; left > 0;) {
    const auto [address, count] = job.runs.take(left, target.maxRequestBytes);
    accepted = std::max(accepted, memory.write(address, count, in + half));
    left -= count;
  }
  job.waited[static_cast<size_t>(rt::WaitCause::Memory)] +=
      accepted - in - half;
  job.bytesLeft -= bytes;
  const int64_t lastAsked = window.opensAt(first + sticks - 1);
  const int64_t last = std::max(
      accepted + half, lastAsked + base.ticks(target.requestLatencyNs));
  return memoryTurn(process, job, sticks, std::min(head + 2 * half, last),
                    last);
}

int64_t StickMachine::stepRing(Job &job) {
  const auto core = static_cast<size_t>(job.demand.core);
  const int64_t sticks = std::min(kTrainSticks, job.bytesLeft / kStickBytes);
  const int64_t bytes = sticks * kStickBytes;
  job.bytesLeft -= bytes;
  const uint64_t others = job.demand.cores & ~(uint64_t{1} << job.demand.core);
  int64_t next = book(shared.scratchpads[core], present, bytes,
                      rt::WaitCause::Scratchpad, job);
  if (others != job.demand.cores) {
    next = book(shared.scratchpads[core], next, bytes,
                rt::WaitCause::Scratchpad, job);
    job.complete = std::max(job.complete, next);
  }
  if (others != 0) {
    Part &port = shared.portsOut[core];
    next = book(port,
                next - duration(bytes, shared.scratchpads[core].bytesPerTick),
                bytes, rt::WaitCause::Ring, job);
    const int64_t arrives =
        travel(job, job.demand.core, ways.hops(job.demand.core, others),
               next - duration(bytes, shared.links[0][0].bytesPerTick), bytes);
    job.complete = std::max(job.complete, receive(job, others, arrives, bytes));
  }
  return next;
}

int64_t StickMachine::stepPartialSum(Job &job) {
  const int64_t bytes = std::min(kTrainSticks * kStickBytes, job.bytesLeft);
  const int64_t ticks = duration(bytes, shared.partialSums.bytesPerTick);
  int64_t end =
      book(shared.partialSums, present, bytes, rt::WaitCause::Ring, job);
  for (uint64_t rest = job.demand.cores; rest != 0; rest &= rest - 1) {
    const auto core = static_cast<size_t>(std::countr_zero(rest));
    const int64_t added = book(shared.matrixUnits[core], end - ticks, ticks,
                               rt::WaitCause::MatrixUnit, job);
    end = std::max(end, added);
    book(shared.scratchpads[core], added - ticks, bytes,
         rt::WaitCause::Scratchpad, job);
  }
  job.bytesLeft -= bytes;
  job.complete = end + job.demand.latencyTicks;
  return end;
}

/// A chunk of a command within the core: the next chunk's bytes come while the
/// unit works on this one's.
int64_t StickMachine::stepCore(Job &job) {
  const auto core = static_cast<size_t>(job.demand.core);
  const int64_t at = job.chunks - job.chunksLeft;
  const auto share = [&](int64_t total, int64_t chunk) {
    return total * (chunk + 1) / job.chunks - total * chunk / job.chunks;
  };
  // What its buffers hold comes ahead of its work.
  const int64_t ahead =
      job.demand.onMatrixUnit
          ? std::max<int64_t>(1, operandBufferBytes * job.chunks /
                                     std::max<int64_t>(1, job.demand.lxBytes))
          : 1;
  while (job.demand.lxBytes > 0 &&
         std::ssize(job.arrivals) < std::min(ahead, job.chunksLeft)) {
    const int64_t bytes =
        share(job.demand.lxBytes, at + std::ssize(job.arrivals));
    Part &port = shared.scratchpads[core];
    port.bytes += bytes;
    job.arrivals.push_back(port.calendar.book(
        present, duration(bytes, port.bytesPerTick), present));
  }
  int64_t start = std::max(job.unitFree, present);
  if (!job.arrivals.empty()) {
    // Alone, the port never holds the unit up.
    const int64_t late = std::max<int64_t>(0, job.arrivals.front() - start);
    job.waited[static_cast<size_t>(rt::WaitCause::Scratchpad)] += late;
    start += late;
    job.arrivals.pop_front();
  }
  const int64_t ticks = share(job.demand.unitTicks, at);
  if (job.demand.onMatrixUnit) {
    start = book(shared.matrixUnits[core], start, ticks,
                 rt::WaitCause::MatrixUnit, job) -
            ticks;
  }
  job.unitFree = start + ticks;
  job.complete = job.unitFree + job.demand.latencyTicks;
  return --job.chunksLeft == 0 ? job.unitFree : start;
}

void StickMachine::begin(int32_t process, const Demand &demand, int64_t now) {
  present = now;
  if (jobs.size() <= static_cast<size_t>(process)) {
    jobs.resize(static_cast<size_t>(process) + 1);
  }
  Job &job = jobs[static_cast<size_t>(process)];
  job = Job{};
  job.demand = demand;
  job.runs = RunWalker(demand.addresses);
  job.bytesLeft = demand.bytes;
  job.began = job.complete = job.unitFree = now;
  job.chunks = std::clamp<int64_t>(
      (demand.lxBytes + kChunkBytes - 1) / kChunkBytes, 1, kMaxChunks);
  job.chunksLeft = job.chunks;
  int64_t at = now;
  if (demand.path == Path::Read || demand.path == Path::Write) {
    const Window &window = windowOf(process);
    at = std::max(now, window.opensAt(window.next()));
  }
  schedule(at, process);
}

void StickMachine::finish(int32_t process, Job &job,
                          std::vector<Release> &released) {
  Release release;
  release.process = process;
  release.completeTicks = job.complete;
  // What a command lost, in the proportion in which its trains waited.
  int64_t waited = 0;
  for (int64_t ticks : job.waited) {
    waited += ticks;
  }
  const double busy = static_cast<double>(present - job.began);
  const double factor =
      waited > 0 ? std::min(1.0, busy / static_cast<double>(waited)) : 0;
  for (size_t i = 0; i < rt::kNumWaitCauses; ++i) {
    release.lostTicks[i] =
        static_cast<int64_t>(static_cast<double>(job.waited[i]) * factor);
  }
  released.push_back(release);
}

void StickMachine::step(int32_t process, std::vector<Release> &released) {
  Job &job = jobs[static_cast<size_t>(process)];
  const bool isThrough =
      job.demand.path == Path::Core ? job.chunksLeft == 0 : job.bytesLeft == 0;
  if (isThrough) {
    finish(process, job, released);
    return;
  }
  int64_t next = present;
  switch (job.demand.path) {
  case Path::Core:
    next = stepCore(job);
    break;
  case Path::Read:
    next = stepRead(process, job);
    break;
  case Path::Write:
    next = stepWrite(process, job);
    break;
  case Path::Ring:
    next = stepRing(job);
    break;
  case Path::PartialSum:
    next = stepPartialSum(job);
    break;
  }
  schedule(std::max(next, present), process);
}

void StickMachine::advance(int64_t now, std::vector<Release> &released) {
  present = now;
  const auto first = static_cast<std::ptrdiff_t>(released.size());
  while (nextTime() == now) {
    const int32_t process = std::get<2>(events.top());
    events.pop();
    step(process, released);
  }
  std::sort(
      released.begin() + first, released.end(),
      [](const Release &a, const Release &b) { return a.process < b.process; });
}

std::vector<rt::PartStats> StickMachine::parts() const {
  std::vector<rt::PartStats> result;
  const double channelRate = base.bytesPerTick(target.ddrPeakGBps) /
                             static_cast<double>(target.ddrChannels);
  for (int64_t channel = 0; channel < memory.numChannels(); ++channel) {
    result.push_back({fmt::format("channel {}", channel),
                      memory.bytesOf(channel), channelRate});
  }
  shared.addTo(result);
  return result;
}

} // namespace

std::unique_ptr<Machine> makeStickMachine(const target::Target &target) {
  return std::make_unique<StickMachine>(target);
}

} // namespace spyre::sim
