// SPDX-License-Identifier: BSL-1.0
// What a transcription evaluates: the types of its calls and of what they fill, and the memory that takes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "speech_shape.hpp"

namespace transcribe {

template <class Model>
struct calls {
    static constexpr row_counts rows = Model::rows;

    using sound = ashlar::tensor<float, Model::options.samples, 1>;
    using first_rows = ashlar::tensor<float, rows.first, Model::embed>;
    using second_rows = ashlar::tensor<float, rows.second, 2 * Model::embed>;
    using states = ashlar::tensor<float, rows.third, Model::embed>;
    using state = ashlar::tensor<float, 1, Model::embed>;
    using token = ashlar::tensor<int, 1>;
    /// Keys and values of the tokens so far, and of what was heard.
    using cache = ashlar::nn::kv_cache<float, Model::options.tokens, Model::heads, Model::head_width>;
    using memory = ashlar::nn::kv_cache<float, rows.third, Model::heads, Model::head_width>;
    using caches = std::array<cache, Model::layers>;
    using memories = std::array<memory, Model::layers>;

    template <class T>
    static const T& a();
    using first = decltype(a<Model>().first(a<sound>()));
    using normed = decltype(a<Model>().normed(a<first_rows>(), std::size_t{}));
    using second = decltype(a<Model>().second(a<first_rows>()));
    using third = decltype(a<Model>().third(a<second_rows>()));
    using encoded = decltype(a<Model>().encoder(a<states>(), ashlar::keys_below(std::size_t{})));
    using decoded =
        decltype(a<Model>().decoder.decode(a<Model>().embedding(a<token>()), std::declval<caches&>(), a<memories>()));
    using best = decltype(ashlar::argmax<-1>(a<Model>().embedding.scores(a<state>())));

    static constexpr std::size_t remember_bytes =
        decltype(Model::decoder)::template remember_workspace_bytes<states, memory>;
    /// The most scratch that one of them needs, and the most that one takes of the stack beside it.
    static constexpr std::size_t scratch_bytes =
        std::max({ashlar::workspace_bytes<first>, ashlar::workspace_bytes<normed>, ashlar::workspace_bytes<second>,
                  ashlar::workspace_bytes<third>, ashlar::workspace_bytes<encoded>, remember_bytes,
                  ashlar::workspace_bytes<decoded>, ashlar::workspace_bytes<best>});
    static constexpr std::size_t stack_bytes =
        std::max({ashlar::stack_bytes<first>, ashlar::stack_bytes<normed>, ashlar::stack_bytes<second>,
                  ashlar::stack_bytes<third>, ashlar::stack_bytes<encoded>, ashlar::stack_bytes<decoded>,
                  ashlar::stack_bytes<best>});
};

}  // namespace transcribe
