# SPDX-License-Identifier: BSL-1.0
# Gathers the ```cpp blocks of documents in <work>/snippets.cpp, each in a namespace of its own with its includes
# hoisted; a block that defines macros becomes a unit of its own. A first line "// snippet: body" puts a block into a
# function, "// snippet: continued" into the namespace of the block before it; so does a line "<!-- snippet: body -->"
# (or continued, or both) before the fence, which readers do not see. "```cpp nocompile" skips a block.
function complain(what) {
    printf "%s:%d: %s\n", FILENAME, FNR, what
    exit_code = 1
}

function hoist(line) {
    if (!(line in hoisted_lines)) {
        hoisted_lines[line] = 1
        hoisted = hoisted line "\n"
    }
}

function start_block() {
    inside = 1
    first_line = FNR + 1
    raw = code = ""
    is_function = announced ~ /body/
    is_continued = announced ~ /continued/
    has_macros = include_count = 0
}

function finish_block(   i, place, unit) {
    inside = 0
    blocks++
    place = "#line " first_line " \"" FILENAME "\"\n"
    if (has_macros) {
        unit = work "/snippet_" blocks ".cpp"
        printf "%s%s", place, raw > unit
        close(unit)
        return
    }
    for (i = 1; i <= include_count; i++)
        hoist(include_lines[i])
    if (code ~ /nn::/)
        hoist("#include <ashlar/nn.hpp>")
    if (code ~ /io::/)
        hoist("#include <ashlar/io.hpp>")
    if (!is_continued || !namespaces)
        namespaces++
    text = text "namespace snippet_" namespaces " {\nusing namespace ashlar;\n" \
           (is_function ? "[[maybe_unused]] void body_" blocks "() {\n" : "") \
           place code (is_function ? "}\n" : "") "}\n"
}

BEGIN { hoist("#include <ashlar/ashlar.hpp>") }

{ sub(/\r$/, "") }

FNR == 1 && (inside || skipping) {
    complain("a code block of the document before is not closed")
    inside = skipping = 0
}

(inside || skipping) && /^[ \t]*```[ \t]*$/ {
    if (inside)
        finish_block()
    skipping = 0
    next
}

skipping { next }

inside {
    raw = raw $0 "\n"
    if (FNR == first_line && /^[ \t]*\/\/ snippet: /) {
        is_function = is_function || /body/
        is_continued = is_continued || /continued/
    }
    if (/^[ \t]*#[ \t]*(define|undef)/)
        has_macros = 1
    if (/^[ \t]*#[ \t]*include/) {
        include_lines[++include_count] = $0
        code = code "\n" # the lines below keep their numbers
    } else {
        code = code $0 "\n"
    }
    next
}

/^<!-- snippet: / {
    announced = $0
    next
}

/^[ \t]*```cpp[ \t]*$/ {
    start_block()
    announced = ""
    next
}

{ announced = "" }

/^[ \t]*```/ {
    skipping = 1
    if (/^[ \t]*```cpp[ \t]+nocompile/)
        skipped++
    else if (/^[ \t]*```(cpp|c\+\+|C\+\+)/)
        complain("the fence is neither ```cpp nor ```cpp nocompile")
}

END {
    if (inside || skipping)
        complain("a code block is not closed")
    printf "%d blocks to compile, %d skipped\n", blocks, skipped
    if (text != "")
        printf "%s%s", hoisted, text > (work "/snippets.cpp")
    exit exit_code
}
