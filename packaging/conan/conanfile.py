# SPDX-License-Identifier: BSL-1.0
"""Conan 2 recipe of a checkout: `conan create packaging/conan`. The package brings a copy of xsimd's headers."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, load

#: What the installation needs of a checkout.
SOURCES = ["CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "tools/make_image.cpp", "tools/image_maker.hpp",
           "tools/debuggers/*"]
CMAKE_MODULES = ["ashlar_image.cmake", "ashlar_dispatch.cmake", "ashlar_debuggers.cmake", "ashlar_precompile.cmake",
                 "ashlar_warn_unoptimized.cmake"]


class AshlarRecipe(ConanFile):
    name = "ashlar"
    license = "BSL-1.0 AND BSD-3-Clause"
    description = "Tensors with compile-time shapes, fused into SIMD loops"
    topics = ("attention", "transformer", "tensor", "simd", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def _checkout(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        text = load(self, os.path.join(self._checkout(), "CMakeLists.txt"))
        self.version = re.search(r"project\(ashlar VERSION ([0-9.]+)", text)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, self._checkout(), self.export_sources_folder)

    def validate(self):
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["ASHLAR_INSTALL_XSIMD"] = True
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_xsimd"] = True  # a copy, whatever the machine has
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        modules = os.path.join("share", "cmake", "ashlar")
        self.cpp_info.includedirs = ["include", os.path.join("include", "ashlar-deps")]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_file_name", "ashlar")
        self.cpp_info.set_property("cmake_target_name", "ashlar::ashlar")
        self.cpp_info.set_property("cmake_target_aliases", ["ashlar::nn", "ashlar::io"])
        self.cpp_info.set_property("cmake_build_modules", [os.path.join(modules, name) for name in CMAKE_MODULES])
        self.cpp_info.set_property("pkg_config_name", "ashlar")
