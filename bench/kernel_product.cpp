// SPDX-License-Identifier: BSL-1.0
// The raw product kernels as shares of the multiply-add peak of this core, for those who work on them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <ashlar/kernel/memory/transpose.hpp>
#include <ashlar/kernel/product/product.hpp>
#include <ashlar/kernel/product/product_dot.hpp>
#include <ashlar/kernel/product/register_block.hpp>

#include "support/peak.hpp"

namespace {

using ashlar::current_config;
using ashlar::detail::product_shape;
namespace detail = ashlar::detail;

const char* wanted = nullptr;

/// Elements that start at a cache line, as those of most tensors do.
template <class T>
struct buffer {
    std::vector<T> room;
    T* first;

    explicit buffer(std::size_t count, T value = T(0)) : room(count + 64 / sizeof(T), value), first(room.data()) {
        while (reinterpret_cast<std::uintptr_t>(first) % 64 != 0) ++first;
    }
    T* data() { return first; }
};

/// A value that the optimiser knows nothing about.
template <class T>
T* hidden(T* pointer) {
    __asm__ volatile("" : "+r"(pointer));
    return pointer;
}

/// The best share of peak that `run` reaches; the peak is measured again and again between its runs.
template <class T, class Function>
void report(const char* name, double flops, Function run) {
    if (wanted && !std::strstr(name, wanted)) return;
    const std::size_t calls = static_cast<std::size_t>(4e6 / flops) + 1;
    double best = 1, peak = 0;
    for (int t = 0; t < 200; ++t) {
        const double rate = ashlar::bench::peak_flops<T>(1);
        if (rate > peak) peak = rate;
        const double time = ashlar::bench::seconds([&] {
                                for (std::size_t c = 0; c < calls; ++c) {
                                    run();
                                    __asm__ volatile("" ::: "memory");
                                }
                            }) /
                            static_cast<double>(calls);
        if (time < best) best = time;
    }
    std::printf("%-28s %6.1f %%   %9.1f ns   peak %5.1f", name, 100 * flops / best / peak, best * 1e9, peak * 1e-9);
}

/// P, cut as plans cut it.
template <class T, product_shape P, bool WholeDepth = true>
inline constexpr product_shape cut_for = [] {
    product_shape p = P;
    p.cut = detail::choose_cut(p, detail::element_machine_of<T, current_config>, {.whole_depth = WholeDepth});
    return p;
}();

/// With scratch on the stack.
template <class T, product_shape P, class Depth, class Epilogue>
ASHLAR_STAGE_INLINE void multiply(const T* s, const T* v, Depth depth, Epilogue& epilogue) {
    constexpr product_shape cut = cut_for<T, P, std::is_same_v<Depth, detail::constant_depth<0, P.k>>>;
    constexpr std::size_t bytes = detail::product_scratch_bytes<T, current_config, cut>;
    alignas(64) T scratch[bytes == 0 ? 1 : bytes / sizeof(T)];
    detail::product<T, current_config, cut>(s, v, depth, epilogue, scratch);
}

template <class T, product_shape P>
ASHLAR_STAGE_ROOT ASHLAR_NOINLINE void whole(const T* s, const T* v, T* c) {
    constexpr std::size_t width = ashlar::lane_width<T, current_config>;
    detail::store_product<T, current_config, P.padded ? (P.j + width - 1) / width * width : P.j> epilogue{c};
    multiply<T, P>(s, v, detail::constant_depth<0, P.k>{}, epilogue);
}

template <class T, product_shape P>
struct plainly {
    static void run(const T* s, const T* v, T* c) { whole<T, P>(s, v, c); }
};

/// Every pair may be excluded.
template <class T, product_shape P>
struct excluding {
    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE static void run(const T* s, const T* v, T* c) {
        detail::store_product<T, current_config, P.j> epilogue{c};
        multiply<T, P>(s, v, detail::k_range{0, P.k, P.k, P.k}, epilogue);
    }
};

/// The lower triangle only; the flops are those of the whole.
template <class T, product_shape P>
struct lower_triangle {
    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE static void run(const T* s, const T* v, T* c) {
        detail::store_product<T, current_config, P.j> epilogue{c};
        const auto depth = [](std::size_t i0, std::size_t i1, std::size_t, std::size_t)
                               ASHLAR_STAGE_LAMBDA { return detail::k_range{0, 0, i0, i1}; };
        multiply<T, P>(s, v, depth, epilogue);
    }
};

template <class T, product_shape P, template <class, product_shape> class Run = plainly>
void measure(const char* name) {
    buffer<T> s(P.i * P.si + P.k * P.sk + 64, T(1) / 3), v(P.k * P.vk + 64, T(1) / 5), c((P.i + 1) * (P.j + 64));
    const double flops = 2.0 * static_cast<double>(P.i * P.j * P.k);
    if (wanted && !std::strstr(name, wanted)) return;
    report<T>(name, flops, [&] { Run<T, P>::run(hidden(s.data()), hidden(v.data()), hidden(c.data())); });
    constexpr auto plan = detail::product_plan<T, current_config, cut_for<T, P>>;
    std::printf("   rows %zu (%zux%zu) vectors %zu (%zux%zu) chains %zu\n", P.i, plan.rows.large,
                plan.rows.large_blocks, plan.vectors.extent, plan.vectors.large, plan.vectors.large_blocks,
                plan.chains);
}

template <class T, detail::dot_shape P>
ASHLAR_STAGE_ROOT ASHLAR_NOINLINE void dots(const T* a, const T* b, T* out) {
    detail::store_product<T, current_config, 0> store{out};
    detail::dot_rows<T, current_config, P>(a, b, store);
}

template <class T, detail::dot_shape P>
void measure_dots(const char* name) {
    if (wanted && !std::strstr(name, wanted)) return;
    buffer<T> a(P.k, T(1) / 3), b(P.n * P.ld, T(1) / 5), out(P.n);
    report<T>(name, 2.0 * static_cast<double>(P.n * P.k),
              [&] { dots<T, P>(hidden(a.data()), hidden(b.data()), hidden(out.data())); });
    std::printf("\n");
}

template <class T, detail::transpose_shape P>
ASHLAR_NOINLINE void turn(const T* x, T* y) {
    detail::transpose_tile<T, current_config, P>(x, y);
}

/// The share of peak says little here; the time per call does.
template <class T, detail::transpose_shape P>
void measure_transpose(const char* name) {
    if (wanted && !std::strstr(name, wanted)) return;
    buffer<T> x(P.rows * P.from), y(P.cols * P.to);
    report<T>(name, static_cast<double>(P.rows * P.cols), [&] { turn<T, P>(hidden(x.data()), hidden(y.data())); });
    std::printf("\n");
}

template <std::size_t I, std::size_t J, std::size_t K>
constexpr product_shape row_major{I, J, K, K, 1, J};

template <std::size_t Keys, std::size_t Queries, std::size_t Depth>
constexpr product_shape scores{Keys, Queries, Depth, Depth, 1, Queries};

template <std::size_t Queries, std::size_t Width, std::size_t Keys>
constexpr product_shape weighted{Queries, Width, Keys, 1, Queries, Width};

}  // namespace

