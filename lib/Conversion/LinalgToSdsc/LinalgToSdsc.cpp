// SPDX-License-Identifier: Apache-2.0
//
// Tensors with a layout become buffers in device memory, ops become kernels on
// them. One pass in program order; what an op computes is KernelBuilder's
// business.

#include "spyre/Conversion/Passes.h"

#include "KernelBuilder.h"
#include "spyre/Analysis/StickViews.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Stick/Transforms/Passes.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace spyre {
#define GEN_PASS_DEF_CONVERTLINALGTOSDSCPASS
#include "spyre/Dialect/Conversion/Passes.h.inc"

namespace {

class FunctionConverter {
public:
  explicit FunctionConverter(func::FuncOp func)
      : func(func), builder(func.getContext()) {}

  LogicalResult run() {
    auto returnOp =
        cast<func::ReturnOp>(func.getBody().front().getTerminator());
    ops = llvm::map_to_vector(func.getBody().front().without_terminator(),
                              [](Operation &op) { return &op; });
    convertArguments();
    convertResults(returnOp);
    builder.setInsertionPoint(returnOp);
    for (Operation *op : ops) {
      if (failed(convert(op))) {
        return failure();
      }
    }
    copyForwardedResults(returnOp);
    finish(returnOp);
    return success();
  }

private:
  MemRefType bufferType(RankedTensorType type) {
    std::vector<int64_t> shape = layout::deviceShape(
        stick::getLayout(type).getLayout(), type.getShape());
    Type element = sdsc::toMlirType(
        *stick::toElementType(type.getElementType()), func.getContext());
    return MemRefType::get(
        shape, element, MemRefLayoutAttrInterface(),
        sdsc::SpaceAttr::get(func.getContext(), launch::Space::DDR));
  }

  /// A name for a kernel: the node's, or the op's, made unique.
  std::string kernelName(Operation *op) {
    std::vector<std::string> nodes = nodeNames(op->getLoc());
    std::string base =
        nodes.empty() ? op->getName().stripDialect().str() : nodes.back();
    for (char &c : base) {
      c = llvm::isAlnum(c) ? c : '_';
    }
    std::string name = base;
    while (!kernelNames.insert(name).second) {
      name = base + "_" + std::to_string(++numKernels);
    }
    return name;
  }

  void convertArguments() {
    Block &entry = func.getBody().front();
    numInputs = entry.getNumArguments();
    for (unsigned i = 0; i < numInputs; ++i) {
      auto type = cast<RankedTensorType>(entry.getArgument(i).getType());
      BlockArgument buffer = entry.addArgument(bufferType(type), func.getLoc());
      buffers[entry.getArgument(i)] = buffer;
      describe(type, "input", func.getArgAttrDict(i),
               "arg" + std::to_string(i));
    }
  }

  /// A result that a kernel of this function computes is written in place; any
  /// other (an argument, a weight, a value returned twice) is copied.
  void convertResults(func::ReturnOp returnOp) {
    Block &entry = func.getBody().front();
    for (auto [index, value] : llvm::enumerate(returnOp.getOperands())) {
      auto type = cast<RankedTensorType>(value.getType());
      BlockArgument buffer = entry.addArgument(bufferType(type), func.getLoc());
      results.push_back(buffer);
      bool computed =
          value.getDefiningOp() &&
          !isa<stick::WeightOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
              value.getDefiningOp());
      if (computed && !buffers.count(value)) {
        buffers[value] = buffer;
      }
      describe(type, "output", func.getResultAttrDict(index),
               "result" + std::to_string(index));
    }
  }

  /// Keeps what the graph says of an argument (name, type on the host, bound of
  /// index values).
  void describe(RankedTensorType type, StringRef role, DictionaryAttr given,
                const std::string &fallback) {
    NamedAttrList attrs(given);
    attrs.set("sdsc.role", builder.getStringAttr(role));
    attrs.set("sdsc.tensor", TypeAttr::get(type));
    if (!attrs.get("spyre.name")) {
      attrs.set("spyre.name", builder.getStringAttr(fallback));
    }
    argumentAttrs.push_back(attrs.getDictionary(func.getContext()));
  }

