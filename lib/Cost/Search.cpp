// SPDX-License-Identifier: Apache-2.0
//
// Branch and bound over divisions, tiles and orders. Divisions are visited by
// rising lower bound and dropped as soon as the bound exceeds the best plan, so
// that a small kernel's answer is the optimum of the model. Bounded in steps,
// never in time; ties are broken by a stated order.

#include "Model.h"
#include "SearchSpace.h"

#include "Arithmetic.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <tuple>

namespace spyre::cost {
namespace {

constexpr int64_t kMaxEstimates = 200000;
/// Partial choices of tiles; each is some ten times cheaper than an estimate.
constexpr int64_t kMaxNodes = 10 * kMaxEstimates;
/// This many dims of a kernel get the full ladder of tiles.
constexpr size_t kFinelyTiledDims = 3;

struct Division {
  std::vector<int64_t> slices;
  int32_t buffers = 2;
  double boundNs = 0;
};

/// The stated order: time, DDR bytes, more cores, then lexicographic.
bool isBetter(const Candidate &a, const Candidate &b) {
  auto key = [](const Candidate &c) {
    int64_t cores = 1;
    for (int64_t slices : c.plan.slices) {
      cores *= slices;
    }
    return std::tuple(c.cost.totalNs,
                      c.cost.ddrReadBytes + c.cost.ddrWriteBytes, -cores);
  };
  auto keyA = key(a);
  auto keyB = key(b);
  if (keyA != keyB) {
    return keyA < keyB;
  }
  return std::tie(a.plan.slices, a.plan.tiles, a.plan.loopOrder,
                  a.plan.coreOrder, b.plan.buffers) <
         std::tie(b.plan.slices, b.plan.tiles, b.plan.loopOrder,
                  b.plan.coreOrder, a.plan.buffers);
}

class Search {
public:
  Search(const KernelProblem &problem, const target::Target &target,
         int64_t traceLimit)
      : problem(problem), target(target), model(problem, target),
        keep(static_cast<size_t>(std::clamp<int64_t>(traceLimit, 1, 1024))) {}

  Expected<SearchResult> run();

private:
  int64_t maxCores() const;
  Status verifyForced() const;
  KernelPlan leastPlan() const;
  std::vector<Division> divisions();
  void searchDivision(const Division &division);
  void chooseTile(size_t dim);
  void tryOrders();
  bool consider();
  int64_t stagedBytes() const;
  Error explainFailure(const std::vector<Division> &all) const;
  Error workingSetError(const KernelPlan &least, int64_t bytes) const;

  const KernelProblem &problem;
  const target::Target &target;
  CostModel model;
  size_t keep;

