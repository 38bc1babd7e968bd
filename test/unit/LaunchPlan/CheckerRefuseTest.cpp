// SPDX-License-Identifier: Apache-2.0
//
// One change to an accepted program or plan, and the error that it must give.

#include "CheckerPlans.h"

#include <functional>
#include <gtest/gtest.h>
#include <limits>

using namespace spyre;
using namespace spyre::launch;

namespace {

void expectError(const LaunchPlan &plan, const std::string &code,
                 const std::string &words) {
  std::string text = errorsOf(plan);
  EXPECT_NE(text.find("error: " + code), std::string::npos)
      << "expected " << code << " " << words << "\n"
      << text;
  EXPECT_NE(text.find(words), std::string::npos)
      << "expected " << code << " " << words << "\n"
      << text;
}

/// A change of a program's text.
struct TextCase {
  std::string code;
  std::string words;
  std::string from;
  std::string to;
};

void expectAll(const std::string &text, const PlanParts &parts,
               const std::vector<TextCase> &cases) {
  for (const TextCase &change : cases) {
    SCOPED_TRACE(change.from + " => " + change.to);
    expectError(planOf(replaced(text, change.from, change.to), parts),
                change.code, change.words);
  }
}

/// A change of the plan's structs.
struct PlanCase {
  std::string code;
  std::string words;
  std::function<void(LaunchPlan &)> change;
};

void expectAll(const LaunchPlan &plan, const std::vector<PlanCase> &cases) {
  for (const PlanCase &change : cases) {
    LaunchPlan changed = plan;
    change.change(changed);
    expectError(changed, change.code, change.words);
  }
}

Command &command(LaunchPlan &plan, Unit unit, size_t index) {
  return plan.programs[0].phases[0].units[static_cast<size_t>(unit)][index];
}

TEST(PlanCheckerStructure, Program) {
  expectAll(
      doublePlan(),
      {{"E0700", "uses buffer 9",
        [](LaunchPlan &plan) {
          command(plan, Unit::Load, 1).boxes[0].buffer = 9;
        }},
       {"E0700", "uses body 1",
        [](LaunchPlan &plan) { command(plan, Unit::SFU, 1).body = 1; }},
       {"E0701", "unknown command",
        [](LaunchPlan &plan) {
          command(plan, Unit::SFU, 1).kind = static_cast<CommandKind>(77);
        }},
       {"E0701", "unknown space",
        [](LaunchPlan &plan) {
          plan.programs[0].buffers[0].type = static_cast<ElementType>(200);
        }},
       {"E0702", "2 cores of 1 need 2",
        [](LaunchPlan &plan) { plan.programs[0].tables[0].values.pop_back(); }},
       {"E0702", "2 offsets for 3 device dims",
        [](LaunchPlan &plan) {
          command(plan, Unit::Load, 1).boxes[0].offsets.pop_back();
        }},
       {"E0703", "two buffers have the name \"X\"",
        [](LaunchPlan &plan) { plan.programs[0].buffers[1].name = "X"; }},
       {"E0704", "its last extent is 32, a stick of f16 has 64",
        [](LaunchPlan &plan) { plan.programs[0].buffers[2].shape[2] = 32; }},
       {"E0704", "runs on 40 cores, the target has 32",
        [](LaunchPlan &plan) { plan.programs[0].numCores = 40; }},
       {"E0704", "exceeds",
        [](LaunchPlan &plan) {
          plan.programs[0].buffers[2].shape[0] =
              std::numeric_limits<int64_t>::max();
        }},
       {"E0705", "sfu cannot execute move",
        [](LaunchPlan &plan) {
          std::swap(plan.programs[0].phases[0].units[0],
                    plan.programs[0].phases[0].units[4]);
        }},
       {"E0706", "a loop without an end",
        [](LaunchPlan &plan) {
          plan.programs[0].phases[0].units[0].pop_back();
        }},
       {"E0706", "uses the variable of loop 1 at depth 1",
        [](LaunchPlan &plan) {
          command(plan, Unit::Load, 1).boxes[0].offsets[1].terms[1].index = 1;
        }},
       {"E0707", "add uses value 1 where 1 are defined",
        [](LaunchPlan &plan) {
          plan.programs[0].bodies[0].ops[0].operands[1] = 1;
        }},
       {"E0707", "result 0 is bool and cannot be stored as f16",
        [](LaunchPlan &plan) {
          plan.programs[0].bodies[0].ops[0].opcode = BodyOpcode::CmpLt;
        }}});
}

TEST(PlanCheckerStructure, Bindings) {
  expectAll(
      planOf(matmulText(), matmulParts()),
      {{"E0708", "its layout is not valid",
        [](LaunchPlan &plan) { plan.arguments[0].layout.dims.pop_back(); }},
       {"E0709", "declares 65664 bytes, its layout has 65536",
        [](LaunchPlan &plan) { plan.weights[0].sizeBytes += 128; }},
       {"E0709", "has 32768 bytes, the layout of argument \"arg0\" has 16384",
        [](LaunchPlan &plan) { plan.programs[0].buffers[0].shape[0] = 8; }},
       {"E0710", "has the role output",
        [](LaunchPlan &plan) {
          plan.programs[0].buffers[0].role = BufferRole::Output;
        }},
       {"E0710", "no weight of 65536 bytes lies at byte 128 of segment 0",
        [](LaunchPlan &plan) { plan.programs[0].buffers[1].offset = 128; }},
       {"E0711", "the plan has 1 symbols, its buffers and scalars need 2",
        [](LaunchPlan &plan) { plan.symbols.pop_back(); }},
       {"E0711", "patches argument 1 into program 0, target 2",
        [](LaunchPlan &plan) { std::swap(plan.symbols[0], plan.symbols[1]); }},
       {"E0712", "has 0 slots",
        [](LaunchPlan &plan) { plan.programs[0].buffers[3].queue->slots = 0; }},
       {"E0712", "listed twice",
        [](LaunchPlan &plan) {
          plan.programs[0].buffers[5].queue->consumers = {Unit::PT};
        }},
       {"E0714", "a matmul of f16 accumulates in f32, not i32",
        [](LaunchPlan &plan) {
          plan.programs[0].buffers[5].type = ElementType::I32;
          plan.programs[0].bodies[0].ops = {};
        }},
       {"E0715", "declares 120 valid elements over 2 tiles",
        [](LaunchPlan &plan) {
          plan.programs[0].buffers[2].validElements = 120;
        }}});
  expectAll(matmulText(), matmulParts(),
            {{"E0713", "store uses queue \"acc\"",
              "%out[d0, d1] -> %C[%n + d0, 16*%m + d1] next %out",
              "%out[d0, d1] -> %C[%n + d0, 16*%m + d1] next %out, %acc"},
             {"E0714", "operand 1 (\"C\") of move on load must be in LX",
              "-> %a[d0, 8*%n + d1]", "-> %C[d0, 8*%n + d1]"}});
}

TEST(PlanCheckerAddresses, Placement) {
  expectAll(
      planOf(matmulText(), matmulParts()),
      {{"E0720", "not aligned to 128",
        [](LaunchPlan &plan) { plan.programs[0].buffers[6].offset += 64; }},
       // 2 MiB = 2097152 bytes of LX; %out has 2048.
       {"E0720", "[2095232, 2097280)",
        [](LaunchPlan &plan) { plan.programs[0].buffers[6].offset = 2095232; }},
       {"E0721", "overlap \"acc\" at [20480, 24576)",
        [](LaunchPlan &plan) { plan.programs[0].buffers[6].offset = 24448; }},
       {"E0722", "not a multiple of 128",
        [](LaunchPlan &plan) { plan.segments[0].sizeBytes = 65600; }},
       // 2^37 values of 2 bytes, and 65536 + 1048576 + 16384 + 8192.
       {"E0723", "segments and arguments need 274879045632 bytes",
        [](LaunchPlan &plan) {
          plan.arguments.insert(plan.arguments.end(), plan.arguments[0]);
          plan.arguments.back().name = "large";
          plan.arguments.back().shape = {1 << 20, 1 << 17};
        }},
       {"E0725", "not inside segment 0 of 65408 bytes",
        [](LaunchPlan &plan) { plan.segments[0].sizeBytes = 65408; }},
       {"E0725", "overlap weight \"weight0\"", [](LaunchPlan &plan) {
          plan.segments[0].sizeBytes *= 2;
          plan.weights.push_back(plan.weights[0]);
          plan.weights[1].name = "second";
          plan.weights[1].offset = 65408;
        }}});
  expectAll(residentText(), residentParts(),
            {{"E0721", "overlap", "%kept lx at 512", "%kept lx at 384"},
             {"E0722", "not inside segment 1", "%S ddr seg(1) f16 [1, 8, 64]",
              "%S ddr seg(1) at 1048448 f16 [1, 8, 64]"},
             {"E0724", "not a private LX buffer", "residents %kept",
              "residents %kept, %x"}});
}

TEST(PlanCheckerIntervals, Numbers) {
  std::string text = replaced(doubleText(), "table %c = core\n",
                              "table %c = core\ntable %two = [2, 2]\n"
                              "table %four = [4, 4]\n"
                              "table %pair[2] = [0, 8, 32, 40]\n"
                              "scalar $pos arg(0) lo 0 hi 8\n");
  expectAll(
      text, doubleParts(),
      {{"E0730", "reaches [60, 67] of dim 1 of \"Y\", which has 64",
        "%Y[d0, 32*%c + 8*i0", "%Y[d0, 36*%c + 8*i0"},
       // A negative step from 6 reaches 6 - 7 = -1.
       {"E0730", "reaches [-1, 6] of dim 1 of \"x\"", "-> %x[d0, d1]",
        "-> %x[d0, 6 - d1]"},
       {"E0730", "3 tiles and 1 rows of \"x\" need dims to run along",
        "stick 128 %x[tile, d0] -> %y[tile, d0]",
        "stick 129 %x[0, d0] -> %y[tile, d0]"},
       {"E0731", "the loop runs 65536 times, at most 65535", "load { loop 4",
        "load { loop 65536"},
       {"E0732", "loop variable 2 indexes table \"pair\" of 2 entries",
        "32*%c + 8*i0 + d1] -> %x", "%pair[i0] + d1] -> %x"},
       {"E0733", "predicate 2 is not 0 or 1", "next %x }", "if %two next %x }"},
       {"E0733", "core set 0x4 is empty or names cores beyond 2", "next %x }",
        "to %four next %x }"},
       {"E0734", "move writes a stick of \"x\" more than once", "-> %x[d0, d1]",
        "-> %x[d0, 0]"},
       {"E0735", "overlap in \"y\" without being equal",
        "map @twice [8] stick 128 %x[tile, d0] -> %y[tile, d0]",
        "map @twice [7] stick 128 %y[tile, d0] -> %y[tile, d0 + 1]"},
       // 2^48 twice, on core 1.
       {"E0737", "exceeds", "32*%c + 8*i0 + d1] -> %x",
        "281474976710656*%c + 281474976710656*%c + d1] -> %x"},
       {"E0739", "a launch-time scalar in an address is not proved yet",
        "32*%c + 8*i0 + d1] -> %x", "$pos + d1] -> %x"}});
}

TEST(PlanCheckerIntervals, SpanAndBudgets) {
  // Two sticks of [2, 2200000, 64] f16 that lie 2200000 * 128 bytes =
  // 281.6 MB apart, more than the span of one core.
  std::string text = R"(program @far cores 1
buffer %X ddr arg(0) f16 [2, 2200000, 64] input valid 128 along 0
buffer %Y ddr arg(1) f16 [2, 1, 64] output valid 128 along 0
buffer %x lx f16 [2, 1, 64] queue 1 load -> sfu
buffer %y lx at 1024 f16 [2, 1, 64] queue 1 sfu -> store
body @copy(x) { return x }
phase {
  load { move [2] %X[d0, 0] -> %x[d0, 0] next %x }
  sfu { map @copy stick 128 %x[tile, 0] -> %y[tile, 0] next %x, %y }
  store { move [2] %y[d0, 0] -> %Y[d0, 0] next %y }
}
)";
  PlanParts parts{{{{2200000, 128}}, {{1, 128}}}, {}};
  // (2200000 + 1) sticks of 128 bytes.
  expectError(planOf(text, parts), "E0736", "reaches over 281600128 bytes");

