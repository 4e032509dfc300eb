# SPDX-License-Identifier: BSL-1.0
# The tools that ./run wants: whether they are there, how they are installed, and how another system gets them.

# How a system other than Debian gets a tool, by the name of Debian's package.
advice() {
    case $1 in
    g++) echo "g++ 12 or later (Fedora: gcc-c++, Arch: gcc, macOS: brew install gcc)" ;;
    cmake) echo "CMake 3.25 or later (package cmake, or pip install cmake)" ;;
    ninja-build) echo "Ninja (Arch, macOS: package ninja)" ;;
    clang-19) echo "clang++-19 on the path (package clang, macOS: brew install llvm@19)" ;;
    clang-format-19) echo "clang-format 19 on the path (macOS: brew install llvm@19, or pip install clang-format==19.1.7)" ;;
    clang-tidy-19) echo "clang-tidy 19 on the path (macOS: brew install llvm@19)" ;;
    libclang-rt-19-dev) echo "the compiler-rt of clang 19 (Fedora, Arch: package compiler-rt)" ;;
    libgtest-dev) echo "GoogleTest (Fedora: gtest-devel, Arch: gtest, macOS: brew install googletest)" ;;
    libbenchmark-dev) echo "Google Benchmark (Fedora: google-benchmark-devel, Arch: benchmark, macOS: brew install google-benchmark)" ;;
    libfmt-dev) echo "fmt 9 or later (Fedora: fmt-devel, Arch, macOS: package fmt)" ;;
    libc++-19-dev | libc++abi-19-dev) echo "libc++ 19 (Fedora: libcxx-devel, Arch: libc++)" ;;
    libeigen3-dev) echo "Eigen 3.4 (Fedora: eigen3-devel, Arch: eigen, macOS: brew install eigen)" ;;
    npm) echo "Node.js 18 or later with npm (package npm, macOS: brew install node)" ;;
    *) echo "package $1" ;;
    esac
}

# Whether a program is the clang-format whose layout the tests expect.
is_formatter() { [[ $("$1" --version 2>/dev/null) == *"version 19."* ]]; }

# Whether the tool that a Debian package is wanted for, or else the package, is there.
present() {
    case $1 in
    g++ | cmake | git | pkg-config | ccache | gdb | doxygen | npm | chromium | python3) command -v "$1" >/dev/null; return ;;
    ninja-build) command -v ninja >/dev/null; return ;;
    clang-19) command -v clang++-19 >/dev/null; return ;;
    clang-tidy-19) command -v clang-tidy-19 >/dev/null; return ;;
    nodejs) command -v node >/dev/null; return ;;
    openmpi-bin) command -v mpirun >/dev/null; return ;;
    libopenmpi-dev) command -v mpicxx >/dev/null; return ;;
    clang-format-19) is_formatter clang-format-19 || is_formatter clang-format; return ;;
    esac
    if command -v dpkg-query >/dev/null; then
        [[ $(dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | head -n 1) == installed ]]
        return
    fi
    [[ $1 == lib* ]] # elsewhere CMake says which library it cannot find
}

# need <package>...: installs what is missing, or says how to get it.
need() {
    local package missing=()
    for package in "$@"; do
        present "$package" || missing+=("$package")
    done
    ((${#missing[@]} == 0)) && return
    if ! command -v apt-get >/dev/null; then
        echo "missing:" >&2
        for package in "${missing[@]}"; do
            echo "  $(advice "$package")" >&2
        done
        [[ ${missing[*]} != clang-format-19 ]] || { echo "without it the formatting is not tested" >&2; return; }
        exit 1
    fi
    local as_root=()
    if [[ $(id -u) != 0 ]]; then
        as_root=(sudo)
        if ! command -v sudo >/dev/null; then
            echo "missing, install as root: apt-get install ${missing[*]}" >&2
            exit 1
        fi
    fi
    say "installing by apt: ${missing[*]}"
    mkdir -p build
    local log=build/apt.log
    : >"$log"
    if ! { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::http::Timeout=60 update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"; } \
        </dev/null >>"$log" 2>&1; then
        tail -n 20 "$log" >&2
        echo "apt-get could not install ${missing[*]}; the whole log is $log" >&2
        exit 1
    fi
}

# want <what is not tested without them> <package...>: the same for packages that tests can do without.
want() {
    command -v apt-get >/dev/null || return 0
    (need "${@:2}") || say "without ${*:2} $1"
}

# Packages that the checks of the repository use if installed.
want_for_checks() {
    want "ring attention is not tested" openmpi-bin libopenmpi-dev
    want "the printers of debuggers are not tested" gdb
    want "the import of ONNX models is not tested" python3-onnx
    want "no plan is drawn in the tests" python3-matplotlib
    want "clang-tidy does not check the headers" clang-tidy-19
    want "the module of Python is not tested" pybind11-dev python3-dev python3-numpy
    want "the page of ./run browser is not tested" nodejs "${browser_packages[@]}"
    want "some packages are not tested" build-essential debhelper lintian meson
}
