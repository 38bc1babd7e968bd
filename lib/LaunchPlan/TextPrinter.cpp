// SPDX-License-Identifier: Apache-2.0
//
// Printing of names, expressions and declarations; commands are printed in
// TextPrintCommands.cpp.

#include "TextPrinter.h"

#include "spyre/LaunchPlan/Names.h"

#include <bit>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace spyre::launch::text {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char character : text) {
    unsigned char byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      result += '\\';
      result += character;
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += character;
    }
  }
  return result + "\"";
}

std::string nameText(std::string_view name) {
  bool bare = !name.empty();
  for (char character : name) {
    unsigned char byte = static_cast<unsigned char>(character);
    bare = bare && byte < 0x80 &&
           (std::isalnum(byte) || character == '_' || character == '.');
  }
  return bare ? std::string(name) : quoted(name);
}

bool isNamedLoop(int32_t depth) {
  constexpr int32_t eightDigits = 99'999'999;
  return depth >= 0 && depth <= eightDigits;
}

Printer::Printer(const Program &program) : program(program) {
  for (const Table &table : program.tables) {
    ++tableUses[table.name];
  }
  for (const Scalar &scalar : program.scalars) {
    ++scalarUses[scalar.name];
  }
  for (const Buffer &buffer : program.buffers) {
    ++bufferUses[buffer.name];
  }
  for (const Body &body : program.bodies) {
    ++bodyUses[body.name];
  }
}

//===----------------------------------------------------------------------===//
// Names and expressions
//===----------------------------------------------------------------------===//

template <typename T>
std::string Printer::reference(char sigil, const std::vector<T> &items,
                               const Uses &uses, uint64_t index) const {
  if (index < items.size() && uses.at(items[index].name) == 1) {
    return sigil + nameText(items[index].name);
  }
  return fmt::format("{}#{}", sigil, index);
}

std::string Printer::buffer(uint32_t index) const {
  return reference('%', program.buffers, bufferUses, index);
}

std::string Printer::table(uint32_t index) const {
  return reference('%', program.tables, tableUses, index);
}

std::string Printer::scalar(int64_t index) const {
  return reference('$', program.scalars, scalarUses,
                   static_cast<uint64_t>(index));
}

std::string Printer::body(uint32_t index) const {
  return reference('@', program.bodies, bodyUses, index);
}

std::string Printer::buffers(const std::vector<uint32_t> &indices) const {
  std::string result;
  for (uint32_t index : indices) {
    result += (result.empty() ? "" : ", ") + buffer(index);
  }
  return result;
}

std::string Printer::tableRef(const TableRef &ref) const {
  if (ref.loopDepth != -1 && !isNamedLoop(ref.loopDepth)) {
    return fmt::format("ref({}, {})", ref.table, ref.loopDepth);
  }
  std::string name = table(ref.table);
  return ref.loopDepth < 0 ? name : fmt::format("{}[i{}]", name, ref.loopDepth);
}

std::string Printer::term(const Term &term) const {
  switch (term.kind) {
  case TermKind::Loop:
    if (isNamedLoop(term.index) && term.loopDepth == -1) {
      return fmt::format("i{}", term.index);
    }
    break;
  case TermKind::Table:
    if (term.index >= 0 &&
        (term.loopDepth == -1 || isNamedLoop(term.loopDepth))) {
      return tableRef({static_cast<uint32_t>(term.index), term.loopDepth});
    }
    break;
  case TermKind::Scalar:
    if (term.index >= 0 && term.loopDepth == -1) {
      return scalar(term.index);
    }
    break;
  }
  return fmt::format("term({}, {}, {})", nameOf(term.kind), term.index,
                     term.loopDepth);
}

std::string Printer::affine(const Affine &affine) const {
  std::string result;
  if (affine.constant != 0 || affine.terms.empty()) {
    result = fmt::format("{}", affine.constant);
  }
  for (const Term &each : affine.terms) {
    bool negative = each.coefficient < 0;
    // The magnitude of the smallest int64 does not fit an int64.
    uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(each.coefficient)
                                  : static_cast<uint64_t>(each.coefficient);
    if (result.empty()) {
      result = negative ? "-" : "";
    } else {
      result += negative ? " - " : " + ";
    }
    if (magnitude != 1) {
      result += fmt::format("{}*", magnitude);
    }
    result += term(each);
  }
  return result;
}

