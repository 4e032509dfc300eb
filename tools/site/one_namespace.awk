# SPDX-License-Identifier: BSL-1.0
# Doxygen's view of a header: it reads ashlar::inline v0_1 as a separate namespace v0_1, and explicit(...) as a function.
{
    gsub(/namespace ashlar::inline v0_1/, "namespace ashlar")
    sub(/^inline namespace v0_1 \{/, "namespace {")
    sub(/ explicit\(.*\) basic_/, " explicit basic_")
    sub(/ explicit\(.*\)$/, " explicit")
    print
}
