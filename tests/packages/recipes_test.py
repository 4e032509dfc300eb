#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the recipes of packaging/: versions, the pinned xsimd, and what they ask of CMake. Stand-ins take the place of
Conan's classes and vcpkg's functions.

    tests/packages/recipes_test.py --xsimd <checkout of xsimd>
"""
import argparse
import fnmatch
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
import types
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/tools"))
from tool_checks import expect, finished  # noqa: E402


def found(pattern, path):
    """The first group of a pattern in a file."""
    match = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), re.M)
    expect(match is not None, f"{path} has no {pattern}")
    return match[1] if match else ""


def check_versions(commit):
    version = found(r"^project\(ashlar VERSION ([0-9.]+)", "CMakeLists.txt")
    port = json.loads((ROOT / "packaging/vcpkg/ashlar/vcpkg.json").read_text(encoding="utf-8"))
    versions = {"packaging/vcpkg/ashlar/vcpkg.json": port["version"],
                "packaging/debian/changelog": found(r"\Aashlar \((.*)\)", "packaging/debian/changelog"),
                "MODULE.bazel": found(r'^    version = "(.*)"', "MODULE.bazel"),
                "meson.build": found(r"^project\('ashlar'.* version: '([0-9.]+)'", "meson.build")}
    for path, other in versions.items():
        expect(other == version, f"{path} is of version {other}, CMakeLists.txt of {version}")
    pinned = found(r'^    commit = "(.*)"', "MODULE.bazel"), found(r'^    remote = "(.*)"', "MODULE.bazel")
    expected = commit, found(r'^set\(ASHLAR_XSIMD_REPOSITORY "(.*)"\)', "cmake/ashlar_xsimd.cmake")
    expect(pinned == expected, f"MODULE.bazel pins {pinned}, CMake {expected}")
    lowest = found(r"^set\(ASHLAR_XSIMD_VERSION (.*)\)", "cmake/ashlar_xsimd.cmake")
    expect(f"'>={lowest}'" in (ROOT / "meson.build").read_text(), f"meson.build asks for another xsimd than {lowest}")


class Stand:
    """In place of any object of Conan's: remembers variables and calls."""

    def __init__(self, *_):
        self.cache_variables, self.properties, self.calls = {}, {}, []
        made.append(self)

    def set_property(self, name, value):
        self.properties[name] = value

    def __getattr__(self, name):
        return lambda *arguments, **words: self.calls.append((name, arguments))


made = []


