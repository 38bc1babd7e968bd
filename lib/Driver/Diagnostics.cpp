// SPDX-License-Identifier: Apache-2.0

#include "Diagnostics.h"

#include "spyre/Support/Error.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace spyre {

/// `file:line:column` of the first file location inside, or nothing.
static std::string placeOf(Location loc) {
  std::string place;
  loc->walk([&](Location nested) {
    if (auto file = dyn_cast<FileLineColLoc>(nested)) {
      place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) +
               ":" + Twine(file.getColumn()))
                  .str();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return place;
}

/// True for "E0401 [plan] ...".
static bool isCoded(StringRef text) {
  return text.size() > 6 && text[0] == 'E' &&
         llvm::all_of(text.substr(1, 4), llvm::isDigit) && text[5] == ' ';
}

void printDiagnostic(llvm::raw_ostream &out, Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  StringRef severity = diagnostic.getSeverity() == DiagnosticSeverity::Warning
                           ? "warning"
                           : "error";
  std::string place = placeOf(diagnostic.getLocation());
  out << severity << ": ";
  if (isCoded(text)) {
    // `E0401 [plan] node "x": message`: the message goes to its own line.
    auto [head, message] = StringRef(text).split(": ");
    out << head << ":\n  " << message;
    if (!place.empty()) {
      out << "\n  note: at " << place;
    }
  } else {
    out << errorName(ErrorCode::InvalidInput) << " ["
        << errorInfo(ErrorCode::InvalidInput).phase << "] "
        << (place.empty() ? "the module" : place) << ":\n  " << text;
  }
  for (Diagnostic &note : diagnostic.getNotes()) {
    std::string noteText = note.str();
    // The op's whole text belongs in a dump, not in a message.
    if (StringRef(noteText).starts_with("see current operation")) {
      continue;
    }
    bool isHelp = StringRef(noteText).starts_with("help: ");
    out << "\n  " << (isHelp ? "" : "note: ") << noteText;
  }
  out << "\n";
}

} // namespace spyre