  LaunchPlan plan = doublePlan();
  CheckerBudgets budgets;
  // Per core three lists of 1 loop + 4 * (command, end) = 9: 54 in all.
  budgets.maxCommandInstances = 54;
  EXPECT_EQ(errorsOf(plan, budgets), "");
  budgets.maxCommandInstances = 53;
  EXPECT_NE(errorsOf(plan, budgets).find("E0738"), std::string::npos);
  budgets = {};
  // 128 sticks, through two moves and one map with two sides each.
  budgets.maxStickVisits = 768;
  EXPECT_EQ(errorsOf(plan, budgets), "");
  budgets.maxStickVisits = 767;
  EXPECT_NE(errorsOf(plan, budgets).find("E0738"), std::string::npos);
  budgets = {};
  // Y has 128 sticks; no command touches the scratch segment.
  budgets.maxTrackedSticks = 128;
  EXPECT_EQ(errorsOf(plan, budgets), "");
  budgets.maxTrackedSticks = 127;
  EXPECT_NE(errorsOf(plan, budgets).find("E0738"), std::string::npos);
}

TEST(PlanCheckerRun, Queues) {
  expectAll(
      doubleText(), doubleParts(),
      {{"E0740",
        "core 0 store at command 1 waits for slot 0 of \"y\": core 0 "
        "sfu has delivered 0 slots",
        "-> %y[tile, d0] next %x, %y", "-> %y[tile, d0] next %x"},
       {"E0740",
        "core 0 load at command 1 waits for slot 2 of \"x\": core 0 "
        "sfu has left 0 slots",
        "-> %y[tile, d0] next %x, %y", "-> %y[tile, d0] next %y"},
       {"E0741",
        "core 0 load has delivered 5 slots of \"x\", core 0 sfu has "
        "left 4",
        "-> %x[d0, d1] next %x }", "-> %x[d0, d1] next %x } only next %x"}});
  std::string text = replaced(matmulText(), "table %m",
                              "table %even = [1, 0, 1, 0]\ntable %m");
  expectAll(text, matmulParts(),
            {{"E0742", "core 2 does not receive \"a\" from core 0",
              "-> %a[d0, 8*%n + d1]\n      to %row",
              "-> %a[d0, 8*%n + d1]\n      to %col"},
             {"E0748", "writes stick 0 of the same slot", "%a[d0, 8*%n + d1]",
              "%a[d0, d1]"},
             // A core that gets half of its rows.
             {"E0744", "matmul operand A reads stick 8 of \"a\" from byte 0",
              "to %row next %a", "to %row if %even next %a"}});
}

