// SPDX-License-Identifier: Apache-2.0

#include "spyre/Dialect/Sdsc/IR/BodyTable.h"

namespace spyre::sdsc {

using launch::BodyOpcode;
using mlir::arith::CmpFPredicate;
using mlir::arith::CmpIPredicate;

std::span<const BodyPair> bodyPairs() {
  static constexpr BodyPair pairs[] = {
      {"arith.negf", BodyOpcode::Neg, BodyDomain::Float},
      {"math.absf", BodyOpcode::Abs, BodyDomain::Float},
      {"math.floor", BodyOpcode::Floor, BodyDomain::Float},
      {"math.ceil", BodyOpcode::Ceil, BodyDomain::Float},
      {"math.roundeven", BodyOpcode::Round, BodyDomain::Float},
      {"math.sqrt", BodyOpcode::Sqrt, BodyDomain::Float},
      {"math.rsqrt", BodyOpcode::Rsqrt, BodyDomain::Float},
      {"math.exp", BodyOpcode::Exp, BodyDomain::Float},
      {"math.log", BodyOpcode::Log, BodyDomain::Float},
      {"math.erf", BodyOpcode::Erf, BodyDomain::Float},
      {"math.tanh", BodyOpcode::Tanh, BodyDomain::Float},
      {"math.sin", BodyOpcode::Sin, BodyDomain::Float},
      {"math.cos", BodyOpcode::Cos, BodyDomain::Float},
      {"math.isnan", BodyOpcode::IsNan, BodyDomain::Float},
      {"math.isinf", BodyOpcode::IsInf, BodyDomain::Float},
      {"arith.addf", BodyOpcode::Add, BodyDomain::Float},
      {"arith.subf", BodyOpcode::Sub, BodyDomain::Float},
      {"arith.mulf", BodyOpcode::Mul, BodyDomain::Float},
      {"arith.divf", BodyOpcode::Div, BodyDomain::Float},
      {"math.fma", BodyOpcode::Fma, BodyDomain::Float},
      {"arith.minimumf", BodyOpcode::Min, BodyDomain::Float},
      {"arith.maximumf", BodyOpcode::Max, BodyDomain::Float},
      {"arith.minnumf", BodyOpcode::MinNum, BodyDomain::Float},
      {"arith.maxnumf", BodyOpcode::MaxNum, BodyDomain::Float},
      {"math.powf", BodyOpcode::Pow, BodyDomain::Float},
      {"arith.select", BodyOpcode::Select, BodyDomain::Any},
      {"arith.andi", BodyOpcode::And, BodyDomain::IntOrBool},
      {"arith.ori", BodyOpcode::Or, BodyDomain::IntOrBool},
      {"arith.xori", BodyOpcode::Xor, BodyDomain::IntOrBool},
      {"arith.shli", BodyOpcode::IShl, BodyDomain::Int},
      {"arith.shrsi", BodyOpcode::IShr, BodyDomain::Int},
      {"arith.addi", BodyOpcode::IAdd, BodyDomain::Int},
      {"arith.subi", BodyOpcode::ISub, BodyDomain::Int},
      {"arith.muli", BodyOpcode::IMul, BodyDomain::Int},
      {"arith.divsi", BodyOpcode::IDiv, BodyDomain::Int},
      {"arith.remsi", BodyOpcode::IRem, BodyDomain::Int},
      {"arith.minsi", BodyOpcode::IMin, BodyDomain::Int},
      {"arith.maxsi", BodyOpcode::IMax, BodyDomain::Int},
      {"arith.fptosi", BodyOpcode::F32ToI32, BodyDomain::Float},
      {"arith.sitofp", BodyOpcode::I32ToF32, BodyDomain::Int},
  };
  return pairs;
}

std::span<const FloatPredicatePair> floatPredicatePairs() {
  // The first row of an opcode is its import. An unordered comparison is true
  // for NaN, as is the negation of the ordered opposite.
  static constexpr FloatPredicatePair pairs[] = {
      {CmpFPredicate::OEQ, BodyOpcode::CmpEq, false},
      {CmpFPredicate::UNE, BodyOpcode::CmpNe, false},
      {CmpFPredicate::OLT, BodyOpcode::CmpLt, false},
      {CmpFPredicate::OLE, BodyOpcode::CmpLe, false},
      {CmpFPredicate::OGT, BodyOpcode::CmpGt, false},
      {CmpFPredicate::OGE, BodyOpcode::CmpGe, false},
      {CmpFPredicate::ULT, BodyOpcode::CmpGe, true},
      {CmpFPredicate::ULE, BodyOpcode::CmpGt, true},
      {CmpFPredicate::UGT, BodyOpcode::CmpLe, true},
      {CmpFPredicate::UGE, BodyOpcode::CmpLt, true},
  };
  return pairs;
}

std::span<const IntPredicatePair> intPredicatePairs() {
  static constexpr IntPredicatePair pairs[] = {
      {CmpIPredicate::eq, BodyOpcode::ICmpEq},
      {CmpIPredicate::ne, BodyOpcode::ICmpNe},
      {CmpIPredicate::slt, BodyOpcode::ICmpLt},
      {CmpIPredicate::sle, BodyOpcode::ICmpLe},
      {CmpIPredicate::sgt, BodyOpcode::ICmpGt},
      {CmpIPredicate::sge, BodyOpcode::ICmpGe},
  };
  return pairs;
}

} // namespace spyre::sdsc
