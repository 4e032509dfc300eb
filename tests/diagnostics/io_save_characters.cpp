// SPDX-License-Identifier: BSL-1.0
// Saving to an array of characters, which may be a path or memory.
//
// expect: ashlar: io: characters may be a path or memory; write std::string(path), or std::span(memory)
#include <span>

#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;
static nn::linear<{.in = 8, .out = 2}> head{};

static char buffer[4096];
#ifdef ASHLAR_EXPECT_ERROR
io::result r = io::save(head, buffer);
#else
io::result r = io::save(head, std::span(buffer));
#endif
