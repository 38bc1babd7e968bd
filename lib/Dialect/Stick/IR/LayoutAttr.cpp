// SPDX-License-Identifier: Apache-2.0
//
// Text form and verification of #stick.layout. The rules themselves stand in
// the layout library; the parser only reads the grammar.

#include "spyre/Dialect/Stick/IR/Stick.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace spyre::layout {

llvm::hash_code hash_value(const StickLayout &layout) {
  llvm::hash_code hash = llvm::hash_value(layout.sparse);
  for (const DeviceDim &dim : layout.dims) {
    hash = llvm::hash_combine(hash, static_cast<int>(dim.kind), dim.hostDim,
                              dim.factor);
  }
  for (const ArrangementFold &fold : layout.arrangement) {
    hash = llvm::hash_combine(hash, fold.factor, fold.stride);
  }
  return hash;
}

} // namespace spyre::layout

#define GET_ATTRDEF_CLASSES
#include "spyre/Dialect/Stick/IR/StickAttrs.cpp.inc"

namespace spyre::stick {

void StickDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "spyre/Dialect/Stick/IR/StickAttrs.cpp.inc"
      >();
}

/// `d<host dim>`, optionally `floordiv k` or `mod k`; or `0 : n`.
static ParseResult parseDeviceDim(AsmParser &parser, layout::DeviceDim &dim) {
  int64_t constant = 0;
  const SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult integer = parser.parseOptionalInteger(constant);
  if (integer.has_value()) {
    if (failed(*integer)) {
      return failure();
    }
    if (constant != 0) {
      return parser.emitError(loc, "a constant device dim is 0, not ")
             << constant;
    }
    dim.kind = layout::DimKind::Unit;
    return failure(parser.parseColon() || parser.parseInteger(dim.factor));
  }
  StringRef name;
  if (failed(parser.parseOptionalKeyword(&name)) || !name.consume_front("d") ||
      name.getAsInteger(10, dim.hostDim) || dim.hostDim < 0) {
    return parser.emitError(loc, "expected a host dim such as d0, or 0 : n");
  }
  if (succeeded(parser.parseOptionalKeyword("floordiv"))) {
    dim.kind = layout::DimKind::Tile;
    return parser.parseInteger(dim.factor);
  }
  if (succeeded(parser.parseOptionalKeyword("mod"))) {
    dim.kind = layout::DimKind::Stick;
    return parser.parseInteger(dim.factor);
  }
  dim.kind = layout::DimKind::Full;
  return success();
}

/// `, sparse` and `, arrangement [factor : stride, ...]`, in this order.
static ParseResult parseSuffixes(AsmParser &parser,
                                 layout::StickLayout &layout) {
  while (succeeded(parser.parseOptionalComma())) {
    if (!layout.sparse && layout.arrangement.empty() &&
        succeeded(parser.parseOptionalKeyword("sparse"))) {
      layout.sparse = true;
      continue;
    }
    if (!layout.arrangement.empty() || parser.parseKeyword("arrangement")) {
      return failure();
    }
    const auto parseFold = [&]() -> ParseResult {
      layout::ArrangementFold &fold = layout.arrangement.emplace_back();
      return failure(parser.parseInteger(fold.factor) || parser.parseColon() ||
                     parser.parseInteger(fold.stride));
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseFold)) {
      return failure();
    }
  }
  return success();
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  layout::StickLayout layout;
  const auto parseDim = [&]() {
    return parseDeviceDim(parser, layout.dims.emplace_back());
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim) ||
      parseSuffixes(parser, layout) || parser.parseGreater()) {
    return {};
  }
  return LayoutAttr::get(parser.getContext(), layout);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  const layout::StickLayout &layout = getLayout();
  printer << "<[" << layout::toString({layout.dims}) << "]";
  if (layout.sparse) {
    printer << ", sparse";
  }
  if (!layout.arrangement.empty()) {
    printer << ", arrangement [";
    llvm::interleaveComma(layout.arrangement, printer,
                          [&](const layout::ArrangementFold &fold) {
                            printer << fold.factor << " : " << fold.stride;
                          });
    printer << "]";
  }
  printer << ">";
}

LogicalResult LayoutAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  const auto begin = [&](ErrorCode code) -> InFlightDiagnostic {
    InFlightDiagnostic diag = emitError();
    diag << errorName(code) << " [" << errorInfo(code).phase << "] ";
    return diag;
  };
  std::optional<ElementType> type = toElementType(elementType);
  if (!type) {
    return begin(ErrorCode::NoDeviceElementType)
           << "element type " << elementType
           << " does not exist on the device, so a tensor of it has no stick "
              "layout";
  }
  Status status =
      layout::verify(getLayout(), static_cast<int64_t>(shape.size()), *type);
  if (status) {
    return success();
  }
  const Error &error = status.error();
  InFlightDiagnostic diag = begin(error.code);
  diag << error.subject << ": " << error.message;
  for (const std::string &note : error.notes) {
    diag << "; " << note;
  }
  return diag;
}

} // namespace spyre::stick