/// kernel_product [part of a name]
int main(int count, char** arguments) {
    if (count > 1) wanted = arguments[1];
    measure<float, row_major<64, 64, 64>>("64x64x64");
    measure<float, row_major<16, 16, 16>>("16x16x16");
    measure<float, row_major<32, 32, 32>>("32x32x32");
    measure<float, row_major<100, 100, 100>>("100x100x100");
    measure<float, row_major<128, 384, 384>>("128x384x384");
    measure<float, row_major<128, 1536, 384>>("128x1536x384");
    measure<float, row_major<128, 384, 1536>>("128x384x1536");
    measure<float, row_major<32, 384, 384>>("32x384x384");
    measure<float, row_major<128, 128, 128>>("128x128x128");
    measure<float, scores<64, 32, 64>>("scores 64 keys 32 queries 64");
    measure<float, scores<64, 16, 64>>("scores 64 keys 16 queries 64");
    measure<float, scores<64, 64, 64>>("scores 64 keys 64 queries 64");
    measure<float, scores<32, 32, 32>>("scores 32 keys 32 queries 32");
    measure<float, weighted<32, 64, 64>>("P.V 32 queries 64 wide 64");
    measure<float, weighted<64, 64, 64>>("P.V 64 queries 64 wide 64");
    measure<float, weighted<32, 32, 64>>("P.V 32 queries 32 wide 64");
    measure<float, weighted<16, 16, 16>>("P.V 16 queries 16 wide 16");
    measure<float, weighted<64, 64, 64>, excluding>("P.V excluding 64x64x64");
    measure<float, weighted<64, 64, 64>, lower_triangle>("P.V causal 64x64x64");
    measure<float, row_major<64, 67, 64>>("64x67x64");
    measure<float, row_major<1, 64, 64>>("1x64x64");
    measure<float, row_major<1, 384, 384>>("1x384x384");
    measure<float, row_major<2, 64, 64>>("2x64x64");
    measure<float, row_major<4, 64, 64>>("4x64x64");
    measure<float, row_major<6, 64, 64>>("6x64x64");
    measure<float, row_major<8, 64, 64>>("8x64x64");
    measure<float, row_major<49, 49, 32>>("49x49x32");
    measure<float, row_major<17, 17, 16>>("17x17x16");
    measure<float, row_major<7, 13, 19>>("7x13x19");
    measure<float, row_major<4, 4, 4>>("4x4x4");
    measure_dots<float, detail::dot_shape{64, 64, 64}>("dots 64 rows of 64");
    measure_dots<float, detail::dot_shape{1024, 64, 64}>("dots 1024 rows of 64");
    measure_dots<float, detail::dot_shape{64, 384, 384}>("dots 64 rows of 384");
    measure_dots<float, detail::dot_shape{50, 24, 24}>("dots 50 rows of 24");
    measure_transpose<float, detail::transpose_shape{64, 64, 64, 64}>("transpose 64x64");
    measure_transpose<float, detail::transpose_shape{16, 16, 16, 16}>("transpose 16x16");
    measure_transpose<float, detail::transpose_shape{50, 24, 24, 64, true}>("transpose 50x24");
    measure<double, row_major<64, 64, 64>>("double 64x64x64");
    measure<double, row_major<100, 100, 100>>("double 100x100x100");
}
