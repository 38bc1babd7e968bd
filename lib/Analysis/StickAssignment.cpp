// SPDX-License-Identifier: Apache-2.0
//
// The local decision. An op asks of each operand a layout that its stick dim
// allows; an operand that has such a layout already is left alone. What differs
// between the classes of ops is only which stick dims may be chosen.

#include "spyre/Analysis/StickAssignment.h"

#include "spyre/Analysis/StickAccess.h"
#include "spyre/Analysis/StickViews.h"
#include "spyre/Dialect/Stick/IR/Stick.h"
#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/ScopedPrinter.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using spyre::layout::DeviceDim;
using spyre::layout::DimKind;
using spyre::layout::StickLayout;

namespace spyre {

namespace {

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

ElementType elementType(RankedTensorType type) {
  // Checked for every tensor before the decision starts.
  return *stick::toElementType(type.getElementType());
}

int64_t addSaturated(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kUnbounded : sum;
}

int64_t imageBytes(const StickLayout &layout, RankedTensorType type) {
  return layout::sizeBytes(layout, type.getShape(), elementType(type))
      .value_or(kUnbounded);
}

/// The layout that an operand without a suitable one gets: the dim that moves
/// with the stick dim in its stick; if there is none, a dim of extent 1 that is
/// read at 0, or one element a stick.
StickLayout layoutFor(RankedTensorType type, AffineMap map, int64_t stickDim) {
  const ElementType element = elementType(type);
  const int64_t rank = type.getRank();
  int64_t hostDim = stickDim < 0 ? -1 : resultOfDim(map, stickDim);
  for (int64_t dim = rank - 1; dim >= 0 && hostDim < 0; --dim) {
    if (map.getResult(dim).isSymbolicOrConstant()) {
      hostDim = dim;
    }
  }
  return layout::defaultLayout(rank, hostDim, element);
}

/// The same order of dims for an element type with another stick width.
StickLayout withStickWidth(StickLayout layout, int64_t elements) {
  for (DeviceDim &dim : layout.dims) {
    if (dim.kind == DimKind::Tile || dim.kind == DimKind::Stick ||
        &dim == &layout.dims.back()) {
      dim.factor = elements;
    }
  }
  return layout;
}

/// A layout whose stick is one dim (or none) in plain order.
bool hasPlainStick(const StickLayout &layout) {
  const auto inStick = [](const DeviceDim &dim) {
    return dim.kind == DimKind::Stick;
  };
  return layout.arrangement.empty() &&
         std::count_if(layout.dims.begin(), layout.dims.end(), inStick) <= 1;
}

class Decider {
public:
  explicit Decider(func::FuncOp function) : function(function) {}
  FailureOr<StickAssignment> run();

private:
  LogicalResult checkTypes();
  void decide(linalg::GenericOp op, const OpClassification &classification);
  void decideContract(OpAssignment &assignment);
  void decideElementwise(OpAssignment &assignment);
  void decideView(Operation *op);
  void choose(OpAssignment &assignment);

  /// The layout that the value has, or nothing if it is free.
  const StickLayout *presentLayout(Value value) const;
  StickLayout neededLayout(OpOperand &operand, int64_t stickDim) const;
  StickLayout resultLayout(const OpAssignment &assignment,
                           OpOperand &init) const;
  /// Bytes read and written to bring the operand into the layout.
  int64_t copyBytes(Value value, const StickLayout &needed) const;
  void take(OpAssignment &assignment);

