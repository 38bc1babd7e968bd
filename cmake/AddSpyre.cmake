# SPDX-License-Identifier: Apache-2.0
# add_spyre_library, add_spyre_tool, add_spyre_unittest: every target of the
# project is made by one of these, so that warnings, sanitizers and the layer
# rule hold everywhere.

set(SPYRE_FIRST_MLIR_LAYER 10)

function(spyre_target_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Werror -Wno-unused-parameter)
  if(SPYRE_SANITIZERS)
    target_compile_options(${target} PRIVATE -fsanitize=${SPYRE_SANITIZERS}
      -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${SPYRE_SANITIZERS})
  endif()
endfunction()

function(spyre_use_mlir target)
  target_include_directories(${target} SYSTEM PUBLIC ${SPYRE_MLIR_INCLUDE_DIRS})
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  target_compile_definitions(${target} PUBLIC ${SPYRE_LLVM_DEFINITIONS})
  get_property(generated GLOBAL PROPERTY SPYRE_TABLEGEN_TARGETS)
  if(generated)
    add_dependencies(${target} ${generated})
  endif()
endfunction()

# add_spyre_library(NAME LAYER n SOURCES ... [DEPENDS SpyreX ...] [LINK lib ...])
# DEPENDS are Spyre libraries of lower layers; LINK is anything else.
function(add_spyre_library name)
  cmake_parse_arguments(ARG "" "LAYER" "SOURCES;DEPENDS;LINK" ${ARGN})
  if(NOT DEFINED ARG_LAYER)
    message(FATAL_ERROR "${name}: LAYER is required")
  endif()
  foreach(dependency ${ARG_DEPENDS})
    if(NOT TARGET ${dependency})
      message(FATAL_ERROR "${name}: unknown dependency ${dependency}")
    endif()
    get_target_property(layer ${dependency} SPYRE_LAYER)
    if(NOT layer LESS ARG_LAYER)
      message(FATAL_ERROR "${name} (layer ${ARG_LAYER}) may not use ${dependency} (layer ${layer})")
    endif()
  endforeach()
  if(ARG_LAYER LESS SPYRE_FIRST_MLIR_LAYER)
    foreach(library ${ARG_LINK})
      if(library MATCHES "^(MLIR|LLVM)")
        message(FATAL_ERROR "${name} (layer ${ARG_LAYER}) may not use ${library}")
      endif()
    endforeach()
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES SPYRE_LAYER ${ARG_LAYER})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(NOT ARG_LAYER LESS SPYRE_FIRST_MLIR_LAYER)
    spyre_use_mlir(${name})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} ${ARG_LINK})
  spyre_target_options(${name})
  set_property(GLOBAL APPEND PROPERTY SPYRE_LIBRARIES ${name})
  if(ARG_LAYER LESS SPYRE_FIRST_MLIR_LAYER)
    install(TARGETS ${name} EXPORT SpyreTargets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endfunction()

# add_spyre_executable(NAME SOURCES ... [DEPENDS ...] [LINK ...] [MLIR])
function(add_spyre_executable name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  if(ARG_MLIR)
    spyre_use_mlir(${name})
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} ${ARG_LINK})
  spyre_target_options(${name})
endfunction()

# add_spyre_tool(NAME ...): an executable that is installed.
function(add_spyre_tool name)
  add_spyre_executable(${name} ${ARGN})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# add_spyre_unittest(NAME SOURCES ... [DEPENDS ...] [LINK ...]): a GoogleTest
# program, one ctest per program.
function(add_spyre_unittest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} ${ARG_LINK}
    GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    SPYRE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  spyre_target_options(${name})
  add_test(NAME ${name} COMMAND ${name})
endfunction()
