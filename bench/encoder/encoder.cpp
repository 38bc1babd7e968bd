// SPDX-License-Identifier: Apache-2.0
//
// How much longer the simulator takes to compute a BERT-size encoder layer,
// with all its checks, than a GEMM library takes for the layer's products alone
// on the same host and one thread. make-encoder-layer makes the model;
// spyre-compile compiles it.
//
// usage: bench-encoder MODEL.spyre

#include "spyre/Runtime/Runtime.h"
#include "spyre/Simulator/Simulator.h"

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>

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

/// `count` products of m x k by k x n in f32.
double productSeconds(int m, int n, int k, int count) {
  const Matrix a = Matrix::Random(m, k);
  const Matrix b = Matrix::Random(k, n);
  Matrix c(m, n);
  return secondsOf([&] {
    for (int i = 0; i < count; ++i) {
      c.noalias() = a * b;
    }
  });
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: bench-encoder MODEL.spyre\n");
    return 2;
  }
  const target::Target &target = target::defaultTarget();
  sim::Simulator simulator(target);
  Expected<std::unique_ptr<rt::Model>> model =
      rt::load(argv[1], simulator, target);
  if (!model) {
    fmt::print(stderr, "{}", model.error().str());
    return 1;
  }
  Expected<std::unique_ptr<rt::Session>> session = rt::Session::create(**model);
  if (!session || !(*session)->fillInputs(0)) {
    fmt::print(stderr, "the inputs cannot be made\n");
    return 1;
  }
  bool failed = false;
  const double simulated =
      secondsOf([&] { failed = failed || !(*session)->run().has_value(); });
  if (failed) {
    fmt::print(stderr, "the run fails\n");
    return 1;
  }
  // Projections, feed-forward, scores and mixing of 12 heads.
  const double products =
      productSeconds(512, 768, 768, 4) + productSeconds(512, 3072, 768, 1) +
      productSeconds(512, 768, 3072, 1) + productSeconds(512, 512, 64, 12) +
      productSeconds(512, 64, 512, 12);
  fmt::print("simulated functionally  {:8.1f} ms\n"
             "GEMM library alone      {:8.1f} ms ({:.1f} GFLOP/s)\n"
             "ratio                   {:8.2f}\n",
             simulated * 1e3, products * 1e3, 2 * 4.0265 / products,
             simulated / products);
  return 0;
}
