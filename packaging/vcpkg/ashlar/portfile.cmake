# SPDX-License-Identifier: BSL-1.0
# Port of the checkout that contains this file: vcpkg install ashlar --overlay-ports=packaging/vcpkg. It installs a copy of
# xsimd's headers, of the commit that the checkout pins.
set(VCPKG_BUILD_TYPE release) # there are only headers
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

foreach(word IN ITEMS REPOSITORY COMMIT)
  file(STRINGS "${SOURCE_PATH}/cmake/ashlar_xsimd.cmake" line REGEX "^set\\(ASHLAR_XSIMD_${word} ")
  string(REGEX REPLACE "^[^ ]+ \"?([^\")]*)\"?\\)$" "\\1" xsimd_${word} "${line}")
endforeach()
vcpkg_from_git(OUT_SOURCE_PATH XSIMD_PATH URL "${xsimd_REPOSITORY}" REF "${xsimd_COMMIT}")

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DASHLAR_INSTALL_XSIMD=ON "-DFETCHCONTENT_SOURCE_DIR_XSIMD=${XSIMD_PATH}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/ashlar)
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${XSIMD_PATH}/LICENSE")
