// SPDX-License-Identifier: Apache-2.0
//
// How much longer the simulator takes to compute a BERT-size encoder layer,
// with all its checks, than a GEMM library takes for the layer's products alone
// on the same host: with one thread each, and with all threads of the host.
// make-encoder-layer makes the model; spyre-compile compiles it.
//
// usage: bench-encoder MODEL.spyre

#include "spyre/Runtime/Runtime.h"
#include "spyre/Simulator/Simulator.h"

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <thread>
#include <vector>

using namespace spyre;

namespace {

constexpr int kRuns = 5;

double secondsOf(const auto &work) {
  double best = 1e9;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

using Matrix =
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// `count` products of m x k by k x n in f32, each by all threads, a part of
/// the rows each.
double productSeconds(int m, int n, int k, int count, int numThreads) {
  const Matrix a = Matrix::Random(m, k);
  const Matrix b = Matrix::Random(k, n);
  Matrix c(m, n);
  return secondsOf([&] {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < numThreads; ++thread) {
      const int first = m * thread / numThreads;
      const int rows = m * (thread + 1) / numThreads - first;
      threads.emplace_back([&, first, rows] {
        for (int i = 0; i < count; ++i) {
          c.middleRows(first, rows).noalias() = a.middleRows(first, rows) * b;
        }
      });
    }
  });
}

/// Projections, feed-forward, scores and mixing of 12 heads.
double layerSeconds(int numThreads) {
  return productSeconds(512, 768, 768, 4, numThreads) +
         productSeconds(512, 3072, 768, 1, numThreads) +
         productSeconds(512, 768, 3072, 1, numThreads) +
         productSeconds(512, 512, 64, 12, numThreads) +
         productSeconds(512, 64, 512, 12, numThreads);
}

/// Nothing if the model cannot be run.
std::optional<double> simulatedSeconds(const char *path, int numThreads) {
  const target::Target &target = target::defaultTarget();
  sim::SimulatorOptions options;
  options.numThreads = numThreads;
  sim::Simulator simulator(target, options);
  Expected<std::unique_ptr<rt::Model>> model =
      rt::load(path, simulator, target);
  if (!model) {
    fmt::print(stderr, "{}", model.error().str());
    return std::nullopt;
  }
  Expected<std::unique_ptr<rt::Session>> session = rt::Session::create(**model);
  if (!session || !(*session)->fillInputs(0)) {
    fmt::print(stderr, "the inputs cannot be made\n");
    return std::nullopt;
  }
  bool failed = false;
  const double seconds =
      secondsOf([&] { failed = failed || !(*session)->run().has_value(); });
  if (failed) {
    fmt::print(stderr, "the run fails\n");
    return std::nullopt;
  }
  return seconds;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench-encoder MODEL.spyre\n");
    return 2;
  }
  const int host =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  fmt::print("threads  simulated ms  GEMM library ms  GFLOP/s   ratio\n");
  for (const int numThreads : std::set<int>{1, host}) {
    const std::optional<double> simulated =
        simulatedSeconds(argv[1], numThreads);
    if (!simulated) {
      return 1;
    }
    const double products = layerSeconds(numThreads);
    fmt::print("{:7}  {:12.1f}  {:15.1f}  {:7.1f}  {:6.2f}\n", numThreads,
               *simulated * 1e3, products * 1e3, 2 * 4.0265 / products,
               *simulated / products);
  }
  return 0;
}
