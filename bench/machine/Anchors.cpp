// SPDX-License-Identifier: Apache-2.0
//
// Sources: TSC is torch-spyre's code, FK a fork of it, #n its issue or pull
// request, TA the public trace analyser's fixtures.

#include "Anchors.h"

#include "Matmul.h"
#include "PublicTiles.h"
#include "Sections.h"
#include "SimulateProgram.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace spyre;
using namespace spyre::bench;

namespace {

using Simulate = std::function<Expected<double>(const Machine &)>;

constexpr int64_t kRowsPerCore = 8192;

std::string startsOf(int64_t cores) {
  std::vector<int64_t> starts;
  for (int64_t core = 0; core < cores; ++core) {
    starts.push_back(core * kRowsPerCore);
  }
  return fmt::format("[{}]", fmt::join(starts, ", "));
}

/// GB/s of a stream of sticks by `cores` cores; `copies` writes it elsewhere.
Simulate streamRate(int64_t cores, bool copies) {
  return [=](const Machine &machine) -> Expected<double> {
    const std::string store = copies ? "store { loop 32 { move [256] %a[d0] -> "
                                       "%y[256*i0 + %start + d0] next %a } }"
                                     : "sfu { loop 32 { only next %a } }";
    const std::string text = fmt::format(
        "program @stream cores {0}\n"
        "table %start = {1}\n"
        "buffer %x ddr arg(0) f16 [{2}, 64] input valid 64\n"
        "buffer %y ddr arg(1) f16 [{2}, 64] output valid 64\n"
        "buffer %a lx f16 [256, 64] queue 4 load -> {3}\n"
        "source \"stream\"\n"
        "phase {{ load {{ loop 32 {{ move [256] %x[256*i0 + %start + d0] -> "
        "%a[d0] next %a }} }} {4} }}\n",
        cores, startsOf(cores), cores * kRowsPerCore, copies ? "store" : "sfu",
        store);
    const Expected<rt::ComputeStats> stats = simulateProgram(text, machine);
    if (!stats) {
      return tl::unexpected(stats.error());
    }
    const double ticksPerNs =
        sim::Simulator(machine.target, {}).ticksPerSecond() * 1e-9;
    return static_cast<double>(stats->ddrReadBytes + stats->ddrWriteBytes) *
           ticksPerNs / static_cast<double>(stats->ticks);
  };
}

Simulate matmulUs(Matmul matmul) {
  return [=](const Machine &machine) -> Expected<double> {
    const Expected<rt::LaunchStats> stats =
        simulateMlir(matmulMlir(matmul), machine);
    if (!stats) {
      return tl::unexpected(stats.error());
    }
    return stats->computeSeconds * 1e6;
  };
}

Matmul matmulOf(int64_t m, int64_t n, int64_t k,
                std::vector<int64_t> slices = {}) {
  Matmul matmul;
  matmul.m = m;
  matmul.n = n;
  matmul.k = k;
  matmul.slices = std::move(slices);
  return matmul;
}

/// As the public stack divides 512 rows.
Matmul batchOf(int64_t batch, int64_t n, BatchOrder order) {
  Matmul matmul = matmulOf(512, n, 4096);
  matmul.batch = batch;
  matmul.sharesWeight = true;
  matmul.order = order;
  matmul.slices = {1, 4, 8, 1};
  setPublicTiles(matmul, target::defaultTarget());
  return matmul;
}

Section streams() {
  // TSC and FK: 143 to 156 and 105 to 113 GB/s.
  return {"streams, 32 cores (TSC, FK)",
          "GB/s",
          {{"read", 150, streamRate(32, false)},
           {"copy", 109, streamRate(32, true)}},
          {{1, 0}}};
}

Section scaling() {
  Section section{"one to 32 cores, read (TSC, of 150 GB/s)", "GB/s", {}, {}};
  const std::pair<int64_t, double> fractions[] = {
      {1, 0.11}, {2, 0.22}, {4, 0.43}, {8, 0.54}, {16, 0.54}, {32, 1}};
  for (const auto &[cores, fraction] : fractions) {
    section.anchors.push_back({fmt::format("{} cores", cores), 150 * fraction,
                               streamRate(cores, false)});
  }
  // No published mechanism explains the plateau from 8 to 16.
  section.ratios = {{0, 5}, {1, 5}, {2, 5}};
  return section;
}

Section gemv() {
  return {"decode, K 4096 (#4032)",
          "us",
          {{"M 1, N 25600, 25 cores", 1762,
            matmulUs(matmulOf(1, 25600, 4096, {1, 25, 1}))},
           {"M 1, N 26624, 32 cores", 1508,
            matmulUs(matmulOf(1, 26624, 4096, {1, 32, 1}))},
           {"M 2, N 25600", 1463, matmulUs(matmulOf(2, 25600, 4096))},
           {"M 4, N 25600", 1389, matmulUs(matmulOf(4, 25600, 4096))},
           {"M 8, N 25600", 1377, matmulUs(matmulOf(8, 25600, 4096))},
           {"M 16, N 25600", 1365, matmulUs(matmulOf(16, 25600, 4096))}},
          // No published mechanism explains the 25 cores.
          {{1, 5}, {2, 5}, {3, 5}, {4, 5}}};
}

Section batched() {
  Section section{"3-D by 2-D, order of the batch (#4302)", "us", {}, {}};
  const std::tuple<int64_t, int64_t, double, double> rows[] = {
      {2, 12800, 4604, 2196},  {4, 12800, 6631, 4244},
      {8, 12800, 26968, 8384}, {2, 25600, 6862, 4879},
      {4, 25600, 12156, 7672}, {8, 25600, 31985, 15502}};
  for (const auto &[batch, n, innermost, outermost] : rows) {
    const std::string name = fmt::format("[{},512,4096]x[4096,{}]", batch, n);
    section.ratios.push_back(
        {section.anchors.size(), section.anchors.size() + 1});
    section.anchors.push_back(
        {name + " innermost", innermost,
         matmulUs(batchOf(batch, n, BatchOrder::Innermost))});
    section.anchors.push_back(
        {name + " outermost", outermost,
         matmulUs(batchOf(batch, n, BatchOrder::Outermost))});
  }
  return section;
}

/// A ratio of which the two values are not published: the lower counts as 1.
void addRatio(Section &section, std::string name, double measured,
              Simulate simulate) {
  section.ratios.push_back(
      {section.anchors.size(), section.anchors.size() + 1});
  section.anchors.push_back({std::move(name), measured, std::move(simulate)});
  section.anchors.push_back(
      {"", 1, [](const Machine &) { return Expected<double>(1); }});
}

Section divisions() {
  Section section{
      "division of the work, old over new (#2407)", "ratio", {}, {}};
  struct Case {
    int64_t m;
    int64_t n;
    std::vector<int64_t> before;
    std::vector<int64_t> after;
    double speedup;
  };
  const std::vector<Case> cases = {{512, 4096, {32, 1, 1}, {8, 4, 1}, 2.59},
                                   {512, 1024, {32, 1, 1}, {8, 4, 1}, 1.76},
                                   {512, 12800, {32, 1, 1}, {8, 4, 1}, 2.07},
                                   {4, 4096, {1, 32, 1}, {4, 8, 1}, 1.02},
                                   {4, 1024, {2, 16, 1}, {4, 8, 1}, 1.06},
                                   {4, 12800, {1, 25, 1}, {4, 8, 1}, 1.20}};
  for (const Case &item : cases) {
    const auto simulate = [=](const Machine &machine) -> Expected<double> {
      const Expected<double> before =
          matmulUs(matmulOf(item.m, item.n, 4096, item.before))(machine);
      const Expected<double> after =
          matmulUs(matmulOf(item.m, item.n, 4096, item.after))(machine);
      if (!before || !after) {
        return tl::unexpected(before ? after.error() : before.error());
      }
      return *before / *after;
    };
    addRatio(section,
             fmt::format("[{},4096]x[4096,{}] {} over {}", item.m, item.n,
                         fmt::join(item.before, "_"),
                         fmt::join(item.after, "_")),
             item.speedup, simulate);
  }
  return section;
}

Section matmuls() {
  return {"matmuls (FK)",
          "us",
          {{"512x4096x12800", 1000, matmulUs(matmulOf(512, 12800, 4096))},
           {"512x4096x4096", 331, matmulUs(matmulOf(512, 4096, 4096))},
           {"512x4096x1024", 118, matmulUs(matmulOf(512, 1024, 4096))},
           {"64x4096x12800", 673, matmulUs(matmulOf(64, 12800, 4096))}},
          {{1, 0}, {2, 0}, {3, 0}}};
}

/// The down and up projections of a feed-forward layer, M/32 against M/4 N/8.
Section fusedMlp() {
  const auto layer = [](std::vector<int64_t> slices) -> Simulate {
    return [=](const Machine &machine) -> Expected<double> {
      double sum = 0;
      for (const Matmul &matmul : {matmulOf(512, 12800, 4096, slices),
                                   matmulOf(512, 12800, 4096, slices),
                                   matmulOf(512, 4096, 12800, slices)}) {
        const Expected<double> us = matmulUs(matmul)(machine);
        if (!us) {
          return us;
        }
        sum += *us;
      }
      return sum;
    };
  };
  Section section{"fused MLP, one division for all (#2765)", "ratio", {}, {}};
  // 2.5 times the baseline, and 17 % less than it.
  addRatio(section, "M/32 over M/4 N/8", 2.5 / 0.83,
           [=](const Machine &machine) -> Expected<double> {
             const Expected<double> before = layer({32, 1, 1})(machine);
             const Expected<double> after = layer({4, 8, 1})(machine);
             if (!before || !after) {
               return tl::unexpected(before ? after.error() : before.error());
             }
             return *before / *after;
           });
  return section;
}

} // namespace

std::vector<Section> bench::machineSections() {
  std::vector<Section> sections = {streams(),   scaling(), gemv(),    batched(),
                                   divisions(), matmuls(), fusedMlp()};
  for (Section &section : kernelSections()) {
    sections.push_back(std::move(section));
  }
  return sections;
}