TEST(PlanCheckerRun, Definedness) {
  expectAll(
      residentText(), residentParts(),
      {// The tail of a stick: 50 of 64 lanes are valid, lane 50 is byte 100.
       {"E0744", "input 0 of map reads stick 0 of \"x\" from byte 100 on",
        "map @two [4] stick 50", "map @two [4] stick 51"},
       {"E0756",
        "stick 0 of \"kept\" of core 0 is written from byte 0 on and not read",
        "residents %kept", ""},
       {"E0743",
        "private buffer \"kept\" of core 0 is also used by sfu of "
        "core 0",
        "move [1, 4] %out[d0, d1] -> %S", "move [1, 4] %kept[d0, d1] -> %S"},
       {"E0745", "core 0 writes the stick in the same phase",
        "%out[d0, d1] -> %Y[d0, 4*%c + d1]", "%out[d0, d1] -> %Y[d0, d1]"},
       {"E0756",
        "stick 3 of \"out\" of core 1 is written from byte 0 on and not read",
        "store { move [1, 4] %out[d0, d1] -> %Y",
        "store { move [1, min(4, 4 - %c)] %out[d0, d1] -> %Y"}});
}

TEST(PlanCheckerRun, Unread) {
  // 49 of 50 lanes of the last stick: lane 49 is byte 98.
  expectError(planOf(replaced(residentText(), "map @two [4] stick 50",
                              "map @two [4] stick 49"),
                     residentParts()),
              "E0756",
              "stick 0 of \"x\" of core 0 is written from byte 98 on and not "
              "read");
  // 48 of the 64 products of a sum: lane 48 is byte 96.
  expectError(
      planOf(replaced(matmulText(), "inner 64", "inner 48"), matmulParts()),
      "E0756", "is written from byte 96 on and not read");
}

