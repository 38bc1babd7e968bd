// SPDX-License-Identifier: Apache-2.0
//
// The launch dialect and its attributes.

#ifndef SPYRE_LAUNCH_DIALECT
#define SPYRE_LAUNCH_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Launch_Dialect : Dialect {
  let name = "launch";
  let cppNamespace = "::spyre::launch";
  let summary = "Launch plans: what a runtime needs to run a compiled graph";
  let description = [{
    A plan declares its arguments (the contract with the caller), the segments
    of device memory, the weights in them, the device programs, the steps in
    order and what a launch patches: one op per struct of
    `spyre/LaunchPlan/LaunchPlan.h`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Launch_Attr<string name, string attrMnemonic>
    : AttrDef<Launch_Dialect, name> {
  let mnemonic = attrMnemonic;
}

/// An enumeration of the launch plan; the names are those of
/// spyre/LaunchPlan/Names.h.
class Launch_EnumAttr<string name, string attrMnemonic, string enumeration>
    : Launch_Attr<name, attrMnemonic> {
  let summary = enumeration # " of the launch plan";
  let parameters = (ins
    AttrParameter<enumeration, "enumeration of the launch plan">:$value);
  let hasCustomAssemblyFormat = 1;
  let returnType = enumeration;
  let convertFromStorage = "$_self.getValue()";
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &parser,
                                       ::mlir::Type) {
      auto value = ::spyre::parsePlanEnum<}] # enumeration # [{>(parser);
      return failed(value) ? ::mlir::Attribute()
                           : get(parser.getContext(), *value);
    }
    void $cppClass::print(::mlir::AsmPrinter &printer) const {
      printer << " " << ::spyre::planEnumName(getValue());
    }
  }];
}

def Launch_RoleAttr
    : Launch_EnumAttr<"ArgumentRole", "argument_role", "::spyre::launch::ArgumentRole">;
def Launch_HostTypeAttr
    : Launch_EnumAttr<"HostType", "host_type", "::spyre::launch::HostType">;
def Launch_SegmentKindAttr
    : Launch_EnumAttr<"SegmentKind", "segment_kind", "::spyre::launch::SegmentKind">;
def Launch_StepRoleAttr
    : Launch_EnumAttr<"StepRole", "step_role", "::spyre::launch::StepRole">;
def Launch_SymbolKindAttr
    : Launch_EnumAttr<"SymbolKind", "symbol_kind", "::spyre::launch::SymbolKind">;

def Launch_FootprintAttr : Launch_Attr<"Footprint", "footprint"> {
  let summary = "bytes [lo, hi) of an argument or a segment";
  let description = [{
    Example: `@x 0 to 4096`.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$region, "int64_t":$lo,
                        "int64_t":$hi);
  let hasCustomAssemblyFormat = 1;
}

def Launch_HostOperandAttr : Launch_Attr<"HostOperand", "host_operand"> {
  let summary = "a whole tensor at an offset of an argument or a segment";
  let description = [{
    Example: `@spyre_scratch at 0 : tensor<64xf16, #stick.layout<[d0 floordiv 64, d0 mod 64]>>`.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$region, "int64_t":$offset,
                        "::mlir::Type":$type);
  let assemblyFormat = "$region `at` $offset `:` $type";
}

#endif // SPYRE_LAUNCH_DIALECT
