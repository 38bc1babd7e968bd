// SPDX-License-Identifier: Apache-2.0
//
// The steps of the plan: roles, cards, events, transfers, footprints, and an
// order between any two steps of different streams that touch the same bytes.
// Each stream runs its steps in list order, so the list itself is a possible
// execution; what must be proved is that no other one differs.

#include "CheckerInternal.h"
#include "spyre/LaunchPlan/Names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace spyre::launch::checker {
namespace {

constexpr size_t kNumStreams = 2;
/// Pairs of footprints that the order check compares.
constexpr int64_t kMaxPairs = 100'000'000;

/// How many steps of each stream are known to be complete.
using Clock = std::array<int64_t, kNumStreams>;

void join(Clock &clock, const Clock &other) {
  for (size_t stream = 0; stream < kNumStreams; ++stream) {
    clock[stream] = std::max(clock[stream], other[stream]);
  }
}

std::string textOf(const std::vector<Footprint> &footprints) {
  std::string text;
  for (const Footprint &footprint : footprints) {
    text += fmt::format("{}{} {} [{}, {})", text.empty() ? "" : ", ",
                        footprint.region == RegionKind::Argument ? "argument"
                                                                 : "segment",
                        footprint.index, footprint.lo, footprint.hi);
    constexpr size_t kLongEnough = 300;
    if (text.size() > kLongEnough) {
      return text + ", ...";
    }
  }
  return text.empty() ? "nothing" : text;
}

class StepChecker {
public:
  explicit StepChecker(Context &context)
      : context(context), plan(context.plan) {}

  void check() {
    bool sane = true;
    for (size_t step = 0; step < plan.steps.size(); ++step) {
      sane = checkStructure(step) && sane;
    }
    if (!sane) {
      return;
    }
    for (size_t step = 0; step < plan.steps.size(); ++step) {
      checkFootprints(step);
    }
    checkTransfers();
    checkEvents();
    if (context.errors.empty()) {
      checkOrder();
    }
  }

private:
  std::string subjectOf(size_t step) const {
    const std::string &name = plan.steps[step].name;
    return name.empty() ? fmt::format("step {}", step)
                        : fmt::format("step {} {}", step, quoted(name));
  }

  bool refuse(ErrorCode code, size_t step, std::string message,
              std::vector<std::string> notes = {}) {
    context.errors.add(code, subjectOf(step), std::move(message),
                       std::move(notes));
    return false;
  }

  /// Number of things that the step's index can name; nullopt if any.
  std::optional<size_t> rangeOf(StepKind kind) const {
    switch (kind) {
    case StepKind::Compute:
      return plan.programs.size();
    case StepKind::H2D:
    case StepKind::D2H:
      return plan.arguments.size();
    case StepKind::HostWork:
      return plan.hostCalls.size();
    case StepKind::Signal:
    case StepKind::Wait:
      return static_cast<size_t>(std::max(plan.numEvents, 0));
    default:
      return std::nullopt;
    }
  }

  bool checkStructure(size_t index) {
    const Step &step = plan.steps[index];
    if (static_cast<size_t>(step.kind) >= enumNames<StepKind>.size() ||
        static_cast<size_t>(step.role) >= kNumStreams) {
      return refuse(ErrorCode::CheckEnum, index, "unknown kind or role");
    }
    std::optional<size_t> range = rangeOf(step.kind);
    if (range && step.index >= *range) {
      return refuse(ErrorCode::CheckIndex, index,
                    fmt::format("{} names {}, the plan has {}",
                                toString(step.kind), step.index, *range));
    }
    if (step.card != 0) {
      return refuse(
          ErrorCode::CheckCard, index,
          fmt::format("runs on card {}, the plan has card 0 only", step.card));
    }
    if (step.kind == StepKind::Fill || step.kind == StepKind::Send ||
        step.kind == StepKind::Recv) {
      return refuse(ErrorCode::CheckNotProved, index,
                    fmt::format("{} is not proved yet", toString(step.kind)));
    }
    if (step.role == StepRole::Prep &&
        (step.kind == StepKind::Compute || step.kind == StepKind::HostWork ||
         step.kind == StepKind::D2H)) {
      return refuse(ErrorCode::CheckStepRole, index,
                    fmt::format("{} cannot run as preparation step",
                                toString(step.kind)));
    }
    return checkRegions(index, step.reads) && checkRegions(index, step.writes);
  }

