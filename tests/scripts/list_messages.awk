# SPDX-License-Identifier: BSL-1.0
# Lists the messages of headers, "kind<tab>message<tab>file", and the rows of docs/errors.md, "row<tab>message<tab>links".
# Kinds: static_assert, assert (at run time), delete (the comment behind a deleted function), error (the preprocessor's).
function join_literals(text) {
    text = substr(text, 2, length(text) - 2)
    gsub(/"[ \t\n]*"/, "", text)
    return text
}

function kind_before(text) {
    sub(/.*[;{}]/, "", text)
    return text ~ /static_assert/ ? "static_assert" : text ~ /ASHLAR_ASSERT/ ? "assert" : text ~ /#error/ ? "error" : "other"
}

function finish_header(   before) {
    while (match(header, /"ashlar: [^"]*"([ \t\n]*"[^"]*")*/)) {
        before = substr(header, 1, RSTART - 1)
        printf "%s\t%s\t%s\n", kind_before(before), join_literals(substr(header, RSTART, RLENGTH)), file
        header = substr(header, RSTART + RLENGTH)
    }
    header = ""
}

FNR == 1 {
    finish_header()
    file = FILENAME
}

FILENAME ~ /\.md$/ {
    # | `message` | ... |, in which a bar inside the message is written \|
    if (match($0, /^\| `ashlar: [^`]*` \|/)) {
        message = substr($0, 4, RLENGTH - 6)
        gsub(/\\\|/, "|", message)
        links = ""
        rest = substr($0, RSTART + RLENGTH)
        while (match(rest, /\(\.\.\/tests\/(interop\/)?diagnostics\/[a-z0-9_]+\.cpp\)/)) {
            links = links " " substr(rest, RSTART + 4, RLENGTH - 5)
            rest = substr(rest, RSTART + RLENGTH)
        }
        printf "row\t%s\t%s\n", message, links
    }
    next
}

/^[ \t]*\/\// { next }

/(= delete;|\()[ \t]*\/\/ ashlar: / { # or behind the name, where the parameters follow on the next line
    message = $0
    sub(/.*\/\/ ashlar: /, "ashlar: ", message)
    printf "delete\t%s\t%s\n", message, file
    next
}

{
    line = $0
    sub(/[ \t]\/\/ .*/, "", line)
    header = header line "\n"
}

END { finish_header() }
