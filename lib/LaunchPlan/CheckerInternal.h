// SPDX-License-Identifier: Apache-2.0
//
// What the stages of the plan checker share: the reporter, the derived facts
// of a program, and the declarations of the stages. A stage may rely on what
// the stages before it have proved, and on nothing else.

#ifndef SPYRE_LIB_LAUNCHPLAN_CHECKERINTERNAL_H
#define SPYRE_LIB_LAUNCHPLAN_CHECKERINTERNAL_H

#include "spyre/LaunchPlan/Checker.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spyre::launch::checker {

/// Errors reported per plan.
inline constexpr size_t kMaxErrors = 20;
/// Constants, coefficients, extents and offsets stay within this magnitude, so
/// that sums of products of two of them fit 128 bits.
inline constexpr int64_t kMaxMagnitude = int64_t{1} << 48;
inline constexpr size_t kMaxCommandDims = 7;
inline constexpr size_t kMaxRank = 16;
inline constexpr size_t kMaxLoopDepth = 16;
inline constexpr size_t kMaxBoxes = 32;
inline constexpr size_t kMaxTerms = 64;
inline constexpr int64_t kMaxTableInner = 256;
/// Core sets are the bits of an int64.
inline constexpr int32_t kMaxCores = 63;

/// Where in a program an error is.
struct Place {
  const Program *program = nullptr;
  size_t phase = 0;
  Unit unit = Unit::Load;
  size_t command = 0;
  /// -1: every core.
  int32_t core = -1;
};

class Reporter {
public:
  void add(ErrorCode code, std::string subject, std::string message,
           std::vector<std::string> notes = {});
  /// Names the kernel and nodes of the command, and its place as a note.
  void addAt(ErrorCode code, const Place &place, std::string message,
             std::vector<std::string> notes = {});
  bool empty() const { return errors.empty(); }
  bool full() const { return errors.size() >= kMaxErrors; }
  std::vector<Error> take() { return std::move(errors); }

private:
  std::vector<Error> errors;
};

/// Derived facts of a buffer, valid once its shape is proved sane.
struct BufferFacts {
  int64_t elementsPerStick = 0;
  /// Sticks of one slot, and bytes of all slots.
  int64_t slotSticks = 0;
  int64_t totalBytes = 0;
  /// Sticks that one step of each device dim but the last advances.
  std::vector<int64_t> strides;
};

/// Which lanes of the sticks of an image carry values: stick i holds
/// clamp(elements - E * (i div inner mod tiles), 0, E) of them.
struct ValidPattern {
  int64_t inner = 1;
  int64_t tiles = 1;
  int64_t elements = 0;
  bool operator==(const ValidPattern &) const = default;
};

/// Do the two leave the same lanes of the same sticks valid?
bool isSameValid(const ValidPattern &a, const ValidPattern &b,
                 ElementType type);

/// A tensor's image in device memory, as its layout says.
struct Image {
  int64_t bytes = 0;
  ValidPattern valid;
};

/// A whole tensor in a region: which bytes of it, and what they hold.
struct PlacedTensor {
  RegionKind region = RegionKind::Segment;
  uint32_t index = 0;
  int64_t offset = 0;
  ElementType type = ElementType::F16;
  Image image;
};
bool isSameTensor(const PlacedTensor &a, const PlacedTensor &b);

/// Operands and results of a host call, and the hulls of their bytes.
struct HostFacts {
  std::vector<PlacedTensor> operands;
  std::vector<PlacedTensor> results;
  StepFootprints footprints;
};

struct ProgramFacts {
  std::vector<BufferFacts> buffers;
  std::vector<ValidPattern> valid;
  /// The buffer that each one is a view of, itself if of none.
  std::vector<uint32_t> sameSticks;
  /// match[phase][unit][command]: the partner of a Loop or End.
  std::vector<std::array<std::vector<uint32_t>, kNumUnits>> match;
  /// live[phase]: buffers that commands use or that are resident, ascending.
  std::vector<std::vector<uint32_t>> live;
  /// Buffers that a store command of any phase writes.
  std::vector<bool> stored;
  /// Filled by the interval stage.
  StepFootprints footprints;
};