  func::FuncOp function;
  StickAssignment result;
  /// Copies that an earlier op has asked for already.
  std::vector<std::pair<Value, StickLayout>> copies;
};

const StickLayout *Decider::presentLayout(Value value) const {
  auto found = result.layouts.find(value);
  return found == result.layouts.end() ? nullptr : &found->second;
}

StickLayout Decider::neededLayout(OpOperand &operand, int64_t stickDim) const {
  auto op = cast<linalg::GenericOp>(operand.getOwner());
  const AffineMap map = op.getMatchingIndexingMap(&operand);
  if (const StickLayout *present = presentLayout(operand.get())) {
    if (composeAccess(*present, map).accepts(stickDim)) {
      return *present;
    }
  }
  return layoutFor(tensorType(operand.get()), map, stickDim);
}

int64_t Decider::copyBytes(Value value, const StickLayout &needed) const {
  const StickLayout *present = presentLayout(value);
  if (!present || *present == needed ||
      llvm::is_contained(copies, std::make_pair(value, needed))) {
    return 0;
  }
  const RankedTensorType type = tensorType(value);
  return addSaturated(imageBytes(*present, type), imageBytes(needed, type));
}

/// A result that an input matches index by index takes that input's order of
/// dims; any other result the default order.
StickLayout Decider::resultLayout(const OpAssignment &assignment,
                                  OpOperand &init) const {
  linalg::GenericOp op = assignment.op;
  const AffineMap map = op.getMatchingIndexingMap(&init);
  const RankedTensorType type = tensorType(init.get());
  if (assignment.classification.opClass == OpClass::Map) {
    for (auto [number, operand] : llvm::enumerate(op.getDpsInputOperands())) {
      const StickLayout &input = assignment.inputs[number];
      if (presentLayout(operand->get()) && hasPlainStick(input) &&
          op.getMatchingIndexingMap(operand) == map &&
          tensorType(operand->get()).getShape() == type.getShape()) {
        return withStickWidth(input, elementsPerStick(elementType(type)));
      }
    }
  }
  return layoutFor(type, map, assignment.stickDim);
}

void Decider::decideContract(OpAssignment &assignment) {
  const OpClassification &roles = assignment.classification;
  linalg::GenericOp op = assignment.op;
  // Among several dims of a role, the one that is in the stick already, else
  // the one that comes last in the operand.
  const auto pick = [&](int64_t number, llvm::ArrayRef<int64_t> dims) {
    OpOperand &operand = op->getOpOperand(number);
    const AffineMap map = op.getMatchingIndexingMap(&operand);
    if (const StickLayout *present = presentLayout(operand.get())) {
      for (int64_t dim : dims) {
        if (composeAccess(*present, map).stickDims() ==
            std::vector<int32_t>{static_cast<int32_t>(dim)}) {
          return dim;
        }
      }
    }
    return *llvm::max_element(dims, [&](int64_t a, int64_t b) {
      return resultOfDim(map, a) < resultOfDim(map, b);
    });
  };
  const int64_t leftDim = pick(roles.left, roles.k);
  assignment.stickDim = pick(roles.right, roles.n);
  assignment.inputs.resize(2);
  assignment.inputs[roles.left] =
      neededLayout(op->getOpOperand(roles.left), leftDim);
  assignment.inputs[roles.right] =
      neededLayout(op->getOpOperand(roles.right), assignment.stickDim);
  int64_t bytes = 0;
  for (int64_t number : {0, 1}) {
    bytes = addSaturated(
        bytes, copyBytes(op->getOperand(number), assignment.inputs[number]));
  }
  assignment.candidates.push_back({assignment.stickDim, bytes});
  assignment.reason = "a contraction has d" + std::to_string(leftDim) +
                      " in the stick of operand " + std::to_string(roles.left) +
                      ", d" + std::to_string(assignment.stickDim) +
                      " in those of operand " + std::to_string(roles.right) +
                      " and the result";
}

/// Iteration dims that may be in the stick, in order of preference.
std::vector<int64_t> candidateDims(linalg::GenericOp op, OpClass opClass) {
  // The last dim of the result first; for a reduction, of its first input,
  // whose dims are the result's and the reduced ones.
  const bool fromInput = opClass == OpClass::Reduce && op.getNumDpsInputs() > 0;
  OpOperand *operand =
      fromInput ? op.getDpsInputOperand(0) : op.getDpsInitOperand(0);
  const AffineMap map = op.getMatchingIndexingMap(operand);
  std::vector<int64_t> dims;
  for (unsigned position = map.getNumResults(); position-- > 0;) {
    if (int64_t dim = dimOfResult(map, position); dim >= 0) {
      dims.push_back(dim);
    }
  }
  for (int64_t dim = static_cast<int64_t>(op.getNumLoops()) - 1; dim >= 0;
       --dim) {
    if (!llvm::is_contained(dims, dim)) {
      dims.push_back(dim);
    }
  }
  dims.push_back(-1);
  return dims;
}

void Decider::decideElementwise(OpAssignment &assignment) {
  linalg::GenericOp op = assignment.op;
  for (int64_t dim : candidateDims(op, assignment.classification.opClass)) {
    int64_t bytes = 0;
    bool isPossible = true;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      const StickLayout needed = neededLayout(*operand, dim);
      // No layout puts a dim in the stick that moves a window.
      isPossible &= composeAccess(needed, op.getMatchingIndexingMap(operand))
                        .accepts(dim);
      bytes = addSaturated(bytes, copyBytes(operand->get(), needed));
    }
    if (isPossible) {
      assignment.candidates.push_back({dim, bytes});
    }
  }
  const auto best = std::min_element(
      assignment.candidates.begin(), assignment.candidates.end(),
      [](const StickCandidate &a, const StickCandidate &b) {
        return a.restickifiedBytes < b.restickifiedBytes;
      });
  assignment.stickDim = best->stickDim;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    assignment.inputs.push_back(neededLayout(*operand, best->stickDim));
  }
  assignment.reason = "copies " + std::to_string(best->restickifiedBytes) +
                      " bytes into other layouts, the fewest of " +
                      std::to_string(assignment.candidates.size()) +
                      " candidates";
}

