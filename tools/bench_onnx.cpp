// SPDX-License-Identifier: BSL-1.0
// Our side of tools/bench_onnx.py, which compiles it to a shared library once for each number of rows, or once for all
// up to a capacity: a BERT-style encoder and one attention, and the clock for both sides.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

#include <tools/bench_turns.hpp>

#ifndef ASHLAR_BENCH_ROWS
#define ASHLAR_BENCH_ROWS 128
#endif
#ifndef ASHLAR_BENCH_IS_CAPACITY  // whether that is the capacity for calls of fewer rows
#define ASHLAR_BENCH_IS_CAPACITY 0
#endif

namespace {

using namespace ashlar;

constexpr std::size_t rows = ASHLAR_BENCH_ROWS, embed = 384, attention_rows = 64, attention_depth = 64;
constexpr bool is_capacity = ASHLAR_BENCH_IS_CAPACITY != 0;
using input = tensor_view<const float, rows, embed>;

/// An encoder's call for the first n rows, whose keys are those of as many, or for all of them.
template <class Encoder>
auto call_of(const Encoder& encoder, const input& x, [[maybe_unused]] int n) {
    if constexpr (is_capacity)
        return encoder(x, keys_below(n));
    else
        return encoder(x);
}

template <std::size_t Layers>
struct model {
    static constexpr nn::encoder_options options{
        .layer = {.embed = embed, .heads = 12, .hidden = 1536, .activation = nn::activation::gelu, .eps = 1e-12}, .layers = Layers};
    using type = nn::encoder<options>;

    static inline type encoder;
    static inline workspace<workspace_bytes<decltype(call_of(encoder, std::declval<const input&>(), 0))>> scratch;

    static int load(const void* bytes, std::size_t size, [[maybe_unused]] int in_huge_pages) {
#ifdef MADV_HUGEPAGE
        constexpr std::size_t page = 4096;
        std::byte* const begin = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(&encoder) + page - 1) / page * page);
        madvise(begin, sizeof encoder / page * page - page, in_huge_pages != 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
        const io::result r = io::load(encoder, std::span(static_cast<const std::byte*>(bytes), size));
        if (!r) std::fprintf(stderr, "%s\n", r.message().c_str());
        return r ? 0 : 1;
    }
    static void call(const float* x, float* y, int n) {
        const input in(x);
        const tensor_view<float, rows, embed> out(y);
        if constexpr (is_capacity)
            evaluate(out, call_of(encoder, in, n), scratch, rows_below(n));
        else
            evaluate(out, call_of(encoder, in, n), scratch);
    }
};

}  // namespace

extern "C" {

/// Weights of one layer, or of six: a safetensors file with PyTorch's names. 0 if all is well.
int load_1(const void* bytes, std::size_t size, int in_huge_pages) { return model<1>::load(bytes, size, in_huge_pages); }
int load_6(const void* bytes, std::size_t size, int in_huge_pages) { return model<6>::load(bytes, size, in_huge_pages); }

/// x and y have all rows; of a capacity n of them are computed.
double time_layers_1(const float* x, float* y, int n, int turns, int calls) {
    return fastest(turns, calls, [=] { model<1>::call(x, y, n); });
}
double time_layers_6(const float* x, float* y, int n, int turns, int calls) {
    return fastest(turns, calls, [=] { model<6>::call(x, y, n); });
}

/// Of q, k and v one after the other in x.
double time_attention(const float* x, float* y, int turns, int calls) {
    using operand = tensor_view<const float, attention_rows, attention_depth>;
    return fastest(turns, calls, [=] {
        const operand q(x), k(x + operand::size), v(x + 2 * operand::size);
        evaluate(tensor_view<float, attention_rows, attention_depth>(y), attention(q, k, v));
    });
}
}
