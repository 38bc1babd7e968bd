// SPDX-License-Identifier: Apache-2.0
//
// The invariants of a stick layout, one check each. Layouts come from files
// (launch plans, IR text), so nothing about the input is assumed: indices and
// factors may be any number.

#include "spyre/Layout/StickLayout.h"

#include <array>

namespace spyre::layout {

namespace {

tl::unexpected<Error> invalid(const StickLayout &layout, std::string message,
                              std::vector<std::string> notes = {}) {
  return makeError(ErrorCode::InvalidLayout,
                   "layout <" + toString(layout) + ">", std::move(message),
                   std::move(notes));
}

std::string name(int64_t hostDim) { return "d" + std::to_string(hostDim); }

/// Position of the first dim of the stick: Stick and Unit dims at the end.
size_t firstStickPosition(const StickLayout &layout) {
  size_t first = layout.dims.size();
  while (first > 0 && (layout.dims[first - 1].kind == DimKind::Stick ||
                       layout.dims[first - 1].kind == DimKind::Unit)) {
    --first;
  }
  return first;
}

/// Each device dim by itself: known kind, host dim in range, factor at least 1.
Status verifyEachDim(const StickLayout &layout, int64_t hostRank) {
  for (const DeviceDim &dim : layout.dims) {
    if (dim.kind > DimKind::Unit) {
      return makeError(ErrorCode::InvalidLayout, "",
                       "a device dim has the unknown kind " +
                           std::to_string(static_cast<int>(dim.kind)));
    }
    if (dim.factor < 1) {
      return invalid(layout, "a factor is " + std::to_string(dim.factor) +
                                 ", at least 1 is required");
    }
    if (dim.kind == DimKind::Unit) {
      if (dim.hostDim != -1) {
        return invalid(layout, "a constant dim refers to host dim " +
                                   name(dim.hostDim));
      }
      continue;
    }
    if (dim.hostDim < 0 || dim.hostDim >= hostRank) {
      return invalid(layout, "host dim " + name(dim.hostDim) +
                                 " does not exist in a tensor of rank " +
                                 std::to_string(hostRank));
    }
    if (dim.kind == DimKind::Full && dim.factor != 1) {
      return invalid(layout, "a whole dim has the factor " +
                                 std::to_string(dim.factor));
    }
  }
  return {};
}

/// Every host dim appears exactly once, whole or as one tile/stick pair.
Status verifyCoverage(const StickLayout &layout, int64_t hostRank) {
  // hostRank is small whenever the dims can cover it at all.
  if (hostRank > static_cast<int64_t>(layout.dims.size())) {
    return invalid(layout, "has " + std::to_string(layout.dims.size()) +
                               " device dims, too few for a tensor of rank " +
                               std::to_string(hostRank));
  }
  for (int64_t host = 0; host < hostRank; ++host) {
    std::array<int64_t, 3> count = {0, 0, 0};
    std::array<int64_t, 3> factor = {1, 1, 1};
    for (const DeviceDim &dim : layout.dims) {
      if (dim.kind != DimKind::Unit && dim.hostDim == host) {
        ++count[static_cast<size_t>(dim.kind)];
        factor[static_cast<size_t>(dim.kind)] = dim.factor;
      }
    }
    const auto [full, tile, stick] = count;
    if (full + tile + stick == 0) {
      return invalid(layout, "host dim " + name(host) + " is missing");
    }
    if (full > 1 || tile > 1 || stick > 1 || (full == 1 && tile + stick > 0)) {
      return invalid(layout,
                     "host dim " + name(host) + " appears more than once");
    }
    if (full == 0 && tile != stick) {
      return invalid(layout, "host dim " + name(host) + " has a " +
                                 (tile ? "floordiv" : "mod") + " without its " +
                                 (tile ? "mod" : "floordiv"));
    }
    if (full == 0 && factor[1] != factor[2]) {
      return invalid(layout, "host dim " + name(host) + " has floordiv " +
                                 std::to_string(factor[1]) + " but mod " +
                                 std::to_string(factor[2]));
    }
  }
  return {};
}

/// The stick comes last and holds exactly E elements.
Status verifyStick(const StickLayout &layout, int64_t hostRank,
                   ElementType type) {
  const size_t first = firstStickPosition(layout);
  for (size_t i = 0; i < first; ++i) {
    if (layout.dims[i].kind == DimKind::Stick) {
      return invalid(layout, "the stick dim " + name(layout.dims[i].hostDim) +
                                 " mod " +
                                 std::to_string(layout.dims[i].factor) +
                                 " is not at the end");
    }
  }
  const int64_t elements = elementsPerStick(type);
  int64_t product = 1;
  bool hasStickDim = false;
  for (size_t i = first; i < layout.dims.size(); ++i) {
    hasStickDim |= layout.dims[i].kind == DimKind::Stick;
    if (__builtin_mul_overflow(product, layout.dims[i].factor, &product)) {
      return invalid(layout, "the elements of the stick overflow");
    }
  }
  if (first == layout.dims.size() || product != elements) {
    return invalid(layout,
                   "the stick holds " + std::to_string(product) + " elements",
                   {"a stick of " + std::string(spyre::toString(type)) +
                    " holds " + std::to_string(elements)});
  }
  if (layout.sparse && hasStickDim) {
    return invalid(layout, "is sparse but has a host dim in the stick");
  }
  if (layout.sparse && hostRank == 0) {
    return invalid(layout, "is sparse, but a scalar has one element anyway");
  }
  if (!layout.sparse && !hasStickDim && hostRank > 0) {
    return invalid(layout, "has no host dim in the stick and is not sparse");
  }
  return {};
}

/// The folds permute the E lanes of a stick.
Status verifyArrangement(const StickLayout &layout, ElementType type) {
  if (layout.arrangement.empty()) {
    return {};
  }
  const int64_t elements = elementsPerStick(type);
  int64_t product = 1;
  for (const ArrangementFold &fold : layout.arrangement) {
    if (fold.factor < 1 || fold.stride < 1 || fold.stride > elements ||
        fold.factor > elements || (product *= fold.factor) > elements) {
      return invalid(layout, "the arrangement fold " +
                                 std::to_string(fold.factor) + " : " +
                                 std::to_string(fold.stride) +
                                 " leaves the stick of " +
                                 std::to_string(elements) + " elements");
    }
  }
  if (product != elements) {
    return invalid(layout, "the arrangement orders " + std::to_string(product) +
                               " elements, the stick holds " +
                               std::to_string(elements));
  }
  std::vector<bool> taken(elements, false);
  for (int64_t element = 0; element < elements; ++element) {
    int64_t rest = element;
    int64_t lane = 0;
    for (size_t i = layout.arrangement.size(); i-- > 0;) {
      lane +=
          (rest % layout.arrangement[i].factor) * layout.arrangement[i].stride;
      rest /= layout.arrangement[i].factor;
    }
    if (lane >= elements || taken[lane]) {
      return invalid(
          layout,
          "the arrangement sends element " + std::to_string(element) +
              " to lane " + std::to_string(lane) +
              (lane >= elements ? ", outside the stick" : ", which is taken"));
    }
    taken[lane] = true;
  }
  return {};
}

} // namespace

Status verify(const StickLayout &layout, int64_t hostRank, ElementType type) {
  if (Status status = verifyEachDim(layout, hostRank); !status) {
    return status;
  }
  if (Status status = verifyCoverage(layout, hostRank); !status) {
    return status;
  }
  if (Status status = verifyStick(layout, hostRank, type); !status) {
    return status;
  }
  return verifyArrangement(layout, type);
}

} // namespace spyre::layout
