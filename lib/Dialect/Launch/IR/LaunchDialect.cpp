// SPDX-License-Identifier: Apache-2.0
//
// Registration of the launch dialect and its attributes.

#include "spyre/Dialect/Launch/IR/LaunchOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "spyre/Dialect/Launch/IR/LaunchDialect.cpp.inc"
#include "spyre/Dialect/Launch/IR/LaunchInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "spyre/Dialect/Launch/IR/LaunchAttrs.cpp.inc"

namespace spyre::launch {

void LaunchDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "spyre/Dialect/Launch/IR/LaunchAttrs.cpp.inc"
      >();
}

void LaunchDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "spyre/Dialect/Launch/IR/LaunchOps.cpp.inc"
      >();
}

Attribute FootprintAttr::parse(AsmParser &parser, Type) {
  StringAttr region;
  int64_t lo = 0;
  int64_t hi = 0;
  if (parser.parseSymbolName(region) || parser.parseInteger(lo) ||
      parser.parseKeyword("to") || parser.parseInteger(hi)) {
    return {};
  }
  return get(parser.getContext(), FlatSymbolRefAttr::get(region), lo, hi);
}

void FootprintAttr::print(AsmPrinter &printer) const {
  printer << " " << getRegion() << " " << getLo() << " to " << getHi();
}

} // namespace spyre::launch