TEST(PlanCheckerRun, Accumulators) {
  // Trip 0 clears, trips 1 to 3 accumulate.
  std::string text = R"(program @sum cores 1
buffer %X ddr arg(0) f16 [1, 4, 64] input valid 64 along 0
buffer %Y ddr arg(1) f32 [2, 32] output valid 64 along 0
buffer %x lx f16 [1, 64] queue 1 load -> sfu
buffer %acc lx at 512 f32 [2, 32]
buffer %y lx at 1024 f32 [2, 32] queue 1 sfu -> store
body @copy(x) { return x }
phase {
  load { loop 4 { move [1] %X[0, i0 + d0] -> %x[d0] next %x } }
  sfu {
    loop 4 { map @copy stick 64 %x[tile] -> add accumulate %acc[tile]
        first(i0) next %x }
    map @copy stick 64 %acc[tile] -> %y[tile] next %y }
  store { move [2] %y[d0] -> %Y[d0] next %y }
}
)";
  PlanParts parts{{{{4, 64}}, {{64}, ElementType::F32}}, {}};
  EXPECT_EQ(errorsOf(planOf(text, parts)), "");
  LaunchPlan plan = planOf(text, parts);
  // Load and sum predicated off on the trip that would clear.
  Table &table = plan.programs[0].tables.emplace_back();
  table.name = "later";
  table.innerSize = 4;
  table.values = {0, 1, 1, 1};
  command(plan, Unit::Load, 1).predicate = TableRef{0, 0};
  // The compute step reads trips 1 to 3 only.
  plan.steps[3].reads = {{RegionKind::Argument, 0, 128, 512}};
  command(plan, Unit::SFU, 1).predicate = TableRef{0, 0};
  expectError(plan, "E0744",
              "the accumulation of map reads stick 0 of \"acc\"");
}

