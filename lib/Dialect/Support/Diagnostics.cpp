// SPDX-License-Identifier: Apache-2.0

#include "spyre/Dialect/Support/Diagnostics.h"

#include "mlir/IR/Location.h"

#include <algorithm>

using namespace mlir;

namespace spyre {

std::vector<std::string> nodeNames(Location loc) {
  std::vector<std::string> names;
  loc->walk([&](Location nested) {
    if (auto named = dyn_cast<NameLoc>(nested)) {
      std::string name = named.getName().str();
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(std::move(name));
      }
    }
    return WalkResult::advance();
  });
  return names;
}

std::string subjectOf(Operation *op) {
  std::vector<std::string> names = nodeNames(op->getLoc());
  if (!names.empty()) {
    return "node \"" + names.front() + "\"";
  }
  return "op " + op->getName().getStringRef().str();
}

static void putCode(InFlightDiagnostic &diag, ErrorCode code) {
  diag << errorName(code) << " [" << errorInfo(code).phase << "] ";
}

static void putError(InFlightDiagnostic &diag, const std::string &subject,
                     const Error &error) {
  putCode(diag, error.code);
  diag << subject << ": " << error.message;
  for (const std::string &note : error.notes) {
    diag.attachNote() << note;
  }
  diag.attachNote() << "help: "
                    << (error.help.empty()
                            ? std::string(errorInfo(error.code).help)
                            : error.help);
}

InFlightDiagnostic emitCoded(Operation *op, ErrorCode code,
                             const Twine &message, const Twine &help) {
  InFlightDiagnostic diag = op->emitError();
  putCode(diag, code);
  diag << subjectOf(op) << ": " << message;
  std::string wayOut = help.str();
  if (wayOut.empty()) {
    wayOut = errorInfo(code).help;
  }
  diag.attachNote() << "help: " << wayOut;
  return diag;
}

InFlightDiagnostic emitCoded(Operation *op, const Error &error) {
  InFlightDiagnostic diag = op->emitError();
  putError(diag, error.subject.empty() ? subjectOf(op) : error.subject, error);
  return diag;
}

InFlightDiagnostic emitCoded(Location loc, const Error &error,
                             DiagnosticSeverity severity) {
  InFlightDiagnostic diag =
      loc.getContext()->getDiagEngine().emit(loc, severity);
  putError(diag, error.subject, error);
  return diag;
}

} // namespace spyre
