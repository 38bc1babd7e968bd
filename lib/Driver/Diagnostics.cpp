// SPDX-License-Identifier: Apache-2.0

#include "Diagnostics.h"

#include "spyre/Dialect/Support/Diagnostics.h"
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

/// Of a location for several nodes the first name of each.
static std::vector<std::string> nodesOf(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  SmallVector<Location> parts = {loc};
  if (fused && !fused.getMetadata()) {
    parts.assign(fused.getLocations().begin(), fused.getLocations().end());
  }
  std::vector<std::string> names;
  for (Location part : parts) {
    std::vector<std::string> all = nodeNames(part);
    if (!all.empty() && !llvm::is_contained(names, all.front())) {
      names.push_back(std::move(all.front()));
    }
  }
  return names;
}

/// Takes `E0401 [plan] node "x": message` apart.
static void readCoded(StringRef text, CompileReport::Problem &problem) {
  auto [code, rest] = text.split(" [");
  auto [phase, subjectAndMessage] = rest.split("] ");
  auto [subject, message] = subjectAndMessage.split(": ");
  problem.code = code;
  problem.phase = phase;
  problem.subject = subject;
  problem.message = message;
}

CompileReport::Problem describe(Diagnostic &diagnostic) {
  CompileReport::Problem problem;
  problem.isWarning = diagnostic.getSeverity() == DiagnosticSeverity::Warning;
  problem.nodes = nodesOf(diagnostic.getLocation());
  const std::string text = diagnostic.str();
  const std::string place = placeOf(diagnostic.getLocation());
  if (isCoded(text)) {
    readCoded(text, problem);
    if (!place.empty()) {
      problem.notes.push_back("at " + place);
    }
    if (std::string module = moduleOf(diagnostic.getLocation());
        !module.empty()) {
      problem.notes.push_back("in module " + module);
    }
  } else {
    const ErrorInfo &info = errorInfo(ErrorCode::InvalidInput);
    problem.code = errorName(ErrorCode::InvalidInput);
    problem.phase = info.phase;
    problem.subject = place.empty() ? "the module" : place;
    problem.message = text;
    problem.help = info.help;
  }
  for (Diagnostic &note : diagnostic.getNotes()) {
    const std::string noteText = note.str();
    StringRef help = noteText;
    if (help.consume_front("help: ")) {
      problem.help = help;
    } else if (!help.starts_with("see current operation")) {
      // The op's whole text belongs in a dump, not in a message.
      problem.notes.push_back(noteText);
    }
  }
  return problem;
}

void print(llvm::raw_ostream &out, const CompileReport::Problem &problem) {
  out << (problem.isWarning ? "warning: " : "error: ") << problem.code << " ["
      << problem.phase << "] " << problem.subject << ":\n  " << problem.message;
  for (const std::string &note : problem.notes) {
    out << "\n  note: " << note;
  }
  out << "\n  help: " << problem.help << "\n";
}

} // namespace spyre
