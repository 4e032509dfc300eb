# SPDX-License-Identifier: BSL-1.0
# Reads `objdump -dr --no-show-raw-insn -M att` of an x86-64 object and looks at the innermost loops that multiply and
# add vectors. Such a loop must not
#   - call a function,
#   - read or write the stack at an address that is the same in every pass: a spilled value. (Scratch lies on the stack
#     too, but loops walk through it: their addresses have an index, or a pointer that advances.)
#   - write a vector anywhere to the same address in every pass: a sum that is in memory instead of a register.
# A loop is a strongly connected part of the graph of basic blocks; it is innermost if it falls apart without the block
# by which it is entered. So the layout of the code, for example parts of a loop far behind it, does not matter.
#
# Loops are counted for the functions of namespace objects that lead to them by calls. Each of these must have one that
# is a product, and no more findings than the file -v known=<path> allows it on a line "<build> <function> <number>" for
# -v build=<build>. With -v show=1 the code of sound loops is printed as well.

BEGIN {
    while (known != "" && (getline line < known) > 0)
        if (split(line, word, " ") == 3 && word[1] == build) allowed[word[2]] = word[3]
}

/^Disassembly of section / {
    section = $4
    sub(/:$/, "", section)
    next
}

/^[0-9a-f]+ <.*>:$/ {
    examine_function()
    name = $2
    gsub(/^<|>:$/, "", name)
    functions[++function_count] = name
    in_section[section] = in_section[section] " " name
    frame = 0
    next
}

# The linker fills in the target of this instruction; what stands in the code means nothing.
/^[ \t]+[0-9a-f]+: R_/ {
    relocated[count] = 1
    lead_to($3)
    next
}

