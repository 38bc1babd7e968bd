// SPDX-License-Identifier: Apache-2.0
//
// The sdsc dialect: the dataflow level between tensors with a stick layout and
// the launch plan.

#ifndef SPYRE_SDSC_DIALECT
#define SPYRE_SDSC_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Sdsc_Dialect : Dialect {
  let name = "sdsc";
  let cppNamespace = "::spyre::sdsc";
  let summary = "Kernels and device programs of a stick dataflow machine";
  let description = [{
    The dialect has two halves. *Kernels* say what is computed, how it is
    divided over cores and where every operand lies; planning decides there.
    *Programs* are what a core's five units execute: one op per struct of
    `spyre/LaunchPlan/DeviceProgram.h`, so that the compiler can print, parse
    and verify exactly what the artifact holds.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

class Sdsc_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Sdsc_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Sdsc_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sdsc_Dialect, mnemonic, traits>;

/// An enumeration of the launch plan as an attribute parameter; its names are
/// those of spyre/LaunchPlan/Names.h.
class PlanEnumParameter<string enumeration>
    : AttrParameter<enumeration, "enumeration of the launch plan"> {
  let parser = "::spyre::parsePlanEnum<" # enumeration # ">($_parser)";
  let printer = "$_printer << ::spyre::planEnumName($_self)";
}

#endif // SPYRE_SDSC_DIALECT
