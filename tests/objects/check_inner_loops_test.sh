#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Proves that check_inner_loops.sh accepts sound loops and finds each kind of fault. 77 means skipped. A second argument
# "compiled" leaves out what is written in assembly, for a second compiler.
set -euo pipefail

compiler=${1:?usage: check_inner_loops_test.sh <compiler> [compiled]}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/reference_version.sh"
identify_compiler "$compiler"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# assembly <line...>: the source is a function f of these lines.
assembly() {
    source=$work/f.s
    printf '%s\n' .text '.globl _ZN7objects1fEv' _ZN7objects1fEv: "$@" ret '.section .note.GNU-stack,"",@progbits' >"$source"
}

# cxx <line...>: the source is C++ with the lines in namespace objects.
cxx() {
    source=$work/f.cpp
    printf '%s\n' 'using four = float __attribute__((vector_size(16)));' 'namespace objects {' "$@" '}' >"$source"
}

check() { "$here/check_inner_loops.sh" "$source" "$work/f.o" "$work/known" test "$compiler" -O2; }

# accepts <what> [<text>]: the check must pass, and say the text.
accepts() {
    local output
    if ! output=$(check 2>&1) || [[ $output != *"${2-}"* ]]; then
        printf '%s: refused, or not said: %s\n%s\n' "$1" "${2-}" "$output"
        failures=$((failures + 1))
    fi
}

# finds <what> <text>: the check must fail and say the text, an extended regular expression.
finds() {
    local output
    if output=$(check 2>&1) || [[ $output != *"FAILED: "* ]]; then
        printf '%s: not found\n%s\n' "$1" "$output"
        failures=$((failures + 1))
    elif ! grep -qE -- "$2" <<<"$output"; then
        printf '%s: expected: %s\ngot: %s\n' "$1" "$2" "$output"
        failures=$((failures + 1))
    fi
}

