// SPDX-License-Identifier: Apache-2.0

#include "Matmul.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace spyre::bench;

namespace {

constexpr const char *kText = R"(
#a = affine_map<({dims}) -> ({batch}m, k)>
#w = affine_map<({dims}) -> ({weightBatch}k, n)>
#c = affine_map<({dims}) -> ({batch}m, n)>
#id = affine_map<({batch}m, n) -> ({batch}m, n)>
func.func @main(%a: {a} {{spyre.name = "a"}}, %w: {w} {{spyre.name = "w"}})
    -> ({c} {{spyre.name = "c"}}) {{
  %zero = arith.constant 0.0 : f32
  %sums = tensor.empty() : {sum}
  %init = linalg.fill ins(%zero : f32) outs(%sums : {sum}) -> {sum}
  %s = linalg.generic {{indexing_maps = [#a, #w, #c],
      iterator_types = [{kind}"parallel", "parallel", "reduction"]}}
      ins(%a, %w : {a}, {w}) outs(%init : {sum}){force} {{
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %wide_x = arith.extf %x : f16 to f32
    %wide_y = arith.extf %y : f16 to f32
    %product = arith.mulf %wide_x, %wide_y : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  }} -> {sum}
  %empty = tensor.empty() : {c}
  %c = linalg.generic {{indexing_maps = [#id, #id],
      iterator_types = [{kind}"parallel", "parallel"]}}
      ins(%s : {sum}) outs(%empty : {c}) {{
  ^bb0(%x: f32, %y: f16):
    %narrow = arith.truncf %x : f32 to f16
    linalg.yield %narrow : f16
  }} -> {c}
  return %c : {c}
}}
)";

std::string typeOf(const std::vector<int64_t> &shape, BatchOrder order) {
  const char *layout = "d1 floordiv 64, d0, d1 mod 64";
  if (shape.size() == 3) {
    layout = order == BatchOrder::Innermost
                 ? "d1, d2 floordiv 64, d0, d2 mod 64"
                 : "d0, d2 floordiv 64, d1, d2 mod 64";
  }
  return fmt::format("tensor<{}xf16, #stick.layout<[{}]>>",
                     fmt::join(shape, "x"), layout);
}

std::string forcedTiles(const Matmul &matmul) {
  return matmul.tiles.empty()
             ? ""
             : fmt::format(", buffers = 2 : i32, tiles = array<i64: {}>, "
                           "loop_order = {}",
                           fmt::join(matmul.tiles, ", "),
                           matmul.tiles.size() == 4 ? "array<i32: 0, 1, 2, 3>"
                                                    : "array<i32: 0, 1, 2>");
}

} // namespace

std::string spyre::bench::matmulMlir(const Matmul &matmul) {
  const auto type = [&](int64_t rows, int64_t columns, bool isBatched) {
    return typeOf(isBatched ? std::vector<int64_t>{matmul.batch, rows, columns}
                            : std::vector<int64_t>{rows, columns},
                  matmul.order);
  };
  const bool isBatched = matmul.batch > 1;
  const std::string force =
      matmul.slices.empty()
          ? ""
          : fmt::format(
                " attrs = {{sdsc.force = {{slices = array<i64: {}>{}}}}}",
                fmt::join(matmul.slices, ", "), forcedTiles(matmul));
  std::vector<int64_t> result = {matmul.m, matmul.n};
  if (isBatched) {
    result.insert(result.begin(), matmul.batch);
  }
  return fmt::format(
      kText, fmt::arg("a", type(matmul.m, matmul.k, isBatched)),
      fmt::arg("w",
               type(matmul.k, matmul.n, isBatched && !matmul.sharesWeight)),
      fmt::arg("c", type(matmul.m, matmul.n, isBatched)),
      fmt::arg("sum", fmt::format("tensor<{}xf32>", fmt::join(result, "x"))),
      fmt::arg("dims", isBatched ? "b, m, n, k" : "m, n, k"),
      fmt::arg("batch", isBatched ? "b, " : ""),
      fmt::arg("weightBatch", isBatched && !matmul.sharesWeight ? "b, " : ""),
      fmt::arg("kind", isBatched ? "\"parallel\", " : ""),
      fmt::arg("force", force));
}
