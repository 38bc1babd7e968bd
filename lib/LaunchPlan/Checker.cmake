# SPDX-License-Identifier: Apache-2.0
set(CHECKER_SOURCES
  Checker.cpp CheckerStructure.cpp CheckerProgram.cpp CheckerCommands.cpp
  CheckerOperands.cpp
  CheckerLists.cpp  CheckerBody.cpp CheckerBindings.cpp CheckerAddresses.cpp
  CheckerEvaluate.cpp CheckerHost.cpp CheckerIntervals.cpp CheckerSteps.cpp
  CheckerMemory.cpp CheckerWork.cpp CheckerCompute.cpp CheckerPhase.cpp
  CheckerRun.cpp)
