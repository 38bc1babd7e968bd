// SPDX-License-Identifier: Apache-2.0

#include "spyre/Reference/ScalarBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringMap.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace spyre {

Number roundTo(Number number, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (floatType.isF32()) {
      number.real = static_cast<float>(number.real);
    } else if (!floatType.isF64()) {
      APFloat value(number.real);
      bool losesInfo = false;
      value.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      number.real = value.convertToDouble();
    }
    return number;
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 64) {
    return number;
  }
  const unsigned unused = 64 - integer.getWidth();
  const auto bits = static_cast<uint64_t>(number.integer) << unused;
  const bool zeroExtend = integer.isUnsigned() || integer.getWidth() == 1;
  number.integer = zeroExtend ? static_cast<int64_t>(bits >> unused)
                              : static_cast<int64_t>(bits) >> unused;
  return number;
}

namespace {

using Function = bool (*)(const Number *, Number &);

int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }
uint64_t bits(const Number &number) {
  return static_cast<uint64_t>(number.integer);
}

/// Division of integers that has a result.
bool divides(const Number *v) {
  return v[1].integer != 0 &&
         (v[1].integer != -1 ||
          v[0].integer != std::numeric_limits<int64_t>::min());
}

/// Towards zero, saturating; NaN gives 0.
int64_t toInteger(double value) {
  if (std::isnan(value)) {
    return 0;
  }
  if (value >= 0x1p63) {
    return std::numeric_limits<int64_t>::max();
  }
  if (value < -0x1p63) {
    return std::numeric_limits<int64_t>::min();
  }
  return static_cast<int64_t>(value);
}

double minimum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmin(a, b);
}

double maximum(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::fmax(a, b);
}

bool power(const Number *v, Number &r) {
  uint64_t result = 1;
  auto base = static_cast<uint64_t>(v[0].integer);
  if (v[1].integer < 0) {
    return false;
  }
  for (auto e = static_cast<uint64_t>(v[1].integer); e != 0; e >>= 1) {
    result *= (e & 1) ? base : 1;
    base *= base;
  }
  r.integer = wrap(result);
  return true;
}

#define REAL(NAME, EXPRESSION)                                                 \
  {NAME, [](const Number *v, Number &r) {                                      \
     r.real = (EXPRESSION);                                                    \
     return true;                                                              \
   }}
#define INTEGER(NAME, EXPRESSION)                                              \
  {NAME, [](const Number *v, Number &r) {                                      \
     r.integer = (EXPRESSION);                                                 \
     return true;                                                              \
   }}

const llvm::StringMap<Function> &functions() {
  static const llvm::StringMap<Function> table = {
      REAL("arith.addf", v[0].real + v[1].real),
      REAL("arith.subf", v[0].real - v[1].real),
      REAL("arith.mulf", v[0].real * v[1].real),
      REAL("arith.divf", v[0].real / v[1].real),
      REAL("arith.negf", -v[0].real),
      REAL("arith.minimumf", minimum(v[0].real, v[1].real)),
      REAL("arith.maximumf", maximum(v[0].real, v[1].real)),
      REAL("arith.minnumf", std::fmin(v[0].real, v[1].real)),
      REAL("arith.maxnumf", std::fmax(v[0].real, v[1].real)),
      REAL("arith.extf", v[0].real),
      REAL("arith.truncf", v[0].real),
      REAL("arith.sitofp", static_cast<double>(v[0].integer)),
      REAL("arith.uitofp", static_cast<double>(v[0].integer)),
      REAL("math.powf", std::pow(v[0].real, v[1].real)),
      REAL("math.absf", std::fabs(v[0].real)),
      REAL("math.exp", std::exp(v[0].real)),
      REAL("math.log", std::log(v[0].real)),
      REAL("math.sqrt", std::sqrt(v[0].real)),
      REAL("math.rsqrt", 1 / std::sqrt(v[0].real)),
      REAL("math.fma", v[0].real * v[1].real + v[2].real),
      REAL("math.tanh", std::tanh(v[0].real)),
      REAL("math.erf", std::erf(v[0].real)),
      REAL("math.sin", std::sin(v[0].real)),
      REAL("math.cos", std::cos(v[0].real)),
      REAL("math.floor", std::floor(v[0].real)),
      REAL("math.ceil", std::ceil(v[0].real)),
      REAL("math.roundeven", std::nearbyint(v[0].real)),
      INTEGER("math.isnan", std::isnan(v[0].real)),
      INTEGER("math.isinf", std::isinf(v[0].real)),
      INTEGER("arith.fptosi", toInteger(v[0].real)),
      INTEGER("arith.addi", wrap(bits(v[0]) + bits(v[1]))),
      INTEGER("arith.subi", wrap(bits(v[0]) - bits(v[1]))),
      INTEGER("arith.muli", wrap(bits(v[0]) * bits(v[1]))),
      INTEGER("arith.minsi", std::min(v[0].integer, v[1].integer)),
      INTEGER("arith.maxsi", std::max(v[0].integer, v[1].integer)),
      INTEGER("arith.andi", v[0].integer & v[1].integer),
      INTEGER("arith.ori", v[0].integer | v[1].integer),
      INTEGER("arith.xori", v[0].integer ^ v[1].integer),
      INTEGER("arith.extsi", v[0].integer),
      INTEGER("arith.extui", v[0].integer),
      INTEGER("arith.trunci", v[0].integer),
      INTEGER("arith.index_cast", v[0].integer),
      INTEGER("math.absi", v[0].integer < 0 ? wrap(0 - bits(v[0]))
                                            : v[0].integer),
      {"math.ipowi", power},
      {"arith.shli",
       [](const Number *v, Number &r) {
         r.integer = wrap(bits(v[0]) << (bits(v[1]) & 63));
         return true;
       }},
      {"arith.shrsi",
       [](const Number *v, Number &r) {
         r.integer = v[0].integer >> (bits(v[1]) & 63);
         return true;
       }},
      {"arith.divsi",
       [](const Number *v, Number &r) {
         const bool ok = divides(v);
         r.integer = ok ? v[0].integer / v[1].integer : 0;
         return ok;
       }},
      {"arith.remsi",
       [](const Number *v, Number &r) {
         const bool ok = divides(v);
         r.integer = ok ? v[0].integer % v[1].integer : 0;
         return ok;
       }},
      {"arith.select",
       [](const Number *v, Number &r) {
         r = v[0].integer != 0 ? v[1] : v[2];
         return true;
       }},
  };
  return table;
}

