# SPDX-License-Identifier: Apache-2.0
# What an installation holds beside the tools (add_spyre_tool installs those):
# the MLIR-free libraries with their headers as the CMake package Spyre, and
# the .deb and .tar.gz of CPack. No installed file knows where it was built or
# where it lies, so a prefix may be moved.
include(CMakePackageConfigHelpers)

set(SPYRE_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Spyre)
install(EXPORT SpyreTargets NAMESPACE Spyre:: DESTINATION ${SPYRE_CONFIG_DIR})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/SpyreConfig.cmake.in
  ${PROJECT_BINARY_DIR}/SpyreConfig.cmake
  INSTALL_DESTINATION ${SPYRE_CONFIG_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SpyreConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/SpyreConfig.cmake
  ${PROJECT_BINARY_DIR}/SpyreConfigVersion.cmake
  DESTINATION ${SPYRE_CONFIG_DIR})

get_property(libraries GLOBAL PROPERTY SPYRE_LIBRARIES)
foreach(library ${libraries})
  get_target_property(layer ${library} SPYRE_LAYER)
  string(REGEX REPLACE "^Spyre" "" area ${library})
  if(layer LESS SPYRE_FIRST_MLIR_LAYER AND IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include/spyre/${area})
    install(DIRECTORY include/spyre/${area} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spyre)
  endif()
endforeach()
install(DIRECTORY include/spyre-c DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME spyre-mlir)
set(CPACK_PACKAGE_VENDOR "The spyre-mlir authors")
set(CPACK_PACKAGE_CONTACT "The spyre-mlir authors <spyre-mlir@localhost>")
set(CPACK_PACKAGE_FILE_NAME
  ${CPACK_PACKAGE_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# The libraries' own dependencies follow from the binaries.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The compression of the archive costs more time than all else in packaging.
set(CPACK_THREADS 0)
include(CPack)