void Decider::decide(linalg::GenericOp op,
                     const OpClassification &classification) {
  OpAssignment assignment;
  assignment.op = op;
  assignment.classification = classification;
  if (classification.opClass == OpClass::Contract) {
    decideContract(assignment);
  } else {
    decideElementwise(assignment);
  }
  for (auto [number, operand] : llvm::enumerate(op.getDpsInputOperands())) {
    const StickLayout &needed = assignment.inputs[number];
    if (copyBytes(operand->get(), needed) > 0) {
      copies.emplace_back(operand->get(), needed);
    }
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    assignment.results.push_back(resultLayout(assignment, init));
    result.layouts[op.getTiedOpResult(&init)] = assignment.results.back();
  }
  result.ops.push_back(std::move(assignment));
}

/// A view keeps the layout that its operand has if it can; an insertion that of
/// the tensor it inserts into, else of what it inserts. Insertions one after
/// the other into one tensor agree on a layout: a copy between two of them
/// would read what is not written yet.
void Decider::decideView(Operation *op) {
  SmallVector<Value> sources = {op->getOperand(0)};
  SmallVector<Operation *> chain = {op};
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    sources = {insert.getDest(), insert.getSource()};
    while (auto next = insertionInto(chain.back()->getResult(0))) {
      chain.push_back(next);
    }
  }
  ViewAssignment view;
  view.op = op;
  StickLayout input = sourceOfView(chain);
  for (Value source : sources) {
    const StickLayout *present = presentLayout(source);
    if (present && llvm::all_of(chain, [&](Operation *link) {
          return throughView(link, *present).has_value();
        })) {
      input = *present;
      break;
    }
  }
  // sourceOfView is a layout that all of them can take.
  view.result = *throughView(op, input);
  for (Value operand : op->getOperands()) {
    view.inputs.push_back(
        isIndexOfView(op, operand) ? indexOfView(tensorType(operand)) : input);
  }
  result.layouts[op->getResult(0)] = view.result;
  result.views.push_back(std::move(view));
}

/// Every tensor has static extents and an element type of the device.
LogicalResult Decider::checkTypes() {
  bool valid = true;
  const auto check = [&](Operation *op, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor) {
      return;
    }
    if (!tensor.hasStaticShape()) {
      valid = false;
      emitCoded(op, ErrorCode::DynamicLayout,
                "the tensor type " + llvm::to_string(type) +
                    " has dynamic extents");
    } else if (!stick::toElementType(tensor.getElementType())) {
      valid = false;
      emitCoded(op, ErrorCode::NoDeviceElementType,
                "element type " + llvm::to_string(tensor.getElementType()) +
                    " of " + llvm::to_string(type) +
                    " does not exist on the device");
    }
  };
  for (Type type : function.getArgumentTypes()) {
    check(function, type);
  }
  for (Operation &op : function.getBody().front()) {
    for (Type type : op.getResultTypes()) {
      check(&op, type);
    }
  }
  return success(valid);
}