: >"$work/known"
assembled_cases() {
    local fma='vfmadd231ps (%rdi),%zmm1,%zmm2'
    local pass=('add $64,%rdi' 'cmp %rsi,%rdi' 'jne 1b')

    assembly 1: "$fma" "${pass[@]}"
    accepts 'a plain loop' 'sound, f: product'
    assembly 1: 'movups (%rdi),%xmm0' 'mulps %xmm1,%xmm0' 'addps %xmm0,%xmm2' "${pass[@]}"
    accepts 'a plain loop without fused instructions' 'sound, f: product'
    assembly 1: 'vfmadd231ps 8(%rsp,%rax,4),%zmm1,%zmm2' 'add $16,%rax' "${pass[@]}"
    accepts 'scratch that is walked through with an index'
    assembly 'lea 8(%rsp),%rdx' 1: 'vfmadd231ps (%rdx),%zmm1,%zmm2' 'vmovups %zmm3,64(%rdx)' 'add $64,%rdx' "${pass[@]}"
    accepts 'scratch that is walked through with a pointer'
    assembly 'lea 8(%rsp),%rbp' 1: 'vfmadd231ps (%rbp),%zmm1,%zmm2' 'sub $-64,%rbp' "${pass[@]}"
    accepts 'scratch that is walked through with rbp'
    assembly 'mov %rdx,%rbp' 1: 'vfmadd231ps (%rbp){1to16},%zmm1,%zmm2' "${pass[@]}"
    accepts 'rbp as an ordinary pointer'
    assembly 1: "$fma" 'vaddps k(%rip),%zmm3,%zmm3' 'lea 8(%rsp),%rax' "${pass[@]}"
    accepts 'constants and addresses'
    assembly 2: 'vmovaps 8(%rsp),%zmm2' 1: "$fma" "${pass[@]}" 'vmovaps %zmm2,8(%rsp)' 'call g' 'dec %rcx' 'jne 2b'
    accepts 'spills and calls in a loop around the inner one'
    assembly 1: "$fma" "${pass[@]}" 1: 'vmovaps %zmm2,8(%rsp)' 'add $64,%rdi' 'cmp %rsi,%rdi' 'jne 1b'
    accepts 'a loop without multiply-adds'
    assembly 1: "$fma" 'test %eax,%eax' 'jne 3f' "${pass[@]}" ret 3: 'vmovaps %zmm2,8(%rsp)'
    accepts 'spills on the way out of the loop'
    assembly 'jmp 3f' 1: "$fma" 'jmp 2f' 3: 'vmovaps 8(%rsp),%zmm2' 2: "${pass[@]}"
    accepts 'reloads on the way into the loop'
    assembly 1: "$fma" 'test %eax,%eax' 'jne 3f' 'test %edx,%edx' 'jne 4f' 2: "${pass[@]}" ret \
        3: 'vmovaps %zmm2,8(%rsp)' 'jmp g' 4: 'jmp 2b'
    accepts 'spills before a jump out of the function'
    assembly 2: 'vfmadd231ps 8(%rsp),%zmm1,%zmm2' 1: "$fma" "${pass[@]}" 'vmovaps %zmm2,8(%rsp)' 'dec %rcx' 'jne 2b'
    accepts 'spills in a loop around the inner one that multiplies and adds too'

    assembly 1: "$fma" 'vmovaps 8(%rsp),%zmm3' "${pass[@]}"
    finds 'a reload' 'reload .* vmovaps 0x8\(%rsp\),%zmm3'
    assembly 1: "$fma" 'vmovaps %zmm3,-64(%rsp)' "${pass[@]}"
    finds 'a spill' 'spill .* vmovaps %zmm3,-0x40\(%rsp\)'
    assembly 1: "$fma" 'vmovaps %zmm3,-64(%rsp){%k1}' "${pass[@]}"
    finds 'a masked spill' 'spill .* vmovaps'
    assembly 1: 'vfmadd231ps -64(%rsp),%zmm1,%zmm2' "${pass[@]}"
    finds 'a spilled operand' 'reload .* vfmadd231ps'
    assembly 1: 'vfmadd231pd -64(%rsp){1to8},%zmm1,%zmm2' "${pass[@]}"
    finds 'a spilled scalar that is broadcast' 'reload .* vfmadd231pd'
    assembly 1: 'mulpd %xmm1,%xmm0' 'movapd %xmm0,-24(%rsp)' 'addpd %xmm0,%xmm2' "${pass[@]}"
    finds 'a spill without fused instructions' 'spill .* movapd'
    assembly 'push %rbp' 'mov %rsp,%rbp' 'and $-64,%rsp' 1: "$fma" 'vmovaps -64(%rbp),%ymm3' "${pass[@]}" leave
    finds 'a reload by the frame pointer' 'reload .* vmovaps'
    assembly 1: "$fma" 'vmovaps 8(%rsp,%rax,4),%zmm3' "${pass[@]}"
    finds 'an index that does not advance' 'reload .* vmovaps'
    assembly 1: "$fma" 'vmovaps 8(%rsp,%rax,4),%zmm3' 'test %rdx,%rax' 'prefetcht0 (%rax)' "${pass[@]}"
    finds 'an index that is only read' 'reload .* vmovaps'
    assembly 1: "$fma" 'mov 8(%rsp),%rax' "${pass[@]}"
    finds 'an integer that is reloaded' 'reload .* mov '
    assembly 1: "$fma" 'add $64,%rdi' 'cmp 8(%rsp),%rdi' 'jne 1b'
    finds 'a bound that is read from the stack' 'reload .* cmp '
    assembly 1: "$fma" 'add $64,%rdi' 'decq 8(%rsp)' 'jne 1b'
    finds 'a counter on the stack' 'spill .* decq'
    assembly 1: "$fma" 'push %rax' 'pop %rdx' "${pass[@]}"
    finds 'push and pop' '2 findings'
    assembly 1: "$fma" 'vmovups %zmm2,(%rcx)' "${pass[@]}"
    finds 'a sum in memory' 'sum in memory .* vmovups'
    assembly 1: "$fma" 'vmovups %zmm2,k(%rip)' "${pass[@]}"
    finds 'a sum in static memory' 'sum in memory .* vmovups'
    assembly 1: "$fma" 'call g' "${pass[@]}"
    finds 'a call' ' call .* call '
    assembly 1: "$fma" 'call *%rax' "${pass[@]}"
    finds 'a call by a pointer' ' call .* call '
    assembly 'jmp 2f' 1: "$fma" 'vmovaps %zmm3,-64(%rsp)' 'add $64,%rdi' 2: 'cmp %rsi,%rdi' 'jne 1b'
    finds 'a spill in a loop that starts with its test' spill
    assembly 1: 'cmp %rsi,%rdi' 'je 2f' "$fma" 'vmovaps %zmm3,-64(%rsp)' 'add $64,%rdi' 'jmp 1b' 2:
    finds 'a spill in a loop that ends with a plain jump' spill
    assembly 1: "$fma" 'test %eax,%eax' 'jne 3f' 2: "${pass[@]}" ret 3: 'vmovaps %zmm2,8(%rsp)' 'jmp 2b'
    finds 'a spill in a part far behind the loop' spill
    assembly 2: 1: "$fma" "${pass[@]}" 1: "$fma" 'vmovaps %zmm3,-64(%rsp)' "${pass[@]}" 'dec %rcx' 'jne 2b'
    finds 'a spill in the second inner loop' 'test f 1$'
    assembly 'jmp g' '.section .text.g,"ax"' g: 1: "$fma" 'vmovaps %zmm3,-64(%rsp)' "${pass[@]}"
    finds 'a spill in a local function of another section' '1 findings, f'
    assembly 'jmp g' g: 1: "$fma" 'vmovaps %zmm3,-64(%rsp)' "${pass[@]}"
    finds 'a spill in a local function of the same section' '1 findings, f'
    assembly "$fma"
    finds 'no loop at all' 'no loop that multiplies'
    assembly 1: "$fma" 'vpslld $23,%zmm2,%zmm2' "${pass[@]}"
    finds 'no loop but an exponential' 'f: no loop that multiplies'

    assembly 1: "$fma" 'vmovaps 8(%rsp),%zmm3' "${pass[@]}"
    echo "$family-test f 1" >"$work/known"
    accepts 'a known finding' '1 findings, f'
    echo "$family-other f 1" >"$work/known"
    finds 'a finding that is known for other flags' '0 are known'
    assembly 1: "$fma" 'vmovaps 8(%rsp),%zmm3' 'vmovaps %zmm4,8(%rsp)' "${pass[@]}"
    echo "$family-test f 1" >"$work/known"
    finds 'more findings than known' 'f: 2 findings, 1 are known'
    echo "$family-test f 3" >"$work/known"
    accepts 'fewer findings than known' 'better than known: f'
    printf '%s\n' "$family-test f 2" "$family-test g 2" >"$work/known"
    finds 'findings of a function that is not there' 'g is known but does not exist'
    : >"$work/known"
}