def load_recipe(copied):
    """The recipe, whose imports are stand-ins."""
    modules = {
        "conan": {"ConanFile": object},
        "conan.tools": {},
        "conan.tools.build": {"check_min_cppstd": lambda *_: None},
        "conan.tools.cmake": {name: type(name, (Stand,), {}) for name in ("CMake", "CMakeDeps", "CMakeToolchain")},
        "conan.tools.files": {"load": lambda _, path: Path(path).read_text(encoding="utf-8"),
                              "copy": lambda _, pattern, source, target: copied.append((pattern, Path(source).resolve()))},
    }
    for name, members in modules.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        sys.modules[name] = module
    spec = importlib.util.spec_from_file_location("conanfile", ROOT / "packaging/conan/conanfile.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_conan(xsimd, folder):
    """A tree of the exported sources, configured by the recipe's variables, installs what the recipe announces."""
    copied = []
    module = load_recipe(copied)
    recipe = module.AshlarRecipe()
    recipe.recipe_folder = str(ROOT / "packaging/conan")
    recipe.export_sources_folder = recipe.source_folder = recipe.package_folder = str(folder)
    recipe.cpp_info = Stand()
    recipe.set_version()
    expect(recipe.version == found(r"^project\(ashlar VERSION ([0-9.]+)", "CMakeLists.txt"), f"Conan: version {recipe.version}")
    recipe.export_sources()
    expect(all(source == ROOT for _, source in copied), "Conan: exports from elsewhere")
    tree = folder / "tree"
    for pattern, _ in copied:
        for path in (ROOT / pattern.split("/")[0]).rglob("*") if "/" in pattern else [ROOT / pattern]:
            relative = path.relative_to(ROOT)
            if path.is_file() and fnmatch.fnmatch(relative.as_posix(), pattern):
                (tree / relative).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, tree / relative)
    made.clear()
    recipe.generate()
    variables = {name: "ON" if value is True else value for stand in made for name, value in stand.cache_variables.items()}
    expect(variables.get("ASHLAR_INSTALL_XSIMD") == "ON", f"Conan: variables {variables}")
    prefix = folder / "prefix"
    run_cmake("-S", tree, "-B", folder / "build", f"-DCMAKE_INSTALL_PREFIX={prefix}", f"-DFETCHCONTENT_SOURCE_DIR_XSIMD={xsimd}",
              *(f"-D{name}={value}" for name, value in variables.items() if name.startswith("ASHLAR_")))
    run_cmake("--install", folder / "build")
    recipe.package_info()
    modules = recipe.cpp_info.properties["cmake_build_modules"]
    announced = [prefix / path for path in recipe.cpp_info.includedirs + modules]
    expect(all(path.exists() for path in announced) and len(announced) > 3, f"Conan: not installed: {announced}")
    # What find_package gives without Conan.
    configuration = (ROOT / "cmake/ashlarConfig.cmake.in").read_text(encoding="utf-8")
    included = set(re.findall(r"^include\(.*/(ashlar_\w+\.cmake)", configuration, re.M))
    expect(included == {Path(path).name for path in modules}, f"Conan: modules {modules}, but the package includes {included}")
    exported = set(re.findall(r"foreach\(component IN ITEMS ([\w ]+)\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[0].split())
    aliases = recipe.cpp_info.properties["cmake_target_aliases"]
    expect({f"ashlar::{name}" for name in exported} == set(aliases), f"Conan: aliases {aliases} of {exported}")
    whole = folder / "whole"
    run_cmake("-S", ROOT, "-B", folder / "whole_build", f"-DCMAKE_INSTALL_PREFIX={whole}", f"-DFETCHCONTENT_SOURCE_DIR_XSIMD={xsimd}",
              "-DASHLAR_INSTALL_XSIMD=ON")
    run_cmake("--install", folder / "whole_build")
    missing = installed_files(whole) - installed_files(prefix)
    expect(not missing, f"Conan: the recipe does not export what installs {sorted(missing)}")


def installed_files(prefix):
    return {path.relative_to(prefix).as_posix() for path in prefix.rglob("*") if path.is_file()}


def run_cmake(*arguments):
    output = subprocess.run(["cmake", *map(str, arguments)], capture_output=True, text=True, check=False)
    unused = "not used by the project" in output.stderr
    expect(output.returncode == 0 and not unused, f"cmake {' '.join(map(str, arguments))}: {output.stdout[-500:]} {output.stderr}")


def check_vcpkg(xsimd, commit, folder):
    run_cmake(f"-DPORT={ROOT / 'packaging/vcpkg/ashlar/portfile.cmake'}", f"-DXSIMD={xsimd}", f"-DCOMMIT={commit}",
              f"-DWORK={folder / 'vcpkg'}", "-P", ROOT / "tests/packages/vcpkg_stand_ins.cmake")


def check_bazel():
    if not (buildifier := shutil.which("buildifier")):
        print("buildifier is not there: Bazel's files are not checked by it (npm install @bazel/buildifier)")
        return
    for name in ("MODULE.bazel", "BUILD.bazel"):
        output = subprocess.run([buildifier, "-mode=check", "-lint=warn", ROOT / name], capture_output=True, text=True, check=False)
        expect(output.returncode == 0, f"buildifier {name}: {output.stdout} {output.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xsimd", type=Path, required=True)
    xsimd = parser.parse_args().xsimd.resolve()
    commit = found(r"^set\(ASHLAR_XSIMD_COMMIT (\w+)\)", "cmake/ashlar_xsimd.cmake")
    check_versions(commit)
    with tempfile.TemporaryDirectory() as name:
        check_conan(xsimd, Path(name))
        check_vcpkg(xsimd, commit, Path(name))
    check_bazel()
    return finished()


if __name__ == "__main__":
    sys.exit(main())