TEST(PlanCheckerRun, StaleScratch) {
  // A second scratch buffer at the same address, written in between.
  std::string text = replaced(residentText(), "buffer %x lx",
                              "buffer %T ddr seg(1) f16 [1, 8, 64] scratch\n"
                              "buffer %x lx");
  text = replaced(text, "move [1, 4] %S[", "move [1, 4] %T[");
  expectError(planOf(text, residentParts()), "E0746",
              "stick 0 of \"T\": buffer number 2 was written there last");
}

TEST(PlanCheckerRun, Reductions) {
  expectAll(reduceText(), reduceParts(),
            {{"E0749", "has another core set or extent", "reduce add [2]",
              "reduce add [2 - %c]"},
             {"E0749", "core 0 is not in its core set 0x2", "%all = [3, 3]",
              "%all = [2, 3]"},
             {"E0740", "waits for the other cores of its reduction",
              "load { move [1] %X[0, %c + d0] -> %x[d0] next %x }",
              "load { loop %c { move [1] %X[0, %c + d0] -> %x[d0] next %x } }"},
             {"E0756", "is written from byte 96 on and not read",
              "map @copy stick 64", "map @copy stick 48"}});
}

TEST(PlanCheckerSteps, Order) {
  expectAll(
      doublePlan(),
      {{"E0750", "compute cannot run as preparation step",
        [](LaunchPlan &plan) { plan.steps[3].role = StepRole::Prep; }},
       {"E0751", "runs on card 1",
        [](LaunchPlan &plan) { plan.steps[3].card = 1; }},
       {"E0752", "reads argument \"arg0\", which no step before sends",
        [](LaunchPlan &plan) { plan.steps.erase(plan.steps.begin()); }},
       {"E0752", "is an output that no step fetches",
        [](LaunchPlan &plan) { plan.steps.pop_back(); }},
       {"E0752", "fetches argument \"arg1\", which no step before computes",
        [](LaunchPlan &plan) { std::swap(plan.steps[3], plan.steps[4]); }},
       {"E0753", "recomputed: argument 0 [0, 16384)",
        [](LaunchPlan &plan) { plan.steps[3].reads[0].hi -= 128; }},
       {"E0753", "does not write what its footprint says",
        [](LaunchPlan &plan) { plan.steps[3].writes.clear(); }},
       {"E0754", "waits for event 0, which no step before signals",
        [](LaunchPlan &plan) { std::swap(plan.steps[1], plan.steps[2]); }},
       {"E0754", "signals event 0 again",
        [](LaunchPlan &plan) {
          plan.steps.insert(plan.steps.begin(), plan.steps[1]);
        }},
       {"E0755", "touches the same bytes as step 0 of the other stream",
        [](LaunchPlan &plan) { plan.steps.erase(plan.steps.begin() + 2); }},
       {"E0739", "send is not proved yet",
        [](LaunchPlan &plan) { plan.steps[4].kind = StepKind::Send; }}});
}

} // namespace
