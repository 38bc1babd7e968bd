// SPDX-License-Identifier: Apache-2.0
//
// Einsum: one generic whose indexing maps are the terms of the equation.

#include "Registry.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;

namespace spyre {

namespace {

/// The label of dim i of what `...` stands for; letters label themselves.
int labelOf(size_t ellipsisDim) { return 256 + static_cast<int>(ellipsisDim); }

using Labels = SmallVector<int>;

class Equation {
public:
  explicit Equation(DecodeContext &c) : c(c) {}

  LogicalResult read() {
    std::string text = c.stringAttr("equation", "");
    llvm::erase(text, ' ');
    auto [left, right] = StringRef(text).split("->");
    SmallVector<StringRef> parts;
    left.split(parts, ',');
    if (parts.size() != c.numInputs()) {
      return c.badAttribute("the equation has " + Twine(parts.size()) +
                            " terms for " + Twine(c.numInputs()) + " inputs");
    }
    for (auto [index, part] : llvm::enumerate(parts)) {
      if (failed(readTerm(index, part))) {
        return failure();
      }
    }
    if (!StringRef(text).contains("->")) {
      implicitOutput(left);
      return success();
    }
    FailureOr<Labels> labels = parse(right, ellipsisRank);
    if (failed(labels)) {
      return failure();
    }
    for (int label : *labels) {
      if (!extents.contains(label)) {
        return c.badAttribute("a label of the result is in no term");
      }
    }
    output = *labels;
    return success();
  }

  Value build() {
    // Iteration: the dims of the result, then what is summed over.
    std::map<int, int64_t> dims;
    Shape shape;
    for (int label : output) {
      dims[label] = static_cast<int64_t>(dims.size());
      shape.push_back(extents[label]);
    }
    SmallVector<utils::IteratorType> iterators(dims.size(),
                                               utils::IteratorType::parallel);
    for (const auto &entry : extents) {
      if (dims.try_emplace(entry.first, static_cast<int64_t>(dims.size()))
              .second) {
        iterators.push_back(utils::IteratorType::reduction);
      }
    }
    SmallVector<AffineMap> maps;
    for (auto [index, labels] : llvm::enumerate(terms)) {
      SmallVector<AffineExpr> exprs;
      for (auto [label, extent] : llvm::zip(labels, c.shape(index))) {
        const bool repeated = extent == 1 && extents[label] != 1;
        exprs.push_back(repeated ? c.g.b.getAffineConstantExpr(0)
                                 : c.g.b.getAffineDimExpr(
                                       static_cast<unsigned>(dims[label])));
      }
      maps.push_back(AffineMap::get(static_cast<unsigned>(dims.size()), 0,
                                    exprs, c.g.b.getContext()));
    }
    Shape outDims = llvm::to_vector(
        llvm::seq<int64_t>(0, static_cast<int64_t>(output.size())));
    maps.push_back(c.g.dimsMap(static_cast<int64_t>(dims.size()), outDims));
    Type wide = computeType(c.element(0));
    Value sum = c.g.generic(c.inputs(), maps, iterators, shape, wide,
                            c.g.neutral(shape, wide, Reduction::Sum),
                            [&](Scalars &s, ValueRange v) {
                              Value product = s.cast(v[0], wide);
                              for (Value next : v.drop_front().drop_back()) {
                                product = s.mul(product, s.cast(next, wide));
                              }
                              return s.add(v.back(), product);
                            });
    return c.g.cast(sum, c.element(0));
  }

private:
  /// Labels of a term in which `...` stands for that many dims.
  FailureOr<Labels> parse(StringRef text, size_t numEllipsis) {
    Labels labels;
    while (!text.empty()) {
      if (text.consume_front("...")) {
        for (size_t i = 0; i < numEllipsis; ++i) {
          labels.push_back(labelOf(ellipsisRank - numEllipsis + i));
        }
      } else if (llvm::isAlpha(text.front())) {
        labels.push_back(static_cast<unsigned char>(text.front()));
        text = text.drop_front();
      } else {
        return c.badAttribute("the equation has the character '" +
                              Twine(text.front()) + "'");
      }
    }
    return labels;
  }

  LogicalResult readTerm(size_t index, StringRef text) {
    const auto rank = static_cast<size_t>(c.rank(index));
    size_t numEllipsis = 0;
    if (text.contains("...")) {
      const size_t letters = text.size() - 3;
      numEllipsis = rank >= letters ? rank - letters : 0;
      if (terms.empty()) {
        ellipsisRank = numEllipsis;
      }
      if (numEllipsis != ellipsisRank) {
        return c.unsupported("an ellipsis of different ranks");
      }
    }
    FailureOr<Labels> labels = parse(text, numEllipsis);
    if (failed(labels) || labels->size() != rank) {
      return c.mismatch("term \"" + text + "\" does not fit shape " +
                        toText(c.shape(index)));
    }
    for (auto [label, extent] : llvm::zip(*labels, c.shape(index))) {
      int64_t &known = extents.try_emplace(label, extent).first->second;
      if (known != extent && known != 1 && extent != 1) {
        return c.mismatch("a label has the extents " + Twine(known) + " and " +
                          Twine(extent));
      }
      known = known == 1 ? extent : known;
    }
    terms.push_back(*labels);
    return success();
  }

  /// Without a right side: the ellipsis, then letters that occur once.
  void implicitOutput(StringRef left) {
    for (size_t i = 0; i < ellipsisRank; ++i) {
      output.push_back(labelOf(i));
    }
    for (const auto &entry : extents) {
      if (entry.first < 256 &&
          left.count(static_cast<char>(entry.first)) == 1) {
        output.push_back(entry.first);
      }
    }
  }

  DecodeContext &c;
  SmallVector<Labels> terms;
  Labels output;
  std::map<int, int64_t> extents;
  size_t ellipsisRank = 0;
};

LogicalResult decodeEinsum(DecodeContext &c) {
  for (size_t i = 0; i < c.numInputs(); ++i) {
    if (!c.has(i) || failed(c.sameElements({0, i}))) {
      return c.mismatch("input " + Twine(i) + " is missing");
    }
  }
  Equation equation(c);
  return failed(equation.read()) ? failure() : c.set(0, equation.build());
}

} // namespace

void addEinsumDecoders(DecoderRegistry &r) {
  r.add("Einsum", 12, decodeEinsum,
        {.condition = "an ellipsis stands for as many dims in all terms"});
}

} // namespace spyre
