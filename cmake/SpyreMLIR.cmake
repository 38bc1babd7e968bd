# SPDX-License-Identifier: Apache-2.0
# Finds Debian's MLIR 22 and prepares what the compiler's targets need. The
# include directories are not set globally: a library below layer 10 that
# includes an MLIR header must fail to compile.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
set(LLVM_EXTERNAL_LIT "${LLVM_TOOLS_BINARY_DIR}/lit" CACHE FILEPATH "lit")
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# The options and definitions of LLVM's own build, as a list.
separate_arguments(SPYRE_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})
set(SPYRE_MLIR_INCLUDE_DIRS ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})

# spyre_tablegen(FILE.td TARGET (OUTPUT GENERATOR-ARGS...)...): one
# mlir_tablegen call per output; OUTPUT and its arguments are one quoted string.
function(spyre_tablegen td target)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(MLIR_TABLEGEN_FLAGS "")
  foreach(spec ${ARGN})
    separate_arguments(args NATIVE_COMMAND "${spec}")
    list(POP_FRONT args output)
    mlir_tablegen(${output} ${args} EXTRA_INCLUDES ${MLIR_INCLUDE_DIRS}
                  ${PROJECT_SOURCE_DIR}/dialects)
  endforeach()
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY SPYRE_TABLEGEN_TARGETS ${target})
endfunction()