FailureOr<StickAssignment> Decider::run() {
  if (!function.getBody().hasOneBlock()) {
    emitCoded(function, ErrorCode::NoLayoutRule,
              "the function has control flow between blocks");
    return failure();
  }
  if (failed(checkTypes())) {
    return failure();
  }
  for (BlockArgument argument : function.getArguments()) {
    if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
      stick::LayoutAttr given = stick::getLayout(type);
      result.layouts[argument] =
          given ? given.getLayout() : defaultLayoutOf(type);
    }
  }
  bool valid = true;
  for (Operation &op : function.getBody().front()) {
    std::string reason;
    if (!isKnownToLayout(&op, reason)) {
      valid = false;
      emitCoded(&op, ErrorCode::NoLayoutRule, reason);
      continue;
    }
    if (auto copy = dyn_cast<stick::RestickifyOp>(op)) {
      result.layouts[copy.getResult()] =
          stick::getLayout(copy.getResult()).getLayout();
    }
    if (isStickView(&op, reason)) {
      decideView(&op);
    }
    // The host takes its operands as they lie, and gives results as a caller
    // would.
    if (auto host = dyn_cast<stick::HostOp>(op)) {
      for (Value value : host.getResults()) {
        result.layouts[value] = defaultLayoutOf(tensorType(value));
      }
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic) {
      continue;
    }
    FailureOr<OpClassification> classification = classify(generic, reason);
    if (failed(classification)) {
      valid = false;
      emitCoded(&op, ErrorCode::UnclassifiedOp, reason);
      // Its readers still get their own verdict.
      for (Value value : op.getResults()) {
        result.layouts[value] = defaultLayoutOf(tensorType(value));
      }
      continue;
    }
    decide(generic, *classification);
  }
  if (!valid) {
    return failure();
  }
  return std::move(result);
}

} // namespace

bool hasFreeLayout(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<stick::WeightOp, arith::ConstantOp, tensor::EmptyOp,
                   linalg::FillOp>(op);
}

StickLayout defaultLayoutOf(RankedTensorType type) {
  return layout::defaultLayout(type.getRank(), type.getRank() - 1,
                               elementType(type));
}

FailureOr<StickAssignment> assignSticks(func::FuncOp function) {
  return Decider(function).run();
}

bool isKnownToLayout(Operation *op, std::string &reason) {
  const auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (isTensor(constant.getType()) &&
        !isa<DenseElementsAttr>(constant.getValue())) {
      reason = "only dense constants can be laid out; larger ones are weights";
      return false;
    }
    return true;
  }
  if (isa<linalg::GenericOp, linalg::FillOp, tensor::EmptyOp, func::ReturnOp,
          stick::WeightOp, stick::RestickifyOp, stick::HostOp>(op) ||
      isStickView(op, reason)) {
    return true;
  }
  // A region could hold tensors that nobody would look at.
  if (op->getNumRegions() == 0 &&
      llvm::none_of(op->getOperandTypes(), isTensor) &&
      llvm::none_of(op->getResultTypes(), isTensor)) {
    return true;
  }
  const std::string name = "'" + op->getName().getStringRef().str() + "'";
  if (!reason.empty()) {
    reason = name + " has no layout rule in this form: " + reason;
  } else if (isa<stick::CompositeOp>(op)) {
    reason = name + " has no layout rule of its own; run "
                    "stick-inline-composite first";
  } else if (isa<linalg::LinalgOp>(op)) {
    reason = name + " is a named op; generalize it to linalg.generic first";
  } else {
    reason = name + " has no layout rule";
  }
  return false;
}

void print(const StickAssignment &assignment, llvm::raw_ostream &stream) {
  const auto dimName = [](int64_t dim) {
    return dim < 0 ? std::string("none") : "d" + std::to_string(dim);
  };
  for (const ViewAssignment &view : assignment.views) {
    stream << subjectOf(view.op) << " view: <"
           << layout::toString(view.inputs.front()) << "> gives <"
           << layout::toString(view.result) << ">\n";
  }
  for (const OpAssignment &op : assignment.ops) {
    linalg::GenericOp generic = op.op;
    stream << subjectOf(generic) << " " << toString(op.classification.opClass)
           << " stick " << dimName(op.stickDim) << ": " << op.reason << "\n";
    for (const StickCandidate &candidate : op.candidates) {
      stream << "  candidate " << dimName(candidate.stickDim) << ": "
             << candidate.restickifiedBytes << " bytes\n";
    }
    for (auto [number, input] : llvm::enumerate(op.inputs)) {
      stream << "  operand " << number << ": <" << layout::toString(input)
             << ">\n";
    }
    for (auto [number, output] : llvm::enumerate(op.results)) {
      stream << "  result " << number << ": <" << layout::toString(output)
             << ">\n";
    }
  }
}

} // namespace spyre
