// SPDX-License-Identifier: Apache-2.0
//
// The printer of the text form. Whatever has no pleasant form (an index out of
// range, a name used twice) has a raw one, so that every program prints.

#ifndef SPYRE_LIB_LAUNCHPLAN_TEXTPRINTER_H
#define SPYRE_LIB_LAUNCHPLAN_TEXTPRINTER_H

#include "spyre/LaunchPlan/Text.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spyre::launch::text {

/// Bare if an identifier, else quoted with escapes.
std::string nameText(std::string_view name);
std::string quoted(std::string_view text);

/// A loop variable has a name, i0 to i99999999; other depths are printed raw.
bool isNamedLoop(int32_t depth);

class Printer {
public:
  explicit Printer(const Program &program);
  std::string print();

private:
  using Uses = std::map<std::string_view, int>;

  // Names and expressions
  template <typename T>
  std::string reference(char sigil, const std::vector<T> &items,
                        const Uses &uses, uint64_t index) const;
  std::string buffer(uint32_t index) const;
  std::string table(uint32_t index) const;
  std::string scalar(int64_t index) const;
  std::string body(uint32_t index) const;
  std::string buffers(const std::vector<uint32_t> &indices) const;
  std::string tableRef(const TableRef &ref) const;
  std::string term(const Term &term) const;
  std::string affine(const Affine &affine) const;
  std::string extent(const Extent &extent) const;
  std::string extents(const std::vector<Extent> &extents) const;

  // Declarations
  void printTable(const Table &table);
  void printScalar(const Scalar &scalar);
  void printBuffer(const Buffer &buffer);
  std::string bodyOp(const Body &body, size_t index) const;
  void printBody(const Body &body);
  void printSource(const SourceInfo &source);
  void printPhase(const Phase &phase);

  // Commands
  void printCommands(const std::vector<Command> &commands);
  std::string head(const Command &command) const;
  std::string tail(const Command &command) const;
  std::string boxes(const Command &command) const;
  std::string box(const Box &box, const Command &command) const;
  std::string offset(const Box &box, size_t dim, bool sugared) const;
  bool isSugared(const Box &box, const Command &command) const;

  const Program &program;
  Uses tableUses;
  Uses scalarUses;
  Uses bufferUses;
  Uses bodyUses;
  std::string out;
};

} // namespace spyre::launch::text

#endif // SPYRE_LIB_LAUNCHPLAN_TEXTPRINTER_H
