// SPDX-License-Identifier: BSL-1.0
// A model of the user's own that passes between units with other flags, and what each unit does with it.
#pragma once

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

struct my_model {
    ashlar::nn::llama_layer<{.embed = 16, .heads = 4, .kv_heads = 2, .hidden = 40}> block;
    ashlar::nn::layer_norm<{.size = 16}> norm;
    ashlar::nn::linear<{.in = 16, .out = 33}> head;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("block", self.block);
        visit("norm", self.norm);
        visit("head", self.head);
    }
};

using rows = ashlar::tensor<float, 5, 16>;
using scores = ashlar::tensor<float, 5, 33>;

#define MIXED_MODELS(name)                                                                                             \
    namespace name {                                                                                                   \
    void fill(my_model& m);                                                                                            \
    scores call(const my_model& m, const rows& x);                                                                     \
    /* Writes m to a file and an image, reads it back and shows it: 0, or what failed. */                              \
    int pass_through_files(my_model& m, const char* file, const char* image);                                          \
    }
MIXED_MODELS(narrow)
MIXED_MODELS(narrow_unoptimised)
MIXED_MODELS(wide)
MIXED_MODELS(wide_unoptimised)
