# SPDX-License-Identifier: BSL-1.0
# Makes one unit of the examples in the comments `///` of public declarations: the lines that are indented by five
# spaces. The first file given has the names that examples use: what stands before its first line "// in <header>" is
# for all, what follows such a line for the examples of that header, where it hides the former. The examples of a
# comment are one function; templates, structures and inline constants among them stand before it. A header that the
# names file knows but that has no examples is an error, so that the file does not outlive what it is for.
function place() { return "#line " FNR " \"" FILENAME "\"\n" }

function finish_example() {
    if (outer != "" || code != "") {
        examples++
        text = text outer
        if (code != "") text = text "[[maybe_unused]] inline void example_" examples "() {\n" code "}\n"
    }
    outer = code = ""
    expected = 0
    to_outer = 0
}

function finish_header() {
    finish_example()
    if (text != "") {
        headers++
        key = header
        sub(/.*include\/ashlar\//, "", key)
        body = body "namespace header_" headers " {\n" names[key] text "}\n"
        used[key] = 1
    }
    text = ""
}

function count(line, letter) { return gsub(letter, "", line) }

FNR == 1 {
    if (NR > 1 && header != "") finish_header()
    header = NR == 1 ? "" : FILENAME
    depth = 0
    section = ""
}

{ sub(/\r$/, "") }

NR == FNR {
    if (/^\/\/ in /) {
        section = $3
        sections[++section_count] = section
        names[section] = "#line " (FNR + 1) " \"" FILENAME "\"\n"
    } else if (section != "") {
        names[section] = names[section] $0 "\n"
    } else if (/^#include/) {
        includes = includes $0 "\n"
        common = common "\n"
    } else {
        common = common $0 "\n"
    }
    if (FNR == 1) names_file = FILENAME
    next
}

# The namespace of the version does not count.
{ sub(/^namespace ashlar::inline v[0-9_]+/, "namespace ashlar") }

/^namespace [a-z_:]+ \{/ { scopes[++depth] = $2 }
/^}  \/\/ namespace/ { --depth }

{
    is_public = depth > 0
    for (i = 1; i <= depth; i++)
        if (scopes[i] ~ /detail/) is_public = 0
}

is_public && /^[ \t]*\/\/\/     [^ ]/ || is_public && expected && /^[ \t]*\/\/\/     / {
    line = $0
    sub(/^[ \t]*\/\/\/     /, "", line)
    # A statement ends where its brackets close; one that declares a template or a type stands outside of functions.
    if (!nesting && statement_ended) {
        to_outer = line ~ /^(template|inline|struct) ?/
        statement_ended = 0
    }
    bracketed = line
    sub(/[ \t]*\/\/.*/, "", bracketed)
    nesting += count(bracketed, "{") - count(bracketed, "}") + count(bracketed, "\\(") - count(bracketed, "\\)")
    if (!nesting && bracketed ~ /[;}]$/) statement_ended = 1
    if (to_outer)
        outer = outer (expected == FNR && last_outer ? "" : place()) line "\n"
    else
        code = code (expected == FNR && !last_outer ? "" : place()) line "\n"
    last_outer = to_outer
    expected = FNR + 1
    next
}

!/^[ \t]*\/\/\// {
    finish_example()
    nesting = 0
    statement_ended = 1
}

END {
    finish_header()
    for (i = 1; i <= section_count; i++)
        if (!(sections[i] in used)) {
            printf "%s: %s has no examples\n", names_file, sections[i]
            failed = 1
        }
    printf "%d examples of %d headers\n", examples, headers
    printf "%s#line 1 \"%s\"\nnamespace examples {\nusing namespace ashlar;\n%s%s}\n", includes, names_file, common, body > unit
    exit failed || !examples
}
