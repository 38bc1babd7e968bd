// SPDX-License-Identifier: Apache-2.0
//
// Verifies a step against its plan: what it works on, its role, its card and
// its footprints. What depends on the order of steps is the plan checker's
// business.

#include "spyre/Dialect/Launch/IR/LaunchOps.h"

#include "spyre/Dialect/Support/Diagnostics.h"

using namespace mlir;

namespace spyre::launch {

namespace {

class Verifier {
public:
  Verifier(Operation *op, SymbolTableCollection &symbols)
      : op(op), plan(cast<PlanOp>(op->getParentOp())), symbols(symbols),
        view(cast<StepInterface>(op).getView()) {}

  LogicalResult verify();

private:
  LogicalResult verifyTarget();
  LogicalResult verifyHostOperands();
  LogicalResult verifyRole();
  LogicalResult verifyCards();
  LogicalResult verifyFootprints(ArrayAttr footprints);
  std::optional<int64_t> regionBytes(FlatSymbolRefAttr region);

  InFlightDiagnostic error(ErrorCode code, const Twine &message) {
    return emitCoded(op, code, message);
  }

  Operation *op;
  PlanOp plan;
  SymbolTableCollection &symbols;
  StepView view;
};

LogicalResult Verifier::verifyTarget() {
  if (!view.symbol) {
    return success();
  }
  bool fits = false;
  StringRef wanted = "argument of the plan";
  Operation *found = symbols.lookupSymbolIn(plan, view.symbol);
  if (view.kind == StepKind::Compute) {
    wanted = "device program of the plan";
    fits = found && found->getName().getStringRef() == "sdsc.program";
  } else if (view.kind == StepKind::Fill) {
    wanted = "argument or segment of the plan";
    fits = isa_and_nonnull<ArgumentOp, SegmentOp>(found);
  } else {
    fits = isa_and_nonnull<ArgumentOp>(found);
  }
  if (!fits) {
    return error(ErrorCode::UnknownPlanSymbol,
                 "@" + view.symbol.getValue() + " is no " + wanted);
  }
  return success();
}

/// What touches the device's results runs in order there.
LogicalResult Verifier::verifyRole() {
  bool onlyDevice = view.kind == StepKind::Compute ||
                    view.kind == StepKind::HostWork ||
                    view.kind == StepKind::D2H || view.kind == StepKind::Send ||
                    view.kind == StepKind::Recv;
  if (onlyDevice && view.role == StepRole::Prep) {
    return error(ErrorCode::StepRole, planEnumName(view.kind) +
                                          " cannot run with role " +
                                          planEnumName(view.role));
  }
  return success();
}

LogicalResult Verifier::verifyCards() {
  auto cards = static_cast<int64_t>(plan.getCards());
  bool peer = view.kind == StepKind::Send || view.kind == StepKind::Recv;
  if (view.card >= cards ||
      (peer && (view.index >= cards ||
                static_cast<int64_t>(view.index) == view.card))) {
    return error(ErrorCode::CardRange,
                 "the step runs on card " + Twine(view.card) +
                     (peer ? " with peer " + Twine(view.index) : Twine("")) +
                     ", the plan has " + Twine(cards) + " cards");
  }
  return success();
}

std::optional<int64_t> Verifier::regionBytes(FlatSymbolRefAttr region) {
  Operation *found = symbols.lookupSymbolIn(plan, region);
  if (auto segment = dyn_cast_or_null<SegmentOp>(found)) {
    return static_cast<int64_t>(segment.getSize());
  }
  if (auto argument = dyn_cast_or_null<ArgumentOp>(found)) {
    return deviceBytes(argument.getTensorType()).value_or(0);
  }
  return std::nullopt;
}

LogicalResult Verifier::verifyHostOperands() {
  auto host = dyn_cast<HostWorkOp>(op);
  if (!host) {
    return success();
  }
  for (ArrayAttr list : {host.getInputs(), host.getOutputs()}) {
    for (auto operand : list.getAsRange<HostOperandAttr>()) {
      StringRef region = operand.getRegion().getValue();
      std::optional<int64_t> bytes = regionBytes(operand.getRegion());
      if (!bytes) {
        return error(ErrorCode::UnknownPlanSymbol,
                     "@" + region + " is no argument or segment of the plan");
      }
      int64_t size =
          deviceBytes(cast<RankedTensorType>(operand.getType())).value_or(0);
      int64_t offset = operand.getOffset();
      if (offset < 0 || offset % kStickBytes != 0 || offset > *bytes - size) {
        return error(ErrorCode::FootprintRange,
                     Twine(size) + " bytes at offset " + Twine(offset) +
                         " are not whole sticks inside @" + region + " of " +
                         Twine(*bytes) + " bytes");
      }
    }
  }
  return success();
}

LogicalResult Verifier::verifyFootprints(ArrayAttr footprints) {
  if (!footprints) {
    return success();
  }
  for (auto footprint : footprints.getAsRange<FootprintAttr>()) {
    StringRef region = footprint.getRegion().getValue();
    std::optional<int64_t> bytes = regionBytes(footprint.getRegion());
    if (!bytes) {
      return error(ErrorCode::UnknownPlanSymbol,
                   "@" + region + " is no argument or segment of the plan");
    }
    std::string range = "[" + std::to_string(footprint.getLo()) + ", " +
                        std::to_string(footprint.getHi()) + ")";
    if (footprint.getLo() < 0 || footprint.getLo() >= footprint.getHi() ||
        footprint.getHi() > *bytes) {
      return error(ErrorCode::FootprintRange,
                   "footprint " + range + " is not inside @" + region + " of " +
                       Twine(*bytes) + " bytes");
    }
    if (footprint.getLo() % kStickBytes != 0 ||
        footprint.getHi() % kStickBytes != 0) {
      return error(ErrorCode::FootprintMisaligned,
                   "footprint " + range + " of @" + region +
                       " does not consist of whole sticks");
    }
  }
  return success();
}

LogicalResult Verifier::verify() {
  return success(succeeded(verifyTarget()) && succeeded(verifyHostOperands()) &&
                 succeeded(verifyRole()) && succeeded(verifyCards()) &&
                 succeeded(verifyFootprints(view.reads)) &&
                 succeeded(verifyFootprints(view.writes)));
}

} // namespace

LogicalResult verifyStep(Operation *op, SymbolTableCollection &symbols) {
  return Verifier(op, symbols).verify();
}

} // namespace spyre::launch
