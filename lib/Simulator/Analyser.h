// SPDX-License-Identifier: Apache-2.0
//
// The validation of a program's structure, shared by Analyse.cpp (tables,
// buffers, phases) and AnalyseCommands.cpp (command lists).

#ifndef SPYRE_LIB_SIMULATOR_ANALYSER_H
#define SPYRE_LIB_SIMULATOR_ANALYSER_H

#include "ProgramInfo.h"

namespace spyre::sim {

inline bool isMember(int64_t value, int64_t count) {
  return value >= 0 && value < count;
}

inline bool isOneTo(int64_t value, int64_t most) {
  return value >= 1 && value <= most;
}

/// Validates one program and fills its info.
class Analyser {
public:
  Analyser(const launch::Program &analysed, const target::Target &limits)
      : program(analysed), target(limits) {
    place.program = &program;
  }
  ProgramInfo run();

private:
  [[noreturn]] void malformed(std::string message) {
    trap(ErrorCode::SimBadProgram, place, std::move(message));
  }
  void require(bool condition, const char *message) {
    if (!condition) {
      malformed(message);
    }
  }

  void checkTables();
  void checkBodies();
  BufferInfo analyseBuffer(const launch::Buffer &buffer);
  void checkQueue(const launch::Buffer &buffer);
  void checkTableRef(const launch::TableRef &ref, int64_t depth);
  void checkAffine(const launch::Affine &affine, int64_t depth);
  void checkExtent(const launch::Extent &extent, int64_t depth);
  void checkBox(const launch::Command &command, size_t index,
                size_t firstOutput, int64_t depth);
  void checkIndexed(const launch::Command &command, int64_t depth);
  void checkKind(const launch::Command &command);
  void checkMatmul(const launch::Command &command);
  void checkMap(const launch::Command &command, int64_t depth,
                CommandInfo &info);
  void checkSpaces(const launch::Command &command);
  void checkTypes(const launch::Command &command);
  void checkOperands(const launch::Command &command, int64_t depth);
  void addQueues(const launch::Command &command, CommandInfo &info);
  CommandInfo analyseCommand(const launch::Command &command, int64_t depth);
  std::vector<CommandInfo>
  analyseList(const std::vector<launch::Command> &list);
  void collectBuffers(const launch::Phase &phase, PhaseInfo &info);
  void checkSharing(const launch::Phase &phase, PhaseInfo &info);
  void checkLxOverlap(const PhaseInfo &info);

  const launch::Program &program;
  const target::Target &target;
  Place place;
  ProgramInfo result;
};

} // namespace spyre::sim

#endif // SPYRE_LIB_SIMULATOR_ANALYSER_H
