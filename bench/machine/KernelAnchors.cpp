// SPDX-License-Identifier: Apache-2.0
//
// Anchors that are no matmuls. Sources: as in Anchors.cpp; TSD is the public
// stack's documentation.

#include "Sections.h"
#include "SimulateProgram.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace spyre;
using namespace spyre::bench;

namespace {

using Simulate = std::function<Expected<double>(const Machine &)>;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

constexpr const char *kAdd = R"(
#l = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
#id = affine_map<(m, n) -> (m, n)>
func.func @main(%a: tensor<512x512xf16, #l> {spyre.name = "a"},
                %b: tensor<512x512xf16, #l> {spyre.name = "b"})
    -> (tensor<512x512xf16, #l> {spyre.name = "c"}) {
  %e = tensor.empty() : tensor<512x512xf16, #l>
  %c = linalg.generic {indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<512x512xf16, #l>, tensor<512x512xf16, #l>)
      outs(%e : tensor<512x512xf16, #l>) {
  ^bb0(%x: f16, %y: f16, %z: f16):
    %wide_x = arith.extf %x : f16 to f32
    %wide_y = arith.extf %y : f16 to f32
    %sum = arith.addf %wide_x, %wide_y : f32
    %narrow = arith.truncf %sum : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<512x512xf16, #l>
  return %c : tensor<512x512xf16, #l>
}
)";

constexpr int64_t kRestickifyExtent = 4096;
constexpr const char *kRestickify = R"(
#rows = #stick.layout<[d1 floordiv 64, d0, d1 mod 64]>
#columns = #stick.layout<[d0 floordiv 64, d1, d0 mod 64]>
func.func @main(%a: tensor<4096x4096xf16, #rows> {spyre.name = "a"})
    -> (tensor<4096x4096xf16, #columns> {spyre.name = "c"}) {
  %c = stick.restickify %a : tensor<4096x4096xf16, #rows>
      to tensor<4096x4096xf16, #columns>
  return %c : tensor<4096x4096xf16, #columns>
}
)";

Simulate computeUs(const char *text) {
  return [=](const Machine &machine) -> Expected<double> {
    const Expected<rt::LaunchStats> stats = simulateMlir(text, machine);
    if (!stats) {
      return tl::unexpected(stats.error());
    }
    return stats->computeSeconds * 1e6;
  };
}

Expected<double> restickifyRate(const Machine &machine) {
  const Expected<double> us = computeUs(kRestickify)(machine);
  if (!us) {
    return us;
  }
  const int64_t bytes = 2 * kRestickifyExtent * kRestickifyExtent * 2;
  return static_cast<double>(bytes) / *us * 1e-3;
}

std::vector<Section> kernels() {
  // One figure from each source, so that no ratio is compared.
  return {{"a kernel alone (TA)",
           "us",
           {{"add of two times 512 KiB", 16.4, computeUs(kAdd)}},
           {}},
          {"restickify that swaps the stick, 85.7 to 115 (FK)",
           "GB/s",
           {{"[4096,4096]", 100, restickifyRate}},
           {}}};
}

//===----------------------------------------------------------------------===//
// Softmax by traffic
//===----------------------------------------------------------------------===//

constexpr int64_t kSoftmaxRows = 512;
constexpr int64_t kSoftmaxColumns = 1024;

/// Along dim 0, an operation a kernel.
constexpr const char *kSoftmax = R"(
#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>
func.func @main(%x: tensor<512x1024xf16> {{spyre.name = "x"}})
    -> (tensor<512x1024xf16> {{spyre.name = "y"}}) {{
  %e = tensor.empty() : tensor<512x1024xf16>
  %row = tensor.empty() : tensor<1024xf16>
  %low = arith.constant 0xFC00 : f16
  %zero = arith.constant 0.0 : f16
  %none = linalg.fill ins(%low : f16) outs(%row : tensor<1024xf16>)
      -> tensor<1024xf16>
  %nothing = linalg.fill ins(%zero : f16) outs(%row : tensor<1024xf16>)
      -> tensor<1024xf16>
  {clone}
  %max = linalg.generic {{indexing_maps = [#mn, #n],
      iterator_types = ["reduction", "parallel"]}}
      ins(%in : tensor<512x1024xf16>) outs(%none : tensor<1024xf16>)
      attrs = {{sdsc.force = {{{slices}, placement = #sdsc.space<{reduced}>}}}} {{
  ^bb0(%a: f16, %b: f16):
    %0 = arith.maximumf %a, %b : f16
    linalg.yield %0 : f16
  }} -> tensor<1024xf16>
  %sub = linalg.generic {{indexing_maps = [#mn, #n, #mn],
      iterator_types = ["parallel", "parallel"]}}
      ins(%in, %max : tensor<512x1024xf16>, tensor<1024xf16>)
      outs(%e : tensor<512x1024xf16>)
      attrs = {{sdsc.force = {{{slices}, placement = #sdsc.space<{mapped}>}}}} {{
  ^bb0(%a: f16, %b: f16, %o: f16):
    %0 = arith.subf %a, %b : f16
    linalg.yield %0 : f16
  }} -> tensor<512x1024xf16>
  %exp = linalg.generic {{indexing_maps = [#mn, #mn],
      iterator_types = ["parallel", "parallel"]}}
      ins(%sub : tensor<512x1024xf16>) outs(%e : tensor<512x1024xf16>)
      attrs = {{sdsc.force = {{{slices}, placement = #sdsc.space<{mapped}>}}}} {{
  ^bb0(%a: f16, %o: f16):
    %0 = math.exp %a : f16
    linalg.yield %0 : f16
  }} -> tensor<512x1024xf16>
  %sum = linalg.generic {{indexing_maps = [#mn, #n],
      iterator_types = ["reduction", "parallel"]}}
      ins(%exp : tensor<512x1024xf16>) outs(%nothing : tensor<1024xf16>)
      attrs = {{sdsc.force = {{{slices}, placement = #sdsc.space<{reduced}>}}}} {{
  ^bb0(%a: f16, %b: f16):
    %0 = arith.addf %a, %b : f16
    linalg.yield %0 : f16
  }} -> tensor<1024xf16>
  %y = linalg.generic {{indexing_maps = [#mn, #n, #mn],
      iterator_types = ["parallel", "parallel"]}}
      ins(%exp, %sum : tensor<512x1024xf16>, tensor<1024xf16>)
      outs(%e : tensor<512x1024xf16>)
      attrs = {{sdsc.force = {{{slices}}}}} {{
  ^bb0(%a: f16, %b: f16, %o: f16):
    %0 = arith.divf %a, %b : f16
    linalg.yield %0 : f16
  }} -> tensor<512x1024xf16>
  return %y : tensor<512x1024xf16>
}}
)";

/// All but a copy, which normalize would drop.
constexpr const char *kClone = R"(
  %in = linalg.generic {{indexing_maps = [#mn, #mn],
      iterator_types = ["parallel", "parallel"]}}
      ins(%x : tensor<512x1024xf16>) outs(%e : tensor<512x1024xf16>)
      attrs = {{sdsc.force = {{{slices}, placement = #sdsc.space<lx>}}}} {{
  ^bb0(%a: f16, %o: f16):
    %most = arith.constant 65504.0 : f16
    %0 = arith.minimumf %a, %most : f16
    linalg.yield %0 : f16
  }} -> tensor<512x1024xf16>
)";
constexpr const char *kNoClone = R"(
  %in = tensor.cast %x : tensor<512x1024xf16> to tensor<512x1024xf16>
)";

struct Softmax {
  bool reducedInLx = false;
  bool mappedInLx = false;
  bool clonesInput = false;
};

/// Elements over device memory, of those of the input.
Simulate softmaxTraffic(Softmax variant) {
  return [=](const Machine &machine) -> Expected<double> {
    // One core holds no two results at once; traffic is the same on four.
    const std::string slices = "slices = array<i64: 1, 4>";
    const std::string text = fmt::format(
        kSoftmax, fmt::arg("slices", slices),
        fmt::arg(
            "clone",
            fmt::format(fmt::runtime(variant.clonesInput ? kClone : kNoClone),
                        fmt::arg("slices", slices))),
        fmt::arg("reduced", variant.reducedInLx ? "lx" : "ddr"),
        fmt::arg("mapped", variant.mappedInLx ? "lx" : "ddr"));
    const Expected<rt::LaunchStats> stats =
        simulateMlir(text, machine, Phase::Normalize);
    if (!stats) {
      return tl::unexpected(stats.error());
    }
    int64_t bytes = 0;
    for (const rt::StepStats &step : stats->steps) {
      bytes += step.compute.ddrReadBytes + step.compute.ddrWriteBytes;
    }
    return static_cast<double>(bytes) /
           static_cast<double>(2 * kSoftmaxRows * kSoftmaxColumns);
  };
}

Section softmax() {
  const double rowOverAll = 1 / static_cast<double>(kSoftmaxRows);
  return {"softmax of [512,1024] along dim 0, traffic (TSD)",
          "inputs",
          {{"all in device memory", 8 + 4 * rowOverAll, softmaxTraffic({})},
           {"reductions in LX", 8, softmaxTraffic({true, false, false})},
           {"and what is mapped", 3, softmaxTraffic({true, true, false})},
           {"and a clone of the input", 2, softmaxTraffic({true, true, true})}},
          {{0, 3}, {1, 3}, {2, 3}}};
}

//===----------------------------------------------------------------------===//
// Relayout
//===----------------------------------------------------------------------===//

/// relu(neg(x)) of 8x256x512 on eight cores: a batch each, then 32 rows each of
/// all batches. Device dims: batch, tile, row, lane.
constexpr const char *kRelayout = R"(
program @relayout cores 8
table %c = core
table %all = mask(core div 8)
table %to[8] = [{to}]
buffer %x ddr arg(0) f16 [8, 8, 256, 64] input valid 64
buffer %y ddr arg(1) f16 [8, 8, 256, 64] output valid 64
{between}
buffer %a lx f16 [256, 64] queue 2 load -> sfu
buffer %r lx at 65536 f16 [8, 32, 64] queue 2 sfu -> store
source "relayout"
body @neg(x) {{ y = neg(x) return y }}
body @relu(x) {{ zero = const_f32 0.0 y = max(x, zero) return y }}
{phases}
)";

constexpr const char *kThroughMemory[] = {R"(
buffer %t ddr arg(2) f16 [8, 8, 256, 64] inout valid 64
buffer %n lx at 131072 f16 [8, 256, 64] queue 1 sfu -> store
buffer %b lx at 393216 f16 [8, 32, 64] queue 2 load -> sfu
)",
                                          R"(
phase {
  load { loop 8 { move [256] %x[%c, i0, d0] -> %a[d0] next %a } }
  sfu { loop 8 { map @neg [256] stick 64 %a[d0] -> %n[i0, d0] next %a }
        only next %n }
  store { move [8, 256] %n[d0, d1] -> %t[%c, d0, d1] next %n }
}
phase {
  load { loop 8 { move [8, 32] %t[i0, d0, 32*%c + d1] -> %b[d0, d1] next %b } }
  sfu { loop 8 { map @relu [8, 32] stick 64 %b[d0, d1] -> %r[d0, d1]
                 next %b, %r } }
  store { loop 8 { move [8, 32] %r[d0, d1] -> %y[i0, d0, 32*%c + d1] next %r } }
}
)"};

constexpr const char *kOverRing[] = {R"(
buffer %n lx at 131072 f16 [8, 256, 64] queue 1 sfu -> ring
buffer %b lx at 393216 f16 [8, 8, 32, 64] queue 1 ring@%all -> sfu
)",
                                     R"(
phase {
  load { loop 8 { move [256] %x[%c, i0, d0] -> %a[d0] next %a } }
  ring { loop 8 { move [8, 32] %n[d0, 32*i0 + d1] -> %b[%c, d0, d1]
                  to %to[i0] }
         only next %n, %b }
  sfu { loop 8 { map @neg [256] stick 64 %a[d0] -> %n[i0, d0] next %a }
        only next %n
        loop 8 { map @relu [8, 32] stick 64 %b[i0, d0, d1] -> %r[d0, d1]
                 next %r }
        only next %b }
  store { loop 8 { move [8, 32] %r[d0, d1] -> %y[i0, d0, 32*%c + d1] next %r } }
}
)"};

Simulate relayoutUs(const char *const (&way)[2]) {
  return [&way](const Machine &machine) -> Expected<double> {
    std::vector<int64_t> to;
    for (int64_t i = 0; i < 64; ++i) {
      to.push_back(int64_t{1} << i % 8);
    }
    const std::string text = fmt::format(
        kRelayout, fmt::arg("to", fmt::format("{}", fmt::join(to, ", "))),
        fmt::arg("between", way[0]), fmt::arg("phases", way[1]));
    const Expected<rt::ComputeStats> stats = simulateProgram(text, machine);
    if (!stats) {
      return tl::unexpected(stats.error());
    }
    return static_cast<double>(stats->ticks) * 1e6 /
           sim::Simulator(machine.target, {}).ticksPerSecond();
  };
}

Section relayout() {
  // A model's figures, no measurements, so that no ratio is compared.
  return {"relayout of 2 MB between eight cores (#4024, modelled)",
          "us",
          {{"through device memory", 79.9, relayoutUs(kThroughMemory)},
           {"over the ring", 41.1, relayoutUs(kOverRing)}},
          {}};
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// What one launch of a small kernel takes beside its transfers and compute.
Expected<double> launchUs(const Machine &machine) {
  const Expected<rt::LaunchStats> stats = simulateMlir(kAdd, machine);
  if (!stats) {
    return tl::unexpected(stats.error());
  }
  // A step's time includes its waits for the host and the engines.
  const target::Target &target = machine.target;
  double transferUs = 0;
  for (const rt::StepStats &step : stats->steps) {
    if (step.kind != launch::StepKind::Compute) {
      const auto bytes = static_cast<double>(step.transferBytes);
      transferUs += target.dmaSetupUs + bytes / target.pcieGBps * 1e-3 +
                    bytes / target.hostLayoutGBps * 1e-3;
    }
  }
  return (stats->totalSeconds - stats->computeSeconds) * 1e6 - transferUs;
}

Section launches() {
  // Addresses are patched here, static there: 18 to 24 us from one launch to
  // the next within a graph, with its kernel. No ratio is compared.
  return {"a launch (#1728: static addresses, with its kernel)",
          "us",
          {{"patched addresses, without its kernel", 21, launchUs}},
          {}};
}

} // namespace

std::vector<Section> bench::kernelSections() {
  std::vector<Section> sections = kernels();
  sections.push_back(softmax());
  sections.push_back(relayout());
  sections.push_back(launches());
  return sections;
}
