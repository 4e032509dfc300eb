# SPDX-License-Identifier: BSL-1.0
# Prints the public names of headers: "<file> <name>" for what namespaces of the library declare outside of detail.
FNR == 1 { depth = 0 }

# The namespace of the version does not count.
{ sub(/^namespace ashlar::inline v[0-9_]+/, "namespace ashlar") }

/^namespace [a-z_:]+ \{/ { names[++depth] = $2; next }
/^}  \/\/ namespace/ { --depth; next }

# The declarations of a namespace begin in the first column.
depth == 0 || names[depth] ~ /detail/ || names[1] ~ /detail/ || !/^[a-zA-Z\[]/ { next }

{
    line = $0
    sub(/\/\/.*/, "", line)
    if (line ~ /^(template|friend|requires|namespace)/) {
        if (match(line, /concept [a-z_]+/))
            print FILENAME, substr(line, RSTART + 8, RLENGTH - 8)
        next
    }
    name = ""
    if (match(line, /^(struct|class|enum class|using|concept) [a-z_:0-9]+/)) {
        name = substr(line, RSTART, RLENGTH)
    } else if (match(line, /^(\[\[nodiscard\]\]|ASHLAR_[A-Z_]+|inline|constexpr|consteval)[^=({;]*/)) {
        name = substr(line, RSTART, RLENGTH)
        sub(/.*> /, "", name) # a type with arguments before the name
        gsub(/\[\[nodiscard\]\]|\[\]|<.*/, "", name)
    }
    gsub(/[ \t]+$/, "", name)
    sub(/.*[ :]/, "", name)
    if (name ~ /^[a-z][a-z_0-9]*$/ && name !~ /^(alignas|auto|operator)/)
        print FILENAME, name
}