  /// Operands with a place in LX; the accumulator, if any, is the last.
  std::vector<KernelOperand> staged;
  bool hasAccumulator = false;
  /// The plan under construction: tiles of dims not yet chosen are the least.
  KernelPlan plan;
  std::vector<std::vector<int64_t>> tilesOfDim;
  std::vector<std::vector<int32_t>> coreOrders;
  std::vector<Candidate> best;
  int64_t estimates = 0;
  int64_t nodes = 0;
};

int64_t Search::maxCores() const {
  return std::min(target.numCores,
                  problem.forced.maxCores.value_or(target.numCores));
}

/// The forced choices, and the smallest for what is free.
KernelPlan Search::leastPlan() const {
  size_t numDims = problem.dims.size();
  const ForcedChoices &forced = problem.forced;
  KernelPlan least;
  least.slices = forced.slices.value_or(std::vector<int64_t>(numDims, 1));
  if (forced.tiles) {
    least.tiles = *forced.tiles;
  } else if (least.slices.size() == numDims) {
    for (size_t d = 0; d < numDims; ++d) {
      int64_t slices = std::max<int64_t>(1, least.slices[d]);
      least.tiles.push_back(hasUnitTile(problem, d) || isSerial(problem, d)
                                ? 1
                                : maxSliceSize(problem.dims[d], slices));
    }
  }
  std::vector<bool> none(numDims, false);
  std::vector<bool> reduced;
  for (const KernelDim &dim : problem.dims) {
    reduced.push_back(dim.reduction);
  }
  least.loopOrder =
      forced.loopOrder.value_or(enumerateOrders(none, reduced).front());
  least.coreOrder =
      forced.coreOrder.value_or(enumerateOrders(none, none).front());
  least.buffers = forced.buffers.value_or(2);
  return least;
}

/// Forced tiles may be too large for the undivided default only in the sense of
/// memory, which is judged later; all other rules are judged here.
Status Search::verifyForced() const {
  const ForcedChoices &forced = problem.forced;
  if (forced.maxCores && *forced.maxCores < 1) {
    return makeError(ErrorCode::ForcedChoiceIllegal, kernelSubject(problem),
                     fmt::format("at most {} cores are allowed, but a kernel "
                                 "needs 1",
                                 *forced.maxCores));
  }
  Status status = verifyChoices(problem, leastPlan(), target);
  // Undivided loops may be too long; a division can shorten them.
  if (status || status.error().code == ErrorCode::TooManyTrips) {
    return {};
  }
  return makeError(ErrorCode::ForcedChoiceIllegal, kernelSubject(problem),
                   "a forced choice is not legal: " + status.error().message,
                   status.error().notes);
}

std::vector<Division> Search::divisions() {
  std::vector<Division> all;
  for (std::vector<int64_t> &slices : enumerateSlices(problem, maxCores())) {
    for (int32_t buffers : {2, 1}) {
      if (problem.forced.buffers) {
        if (buffers == 1) {
          break;
        }
        buffers = *problem.forced.buffers;
      }
      all.push_back({slices, buffers, model.lowerBoundNs(slices, buffers)});
    }
  }
  std::sort(all.begin(), all.end(), [](const Division &a, const Division &b) {
    return std::tie(a.boundNs, a.slices, b.buffers) <
           std::tie(b.boundNs, b.slices, a.buffers);
  });
  return all;
}

/// Bytes of the plan under construction, without allocating.
int64_t Search::stagedBytes() const {
  int64_t total = 0;
  for (size_t i = 0; i < staged.size(); ++i) {
    int64_t bytes = kStickBytes;
    const std::vector<OperandCoord> &coords = staged[i].coords;
    for (size_t c = 0; c + 1 < coords.size(); ++c) {
      if (coords[c].dim < 0) {
        continue;
      }
      int64_t tile = plan.tiles[static_cast<size_t>(coords[c].dim)];
      bytes = mulSaturating(bytes, coords[c].kind == layout::DimKind::Tile
                                       ? ceilDiv(tile, coords[c].factor)
                                       : tile);
    }
    bool accumulator = hasAccumulator && i + 1 == staged.size();
    total = addSaturating(
        total,
        mulSaturating(bytes, accumulator ? accumulatorBuffers(problem, plan)
                                         : plan.buffers));
  }
  return total;
}

/// Returns true if the ring decides the time of the plan.
bool Search::consider() {
  KernelCost cost = model.evaluate(plan);
  ++estimates;
  bool ringDecides =
      plan.buffers == 1 || cost.ringNs >= std::max(cost.computeNs, cost.ddrNs);
  if (best.size() == keep && cost.totalNs > best.back().cost.totalNs) {
    return ringDecides;
  }
  Candidate candidate{plan, cost, 0, ""};
  auto place = std::lower_bound(best.begin(), best.end(), candidate, isBetter);
  if (place == best.end() || place->plan != plan) {
    candidate.lxBytes = stagedBytes();
    best.insert(place, std::move(candidate));
    best.resize(std::min(best.size(), keep));
  }
  return ringDecides;
}

void Search::tryOrders() {
  std::vector<bool> moving;
  std::vector<bool> reduced;
  for (size_t d = 0; d < problem.dims.size(); ++d) {
    moving.push_back(plan.tiles[d] <
                     maxSliceSize(problem.dims[d], plan.slices[d]));
    reduced.push_back(problem.dims[d].reduction);
  }
  std::vector<std::vector<int32_t>> orders =
      problem.forced.loopOrder
          ? std::vector<std::vector<int32_t>>{*problem.forced.loopOrder}
          : enumerateOrders(moving, reduced);
  for (std::vector<int32_t> &order : orders) {
    plan.loopOrder = std::move(order);
    for (const std::vector<int32_t> &coreOrder : coreOrders) {
      plan.coreOrder = coreOrder;
      const int32_t reduced = splitReduction(problem, plan);
      if (reduced >= 0 && coreOrder.back() != reduced) {
        continue;
      }
      // Only the ring depends on the order of the cores.
      if (!consider()) {
        break;
      }
    }
  }
}

void Search::chooseTile(size_t d) {
  if (estimates > kMaxEstimates || ++nodes > kMaxNodes) {
    return;
  }
  if (d == plan.tiles.size()) {
    tryOrders();
    return;
  }
  int64_t least = plan.tiles[d];
  for (int64_t tile : tilesOfDim[d]) {
    plan.tiles[d] = tile;
    if (stagedBytes() <= problem.lxBudgetBytes) {
      chooseTile(d + 1);
    }
  }
  plan.tiles[d] = least;
}

void Search::searchDivision(const Division &division) {
  size_t numDims = problem.dims.size();
  plan.slices = division.slices;
  plan.buffers = division.buffers;
  std::vector<std::pair<int64_t, size_t>> byGranules;
  std::vector<bool> divided;
  for (size_t d = 0; d < numDims; ++d) {
    int64_t slice = maxSliceSize(problem.dims[d], plan.slices[d]);
    byGranules.emplace_back(-ceilDiv(slice, problem.dims[d].granule), d);
    divided.push_back(plan.slices[d] > 1);
  }
  std::sort(byGranules.begin(), byGranules.end());
  tilesOfDim.assign(numDims, {});
  plan.tiles.assign(numDims, 1);
  for (size_t i = 0; i < numDims; ++i) {
    size_t d = byGranules[i].second;
    tilesOfDim[d] = tileCandidates(
        problem, d, maxSliceSize(problem.dims[d], plan.slices[d]),
        target.maxLoopTrips, i >= kFinelyTiledDims);
    if (tilesOfDim[d].empty()) {
      return;
    }
    plan.tiles[d] = tilesOfDim[d].back();
  }
  if (stagedBytes() > problem.lxBudgetBytes ||
      !verifySpans(problem, plan.slices, target)) {
    return;
  }
  std::vector<bool> none(numDims, false);
  coreOrders =
      problem.forced.coreOrder
          ? std::vector<std::vector<int32_t>>{*problem.forced.coreOrder}
          : enumerateOrders(divided, none);
  // Cores that share an operand shall be neighbours.
  std::sort(coreOrders.begin(), coreOrders.end(),
            [&](const auto &a, const auto &b) {
              return std::pair(model.linkBytes(plan.slices, a), a) <
                     std::pair(model.linkBytes(plan.slices, b), b);
            });
  // The least tiles first: a plan is found even if the budget of steps ends.
  tryOrders();
  chooseTile(0);
}

Expected<SearchResult> Search::run() {
  if (Status status = verifyProblem(problem); !status) {
    return tl::unexpected(status.error());
  }
  if (Status status = verifyForced(); !status) {
    return tl::unexpected(status.error());
  }
  for (const KernelOperand &operand : problem.operands) {
    if (!operand.resident) {
      staged.push_back(operand);
    }
  }
  hasAccumulator = problem.kind == KernelKind::Reduce ||
                   problem.kind == KernelKind::Contract;
  if (hasAccumulator) {
    staged.push_back(accumulatorOperand(problem));
  }
  std::vector<Division> all = divisions();
  for (const Division &division : all) {
    bool hopeless =
        !best.empty() && division.boundNs > best.front().cost.totalNs;
    bool spent = estimates > kMaxEstimates || nodes > kMaxNodes;
    if (hopeless || (spent && !best.empty())) {
      break;
    }
    searchDivision(division);
  }
  if (best.empty()) {
    return tl::unexpected(explainFailure(all));
  }
  const Candidate &chosen = best.front();
  if (Status status = verifyPlan(problem, chosen.plan, target); !status) {
    return tl::unexpected(status.error());
  }
  return SearchResult{chosen.plan, chosen.cost, chosen.lxBytes, best,
                      estimates};
}

Error Search::workingSetError(const KernelPlan &least, int64_t bytes) const {
  std::string tiles;
  std::string fixed;
  for (size_t d = 0; d < problem.dims.size(); ++d) {
    const KernelDim &dim = problem.dims[d];
    tiles += fmt::format("{}{} {} of {}", d == 0 ? "" : ", ", dim.name,
                         least.tiles[d], dim.extent);
    const char *reason = problem.forced.tiles ? "forced"
                         : !dim.tileable      ? "must be whole"
                         : dim.granule > 1    ? "whole sticks"
                                              : nullptr;
    if (reason) {
      fixed +=
          fmt::format("{}{} ({})", fixed.empty() ? "" : ", ", dim.name, reason);
    }
  }
  return Error{
      ErrorCode::WorkingSetTooLarge,
      kernelSubject(problem),
      "the smallest working set does not fit the scratchpad",
      {fmt::format("needs {} bytes per core, {} available (excess {})", bytes,
                   problem.lxBudgetBytes, bytes - problem.lxBudgetBytes),
       fmt::format("smallest tiles: {}; slots per operand: {}", tiles,
                   least.buffers),
       fmt::format("cannot shrink further: {}",
                   fixed.empty() ? "any dim" : fixed)},
      {}};
}

Error Search::explainFailure(const std::vector<Division> &all) const {
  int64_t smallestSet = std::numeric_limits<int64_t>::max();
  int64_t smallestSpan = std::numeric_limits<int64_t>::max();
  KernelPlan least;
  std::vector<int64_t> leastSpanning;
  KernelPlan candidate = leastPlan();
  for (const Division &division : all) {
    candidate.slices = division.slices;
    candidate.buffers = division.buffers;
    bool tiled = true;
    for (size_t d = 0; d < problem.dims.size(); ++d) {
      int64_t slice = maxSliceSize(problem.dims[d], candidate.slices[d]);
      std::vector<int64_t> tiles =
          tileCandidates(problem, d, slice, target.maxLoopTrips, true);
      tiled = tiled && !tiles.empty();
      candidate.tiles[d] = tiles.empty() ? slice : tiles.back();
    }
    if (!tiled) {
      continue;
    }
    int64_t bytes = lxBytes(problem, candidate);
    if (bytes < smallestSet) {
      smallestSet = bytes;
      least = candidate;
    }
    int64_t span = 0;
    for (const KernelOperand &operand : problem.operands) {
      span = std::max(
          span,
          operand.resident ? 0 : spanBytes(problem, operand, candidate.slices));
    }
    if (span < smallestSpan) {
      smallestSpan = span;
      leastSpanning = candidate.slices;
    }
  }
  if (least.slices.empty()) {
    return Error{ErrorCode::ForcedChoiceIllegal,
                 kernelSubject(problem),
                 "no division of the work suits the forced tiles",
                 {fmt::format("at most {} cores and {} trips per loop",
                              maxCores(), target.maxLoopTrips)},
                 {}};
  }
  if (smallestSet > problem.lxBudgetBytes) {
    return workingSetError(least, smallestSet);
  }
  return verifySpans(problem, leastSpanning, target).error();
}

} // namespace

Expected<SearchResult> searchPlan(const KernelProblem &problem,
                                  const target::Target &target,
                                  int64_t traceLimit) {
  return Search(problem, target, traceLimit).run();
}

} // namespace spyre::cost