/// The plan with everything that the stages derive from it.
struct Context {
  const LaunchPlan &plan;
  const target::Target &target;
  const CheckerBudgets &budgets;
  Reporter &errors;
  /// One entry per program.
  std::vector<ProgramFacts> facts = {};
  /// Bytes and valid lanes of each argument's and weight's image.
  std::vector<int64_t> argumentBytes = {};
  std::vector<ValidPattern> argumentValid = {};
  std::vector<ValidPattern> weightValid = {};
  /// One entry per host call.
  std::vector<HostFacts> hostFacts = {};
  int64_t commandInstances = 0;
  int64_t stickVisits = 0;

  /// Charges visits of sticks; false, and the reason, once there are too many.
  bool spendVisits(int64_t visits, std::string &message);

  /// The argument whose memory argument `index` uses (an alias uses another's).
  uint32_t storageOf(uint32_t index) const {
    int32_t alias = plan.arguments[index].alias;
    return alias < 0 ? index : static_cast<uint32_t>(alias);
  }
};

/// a * b and a + b if they fit and are within +-2^62.
std::optional<int64_t> checkedProduct(int64_t a, int64_t b);
std::optional<int64_t> checkedSum(int64_t a, int64_t b);

std::string quoted(const std::string &name);
std::string subjectOfProgram(const Program &program);
std::string subjectOfArgument(const Argument &argument);

//===----------------------------------------------------------------------===//
// Stages, in order
//===----------------------------------------------------------------------===//

/// Structure of arguments, segments, weights and steps.
void checkPlanStructure(Context &context);
/// The image of a tensor, once its numbers are proved sane; reports if not.
std::optional<Image> imageOf(Context &context, const std::string &subject,
                             const layout::StickLayout &layout,
                             const std::vector<int64_t> &shape,
                             ElementType type);
/// Functions, places and sizes of the host calls. Fills their facts.
void checkHostCalls(Context &context);
/// Structure of one program: tables, buffers, commands. Fills its facts.
void checkProgramStructure(Context &context, size_t program);
/// Parts of checkProgramStructure.
void checkBuffer(Context &context, const Program &program, uint32_t index,
                 ProgramFacts &facts);
void checkCommands(Context &context, const Program &program,
                   ProgramFacts &facts);
/// One command other than Loop and End, inside `depth` loops.
void checkCommand(Context &context, const Program &program,
                  const ProgramFacts &facts, const Command &command,
                  const Place &place, int32_t depth);
/// Number, spaces and types of its operands.
void checkOperands(Context &context, const Program &program,
                   const ProgramFacts &facts, const Command &command,
                   const Place &place, int32_t depth);
/// Types of a map body; `inputs` are the buffers of the map's boxes.
void checkMapBody(Context &context, const Program &program,
                  const Command &command, const Place &place, int32_t depth);
/// Is the affine expression valid at a loop depth? Reports at `place`.
bool checkAffine(Context &context, const Program &program, const Affine &affine,
                 int32_t depth, const Place &place);
/// Buffers against arguments and weights; symbols.
void checkBindings(Context &context);

/// LX placement, overlap, residents, segments, total memory.
void checkAddresses(Context &context);

/// Bounds, injectivity, spans and footprints of every command instance of a
/// program by interval arithmetic.
void checkIntervals(Context &context, size_t program);

/// Roles, cards, events, transfers, footprints and order of the steps.
void checkSteps(Context &context);
/// By region, then by bytes.
std::vector<Footprint> sortedFootprints(std::vector<Footprint> footprints);
StepFootprints expectedFootprints(const Context &context, const Step &step);

/// Runs the compute steps abstractly: queues and definedness of every stick.
void checkExecution(Context &context);

} // namespace spyre::launch::checker

#endif // SPYRE_LIB_LAUNCHPLAN_CHECKERINTERNAL_H
