// SPDX-License-Identifier: Apache-2.0

#include "Geometry.h"

#include <algorithm>

namespace spyre::schedule {

using cost::KernelDim;
using cost::KernelOperand;
using cost::OperandCoord;
using launch::Affine;
using launch::Extent;
using launch::Term;
using launch::TermKind;
using layout::DimKind;

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

uint32_t tableOf(launch::Program &program, std::string name,
                 const std::vector<int64_t> &values) {
  for (size_t i = 0; i < program.tables.size(); ++i) {
    const launch::Table &table = program.tables[i];
    if (table.innerSize == 1 && table.values == values) {
      return static_cast<uint32_t>(i);
    }
  }
  launch::Table table;
  table.name = std::move(name) + "_t" + std::to_string(program.tables.size());
  table.values = values;
  program.tables.push_back(std::move(table));
  return static_cast<uint32_t>(program.tables.size() - 1);
}

Geometry::Geometry(launch::Program &program, const cost::KernelProblem &problem,
                   const cost::KernelPlan &plan)
    : program(program), problem(problem), plan(plan) {
  for (int32_t dim : plan.loopOrder) {
    if (cost::trips(problem, plan, dim) > 1) {
      loopDims.push_back(dim);
      parallelLoops += problem.dims[dim].reduction ? 0 : 1;
    }
  }
  for (int64_t core = 0; core < program.numCores; ++core) {
    slices.push_back(cost::slicesOfCore(plan, core));
  }
}

int64_t Geometry::tripsAt(size_t depth) const {
  return cost::trips(problem, plan, loopDims[depth]);
}

size_t Geometry::levelOf(const KernelOperand &operand) const {
  size_t level = 0;
  for (size_t depth = 0; depth < loopDims.size(); ++depth) {
    if (operand.dependsOn(loopDims[depth])) {
      level = depth + 1;
    }
  }
  return level;
}

/// Start or number of positions of every core's slice of a dim, in units of
/// `factor` elements. Idle cores repeat core 0: a predicate keeps them still.
std::vector<int64_t> Geometry::perCore(int32_t dim, bool start,
                                       int64_t factor) const {
  const KernelDim &kernelDim = problem.dims[dim];
  std::vector<int64_t> values;
  for (const auto &slice : slices) {
    int64_t index = slice ? (*slice)[dim] : 0;
    values.push_back(
        start ? cost::sliceStart(kernelDim, plan.slices[dim], index) / factor
              : ceilDiv(cost::sliceSize(kernelDim, plan.slices[dim], index),
                        factor));
  }
  return values;
}

void Geometry::addTable(Affine &affine, std::string name,
                        const std::vector<int64_t> &values,
                        int64_t coefficient) const {
  if (std::all_of(values.begin(), values.end(),
                  [&](int64_t value) { return value == values.front(); })) {
    affine.constant += coefficient * values.front();
    return;
  }
  Term term;
  term.kind = TermKind::Table;
  term.index = static_cast<int32_t>(tableOf(program, std::move(name), values));
  term.coefficient = coefficient;
  affine.terms.push_back(term);
}

Affine Geometry::loopOffset(int32_t dim, int64_t factor) const {
  Affine affine;
  auto it = std::find(loopDims.begin(), loopDims.end(), dim);
  if (it != loopDims.end()) {
    Term term;
    term.index = static_cast<int32_t>(it - loopDims.begin());
    term.coefficient = plan.tiles[dim] / factor;
    affine.terms.push_back(term);
  }
  return affine;
}

Affine Geometry::sliceOffset(const OperandCoord &coord) const {
  if (coord.dim < 0 || coord.kind == DimKind::Stick) {
    return {};
  }
  return loopOffset(coord.dim, coord.kind == DimKind::Tile ? coord.factor : 1);
}

Affine Geometry::tensorOffset(const OperandCoord &coord) const {
  Affine affine = sliceOffset(coord);
  for (Term &term : affine.terms) {
    term.coefficient *= coord.stride;
  }
  if (coord.dim >= 0 && coord.kind != DimKind::Stick) {
    int64_t factor = coord.kind == DimKind::Tile ? coord.factor : 1;
    addTable(affine, problem.dims[coord.dim].name + "_start",
             perCore(coord.dim, /*start=*/true, factor), coord.stride);
  }
  if (coord.windowDim >= 0) {
    // One tap a trip.
    for (Term term : loopOffset(coord.windowDim, 1).terms) {
      term.coefficient *= coord.windowStride;
      affine.terms.push_back(term);
    }
  }
  affine.constant += coord.offset;
  return affine;
}

/// min(tile, slice - tile * loop), reduced to what can bind.
Extent Geometry::tileExtent(int32_t dim, int64_t factor) const {
  std::vector<int64_t> sizes = perCore(dim, /*start=*/false, factor);
  int64_t tile = ceilDiv(plan.tiles[dim], factor);
  Affine rest;
  addTable(rest, problem.dims[dim].name + "_size", sizes, 1);
  auto it = std::find(loopDims.begin(), loopDims.end(), dim);
  if (it == loopDims.end()) {
    return Extent{{rest}};
  }
  bool exact = std::all_of(sizes.begin(), sizes.end(), [&](int64_t size) {
    return size == tile * cost::trips(problem, plan, dim);
  });
  Affine full;
  full.constant = tile;
  if (exact) {
    return Extent{{full}};
  }
  Term term;
  term.index = static_cast<int32_t>(it - loopDims.begin());
  term.coefficient = -tile;
  rest.terms.push_back(term);
  return Extent{{full, rest}};
}

Extent Geometry::coordExtent(const OperandCoord &coord) const {
  if (coord.dim < 0) {
    Affine one;
    one.constant = 1;
    return Extent{{one}};
  }
  return tileExtent(coord.dim, coord.kind == DimKind::Tile ? coord.factor : 1);
}

Extent Geometry::elementExtent(int32_t dim) const { return tileExtent(dim, 1); }

SharingGroup Geometry::sharingOf(const KernelOperand &operand) const {
  SharingGroup group;
  group.masks.assign(slices.size(), 0);
  group.ranks.assign(slices.size(), 0);
  auto sameData = [&](int64_t a, int64_t b) {
    for (int32_t dim = 0; dim < static_cast<int32_t>(problem.dims.size());
         ++dim) {
      if (operand.dependsOn(dim) && (*slices[a])[dim] != (*slices[b])[dim]) {
        return false;
      }
    }
    return true;
  };
  for (int64_t core = 0; core < program.numCores; ++core) {
    if (!isActive(core)) {
      group.masks[core] = int64_t(1) << core;
      continue;
    }
    int64_t members = 0;
    for (int64_t other = 0; other < program.numCores; ++other) {
      if (!isActive(other) || !sameData(core, other)) {
        continue;
      }
      group.masks[core] |= int64_t(1) << other;
      group.ranks[core] += other < core ? 1 : 0;
      ++members;
    }
    group.size = std::max(group.size, members);
  }
  return group;
}

std::optional<launch::TableRef>
Geometry::predicateOf(std::string name,
                      const std::vector<int64_t> &values) const {
  if (std::all_of(values.begin(), values.end(),
                  [](int64_t value) { return value == 1; })) {
    return std::nullopt;
  }
  return launch::TableRef{tableOf(program, std::move(name), values), -1};
}

std::optional<launch::TableRef> Geometry::activePredicate() const {
  std::vector<int64_t> active;
  for (const auto &slice : slices) {
    active.push_back(slice ? 1 : 0);
  }
  return predicateOf("active", active);
}

std::optional<launch::TableRef> Geometry::ownerPredicate() const {
  const int32_t reduced = cost::splitReduction(problem, plan);
  std::vector<int64_t> owners;
  for (const auto &slice : slices) {
    const bool isLast =
        slice && (reduced < 0 || (*slice)[reduced] == plan.slices[reduced] - 1);
    owners.push_back(isLast ? 1 : 0);
  }
  return predicateOf("owner", owners);
}

} // namespace spyre::schedule
