// SPDX-License-Identifier: Apache-2.0
//
// Text forms of the sdsc attributes. Each has one writer, which ops use without
// the dialect prefix, and one parser; the order of terms is kept, so that text
// parses back to the same attribute.

#include "spyre/Dialect/Sdsc/IR/SdscAttrs.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace spyre::sdsc {

//===----------------------------------------------------------------------===//
// Affine expressions
//===----------------------------------------------------------------------===//

void printBare(AsmPrinter &printer, TermAttr term) {
  if (term.getCoefficient() != 1) {
    printer << term.getCoefficient() << " * ";
  }
  if (!term.getSymbol()) {
    printer << "d" << term.getLoop();
    return;
  }
  printer << term.getSymbol();
  if (term.getLoop() >= 0) {
    printer << "[d" << term.getLoop() << "]";
  }
}

/// Prints a number that follows a sign; the least int64 has no positive form.
static bool splitsOff(int64_t value) {
  return value < 0 && value != std::numeric_limits<int64_t>::min();
}

void printBare(AsmPrinter &printer, AffineAttr affine) {
  bool first = true;
  for (TermAttr term : affine.getTerms()) {
    bool minus = !first && splitsOff(term.getCoefficient());
    if (!first) {
      printer << (minus ? " - " : " + ");
    }
    printBare(printer,
              minus ? TermAttr::get(affine.getContext(), -term.getCoefficient(),
                                    term.getLoop(), term.getSymbol())
                    : term);
    first = false;
  }
  int64_t constant = affine.getConstant();
  if (first) {
    printer << constant;
  } else if (constant != 0) {
    bool minus = splitsOff(constant);
    printer << (minus ? " - " : " + ") << (minus ? -constant : constant);
  }
}

/// Parses the `d3` of a loop variable.
static ParseResult parseLoopVariable(AsmParser &parser, int32_t &loop) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)) ||
      !keyword.consume_front("d") || keyword.getAsInteger(10, loop) ||
      loop < 0) {
    return parser.emitError(loc, "expected a loop variable such as d0");
  }
  return success();
}

/// Parses `[d3]`, the second index of a table, if it stands there.
static ParseResult parseOptionalSecondIndex(AsmParser &parser, int32_t &loop) {
  loop = -1;
  if (failed(parser.parseOptionalLSquare())) {
    return success();
  }
  return failure(parseLoopVariable(parser, loop) || parser.parseRSquare());
}

/// Parses what follows a coefficient: a symbol, or a loop variable.
static FailureOr<TermAttr> parseTermBody(AsmParser &parser,
                                         int64_t coefficient) {
  StringAttr name;
  int32_t loop = -1;
  if (succeeded(parser.parseOptionalSymbolName(name))) {
    if (failed(parseOptionalSecondIndex(parser, loop))) {
      return failure();
    }
    return TermAttr::get(parser.getContext(), coefficient, loop,
                         FlatSymbolRefAttr::get(name));
  }
  if (failed(parseLoopVariable(parser, loop))) {
    return failure();
  }
  return TermAttr::get(parser.getContext(), coefficient, loop,
                       FlatSymbolRefAttr());
}

/// Parses one summand into the constant or the terms.
static ParseResult parseSummand(AsmParser &parser, bool minus,
                                int64_t &constant,
                                SmallVectorImpl<TermAttr> &terms) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t number = 1;
  OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (isNumber.has_value() && failed(*isNumber)) {
    return failure();
  }
  if (minus && __builtin_sub_overflow(int64_t{0}, number, &number)) {
    return parser.emitError(loc, "the number exceeds 64 bits");
  }
  if (isNumber.has_value() && failed(parser.parseOptionalStar())) {
    if (__builtin_add_overflow(constant, number, &constant)) {
      return parser.emitError(loc, "the sum of constants exceeds 64 bits");
    }
    return success();
  }
  FailureOr<TermAttr> term = parseTermBody(parser, number);
  if (failed(term)) {
    return failure();
  }
  terms.push_back(*term);
  return success();
}

