// SPDX-License-Identifier: Apache-2.0
//
// Attributes that stand in the text of an operation without their dialect's
// name and mnemonic: custom<Bare>, and lists of them.

#ifndef SPYRE_DIALECT_SUPPORT_BAREATTR_H
#define SPYRE_DIALECT_SUPPORT_BAREATTR_H

#include "mlir/IR/OpImplementation.h"

namespace spyre {

template <typename AttrT>
mlir::ParseResult parseBare(mlir::OpAsmParser &parser, AttrT &attr) {
  attr = mlir::dyn_cast_or_null<AttrT>(AttrT::parse(parser, mlir::Type()));
  return mlir::success(static_cast<bool>(attr));
}

/// Bare attributes of one class between parentheses.
template <typename AttrT>
mlir::ParseResult parseList(mlir::OpAsmParser &parser, mlir::ArrayAttr &list) {
  llvm::SmallVector<mlir::Attribute> elements;
  auto parseElement = [&]() -> mlir::ParseResult {
    elements.push_back(AttrT::parse(parser, mlir::Type()));
    return mlir::success(static_cast<bool>(elements.back()));
  };
  if (failed(parser.parseCommaSeparatedList(mlir::OpAsmParser::Delimiter::Paren,
                                            parseElement))) {
    return mlir::failure();
  }
  list = parser.getBuilder().getArrayAttr(elements);
  return mlir::success();
}

} // namespace spyre

#endif // SPYRE_DIALECT_SUPPORT_BAREATTR_H
