// SPDX-License-Identifier: Apache-2.0
//
// What a decoder sees of a node: its operands, converted and with static types,
// its attributes, and a builder for what it means. A decoder sets the node's
// outputs, or says why it cannot.

#ifndef SPYRE_LIB_CONVERSION_ONNXTOLINALG_DECODECONTEXT_H
#define SPYRE_LIB_CONVERSION_ONNXTOLINALG_DECODECONTEXT_H

#include "GraphBuilder.h"

#include "spyre/Dialect/Onnx/IR/Onnx.h"

#include <string>

namespace spyre {

/// Why a node cannot be converted.
struct Refusal {
  enum class Kind {
    /// The compiler has no lowering for this use of the operator.
    Unsupported,
    /// Shapes or types of the operands do not fit together.
    Mismatch,
    /// An attribute is missing, or has a wrong type or value.
    Attribute,
  };
  Kind kind = Kind::Unsupported;
  std::string reason;
};

class DecodeContext {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  /// `operands` has a null value for each absent input.
  DecodeContext(onnx::NodeOp node, llvm::ArrayRef<Value> operands,
                mlir::OpBuilder &builder, const EvaluationBudget &budget);

  onnx::NodeOp node;
  GraphBuilder g;

  //===--------------------------------------------------------------------===//
  // Operands
  //===--------------------------------------------------------------------===//

  size_t numInputs() const { return operands.size(); }
  bool has(size_t index) const {
    return index < operands.size() && operands[index];
  }
  /// The operand, null if it is absent.
  Value in(size_t index) const {
    return index < operands.size() ? operands[index] : Value();
  }
  ShapeRef shape(size_t index) const { return shapeOf(in(index)); }
  Type element(size_t index) const { return elementOf(in(index)); }
  int64_t rank(size_t index) const {
    return static_cast<int64_t>(shape(index).size());
  }
  llvm::ArrayRef<Value> inputs() const { return operands; }
  /// The value of an operand that is constant, null otherwise.
  mlir::DenseElementsAttr constantInput(size_t index) const {
    return constantOf(in(index));
  }
  /// The integers of a constant operand; refuses the node if it is not
  /// constant ("must be known when compiling").
  mlir::FailureOr<Shape> integers(size_t index, llvm::StringRef name);
  /// The one float or integer of a constant operand.
  mlir::FailureOr<double> scalar(size_t index, llvm::StringRef name);

  /// The shape that the values broadcast to; refuses the node if they do not.
  mlir::FailureOr<Shape> broadcast(llvm::ArrayRef<Value> values);
  /// Refuses the node unless the operands, where present, have one element
  /// type.
  mlir::LogicalResult sameElements(llvm::ArrayRef<size_t> indices);

  //===--------------------------------------------------------------------===//
  // Attributes. A wrong type refuses the node; the default is returned.
  //===--------------------------------------------------------------------===//

  bool hasAttr(llvm::StringRef name);
  int64_t intAttr(llvm::StringRef name, int64_t defaultValue);
  double floatAttr(llvm::StringRef name, double defaultValue);
  std::string stringAttr(llvm::StringRef name, llvm::StringRef defaultValue);
  std::optional<Shape> intsAttr(llvm::StringRef name);
  mlir::DenseElementsAttr tensorAttr(llvm::StringRef name);
  int64_t version() { return static_cast<int64_t>(node.getVersion()); }

  /// `axis` in [0, rank); refuses the node if it is outside of [-rank, rank).
  mlir::FailureOr<int64_t> axis(int64_t axis, int64_t rank);
  mlir::FailureOr<Shape> axes(ShapeRef axes, int64_t rank);
  /// The axes of an operator that had them as attribute, and since a later
  /// version has them as operand; nothing if neither is given.
  mlir::FailureOr<std::optional<Shape>> axesInput(size_t index, int64_t rank);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  size_t numOutputs() { return node.getNumResults(); }
  /// Whether anything uses the output.
  bool wants(size_t index) {
    return index < numOutputs() && !node.getResult(index).use_empty();
  }
  mlir::LogicalResult set(size_t index, Value value);
  Value output(size_t index) const { return results[index]; }

  mlir::LogicalResult unsupported(const llvm::Twine &reason);
  mlir::LogicalResult mismatch(const llvm::Twine &reason);
  mlir::LogicalResult badAttribute(const llvm::Twine &reason);
  /// The first reason; set as soon as anything was refused.
  const std::optional<Refusal> &refusal() const { return firstRefusal; }

private:
  mlir::LogicalResult refuse(Refusal::Kind kind, const llvm::Twine &reason);

  llvm::SmallVector<Value> operands;
  llvm::SmallVector<Value> results;
  std::optional<Refusal> firstRefusal;
};

/// A shape as text: `2x16x128`, `scalar`.
std::string toText(ShapeRef shape);
std::string toText(mlir::Type type);

} // namespace spyre

#endif // SPYRE_LIB_CONVERSION_ONNXTOLINALG_DECODECONTEXT_H