Attribute AffineAttr::parse(AsmParser &parser, Type) {
  int64_t constant = 0;
  SmallVector<TermAttr> terms;
  bool minus = false;
  do {
    if (failed(parseSummand(parser, minus, constant, terms))) {
      return {};
    }
    minus = succeeded(parser.parseOptionalMinus());
  } while (minus || succeeded(parser.parseOptionalPlus()));
  return AffineAttr::get(parser.getContext(), constant, terms);
}

Attribute TermAttr::parse(AsmParser &parser, Type) {
  int64_t constant = 0;
  SmallVector<TermAttr> terms;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parseSummand(parser, false, constant, terms))) {
    return {};
  }
  if (terms.empty()) {
    parser.emitError(loc, "expected a term");
    return {};
  }
  return terms.front();
}

/// Parses an attribute of a known class in its bare form.
template <typename AttrT> static FailureOr<AttrT> parseAs(AsmParser &parser) {
  Attribute attr = AttrT::parse(parser, Type());
  if (!attr) {
    return failure();
  }
  return cast<AttrT>(attr);
}

void printBare(AsmPrinter &printer, ExtentAttr extent) {
  if (extent.getBounds().size() == 1) {
    printBare(printer, extent.getBounds().front());
    return;
  }
  printer << "min(";
  llvm::interleaveComma(extent.getBounds(), printer.getStream(),
                        [&](AffineAttr bound) { printBare(printer, bound); });
  printer << ")";
}

Attribute ExtentAttr::parse(AsmParser &parser, Type) {
  SmallVector<AffineAttr> bounds;
  auto parseBound = [&]() -> ParseResult {
    FailureOr<AffineAttr> bound = parseAs<AffineAttr>(parser);
    if (failed(bound)) {
      return failure();
    }
    bounds.push_back(*bound);
    return success();
  };
  ParseResult result = succeeded(parser.parseOptionalKeyword("min"))
                           ? parser.parseCommaSeparatedList(
                                 AsmParser::Delimiter::Paren, parseBound)
                           : parseBound();
  if (failed(result)) {
    return {};
  }
  return ExtentAttr::getChecked(
      [&] { return parser.emitError(parser.getCurrentLocation()); },
      parser.getContext(), bounds);
}

LogicalResult ExtentAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<AffineAttr> bounds) {
  if (bounds.empty()) {
    return emitError() << "an extent needs at least one bound";
  }
  return success();
}

void printBare(AsmPrinter &printer, TableUseAttr use) {
  printer << use.getTable();
  if (use.getLoop() >= 0) {
    printer << "[d" << use.getLoop() << "]";
  }
}

Attribute TableUseAttr::parse(AsmParser &parser, Type) {
  StringAttr name;
  int32_t loop = -1;
  if (parser.parseSymbolName(name) || parseOptionalSecondIndex(parser, loop)) {
    return {};
  }
  return TableUseAttr::get(parser.getContext(), FlatSymbolRefAttr::get(name),
                           loop);
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

void printBare(AsmPrinter &printer, BoxAttr box) {
  printer << box.getBuffer() << "[";
  llvm::interleaveComma(box.getOffsets(), printer.getStream(),
                        [&](AffineAttr offset) { printBare(printer, offset); });
  printer << "]";
  if (!box.getDeviceDims().empty()) {
    printer << " by (";
    llvm::interleaveComma(llvm::zip_equal(box.getDeviceDims(), box.getSteps()),
                          printer.getStream(), [&](auto walk) {
                            auto [deviceDim, step] = walk;
                            if (deviceDim < 0) {
                              printer << "-";
                            } else {
                              printer << deviceDim;
                            }
                            if (step != 1) {
                              printer << " * " << step;
                            }
                          });
    printer << ")";
  }
  if (box.getTileDim() >= 0) {
    printer << " tile " << box.getTileDim();
  }
  if (box.getRowDim() >= 0) {
    printer << " row " << box.getRowDim();
  }
  if (box.getAccess() == launch::LaneAccess::Splat) {
    printer << " splat";
  }
}

/// Parses one `1 * 2` or `-` after `by`.
static ParseResult parseWalk(AsmParser &parser, SmallVectorImpl<int32_t> &dims,
                             SmallVectorImpl<int64_t> &steps) {
  int32_t deviceDim = -1;
  int64_t step = 1;
  if (failed(parser.parseOptionalMinus())) {
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseInteger(deviceDim))) {
      return failure();
    }
    if (deviceDim < 0) {
      return parser.emitError(loc, "expected a device dim or '-'");
    }
  }
  if (succeeded(parser.parseOptionalStar()) &&
      failed(parser.parseInteger(step))) {
    return failure();
  }
  dims.push_back(deviceDim);
  steps.push_back(step);
  return success();
}

