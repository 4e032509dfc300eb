# SPDX-License-Identifier: BSL-1.0
# The file rules: who may include whom, the only doors to xsimd, where macros live, names that are left to users' macros,
# SPDX lines, the namespace of the version, file length. The variable `hidden` lists the macros that are hidden from xsimd,
# `version` is the inline namespace.
BEGIN {
    count = split(hidden, names, " ")
    for (i = 1; i <= count; i++)
        if (names[i] !~ /^(min|max)$/)
            left_to_users[names[i]] = 1
    sees["core"] = "core"
    sees["tensor"] = "tensor core"
    sees["module"] = "module tensor core"
    sees["expr"] = "expr tensor core"
    sees["kernel"] = "kernel core"
    sees["plan"] = "plan expr kernel tensor core"
    sees["eval"] = "eval plan expr kernel tensor core"
    sees["nn"] = "nn module expr tensor eval core"
    sees["io"] = "io module tensor core"
    sees["interop"] = "interop tensor core"
    sees["executors"] = "executors core"
    sees["ashlar.hpp"] = "core tensor expr kernel plan eval"
    sees["linalg.hpp"] = "expr eval ashlar.hpp"
    sees["nn.hpp"] = "nn module ashlar.hpp"
    sees["io.hpp"] = "io ashlar.hpp tensor core"
    split("iostream istream ostream fstream iosfwd string vector deque list map set unordered_map unordered_set " \
          "functional memory stdexcept sstream format random locale regex thread mutex chrono filesystem any", names, " ")
    for (i in names)
        hosted[names[i]] = 1
    # Other libraries, each by the headers of its name.
    door["include/ashlar/interop/mdspan.hpp"] = "^mdspan/mdspan\\.hpp$"
    door["include/ashlar/interop/eigen.hpp"] = "^Eigen/Core$"
    door["include/ashlar/interop/fmt.hpp"] = "^fmt/(format|ranges)\\.h$"
    door["include/ashlar/executors/onetbb_workers.hpp"] = "^tbb/"
    door["include/ashlar/executors/openmp_workers.hpp"] = "^omp\\.h$"
    xsimd_doors = "^include/ashlar/kernel/x?simd\\.hpp$"
    soft_limit = 400
    hard_limit = 450
}

function fail(line, what) {
    printf "%s:%d: %s\n", FILENAME, line, what
    violations++
}