  bool checkRegions(size_t index, const std::vector<Footprint> &footprints) {
    for (const Footprint &footprint : footprints) {
      bool isArgument = footprint.region == RegionKind::Argument;
      if (!isArgument && footprint.region != RegionKind::Segment) {
        return refuse(ErrorCode::CheckEnum, index, "unknown kind of region");
      }
      size_t count = isArgument ? plan.arguments.size() : plan.segments.size();
      if (footprint.index >= count) {
        return refuse(ErrorCode::CheckIndex, index,
                      fmt::format("its footprint names region {}, there are "
                                  "{}",
                                  footprint.index, count));
      }
      int64_t bytes = isArgument ? context.argumentBytes[footprint.index]
                                 : plan.segments[footprint.index].sizeBytes;
      if (footprint.lo < 0 || footprint.lo >= footprint.hi ||
          footprint.hi > bytes) {
        return refuse(ErrorCode::CheckFootprint, index,
                      fmt::format("[{}, {}) is not inside a region of {} bytes",
                                  footprint.lo, footprint.hi, bytes));
      }
    }
    return true;
  }

  void checkFootprints(size_t index) {
    const Step &step = plan.steps[index];
    StepFootprints wanted = expectedFootprints(context, step);
    auto compare = [&](const std::vector<Footprint> &declared,
                       const std::vector<Footprint> &computed,
                       std::string_view verb) {
      if (sortedFootprints(declared) != computed) {
        refuse(ErrorCode::CheckFootprint, index,
               fmt::format("does not {} what its footprint says", verb),
               {"declared: " + textOf(declared),
                "recomputed: " + textOf(computed)});
      }
    };
    compare(step.reads, wanted.reads, "read");
    compare(step.writes, wanted.writes, "write");
  }

  /// Inputs are sent before they are read, outputs fetched after they are
  /// written.
  void checkTransfers() {
    std::vector<bool> sent(plan.arguments.size(), false);
    std::vector<bool> computed(plan.arguments.size(), false);
    std::vector<bool> fetched(plan.arguments.size(), false);
    for (size_t index = 0; index < plan.steps.size(); ++index) {
      const Step &step = plan.steps[index];
      if (step.kind == StepKind::H2D) {
        if (plan.arguments[step.index].role == ArgumentRole::Output) {
          refuse(ErrorCode::CheckTransfer, index,
                 fmt::format("sends {}, which is an output",
                             subjectOfArgument(plan.arguments[step.index])));
        }
        sent[step.index] = true;
      } else if (step.kind == StepKind::Compute ||
                 step.kind == StepKind::HostWork) {
        checkSent(index, sent);
        for (const Footprint &write : step.writes) {
          if (write.region == RegionKind::Argument) {
            computed[write.index] = true;
          }
        }
      } else if (step.kind == StepKind::D2H) {
        bool ready =
            computed[step.index] || context.argumentBytes[step.index] == 0;
        if (!ready || plan.arguments[step.index].role == ArgumentRole::Input) {
          refuse(ErrorCode::CheckTransfer, index,
                 fmt::format("fetches {}, which no step before computes",
                             subjectOfArgument(plan.arguments[step.index])));
        }
        fetched[step.index] = true;
      }
    }
    for (size_t index = 0; index < plan.arguments.size(); ++index) {
      const Argument &argument = plan.arguments[index];
      if (argument.role == ArgumentRole::Output && argument.alias < 0 &&
          !fetched[index]) {
        context.errors.add(ErrorCode::CheckTransfer,
                           subjectOfArgument(argument),
                           "is an output that no step fetches");
      }
    }
  }

  void checkSent(size_t index, const std::vector<bool> &sent) {
    for (const Footprint &read : plan.steps[index].reads) {
      if (read.region == RegionKind::Argument &&
          plan.arguments[read.index].role != ArgumentRole::Output &&
          !sent[read.index]) {
        refuse(ErrorCode::CheckTransfer, index,
               fmt::format("reads {}, which no step before sends",
                           subjectOfArgument(plan.arguments[read.index])));
      }
    }
  }

