// SPDX-License-Identifier: Apache-2.0
//
// A buffer's tensor stands where the buffer is made: at its op, or at the
// function for an argument.

#include "spyre/Dialect/Sdsc/Transforms/HostCall.h"

#include "spyre/Dialect/Stick/IR/HostCall.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace spyre::sdsc {

RankedTensorType tensorOf(Value buffer) {
  TypeAttr type;
  if (auto argument = dyn_cast<BlockArgument>(buffer)) {
    auto func = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    type =
        func.getArgAttrOfType<TypeAttr>(argument.getArgNumber(), "sdsc.tensor");
  } else {
    type = buffer.getDefiningOp()->getAttrOfType<TypeAttr>("tensor");
  }
  return type ? dyn_cast<RankedTensorType>(type.getValue())
              : RankedTensorType();
}

FailureOr<launch::HostCall> readHostCall(HostOp op) {
  SmallVector<Type> inputs;
  SmallVector<Type> outputs;
  for (auto [buffers, types] : {std::pair(op.getInputs(), &inputs),
                                std::pair(op.getOutputs(), &outputs)}) {
    for (Value buffer : buffers) {
      RankedTensorType type = tensorOf(buffer);
      if (!type || !stick::getLayout(type)) {
        return emitCoded(op, ErrorCode::NotPlanned,
                         "host work on a buffer whose tensor and layout are "
                         "not known");
      }
      types->push_back(type);
    }
  }
  Expected<launch::HostCall> call = stick::readHostCall(
      op.getFunction(), op.getParameters(), op.getReason(), inputs, outputs);
  if (!call) {
    return emitCoded(op, call.error());
  }
  return *call;
}

} // namespace spyre::sdsc