std::string Printer::extent(const Extent &extent) const {
  if (extent.bounds.size() == 1) {
    return affine(extent.bounds.front());
  }
  std::string result = "min(";
  for (size_t index = 0; index < extent.bounds.size(); ++index) {
    result += (index ? ", " : "") + affine(extent.bounds[index]);
  }
  return result + ")";
}

std::string Printer::extents(const std::vector<Extent> &extents) const {
  std::string result = "[";
  for (size_t index = 0; index < extents.size(); ++index) {
    result += (index ? ", " : "") + extent(extents[index]);
  }
  return result + "]";
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

namespace {

/// "[1, 2, 3]", with runs of four or more equal values as "v x count" if asked.
std::string integerList(const std::vector<int64_t> &values, bool runs) {
  std::string result = "[";
  for (size_t index = 0; index < values.size();) {
    size_t end = index + 1;
    while (runs && end < values.size() && values[end] == values[index]) {
      ++end;
    }
    size_t count = end - index;
    if (count < 4) {
      count = 1;
    }
    result += index ? ", " : "";
    // Core masks read better in hexadecimal.
    result += values[index] >= 0x10000 ? fmt::format("{:#x}", values[index])
                                       : fmt::format("{}", values[index]);
    if (count > 1) {
      result += fmt::format(" x {}", count);
    }
    index += count;
  }
  return result + "]";
}

/// The name of a value where the first `numDefined` ops have been printed; what
/// is not defined there has none.
std::string valueName(const Body &body, int64_t value, size_t numDefined) {
  constexpr int64_t maxNamedInputs = 64;
  int64_t inputs = body.numInputs;
  if (value >= 0 && value < inputs && inputs <= maxNamedInputs) {
    return fmt::format("x{}", value);
  }
  if (value >= inputs && value < inputs + static_cast<int64_t>(numDefined)) {
    return fmt::format("v{}", value - inputs);
  }
  return fmt::format("#{}", value);
}

/// A decimal float, or the raw bits where decimals would lose some.
std::string floatLiteral(int64_t immediate) {
  if (immediate < 0 || immediate > std::numeric_limits<uint32_t>::max()) {
    return fmt::format("{:#x}", static_cast<uint64_t>(immediate));
  }
  float value = std::bit_cast<float>(static_cast<uint32_t>(immediate));
  if (!std::isfinite(value)) {
    return fmt::format("{:#x}", immediate);
  }
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

} // namespace

void Printer::printTable(const Table &table) {
  out += "table %" + nameText(table.name);
  if (table.innerSize != 1) {
    out += fmt::format("[{}]", table.innerSize);
  }
  out += " = " + integerList(table.values, true) + "\n";
}

void Printer::printScalar(const Scalar &scalar) {
  out += fmt::format("scalar ${} arg({}) lo {} hi {}", nameText(scalar.name),
                     scalar.argument, scalar.lo, scalar.hi);
  if (scalar.granule != 1) {
    out += fmt::format(" granule {}", scalar.granule);
  }
  out += "\n";
}

void Printer::printBuffer(const Buffer &buffer) {
  out +=
      fmt::format("buffer %{} {}", nameText(buffer.name), nameOf(buffer.space));
  if (buffer.binding == Binding::Argument) {
    out += fmt::format(" arg({})", buffer.bindingIndex);
  } else if (buffer.binding == Binding::Segment) {
    out += fmt::format(" seg({})", buffer.bindingIndex);
  } else if (buffer.bindingIndex != 0) {
    out += fmt::format(" lx({})", buffer.bindingIndex);
  }
  if (buffer.offset != 0) {
    out += fmt::format(" at {}", buffer.offset);
  }
  out += fmt::format(" {} {}", nameOf(buffer.type),
                     integerList(buffer.shape, false));
  if (buffer.role != BufferRole::Scratch) {
    out += fmt::format(" {}", nameOf(buffer.role));
  }
  if (buffer.queue) {
    out += fmt::format(" queue {} {}", buffer.queue->slots,
                       nameOf(buffer.queue->producer));
    if (buffer.queue->fillTable) {
      out += "@" + table(*buffer.queue->fillTable);
    }
    out += " ->";
    for (size_t index = 0; index < buffer.queue->consumers.size(); ++index) {
      out += fmt::format("{} {}", index ? "," : "",
                         nameOf(buffer.queue->consumers[index]));
    }
  }
  if (buffer.queue.has_value() != (buffer.kind == BufferKind::Queue)) {
    out += fmt::format(" kind {}", nameOf(buffer.kind));
  }
  if (buffer.validElements != 0 || buffer.validTileDim != -1) {
    out += fmt::format(" valid {}", buffer.validElements);
  }
  if (buffer.validTileDim != -1) {
    out += fmt::format(" along {}", buffer.validTileDim);
  }
  if (buffer.viewOf != -1) {
    out += fmt::format(" view {}", buffer.viewOf);
  }
  out += "\n";
}

std::string Printer::bodyOp(const Body &body, size_t index) const {
  const BodyOp &op = body.ops[index];
  std::string text(nameOf(op.opcode));
  size_t count = op.operands.size();
  while (count > 0 && op.operands[count - 1] == -1) {
    --count;
  }
  for (size_t operand = 0; operand < count; ++operand) {
    text +=
        (operand ? ", " : "(") + valueName(body, op.operands[operand], index);
  }
  text += count ? ")" : "";
  if (op.opcode == BodyOpcode::ConstF32) {
    text += " " + floatLiteral(op.immediate);
  } else if (op.opcode == BodyOpcode::ScalarValue && op.immediate >= 0 &&
             op.immediate <= std::numeric_limits<uint32_t>::max()) {
    text += " " + scalar(op.immediate);
  } else if (op.opcode == BodyOpcode::RoundTo && op.immediate >= 0 &&
             op.immediate < kNumElementTypes) {
    text += fmt::format(" {}", nameOf(static_cast<ElementType>(op.immediate)));
  } else if (op.opcode == BodyOpcode::ConstI32 ||
             op.opcode == BodyOpcode::ConstBool) {
    text += fmt::format(" {}", op.immediate);
  } else if (op.immediate != 0) {
    text += fmt::format(" imm {}", op.immediate);
  }
  if (op.index != Affine{}) {
    text += " base " + affine(op.index);
  }
  if (!op.dimCoefficients.empty()) {
    text += " dims " + integerList(op.dimCoefficients, false);
  }
  if (op.laneCoefficient != 0) {
    text += fmt::format(" lane {}", op.laneCoefficient);
  }
  return text;
}

void Printer::printBody(const Body &body) {
  out += "body @" + nameText(body.name) + "(";
  if (valueName(body, 0, 0) == "x0") {
    for (uint32_t input = 0; input < body.numInputs; ++input) {
      out += fmt::format("{}x{}", input ? ", " : "", input);
    }
  } else if (body.numInputs != 0) {
    out += fmt::format("#{}", body.numInputs);
  }
  out += ") {\n";
  for (size_t index = 0; index < body.ops.size(); ++index) {
    out += fmt::format("  v{} = {}\n", index, bodyOp(body, index));
  }
  if (!body.results.empty()) {
    out += "  return";
    for (size_t index = 0; index < body.results.size(); ++index) {
      out += (index ? ", " : " ") +
             valueName(body, body.results[index], body.ops.size());
    }
    out += "\n";
  }
  out += "}\n";
}

void Printer::printSource(const SourceInfo &source) {
  out += "source " + quoted(source.kernel);
  if (!source.nodes.empty()) {
    out += " [";
    for (size_t index = 0; index < source.nodes.size(); ++index) {
      out += (index ? ", " : "") + quoted(source.nodes[index]);
    }
    out += "]";
  }
  out += "\n";
}

void Printer::printPhase(const Phase &phase) {
  out += "phase";
  if (!phase.name.empty()) {
    out += " @" + nameText(phase.name);
  }
  if (!phase.residents.empty()) {
    out += " residents " + buffers(phase.residents);
  }
  out += " {\n";
  for (int unit = 0; unit < kNumUnits; ++unit) {
    if (!phase.units[unit].empty()) {
      out += fmt::format("  {} {{\n", nameOf(static_cast<Unit>(unit)));
      printCommands(phase.units[unit]);
      out += "  }\n";
    }
  }
  out += "}\n";
}

std::string Printer::print() {
  out = fmt::format("program @{} cores {}\n", nameText(program.name),
                    program.numCores);
  for (const Table &table : program.tables) {
    printTable(table);
  }
  for (const Scalar &scalar : program.scalars) {
    printScalar(scalar);
  }
  for (const Buffer &buffer : program.buffers) {
    printBuffer(buffer);
  }
  for (const SourceInfo &source : program.sources) {
    printSource(source);
  }
  for (const Body &body : program.bodies) {
    printBody(body);
  }
  for (const Phase &phase : program.phases) {
    printPhase(phase);
  }
  return std::move(out);
}

} // namespace spyre::launch::text

namespace spyre::launch {

std::string printProgram(const Program &program) {
  return text::Printer(program).print();
}

} // namespace spyre::launch