/// Parses `KEYWORD n` with n >= 0, -1 if it does not stand there.
static ParseResult parseOptionalDim(AsmParser &parser, StringRef keyword,
                                    int32_t &dim) {
  dim = -1;
  if (failed(parser.parseOptionalKeyword(keyword))) {
    return success();
  }
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseInteger(dim))) {
    return failure();
  }
  if (dim < 0) {
    return parser.emitError(loc, "expected a device dim");
  }
  return success();
}

Attribute BoxAttr::parse(AsmParser &parser, Type) {
  StringAttr buffer;
  SmallVector<AffineAttr> offsets;
  SmallVector<int32_t> deviceDims;
  SmallVector<int64_t> steps;
  auto parseOffset = [&]() -> ParseResult {
    FailureOr<AffineAttr> offset = parseAs<AffineAttr>(parser);
    if (failed(offset)) {
      return failure();
    }
    offsets.push_back(*offset);
    return success();
  };
  if (parser.parseSymbolName(buffer) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseOffset)) {
    return {};
  }
  if (succeeded(parser.parseOptionalKeyword("by")) &&
      failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parseWalk(parser, deviceDims, steps);
      }))) {
    return {};
  }
  int32_t tileDim = -1;
  int32_t rowDim = -1;
  if (parseOptionalDim(parser, "tile", tileDim) ||
      parseOptionalDim(parser, "row", rowDim)) {
    return {};
  }
  launch::LaneAccess access = succeeded(parser.parseOptionalKeyword("splat"))
                                  ? launch::LaneAccess::Splat
                                  : launch::LaneAccess::Stickwise;
  return BoxAttr::get(parser.getContext(), FlatSymbolRefAttr::get(buffer),
                      offsets, deviceDims, steps, tileDim, rowDim, access);
}