  Value bufferOf(Value value) {
    if (Value buffer = buffers.lookup(value)) {
      return buffer;
    }
    if (tensor::InsertSliceOp insert = insertionInto(value)) {
      return buffers[value] = bufferOf(insert.getResult());
    }
    auto type = cast<RankedTensorType>(value.getType());
    OpBuilder::InsertionGuard guard(builder);
    Value buffer =
        sdsc::AllocOp::create(builder, value.getLoc(), bufferType(type),
                              TypeAttr::get(type), StringAttr(), IntegerAttr());
    buffers[value] = buffer;
    return buffer;
  }

  LogicalResult convert(Operation *op) {
    if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
      return convertGeneric(generic);
    }
    if (auto weight = dyn_cast<stick::WeightOp>(op)) {
      convertWeight(weight);
      return success();
    }
    if (auto restickify = dyn_cast<stick::RestickifyOp>(op)) {
      copy(op, endOf(restickify.getSource()), endOf(restickify.getResult()));
      return success();
    }
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      buffers[op->getResult(0)] =
          sdsc::ViewOp::create(builder, op->getLoc(), bufferType(type),
                               bufferOf(op->getOperand(0)), type);
      return success();
    }
    if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
      copy(op, endOf(extract.getSource(), sliceMap(extract)),
           endOf(extract.getResult()));
      return success();
    }
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      convertInsertion(insert);
      return success();
    }
    if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
      buildGatherKernel(builder, op->getLoc(), kernelName(op),
                        endOf(gather.getSource()), endOf(gather.getIndices()),
                        endOf(gather.getResult()));
      return success();
    }
    if (auto fill = dyn_cast<linalg::FillOp>(op)) {
      return convertFill(fill);
    }
    if (auto host = dyn_cast<stick::HostOp>(op)) {
      convertHost(host);
      return success();
    }
    if (isa<tensor::EmptyOp, arith::ConstantOp>(op)) {
      return success();
    }
    return emitCoded(op, ErrorCode::UnsupportedOp,
                     "'" + op->getName().getStringRef() + "' has no kernel");
  }

  CopyEnd endOf(Value tensor, AffineMap map = AffineMap()) {
    return {bufferOf(tensor), cast<RankedTensorType>(tensor.getType()), map};
  }

  /// Copies all elements of the end that is not a slice.
  void copy(Operation *op, const CopyEnd &source, const CopyEnd &destination) {
    const CopyEnd &whole = destination.map ? source : destination;
    buildCopyKernel(builder, op->getLoc(), kernelName(op), source, destination,
                    whole.type.getShape());
  }

  /// Where the elements of a slice stand in the whole tensor.
  AffineMap sliceMap(OffsetSizeAndStrideOpInterface slice) {
    SmallVector<AffineExpr> results;
    for (auto [dim, offset, stride] :
         llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
      results.push_back(builder.getAffineDimExpr(dim) * stride + offset);
    }
    return AffineMap::get(results.size(), 0, results, builder.getContext());
  }

  void convertInsertion(tensor::InsertSliceOp insert) {
    bool isFree =
        static_cast<bool>(insert.getDest().getDefiningOp<tensor::EmptyOp>());
    if (!isFree && bufferOf(insert.getDest()) != bufferOf(insert.getResult())) {
      copy(insert, endOf(insert.getDest()), endOf(insert.getResult()));
    }
    copy(insert, endOf(insert.getSource()),
         endOf(insert.getResult(), sliceMap(insert)));
  }

  LogicalResult convertGeneric(linalg::GenericOp op) {
    // An op can finish one accumulator only.
    linalg::GenericOp epilogue = findEpilogue(op);
    if (epilogue && reductionOf.try_emplace(epilogue, op).second) {
      return success();
    }
    linalg::GenericOp root = reductionOf.lookup(op);
    linalg::GenericOp first = root ? root : op;
    return buildKernel(builder, first, root ? op : linalg::GenericOp(),
                       kernelName(first),
                       [&](Value value) { return bufferOf(value); });
  }

  void convertWeight(stick::WeightOp op) {
    auto type = cast<RankedTensorType>(op.getType());
    buffers[op.getResult()] = sdsc::WeightOp::create(
        builder, op.getLoc(), bufferType(type), op.getNameAttr(),
        op.getFileAttr(), op.getOffsetAttr(), op.getLengthAttr(),
        TypeAttr::get(type), op.getHostTypeAttr(), op.getPermAttr());
  }

  void convertHost(stick::HostOp op) {
    auto toBuffer = [&](Value value) { return bufferOf(value); };
    SmallVector<Value> inputs = llvm::map_to_vector(op.getInputs(), toBuffer);
    SmallVector<Value> outputs = llvm::map_to_vector(op.getResults(), toBuffer);
    sdsc::HostOp::create(builder, op.getLoc(), op.getFunctionAttr(),
                         op.getParametersAttr(),
                         builder.getStringAttr(kernelName(op)), inputs, outputs,
                         op.getReasonAttr());
  }

  /// An initial value needs no buffer: accumulators start by themselves.
  LogicalResult convertFill(linalg::FillOp op) {
    bool isRead = llvm::any_of(op->getUses(), [](OpOperand &use) {
      auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
      return !user || user.isDpsInput(&use);
    });
    if (!isRead) {
      return success();
    }
    TypedAttr value;
    if (!matchPattern(op.getInputs()[0], m_Constant(&value))) {
      return emitCoded(op, ErrorCode::UnsupportedBody,
                       "it fills with a value that is not a constant");
    }
    buildFillKernel(builder, op.getLoc(), kernelName(op), value,
                    bufferOf(op.getResult(0)),
                    cast<RankedTensorType>(op.getResult(0).getType()));
    return success();
  }

  void copyForwardedResults(func::ReturnOp returnOp) {
    for (auto [value, buffer] : llvm::zip(returnOp.getOperands(), results)) {
      Value source = bufferOf(value);
      if (source == buffer) {
        continue;
      }
      auto type = cast<RankedTensorType>(value.getType());
      if (type.getNumElements() == 0) {
        continue;
      }
      copy(returnOp, {source, type}, {buffer, type});
    }
  }

  void finish(func::ReturnOp returnOp) {
    Location loc = returnOp.getLoc();
    returnOp.erase();
    for (Operation *op : llvm::reverse(ops)) {
      op->erase();
    }
    Block &entry = func.getBody().front();
    entry.eraseArguments(0, numInputs);
    builder.setInsertionPointToEnd(&entry);
    func::ReturnOp::create(builder, loc);
    func.setFunctionType(
        builder.getFunctionType(entry.getArgumentTypes(), TypeRange()));
    func.setAllArgAttrs(argumentAttrs);
    func.setAllResultAttrs(ArrayRef<DictionaryAttr>());
  }

  func::FuncOp func;
  OpBuilder builder;
  SmallVector<Operation *> ops;
  unsigned numInputs = 0;
  DenseMap<Value, Value> buffers;
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> argumentAttrs;
  /// Epilogue -> the reduction or contraction that it finishes.
  DenseMap<Operation *, linalg::GenericOp> reductionOf;
  llvm::StringSet<> kernelNames;
  int64_t numKernels = 0;
};

class ConvertLinalgToSdsc
    : public impl::ConvertLinalgToSdscPassBase<ConvertLinalgToSdsc> {
  void runOnOperation() override {
    if (failed(stick::verifyLaidOut(getOperation())) ||
        failed(FunctionConverter(getOperation()).run())) {
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace spyre
