# SPDX-License-Identifier: BSL-1.0
# Lists the public declarations of headers that clang-format has formatted, separated by tabs: file:line, scope, name,
# kind, whether a comment `///` stands before it, whether that has an example (a line indented by five spaces), and the
# declaration whose example it cites ("Example: `name`"). Kinds: function, class, enum, alias, concept, variable,
# constructor, operator, field. Left out is what has no documentation of its own: specialisations, deduction guides,
# deleted or defaulted functions, friends, names that are brought in, forward declarations, definitions of members.

function after_brackets(text, opening, closing,   i, nesting, letter) {
    for (i = 1; i <= length(text); i++) {
        letter = substr(text, i, 1)
        if (letter == opening) nesting++
        if (letter == closing && substr(text, i - 1, 2) != "->" && --nesting == 0) return substr(text, i + 1)
    }
    return ""
}

# The declaration without what may stand before its type and name.
function bare(text,   before) {
    gsub(/[ \t\n]+/, " ", text)
    sub(/^ /, "", text)
    while (text != before) {
        before = text
        if (text ~ /^template ?</) text = after_brackets(substr(text, 9), "<", ">")
        sub(/^ /, "", text)
        sub(/^\[\[[^\]]*\]\] ?/, "", text)
        if (text ~ /^explicit ?\(/) text = after_brackets(text, "(", ")")
        sub(/^(ASHLAR_[A-Z_]+|inline|constexpr|consteval|constinit|static|explicit|extern|const|virtual) /, "", text)
    }
    return text
}

# Sets kind and declared, the name.
function describe(text,   rest, last) {
    kind = declared = ""
    rest = bare(text)
    if (rest ~ /^(friend|static_assert|using namespace|using [a-z_:]+;|union|template )/ || text ~ /= (delete|default);/) return
    if (rest ~ /^(using|concept) /) {
        kind = rest ~ /^using/ ? "alias" : "concept"
        sub(/^(using|concept) /, "", rest)
        declared = rest
        sub(/[ =].*/, "", declared)
        return
    }
    if (rest ~ /^(enum class|enum|struct|class) /) {
        kind = rest ~ /^enum/ ? "enum" : "class"
        sub(/^(enum class|enum|struct|class) /, "", rest)
        sub(/^\[\[[^\]]*\]\] /, "", rest)
        if (rest ~ /^(alignas|ASHLAR_[A-Z_]+) ?\(/) rest = after_brackets(rest, "(", ")")
        sub(/^ /, "", rest)
        match(rest, /^[A-Za-z_0-9]*/)
        declared = substr(rest, 1, RLENGTH)
        if (substr(rest, RLENGTH + 1) ~ /^ ?[<;]/) kind = ""
        return
    }
    if (match(rest, /operator *(\(\)|\[\])/)) {
        kind = "function"
        declared = substr(rest, RSTART, RLENGTH)
        return
    }
    if (rest ~ /operator[^a-z_0-9]/) {
        kind = declared = "operator"
        return
    }
    gsub(/decltype\(auto\)/, "auto", rest)
    if (sub(/\(max\)\(/, " max(", rest) || sub(/\(min\)\(/, " min(", rest)) sub(/  +/, " ", rest)
    gsub(/alignas\([^()]*\) /, "", rest)
    while (match(rest, /<[^<>{};]*>/)) rest = substr(rest, 1, RSTART - 1) substr(rest, RSTART + RLENGTH)
    if (!match(rest, /(^|[ &*])[A-Za-z_~][A-Za-z0-9_:]* ?(\[[^\]]*\])? ?[(={;,]/)) return
    declared = substr(rest, RSTART, RLENGTH)
    last = substr(declared, length(declared), 1)
    gsub(/^[ &*]|\[[^\]]*\]|[ (={;,]/, "", declared)
    if (declared ~ /:/) return # a member that is defined outside of its class
    if (last != "(")
        kind = in_class ? "field" : "variable"
    else if (in_class && declared == class_name)
        kind = "constructor"
    else if (RSTART > 1)
        kind = "function"
}

function finish() {
    if (!in_class && braces == 1 && parens == 0 && bare(head) ~ /^(struct|class) /) {
        describe(head)
        report(public_scope)
        class_name = declared
        class_is_listed = kind != ""
        is_public = bare(head) ~ /^struct/
        in_class = 1
    } else if (braces > 0 || parens > 0 || code !~ /[;}]$/ || bare(head) ~ /^(requires|$)/) {
        return
    } else {
        describe(head)
        if (!in_class)
            report(public_scope)
        else if (is_public && class_is_listed)
            report(public_scope "::" class_name)
    }
    inside = 0
    forget()
}

function report(scope) {
    if (kind != "")
        printf "%s:%d\t%s\t%s\t%s\t%d\t%d\t%s\n", FILENAME, first_line, scope, declared, kind, documented, has_example, cites
}

function forget() {
    documented = has_example = 0
    cites = ""
}

# What brackets are counted in: no comments and no literals.
function code_of(line) {
    gsub(/\\["'\\]/, "", line)
    gsub(/"[^"]*"/, "\"\"", line)
    gsub(/'[^']'/, "' '", line)
    sub(/[ \t]*\/\/.*/, "", line)
    return line
}

function count(text, letter) { return gsub(letter, "", text) }

FNR == 1 {
    depth = in_class = inside = 0
    forget()
}

{ sub(/\r$/, "") }

/^[ \t]*#/ || continued_macro {
    continued_macro = /\\$/
    next
}

# The namespace of the version does not count.
{ sub(/^namespace ashlar::inline v[0-9_]+/, "namespace ashlar") }

/^namespace [a-z_:]+ \{/ {
    names[++depth] = $2
    scope_changed = 1
}
/^}  \/\/ namespace/ {
    --depth
    scope_changed = 1
}
scope_changed {
    public_scope = ""
    for (i = 1; i <= depth; i++) public_scope = public_scope (i > 1 ? "::" : "") names[i]
    scope_changed = 0
    forget()
    next
}
depth == 0 || public_scope ~ /detail/ { next }

!inside && in_class && /^};/ {
    in_class = 0
    forget()
    next
}
!inside && in_class && /^(public|protected|private):/ {
    is_public = /^public/
    forget()
    next
}
!inside && /^[ \t]*$/ {
    forget()
    next
}
!inside && /^[ \t]*\/\/\// {
    documented = 1
    if (/^[ \t]*\/\/\/     [^ ]/) has_example = 1
    if (match($0, /Example: `[a-z_:0-9]+`/)) cites = substr($0, RSTART + 10, RLENGTH - 11)
    next
}

{
    code = code_of($0)
    if (code ~ /^[ \t]*$/) next
    if (!inside) {
        first_line = FNR
        head = ""
        braces = parens = 0
        inside = 1
    }
    # Templates' parameters and constraints stand on lines of their own; the declaration begins in the column of both.
    match(code, /^ */)
    if (braces == 0 && parens == 0 && RLENGTH == (in_class ? 4 : 0) && code !~ /^ *[})]/) head = ""
    head = head " " code
    braces += count(code, "{") - count(code, "}")
    parens += count(code, "\\(") - count(code, "\\)")
    finish()
}
