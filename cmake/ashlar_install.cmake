# SPDX-License-Identifier: BSL-1.0
# Install rules: headers, CMake package, pkg-config file and, where the system has no xsimd package, its headers.
include(CMakePackageConfigHelpers)

# An installed ashlar must find xsimd. A package on this machine is found again; downloaded headers are not.
if(xsimd_DIR)
  set(ashlar_default_install_xsimd OFF)
else()
  set(ashlar_default_install_xsimd ON)
endif()
option(ASHLAR_INSTALL_XSIMD "Install the xsimd headers beside ashlar's, for machines without xsimd"
       ${ashlar_default_install_xsimd})

set(ashlar_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/ashlar")
set(ashlar_vendored_dir "${CMAKE_INSTALL_INCLUDEDIR}/ashlar-deps")

install(DIRECTORY include/ashlar DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.hpp")
install(TARGETS ashlar ashlar_nn ashlar_io EXPORT ashlarTargets)
install(EXPORT ashlarTargets NAMESPACE ashlar:: DESTINATION "${ashlar_package_dir}")

configure_package_config_file(cmake/ashlarConfig.cmake.in "${PROJECT_BINARY_DIR}/ashlarConfig.cmake"
  INSTALL_DESTINATION "${ashlar_package_dir}" PATH_VARS ashlar_vendored_dir NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ashlarConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/ashlarConfig.cmake" "${PROJECT_BINARY_DIR}/ashlarConfigVersion.cmake"
        cmake/ashlar_image.cmake cmake/ashlar_dispatch.cmake cmake/ashlar_dispatch_objects.cmake
        cmake/ashlar_debuggers.cmake cmake/ashlar_precompile.cmake cmake/ashlar_warn_unoptimized.cmake
        DESTINATION "${ashlar_package_dir}")
# Built by ashlar_add_image, where it is used.
install(FILES tools/make_image.cpp tools/image_maker.hpp DESTINATION "${ashlar_package_dir}/tools")
# Where ashlar_debuggers finds them, and users who write `source` or `command script import`.
set(ashlar_debuggers_dir "${CMAKE_INSTALL_DATADIR}/ashlar/debuggers")
install(DIRECTORY tools/debuggers/ DESTINATION "${ashlar_debuggers_dir}"
        FILES_MATCHING PATTERN "*.py" PATTERN "*.natvis" PATTERN "__pycache__" EXCLUDE)

if(ASHLAR_INSTALL_XSIMD)
  get_target_property(ashlar_xsimd_include_dir xsimd INTERFACE_INCLUDE_DIRECTORIES)
  string(REGEX REPLACE "\\$<BUILD_INTERFACE:([^>]*)>.*" "\\1" ashlar_xsimd_include_dir "${ashlar_xsimd_include_dir}")
  install(DIRECTORY "${ashlar_xsimd_include_dir}/xsimd" DESTINATION "${ashlar_vendored_dir}")
  set(ashlar_pc_requires "")
  set(ashlar_pc_cflags " -isystem\${includedir}/ashlar-deps") # one word: pkgconf 1.8 does not quote a second one
else()
  set(ashlar_pc_requires "xsimd >= ${ASHLAR_XSIMD_VERSION}")
  set(ashlar_pc_cflags "")
endif()
# From the file itself, wherever the prefix moves, and however deep the folders of the installation are.
file(RELATIVE_PATH ashlar_pc_to_prefix "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
file(RELATIVE_PATH ashlar_pc_to_include "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
configure_file(cmake/ashlar.pc.in "${PROJECT_BINARY_DIR}/ashlar.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/ashlar.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