Function compareFloats(arith::CmpFPredicate predicate) {
  switch (predicate) {
#define COMPARE(PREDICATE, EXPRESSION)                                         \
  case arith::CmpFPredicate::PREDICATE:                                        \
    return [](const Number *v, Number &r) {                                    \
      r.integer = (EXPRESSION);                                                \
      return true;                                                             \
    }
    COMPARE(OEQ, v[0].real == v[1].real);
    COMPARE(UNE, v[0].real != v[1].real);
    COMPARE(OLT, v[0].real < v[1].real);
    COMPARE(OLE, v[0].real <= v[1].real);
    COMPARE(OGT, v[0].real > v[1].real);
    COMPARE(OGE, v[0].real >= v[1].real);
#undef COMPARE
  default:
    return nullptr;
  }
}

Function compareIntegers(arith::CmpIPredicate predicate) {
  switch (predicate) {
#define COMPARE(PREDICATE, OPERATOR)                                           \
  case arith::CmpIPredicate::PREDICATE:                                        \
    return [](const Number *v, Number &r) {                                    \
      r.integer = v[0].integer OPERATOR v[1].integer;                          \
      return true;                                                             \
    }
    COMPARE(eq, ==);
    COMPARE(ne, !=);
    COMPARE(slt, <);
    COMPARE(sle, <=);
    COMPARE(sgt, >);
    COMPARE(sge, >=);
#undef COMPARE
  default:
    return nullptr;
  }
}

#undef REAL
#undef INTEGER

} // namespace

ScalarBody::Function ScalarBody::functionOf(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    return compareFloats(compare.getPredicate());
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    return compareIntegers(compare.getPredicate());
  }
  return functions().lookup(op->getName().getStringRef());
}

bool ScalarBody::add(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() > 3) {
    return false;
  }
  const size_t result = initial.size();
  numbers[op->getResult(0)] = result;
  Number &number = initial.emplace_back();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto value = dyn_cast<FloatAttr>(constant.getValue())) {
      number.real = value.getValueAsDouble();
      return true;
    }
    auto value = dyn_cast<IntegerAttr>(constant.getValue());
    if (value) {
      number.integer =
          roundTo({0, value.getValue().getSExtValue()}, value.getType())
              .integer;
    }
    return static_cast<bool>(value);
  }
  Instruction instruction;
  instruction.result = result;
  instruction.type = op->getResult(0).getType();
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    instruction.dim = static_cast<int64_t>(index.getDim());
    instructions.push_back(instruction);
    return true;
  }
  instruction.function = functionOf(op);
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    auto found = numbers.find(operand);
    if (found == numbers.end()) {
      return false;
    }
    instruction.operands[i] = found->second;
  }
  instructions.push_back(instruction);
  return instruction.function != nullptr;
}

std::optional<ScalarBody> ScalarBody::compile(Block &block, Rounding rounding) {
  ScalarBody body;
  body.rounding = rounding;
  for (BlockArgument argument : block.getArguments()) {
    body.numbers[argument] = body.initial.size();
    body.initial.emplace_back();
  }
  for (Operation &op : block.without_terminator()) {
    // Constants may stand outside.
    for (Value operand : op.getOperands()) {
      auto constant = operand.getDefiningOp<arith::ConstantOp>();
      if (constant && !body.numbers.contains(operand) && !body.add(constant)) {
        return std::nullopt;
      }
    }
    const bool isKnown =
        op.getNumResults() == 1 && body.numbers.contains(op.getResult(0));
    if (!isKnown && !body.add(&op)) {
      return std::nullopt;
    }
  }
  Value yielded = block.getTerminator()->getOperand(0);
  auto outside = yielded.getDefiningOp<arith::ConstantOp>();
  if (outside && !body.numbers.contains(yielded) && !body.add(outside)) {
    return std::nullopt;
  }
  auto found = body.numbers.find(yielded);
  if (found == body.numbers.end()) {
    return std::nullopt;
  }
  body.resultIndex = found->second;
  return body;
}

bool ScalarBody::run(std::vector<Number> &values,
                     ArrayRef<int64_t> position) const {
  for (const Instruction &instruction : instructions) {
    Number &result = values[instruction.result];
    if (instruction.dim >= 0) {
      result.integer = position[instruction.dim];
      continue;
    }
    const Number operands[3] = {values[instruction.operands[0]],
                                values[instruction.operands[1]],
                                values[instruction.operands[2]]};
    if (!instruction.function(operands, result)) {
      return false;
    }
    if (rounding == Rounding::AsTyped || !isa<FloatType>(instruction.type)) {
      result = roundTo(result, instruction.type);
    }
  }
  return true;
}

} // namespace spyre