# What the compiler makes of sources: sixteen registers cannot hold 24 sums, and a call keeps none of them.
compiled_cases() {
    cxx 'void f(four* out, const float* a, const four* b, long n) {' '    four sum[24] = {};' \
        '    for (; n != 0; --n, a += 6, b += 4)' '_Pragma("GCC unroll 32")' '        for (int i = 0; i < 24; ++i)' \
        '            sum[i] += a[i / 4] * b[i % 4];' '_Pragma("GCC unroll 32")' \
        '    for (int i = 0; i < 24; ++i) out[i] = sum[i];' '}'
    finds 'too many sums' '(spill|reload) .*xmm'
    cxx 'float g(float);' 'void f(four* out, const float* a, const four* b, long n) {' \
        '    four sum = {};' '    for (; n != 0; --n) sum += g(*a++) * *b++;' '    *out = sum;' '}'
    finds 'a call that a loop needs' ' call .* call '
    cxx 'void f(four* out, const float* a, const four* b, long n) {' \
        '    four sum = {};' '    for (; n != 0; --n) sum += *a++ * *b++;' '    *out = sum;' '}'
    accepts 'one sum' 'sound, f: product'
}

[[ ${2-} == compiled ]] || assembled_cases
compiled_cases
((failures == 0)) && echo "every fault is found"
exit $((failures > 0))