  void checkEvents() {
    if (plan.numEvents < 0 ||
        static_cast<size_t>(plan.numEvents) > plan.steps.size()) {
      context.errors.add(ErrorCode::CheckEvent, "",
                         fmt::format("the plan has {} events and {} steps",
                                     plan.numEvents, plan.steps.size()));
      return;
    }
    std::vector<bool> signalled(static_cast<size_t>(plan.numEvents), false);
    for (size_t index = 0; index < plan.steps.size(); ++index) {
      const Step &step = plan.steps[index];
      if (step.kind == StepKind::Signal) {
        if (signalled[step.index]) {
          refuse(ErrorCode::CheckEvent, index,
                 fmt::format("signals event {} again", step.index));
        }
        signalled[step.index] = true;
      } else if (step.kind == StepKind::Wait && !signalled[step.index]) {
        refuse(ErrorCode::CheckEvent, index,
               fmt::format("waits for event {}, which no step before signals",
                           step.index));
      }
    }
  }

  bool overlap(const Footprint &a, const Footprint &b) const {
    auto storage = [&](const Footprint &footprint) {
      return footprint.region == RegionKind::Argument
                 ? context.storageOf(footprint.index)
                 : footprint.index;
    };
    return a.region == b.region && storage(a) == storage(b) && a.lo < b.hi &&
           b.lo < a.hi;
  }

  bool anyOverlap(const std::vector<Footprint> &a,
                  const std::vector<Footprint> &b) {
    for (const Footprint &first : a) {
      for (const Footprint &second : b) {
        // Past the budget the caller refuses the plan, whatever comes out.
        if (++pairs > kMaxPairs || overlap(first, second)) {
          return true;
        }
      }
    }
    return false;
  }

  bool conflict(const Step &a, const Step &b) {
    return anyOverlap(a.writes, b.writes) || anyOverlap(a.writes, b.reads) ||
           anyOverlap(a.reads, b.writes);
  }

  /// Vector clocks: a step knows the steps of its stream before it, and what
  /// the signals that it has waited for knew.
  void checkOrder() {
    std::array<Clock, kNumStreams> clocks = {};
    std::array<std::vector<size_t>, kNumStreams> before;
    std::vector<Clock> events(static_cast<size_t>(plan.numEvents));
    for (size_t index = 0; index < plan.steps.size(); ++index) {
      const Step &step = plan.steps[index];
      size_t stream = static_cast<size_t>(step.role);
      if (step.kind == StepKind::Wait) {
        join(clocks[stream], events[step.index]);
      }
      size_t other = 1 - stream;
      // Steps of the other stream beyond the clock may run at any time.
      for (size_t i = static_cast<size_t>(clocks[stream][other]);
           i < before[other].size(); ++i) {
        bool conflicts = conflict(plan.steps[before[other][i]], step);
        if (++pairs > kMaxPairs) {
          context.errors.add(ErrorCode::CheckBudget, "",
                             fmt::format("ordering the steps compares more "
                                         "than {} footprints",
                                         kMaxPairs));
          return;
        }
        if (conflicts) {
          refuse(ErrorCode::CheckUnordered, index,
                 fmt::format("touches the same bytes as {} of the other "
                             "stream, and one of them writes",
                             subjectOf(before[other][i])));
          return;
        }
      }
      before[stream].push_back(index);
      clocks[stream][stream] = static_cast<int64_t>(before[stream].size());
      if (step.kind == StepKind::Signal) {
        events[step.index] = clocks[stream];
      }
    }
  }

  Context &context;
  const LaunchPlan &plan;
  int64_t pairs = 0;
};

} // namespace

std::vector<Footprint> sortedFootprints(std::vector<Footprint> footprints) {
  std::sort(footprints.begin(), footprints.end(),
            [](const Footprint &a, const Footprint &b) {
              return std::tie(a.region, a.index, a.lo, a.hi) <
                     std::tie(b.region, b.index, b.lo, b.hi);
            });
  return footprints;
}

StepFootprints expectedFootprints(const Context &context, const Step &step) {
  StepFootprints footprints;
  switch (step.kind) {
  case StepKind::Compute:
    return context.facts[step.index].footprints;
  case StepKind::HostWork:
    return context.hostFacts[step.index].footprints;
  case StepKind::H2D:
  case StepKind::D2H:
    if (context.argumentBytes[step.index] > 0) {
      auto &list =
          step.kind == StepKind::H2D ? footprints.writes : footprints.reads;
      list.push_back({RegionKind::Argument, step.index, 0,
                      context.argumentBytes[step.index]});
    }
    return footprints;
  default:
    return footprints;
  }
}

void checkSteps(Context &context) { StepChecker(context).check(); }

} // namespace spyre::launch::checker
