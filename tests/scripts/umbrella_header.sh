#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Which header of precompile_headers.sh has all that a program of tests/diagnostics needs.

# umbrella_header <source>: "nn" or "ashlar"; nothing for a program that begins with a part of ashlar.
umbrella_header() {
    local included
    mapfile -t included < <(sed -nE 's@^#include <(ashlar/.*)>.*@\1@p' "$1")
    case " ${included[*]-} " in
    " ashlar/ashlar.hpp "*"ashlar/nn.hpp "* | " ashlar/nn.hpp "*) echo nn ;;
    " ashlar/ashlar.hpp "*) echo ashlar ;;
    esac
}
