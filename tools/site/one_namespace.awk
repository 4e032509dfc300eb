# SPDX-License-Identifier: BSL-1.0
# Doxygen's view of a header: it reads ashlar::inline v0_1 as a namespace v0_1 of its own.
{
    gsub(/namespace ashlar::inline v0_1/, "namespace ashlar")
    sub(/^inline namespace v0_1 \{/, "namespace {")
    print
}