# The layer of a path below include/ashlar: its folder, or the file name of a header at the top.
function layer_of(path) {
    sub(/^ashlar\//, "", path)
    sub(/\/.*/, "", path)
    return path
}

function check_length() {
    if (previous ~ /fixtures/) # tables of reference values
        return
    if (lines > hard_limit) {
        printf "%s:%d: %d lines, more than %d\n", previous, lines, lines, hard_limit
        violations++
    } else if (lines > soft_limit) {
        printf "%s: warning: %d lines, should be under %d\n", previous, lines, soft_limit
    }
}

function finish_file() {
    check_length()
    if (is_header && !guarded) {
        printf "%s:1: #pragma once is missing\n", previous
        violations++
    }
}

FNR == 1 {
    if (previous != "")
        finish_file()
    previous = FILENAME
    is_public = FILENAME ~ /^include\//
    is_header = FILENAME ~ /^include\/.*\.hpp$/
    guarded = 0
    options_names = ""
    shebang = /^#!/
    name = FILENAME
    sub(/.*\//, "", name)
    if ((is_header || name ~ /_test\.cpp$/) && name in first_of_name)
        fail(1, "another file has this name: " first_of_name[name])
    first_of_name[name] = FILENAME
    layer = is_public ? layer_of(substr(FILENAME, 9)) : ""
    hosted_allowed = layer ~ /^(io|io\.hpp|interop|executors)$/ || FILENAME ~ /^include\/ashlar\/tensor\/print(|_heat_map|ed_value)\.hpp$/ ||
                     FILENAME ~ /^include\/ashlar\/nn\/inspect\/summary/
    if (is_public && FILENAME !~ /^include\/ashlar\//)
        fail(1, "public headers live in include/ashlar")
    else if (is_public && !(layer in sees))
        fail(1, "'" layer "' is no layer")
}

{ lines = FNR }

FNR == 1 + shebang && !/SPDX-License-Identifier: BSL-1\.0/ {
    fail(FNR, "the first line must be SPDX-License-Identifier: BSL-1.0")
}

/^#pragma once/ { guarded = 1 }

# Two versions of the library in one program would otherwise share names.
is_public && /^namespace ashlar/ && $2 " " $3 !~ "^ashlar::inline " version "(::|$)" {
    fail(FNR, "the namespace of this version is ashlar::inline " version)
}

# clang 19 reads a member of an object that is a template argument from the wrong place where padding lies before it, unless
# it is asked for in a constant expression. A static constexpr copy is read right.
is_public && /template <.*_options [A-Z]/ {
    rest = $0
    while (match(rest, /_options [A-Z][A-Za-z]*/)) {
        options_names = options_names "|" substr(rest, RSTART + 9, RLENGTH - 9)
        rest = substr(rest, RSTART + RLENGTH)
    }
}
is_public && options_names != "" && !/^[ \t]*\/\// && !/constexpr|static_assert|requires/ {
    member = "(^|[^A-Za-z0-9_])(" substr(options_names, 2) ")\\."
    read = $0
    gsub(/<[^<>;]*>/, "", read)
    if (read ~ member)
        fail(FNR, "a member of a template argument, which clang 19 misreads in the running program: read a static constexpr copy, `options`")
}

is_public && /^[ \t]*#[ \t]*define[ \t]/ {
    name = $0
    sub(/^[ \t]*#[ \t]*define[ \t]+/, "", name)
    sub(/[^A-Za-z0-9_].*/, "", name)
    if (FILENAME == "include/ashlar/core/config.hpp") {
        if (name !~ /^ASHLAR_/)
            fail(FNR, "macro " name " does not start with ASHLAR_")
    } else if (!(FILENAME ~ xsimd_doors && name ~ /^(XSIMD_|__EMSCRIPTEN__$)/)) {
        fail(FNR, "macro " name ": macros are defined in core/config.hpp only")
    }
}

# A user's macro may have any of these names, so that no identifier of ours may.
is_public && FILENAME !~ /(_macros|\/explained_members)\.hpp$/ && !/^[ \t]*#[ \t]*include[ \t]/ {
    code = $0
    gsub(/"(\\.|[^"\\])*"/, "\"\"", code)
    gsub(/'(\\[^']*|[^'\\])'/, "0", code)
    sub(/\/\/.*/, "", code)
    gsub(/\/\*[^*]*\*\//, " ", code)
    count = split(code, names, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= count; i++)
        if (names[i] ~ /^[A-Z]$/ || (names[i] in left_to_users))
            fail(FNR, "'" names[i] "' is a name of users' macros; use a word")
    if (code ~ /(^|[^A-Za-z0-9_])(min|max)[ \t]*\(/)
        fail(FNR, "users' macros may be called min and max; write (max)(...), or max<>(...) where the arguments find it")
}

FILENAME == "include/ashlar/kernel/simd/hidden_macros.hpp" && /^#(pragma push_macro|undef)/ {
    name = $2
    gsub(/^push_macro\("|"\)$/, "", name)
    if (/^#undef/)
        undefined[name] = 1
    else
        pushed[name] = 1
}
FILENAME == "include/ashlar/kernel/simd/restored_macros.hpp" && /^#pragma pop_macro/ {
    name = $2
    gsub(/^pop_macro\("|"\)$/, "", name)
    popped[name] = 1
}

is_public && /^[ \t]*#[ \t]*include[ \t]/ {
    if (!match($0, /<[^>]*>/)) {
        fail(FNR, "write #include <ashlar/...> with angle brackets")
        next
    }
    header = substr($0, RSTART + 1, RLENGTH - 2)
    if (header ~ /^xsimd\//) {
        if (FILENAME !~ xsimd_doors)
            fail(FNR, "<" header ">: kernel/simd.hpp and kernel/xsimd.hpp are the only doors to xsimd")
    } else if (header ~ /^ashlar\//) {
        target = layer_of(header)
        if (header != FILENAME && (layer in sees) && index(" " sees[layer] " ", " " target " ") == 0)
            fail(FNR, "<" header ">: " layer " may include " sees[layer] " only")
    } else if (header ~ /^(fcntl|unistd|sys\/stat)\.h$/ && FILENAME ~ /^include\/ashlar\/io\/files\/(file_status|replaced_file)\.hpp$/) {
        # What the standard library does not say of files: what they are, and that they are on the disk.
    } else if ((FILENAME in door) && header ~ door[FILENAME]) {
        # The library that the header is for.
    } else if (header ~ /[\/.]/ && FILENAME != "include/ashlar/kernel/simd.hpp") {
        fail(FNR, "<" header ">: no library but the standard one and xsimd")
    } else if ((header in hosted) && !hosted_allowed) {
        fail(FNR, "<" header ">: a hosted header below ashlar.hpp")
    }
}

END {
    if (previous != "")
        finish_file()
    for (name in pushed)
        all_hidden[name] = 1
    for (name in popped)
        all_hidden[name] = 1
    for (name in undefined)
        all_hidden[name] = 1
    for (name in all_hidden)
        if (!(name in pushed) || !(name in undefined) || !(name in popped)) {
            printf "include/ashlar/kernel/simd/hidden_macros.hpp: macro %s is not pushed, undefined and popped\n", name
            violations++
        }
    if (violations) {
        printf "%d violations\n", violations
        exit 1
    }
    print "no violations"
}