/^ +[0-9a-f]+:\t/ {
    address = $1
    sub(/:$/, "", address)
    text = $0
    sub(/^[^\t]*\t/, "", text)
    sub(/[ \t]*(#.*)?$/, "", text)
    while (sub(/^(data16|rex[.WRXB]*|[c-gs]s|notrack|bnd|lock|rep[nz]*|addr32|\{[a-z0-9]*\}) +/, "", text)) {}
    if (text == "") next
    code[++count] = text
    sub(/[ \t]*<.*/, "", code[count])
    operation[count] = operands[count] = code[count]
    sub(/[ \t].*/, "", operation[count])
    if (!sub(/^[^ \t]+[ \t]+/, "", operands[count])) operands[count] = ""
    at[address] = count
    place[count] = address
    if (code[count] ~ /^(mov +%rsp|lea +[-0-9a-fx]*\(%rsp\)),%rbp$/) frame = 1
    if (operation[count] ~ /^(call|j)/ && match(text, /<.*>/)) lead_to(substr(text, RSTART + 1, RLENGTH - 2))
}

END {
    examine_function()
    report()
    exit failures > 0
}

function lead_to(symbol) {
    sub(/[-+]0x[0-9a-f]+$/, "", symbol)
    if (symbol != name && index(leads[name] " ", " " symbol " ") == 0) leads[name] = leads[name] " " symbol
}

# The instruction of this function that a jump leads to, or 0.
function target(n) {
    return !(n in relocated) && (operands[n] in at) ? at[operands[n]] : 0
}

# Cuts the function into blocks first[b] .. last[b] with the edges successor[b, 1 .. successors[b]].
function find_blocks(   n, b, starts, to) {
    split("", starts)
    for (n = 1; n <= count; n++)
        if (operation[n] ~ /^(j|loop|ret|ud2|hlt)/) {
            starts[n + 1] = 1
            if (to = target(n)) starts[to] = 1
        }
    blocks = 0
    for (n = 1; n <= count; n++) {
        if (n == 1 || n in starts) first[++blocks] = n
        last[blocks] = n
        block_of[n] = blocks
    }
    for (b = 1; b <= blocks; b++) {
        n = last[b]
        successors[b] = 0
        if (operation[n] ~ /^(j|loop)/ && (to = target(n))) successor[b, ++successors[b]] = block_of[to]
        if (operation[n] !~ /^(jmp|ret|ud2|hlt)/ && b < blocks) successor[b, ++successors[b]] = b + 1
    }
}

# Tarjan's algorithm over the blocks that are alive: numbers their components in part[b].
function connect(from,   i, to) {
    number[from] = lowest[from] = ++visited
    stack[++height] = from
    stacked[from] = 1
    for (i = 1; i <= successors[from]; i++) {
        to = successor[from, i]
        if (!(to in alive)) continue
        if (!(to in number)) {
            connect(to)
            if (lowest[to] < lowest[from]) lowest[from] = lowest[to]
        } else if (stacked[to] && number[to] < lowest[from]) lowest[from] = number[to]
    }
    if (lowest[from] != number[from]) return
    ++parts
    do {
        to = stack[height--]
        stacked[to] = 0
        part[to] = parts
    } while (to != from)
}

# Takes the entries of loops away until no loop is left; the innermost are those in which no other was found.
function examine_function(   b, i, p, from, to, found, is_loop, has_inner, entry) {
    if (count) {
        find_blocks()
        split("", alive)
        split("", is_loop)
        split("", has_inner)
        split("", owner)
        for (b = 1; b <= blocks; b++) alive[b] = 1
        parts = 0
        do {
            split("", number)
            split("", part)
            split("", entry)
            visited = height = found = 0
            for (b = 1; b <= blocks; b++)
                if (b in alive && !(b in number)) connect(b)
            for (from = 1; from <= blocks; from++)
                for (i = 1; i <= successors[from]; i++) {
                    to = successor[from, i]
                    if (!(to in alive)) continue
                    if (from in alive && part[from] == part[to]) is_loop[part[to]] = found = 1
                    else if (!(part[to] in entry)) entry[part[to]] = to
                }
            for (b = 1; b <= blocks; b++) {
                if (!(b in alive)) continue
                p = part[b]
                if (!(p in is_loop)) {
                    delete alive[b]
                    continue
                }
                if (b in owner) has_inner[owner[b]] = 1
                owner[b] = p
                if (!(p in entry)) entry[p] = b
                if (entry[p] == b) delete alive[b]
            }
        } while (found)
        for (p = 1; p <= parts; p++)
            if (p in is_loop && !(p in has_inner)) examine_loop(p)
    }
    count = 0
    split("", at)
    split("", relocated)
}

# The 64-bit register of which a register is a part, or "".
function whole_register(r) {
    sub(/^%/, "", r)
    if (r ~ /^r[0-9]+[dwb]?$/) sub(/[dwb]$/, "", r)
    else if (r ~ /^[er]?([abcd]x|[sd]i|[sb]p)$/) r = "r" substr(r, length(r) - 1)
    else if (r ~ /^[abcd][lh]$/) r = "r" substr(r, 1, 1) "x"
    else if (r ~ /^([sd]i|[sb]p)l$/) r = "r" substr(r, 1, 2)
    else r = ""
    return r
}

# Whether the last operand of an instruction is only read.
function only_reads(op) {
    return op ~ /^(v?u?comis[sd]|v?p?test.*|cmp[bwlq]?|bt[wlq]?|push.*|call.*|j.*|prefetch.*|nop.*)$/
}

function is_on_stack(memory) {
    return memory ~ /\(%rsp/ || (frame && memory ~ /\(%rbp/)
}

# Whether the loop writes a register of this memory operand.
function advances(memory,   names, n, i) {
    n = split(memory, names, /[^a-z0-9]+/)
    for (i = 1; i <= n; i++)
        if (names[i] != "" && (whole_register(names[i]) in written)) return 1
    return 0
}

# What is wrong with instruction n of a loop, or "".
function fault(n,   text, memory, is_store) {
    if (operation[n] ~ /^call/) return "call"
    if (operation[n] ~ /^(push|pop[wlq]?$)/) return "stack"
    if (operation[n] ~ /^(lea|nop|prefetch|j)/) return ""
    text = operands[n]
    gsub(/\{[^}]*\}/, "", text)
    if (!match(text, /\([^)]*\)/)) return ""
    memory = substr(text, RSTART, RLENGTH)
    is_store = RSTART + RLENGTH > length(text) && !only_reads(operation[n])
    if (advances(memory)) return ""
    if (is_on_stack(memory)) return is_store ? "spill" : "reload"
    return is_store && text ~ /mm[0-9]/ ? "sum in memory" : ""
}

function examine_loop(p,   b, n, last_operand, size, fused, products, sums, exponents, compares, what, kind) {
    split("", written)
    size = fused = products = sums = exponents = compares = 0
    for (n = 1; n <= count; n++) {
        if (owner[block_of[n]] != p) continue
        if (!size++) start = place[n]
        if (operation[n] ~ /^vfn?m(add|sub|addsub|subadd)[1-3]+p[sd]$/) ++fused
        if (operation[n] ~ /^v?mulp[sd]$/) ++products
        if (operation[n] ~ /^v?(add|sub)p[sd]$/) ++sums
        if (operation[n] ~ /^(v?psll[dq]|vscalefp[sd])$/) ++exponents
        if (operation[n] ~ /^v?cmp.*p[sd]$/) ++compares
        last_operand = operands[n]
        sub(/.*,/, "", last_operand)
        if (!only_reads(operation[n]) && whole_register(last_operand) != "") written[whole_register(last_operand)] = 1
    }
    if (!fused && !(products && sums)) return
    kind = exponents ? "exponential" : compares ? "product without zeros" : "product"
    ++loops
    loop_function[loops] = name
    loop_kind[loops] = kind
    loop_text[loops] = sprintf("%s, %d instructions, %d multiply-adds, at %s of %s", kind, size, fused + products, start,
                               name)
    for (n = 1; n <= count; n++) {
        if (owner[block_of[n]] != p) continue
        if (what = fault(n)) ++findings[loops]
        loop_code[loops] = loop_code[loops] sprintf("%13s %6s: %s\n", what, place[n], code[n])
    }
}

# Gathers in reached[] the functions to which one leads.
function reach(from,   i, n, symbols) {
    if (from in reached) return
    reached[from] = 1
    n = split(leads[from] in_section[from], symbols, " ")
    for (i = 1; i <= n; i++) reach(symbols[i])
}

function report(   f, l, short, most, roots) {
    for (f = 1; f <= function_count; f++) {
        if (functions[f] !~ /^_ZN7objects[0-9]/) continue
        short = functions[f]
        sub(/^_ZN7objects/, "", short)
        short = substr(short, length(short + 0) + 1, short + 0)
        split("", reached)
        reach(functions[f])
        roots[short] = short
        product_loops[short] = 0
        for (l = 1; l <= loops; l++)
            if (loop_function[l] in reached) {
                users[l] = users[l] " " short
                total[short] += findings[l]
                if (loop_kind[l] ~ /^product/) ++product_loops[short]
            }
    }
    for (l = 1; l <= loops; l++) {
        printf "%s%s: %s\n", findings[l] ? findings[l] " findings," : "sound,", users[l], loop_text[l]
        if (findings[l] || show) printf "%s", loop_code[l]
    }
    printf "\n%d inner loops\n", loops
    for (short in roots) {
        most = allowed[short] + 0
        printf "%s %s %d\n", build, short, total[short]
        if (!product_loops[short]) complain(short ": no loop that multiplies and adds was found")
        if (total[short] > most) complain(short ": " total[short] " findings, " most " are known")
        if (total[short] < most)
            printf "better than known: %s: %d findings, %d are known; lower the number\n", short, total[short], most
    }
    for (short in allowed)
        if (!(short in roots)) complain(short " is known but does not exist")
    if (!loops) complain("no loop that multiplies and adds was found")
}

function complain(what) {
    print "FAILED: " what
    ++failures
}
