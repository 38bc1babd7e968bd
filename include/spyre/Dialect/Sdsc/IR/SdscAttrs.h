// SPDX-License-Identifier: Apache-2.0
//
// The sdsc dialect class, its attributes and its type.

#ifndef SPYRE_DIALECT_SDSC_IR_SDSCATTRS_H
#define SPYRE_DIALECT_SDSC_IR_SDSCATTRS_H

#include "spyre/Cost/KernelPlan.h"
#include "spyre/Dialect/Support/PlanEnum.h"
#include "spyre/LaunchPlan/DeviceProgram.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

namespace spyre::launch {
template <>
inline constexpr auto enumNames<cost::KernelKind> =
    std::to_array<std::string_view>(
        {"map", "reduce", "contract", "restickify", "gather"});
} // namespace spyre::launch

#include "spyre/Dialect/Sdsc/IR/SdscDialect.h.inc"

#include "spyre/Dialect/Sdsc/IR/SdscEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "spyre/Dialect/Sdsc/IR/SdscTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "spyre/Dialect/Sdsc/IR/SdscAttrs.h.inc"

namespace spyre::sdsc {

/// Text of an attribute without its dialect prefix, as ops print it.
void printBare(mlir::AsmPrinter &printer, TermAttr term);
void printBare(mlir::AsmPrinter &printer, AffineAttr affine);
void printBare(mlir::AsmPrinter &printer, ExtentAttr extent);
void printBare(mlir::AsmPrinter &printer, TableUseAttr use);
void printBare(mlir::AsmPrinter &printer, BoxAttr box);
void printBare(mlir::AsmPrinter &printer, OutputAttr output);
void printBare(mlir::AsmPrinter &printer, IndexedAttr indexed);

} // namespace spyre::sdsc

#endif // SPYRE_DIALECT_SDSC_IR_SDSCATTRS_H