LogicalResult BoxAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              FlatSymbolRefAttr, ArrayRef<AffineAttr>,
                              ArrayRef<int32_t> deviceDims,
                              ArrayRef<int64_t> steps, int32_t, int32_t,
                              launch::LaneAccess) {
  if (deviceDims.size() != steps.size()) {
    return emitError() << "a box needs one step per device dim that it follows";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Outputs, indexed accesses, queues
//===----------------------------------------------------------------------===//

void printBare(AsmPrinter &printer, OutputAttr output) {
  printBare(printer, output.getBox());
  if (output.getCombine() != launch::Combine::Store) {
    printer << " " << planEnumName(output.getCombine());
  }
  if (output.getLanes() != launch::MapOutput::Lanes::Keep) {
    printer << " " << planEnumName(output.getLanes());
  }
  if (output.getAccumulate()) {
    printer << " accumulate";
  }
}

Attribute OutputAttr::parse(AsmParser &parser, Type) {
  FailureOr<BoxAttr> box = parseAs<BoxAttr>(parser);
  if (failed(box)) {
    return {};
  }
  launch::Combine combine =
      parseOptionalPlanEnum<launch::Combine>(parser).value_or(
          launch::Combine::Store);
  launch::MapOutput::Lanes lanes =
      parseOptionalPlanEnum<launch::MapOutput::Lanes>(parser).value_or(
          launch::MapOutput::Lanes::Keep);
  bool accumulate = succeeded(parser.parseOptionalKeyword("accumulate"));
  return OutputAttr::get(parser.getContext(), *box, combine, lanes, accumulate);
}

void printBare(AsmPrinter &printer, IndexedAttr indexed) {
  printer << "dim " << indexed.getDeviceDim() << " with "
          << indexed.getIndexBuffer() << "[";
  printBare(printer, indexed.getFirst());
  printer << "] count ";
  printBare(printer, indexed.getCount());
  if (indexed.getPageSize() != 0) {
    printer << " page " << indexed.getPageSize();
  }
}

Attribute IndexedAttr::parse(AsmParser &parser, Type) {
  int32_t deviceDim = 0;
  StringAttr buffer;
  if (parser.parseKeyword("dim") || parser.parseInteger(deviceDim) ||
      parser.parseKeyword("with") || parser.parseSymbolName(buffer) ||
      parser.parseLSquare()) {
    return {};
  }
  FailureOr<AffineAttr> first = parseAs<AffineAttr>(parser);
  if (failed(first) || parser.parseRSquare() || parser.parseKeyword("count")) {
    return {};
  }
  FailureOr<ExtentAttr> count = parseAs<ExtentAttr>(parser);
  if (failed(count)) {
    return {};
  }
  int64_t pageSize = 0;
  if (succeeded(parser.parseOptionalKeyword("page")) &&
      failed(parser.parseInteger(pageSize))) {
    return {};
  }
  return IndexedAttr::get(parser.getContext(), deviceDim,
                          FlatSymbolRefAttr::get(buffer), *first, *count,
                          pageSize);
}

void QueueAttr::print(AsmPrinter &printer) const {
  printer << "<slots = " << getSlots() << ", " << planEnumName(getProducer())
          << " -> [";
  llvm::interleaveComma(
      getConsumers(), printer.getStream(),
      [&](launch::Unit unit) { printer << planEnumName(unit); });
  printer << "]";
  if (getFill()) {
    printer << ", fill = " << getFill();
  }
  printer << ">";
}

Attribute QueueAttr::parse(AsmParser &parser, Type) {
  int32_t slots = 0;
  SmallVector<launch::Unit> consumers;
  if (parser.parseLess() || parser.parseKeyword("slots") ||
      parser.parseEqual() || parser.parseInteger(slots) ||
      parser.parseComma()) {
    return {};
  }
  FailureOr<launch::Unit> producer = parsePlanEnum<launch::Unit>(parser);
  auto parseConsumer = [&]() -> ParseResult {
    FailureOr<launch::Unit> unit = parsePlanEnum<launch::Unit>(parser);
    if (failed(unit)) {
      return failure();
    }
    consumers.push_back(*unit);
    return success();
  };
  if (failed(producer) || parser.parseArrow() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseConsumer)) {
    return {};
  }
  StringAttr fill;
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("fill") || parser.parseEqual() ||
       parser.parseSymbolName(fill))) {
    return {};
  }
  if (parser.parseGreater()) {
    return {};
  }
  return QueueAttr::get(parser.getContext(), slots, *producer, consumers,
                        fill ? FlatSymbolRefAttr::get(fill)
                             : FlatSymbolRefAttr());
}

//===----------------------------------------------------------------------===//
// The prefixed forms, `#sdsc<box @a[0, 0]>`
//===----------------------------------------------------------------------===//

template <typename AttrT>
static void printSpaced(AsmPrinter &printer, AttrT a) {
  printer << " ";
  printBare(printer, a);
}

void TermAttr::print(AsmPrinter &printer) const { printSpaced(printer, *this); }
void AffineAttr::print(AsmPrinter &printer) const {
  printSpaced(printer, *this);
}
void ExtentAttr::print(AsmPrinter &printer) const {
  printSpaced(printer, *this);
}
void TableUseAttr::print(AsmPrinter &printer) const {
  printSpaced(printer, *this);
}
void BoxAttr::print(AsmPrinter &printer) const { printSpaced(printer, *this); }
void OutputAttr::print(AsmPrinter &printer) const {
  printSpaced(printer, *this);
}
void IndexedAttr::print(AsmPrinter &printer) const {
  printSpaced(printer, *this);
}

} // namespace spyre::sdsc

#define GET_ATTRDEF_CLASSES
#include "spyre/Dialect/Sdsc/IR/SdscAttrs.cpp.inc"

void spyre::sdsc::SdscDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "spyre/Dialect/Sdsc/IR/SdscAttrs.cpp.inc"
      >();
}
