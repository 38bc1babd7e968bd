// SPDX-License-Identifier: Apache-2.0
//
// Device times of matmuls under every division of the work, against simulated
// ones. The file has the columns B,M,N,K,b,m,n,k,device_us: a batched matmul
// (B, M, K) x (B, K, N) whose dims are cut into b, m, n and k slices. Each row
// is compiled with its division forced, tiles as the public stack seems to make
// them (support/PublicTiles.h) and the operands in its default layout, in which
// the batch lies just outside of the stick.
//
// usage: bench-granite-matmul FILE.csv [flow|stick]

#include "Matmul.h"
#include "PublicTiles.h"
#include "SimulateMlir.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

using namespace spyre;

namespace {

using Shape = std::array<int64_t, 4>;

struct Row {
  Shape slices = {};
  double deviceUs = 0;
  double simulatedUs = 0;
};

/// One matmul with its division forced.
std::string mlirOf(const Shape &shape, const Shape &slices,
                   const target::Target &target) {
  bench::Matmul matmul;
  matmul.batch = shape[0];
  matmul.m = shape[1];
  matmul.n = shape[2];
  matmul.k = shape[3];
  matmul.slices.assign(slices.begin() + (shape[0] > 1 ? 0 : 1), slices.end());
  bench::setPublicTiles(matmul, target);
  return bench::matmulMlir(matmul);
}

std::vector<double> ranks(const std::vector<double> &values) {
  std::vector<double> result;
  for (double value : values) {
    double below = 0;
    double equal = 0;
    for (double other : values) {
      below += other < value ? 1 : 0;
      equal += other == value ? 1 : 0;
    }
    result.push_back(below + (equal - 1) / 2);
  }
  return result;
}

/// Spearman's: Pearson's of the ranks, ties at their mean.
double rankCorrelation(const std::vector<Row> &rows) {
  std::vector<double> device;
  std::vector<double> simulated;
  for (const Row &row : rows) {
    device.push_back(row.deviceUs);
    simulated.push_back(row.simulatedUs);
  }
  const std::vector<double> x = ranks(device);
  const std::vector<double> y = ranks(simulated);
  const double mean = (static_cast<double>(x.size()) - 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

struct Summary {
  double rank = 0;
  /// What the device loses with the division that the simulator prefers.
  double gap = 0;
  /// Geometric mean of simulated / device.
  double ratio = 0;
  double chosenUs = 0;
  double bestUs = 0;
};

Summary summarise(const std::vector<Row> &rows) {
  Summary summary;
  summary.rank = rankCorrelation(rows);
  const auto best = std::min_element(
      rows.begin(), rows.end(),
      [](const Row &a, const Row &b) { return a.deviceUs < b.deviceUs; });
  const auto chosen = std::min_element(
      rows.begin(), rows.end(),
      [](const Row &a, const Row &b) { return a.simulatedUs < b.simulatedUs; });
  summary.bestUs = best->deviceUs;
  summary.chosenUs = chosen->deviceUs;
  summary.gap = summary.chosenUs / summary.bestUs - 1;
  double logs = 0;
  for (const Row &row : rows) {
    logs += std::log(row.simulatedUs / row.deviceUs);
  }
  summary.ratio = std::exp(logs / static_cast<double>(rows.size()));
  return summary;
}

using Rows = std::map<Shape, std::vector<Row>>;

/// False unless the line has nine positive numbers.
bool parseRow(std::string line, Rows &rows) {
  std::replace(line.begin(), line.end(), ',', ' ');
  std::istringstream fields(line);
  Shape shape = {};
  Row row;
  bool arePositive = true;
  for (int64_t &extent : shape) {
    fields >> extent;
    arePositive = arePositive && extent > 0;
  }
  for (int64_t &slices : row.slices) {
    fields >> slices;
    arePositive = arePositive && slices > 0;
  }
  fields >> row.deviceUs;
  std::string rest;
  if (!fields || !arePositive || !(row.deviceUs > 0) || fields >> rest) {
    return false;
  }
  rows[shape].push_back(row);
  return true;
}

/// Nothing if the file cannot be read or has a row that is none.
std::optional<Rows> readRows(const std::string &path) {
  Rows rows;
  std::ifstream file(path);
  if (!file) {
    fmt::print(stderr, "bench-granite-matmul: {}: {}\n", path,
               std::strerror(errno));
    return std::nullopt;
  }
  std::string line;
  std::getline(file, line);
  for (int64_t number = 2; std::getline(file, line); ++number) {
    if (!parseRow(line, rows)) {
      fmt::print(stderr,
                 "bench-granite-matmul: {}:{}: a row has nine positive "
                 "numbers, B,M,N,K,b,m,n,k,device_us\n",
                 path, number);
      return std::nullopt;
    }
  }
  if (rows.empty()) {
    fmt::print(stderr, "bench-granite-matmul: {} has no rows\n", path);
    return std::nullopt;
  }
  return rows;
}

} // namespace

int main(int argc, char **argv) {
  const std::optional<sim::Fidelity> fidelity =
      argc > 2 ? bench::parseFidelity(argv[2]) : sim::Fidelity::Stick;
  if (argc < 2 || argc > 3 || !fidelity) {
    fmt::print(stderr, "usage: bench-granite-matmul FILE.csv [flow|stick]\n");
    return 2;
  }
  std::optional<Rows> shapes = readRows(argv[1]);
  if (!shapes) {
    return 1;
  }
  bench::CompiledPlans plans;
  bench::Machine machine;
  machine.fidelity = *fidelity;
  machine.plans = &plans;
  fmt::print("B x M x N x K         b_m_n_k      device us  simulated us  "
             "ratio\n");
  std::array<int64_t, 2> within = {0, 0};
  int64_t numRows = 0;
  std::vector<Summary> summaries;
  std::string table;
  for (auto &[shape, rows] : *shapes) {
    const std::string name =
        fmt::format("{}x{}x{}x{}", shape[0], shape[1], shape[2], shape[3]);
    for (Row &row : rows) {
      const Expected<rt::LaunchStats> stats = bench::simulateMlir(
          mlirOf(shape, row.slices, machine.target), machine);
      if (!stats) {
        fmt::print(stderr, "{}", stats.error().str());
        return 1;
      }
      row.simulatedUs = stats->computeSeconds * 1e6;
      fmt::print("{:<21} {:<12} {:>9.1f} {:>13.1f} {:>6.2f}\n", name,
                 fmt::format("{}_{}_{}_{}", row.slices[0], row.slices[1],
                             row.slices[2], row.slices[3]),
                 row.deviceUs, row.simulatedUs, row.simulatedUs / row.deviceUs);
    }
    for (const Row &row : rows) {
      const double error = std::abs(row.simulatedUs / row.deviceUs - 1);
      within[0] += error <= 0.1 ? 1 : 0;
      within[1] += error <= 0.2 ? 1 : 0;
      ++numRows;
    }
    const Summary summary = summarise(rows);
    table += fmt::format("{:<21} {:>4} {:>7.2f} {:>8.1f} % {:>8.2f}\n", name,
                         rows.size(), summary.rank, summary.gap * 100,
                         summary.ratio);
    summaries.push_back(summary);
  }
  Summary mean;
  for (const Summary &summary : summaries) {
    const auto count = static_cast<double>(summaries.size());
    mean.rank += summary.rank / count;
    mean.gap += summary.gap / count;
    mean.ratio += summary.ratio / count;
    mean.chosenUs += summary.chosenUs;
    mean.bestUs += summary.bestUs;
  }
  fmt::print("\nshape                 rows    rank        gap    ratio\n{}",
             table);
  fmt::print(
      "rank: Spearman's, over the rows of a shape. gap: what the device "
      "loses with the split that the simulator\nprefers. ratio: geometric "
      "mean of simulated over device. {} of {} rows within 10 %, {} within "
      "20 %.\ntotal gap, of the sum of the best times, {:.1f} %; then the "
      "means over shapes:\n",
      within[0], numRows, within[1], (mean.chosenUs / mean.bestUs - 1) * 100);
  fmt::print("rank {:.2f} gap {:.1f}% ratio {:.2f}\n", mean.rank,
             mean.gap * 100, mean.ratio);
  return 0;
}
