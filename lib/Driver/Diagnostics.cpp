// SPDX-License-Identifier: Apache-2.0

#include "Diagnostics.h"

#include "spyre/Support/Error.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace spyre {

/// `file:line:column` of the first file location inside, or nothing. What an
/// exporter noted of the source has no column, a model no line.
static std::string placeOf(Location loc) {
  std::string place;
  loc->walk([&](Location nested) {
    auto file = dyn_cast<FileLineColLoc>(nested);
    if (!file || file.getLine() == 0) {
      return WalkResult::advance();
    }
    place = (file.getFilename().getValue() + ":" + Twine(file.getLine())).str();
    if (file.getColumn() > 0) {
      place += ":" + std::to_string(file.getColumn());
    }
    return WalkResult::interrupt();
  });
  return place;
}

/// The path of the module of the exported model that the first node inside
/// belongs to, or nothing.
static std::string moduleOf(Location loc) {
  std::string module;
  loc->walk([&](Location nested) {
    auto fused = dyn_cast<FusedLoc>(nested);
    auto facts =
        fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()) : nullptr;
    auto name = facts ? facts.getAs<StringAttr>("module") : nullptr;
    if (!name) {
      return WalkResult::advance();
    }
    module = name.str();
    return WalkResult::interrupt();
  });
  return module;
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
    if (std::string module = moduleOf(diagnostic.getLocation());
        !module.empty()) {
      out << "\n  note: in module " << module;
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
