// SPDX-License-Identifier: Apache-2.0
//
// Dense tensor constants become weights, whose bytes the module keeps in one
// attribute: from here on every constant tensor is a reference, laid out when
// the artifact is written.

#include "spyre/Dialect/Graph/Transforms/Passes.h"

#include "spyre/Dialect/Stick/IR/Stick.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace spyre::graph {
#define GEN_PASS_DEF_OUTLINECONSTANTSPASS
#include "spyre/Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Appends the elements as a file would hold them: dense, little-endian, a bool
/// as a byte.
void appendBytes(DenseElementsAttr elements, std::vector<char> &bytes) {
  if (elements.getElementType().isInteger(1)) {
    for (bool value : elements.getValues<bool>()) {
      bytes.push_back(value ? 1 : 0);
    }
    return;
  }
  ArrayRef<char> raw = elements.getRawData();
  int64_t copies = elements.isSplat() ? elements.getNumElements() : 1;
  for (int64_t i = 0; i < copies; ++i) {
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
}

class OutlineConstants
    : public impl::OutlineConstantsPassBase<OutlineConstants> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::vector<char> bytes;
    if (auto present = module->getAttrOfType<DenseElementsAttr>(
            stick::kConstantBytesAttr)) {
      ArrayRef<char> raw = present.getRawData();
      bytes.assign(raw.begin(), raw.end());
    }
    // Constants inside of bodies are scalars.
    for (auto func : module.getOps<func::FuncOp>()) {
      if (func.isExternal()) {
        continue;
      }
      for (Operation &op : llvm::make_early_inc_range(func.getBody().front())) {
        auto constant = dyn_cast<arith::ConstantOp>(op);
        auto elements = constant
                            ? dyn_cast<DenseElementsAttr>(constant.getValue())
                            : DenseElementsAttr();
        if (elements) {
          outline(constant, elements, bytes);
        }
      }
    }
    if (!bytes.empty()) {
      auto type = RankedTensorType::get({static_cast<int64_t>(bytes.size())},
                                        IntegerType::get(&getContext(), 8));
      module->setAttr(
          stick::kConstantBytesAttr,
          DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(bytes)));
    }
  }

  void outline(arith::ConstantOp op, DenseElementsAttr elements,
               std::vector<char> &bytes) {
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(op.getType());
    if (elements.isSplat()) {
      Value scalar = arith::ConstantOp::create(
          builder, op.getLoc(), elements.getSplatValue<TypedAttr>());
      Value empty = tensor::EmptyOp::create(
          builder, op.getLoc(), type.getShape(), type.getElementType());
      op.replaceAllUsesWith(
          linalg::FillOp::create(builder, op.getLoc(), scalar, empty)
              .getResult(0));
      op.erase();
      return;
    }
    auto start = static_cast<int64_t>(bytes.size());
    appendBytes(elements, bytes);
    auto length = static_cast<int64_t>(bytes.size()) - start;
    std::string name = "constant" + std::to_string(numConstants++);
    op.replaceAllUsesWith(
        stick::WeightOp::create(builder, op.getLoc(), type, name,
                                /*file=*/builder.getStringAttr(""), start,
                                length, TypeAttr(), DenseI64ArrayAttr())
            .getResult());
    op.erase();
  }

  int64_t numConstants = 0;
};

} // namespace
} // namespace spyre::graph
