// SPDX-License-Identifier: BSL-1.0
// Plans are what the planner makes when it runs, too: g++ 12 loses defaults of members in constant expressions where
// only some members of an element of an array are assigned, from the second evaluation of a function on.
#include <cstdio>
#include <cstring>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
using detail::axis_list;

#if defined(__GNUC__) && !defined(__clang__)
template <class T>
static bool same(const T* constants, const T* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        T a = constants[i], b = values[i];
        __builtin_clear_padding(&a);
        __builtin_clear_padding(&b);
        if (std::memcmp(&a, &b, sizeof(T)) != 0) return false;
    }
    return true;
}

static int failures = 0;

template <class Expression, axis_list Strides>
static void check_plan(const char* name) {
    using planned = detail::planned<Expression, current_config, Strides>;
    constexpr std::size_t count = planned::count;
    constexpr const auto& code = planned::code;
    const auto made = [](std::size_t rows) {
        return detail::make_program<count, typename planned::graph_type>(planned::nodes.data(), planned::target,
                                                                         Strides, rows, detail::limited_tiles::none);
    };
    auto again = made(detail::tall_tile_rows);
    if (again.tile_bytes > planned::target.l2_bytes)
        if (const auto flat = made(detail::flat_tile_rows); flat.tile_bytes <= planned::target.l2_bytes) again = flat;
    again.run([](detail::program& plan) {
        detail::choose(plan, planned::nodes.data(), planned::target);
        if (detail::add_tables(plan, planned::nodes.data(), planned::target)) detail::schedule(plan);
    });
    const bool counts = code.loop_count == again.loop_count && code.buffer_count == again.buffer_count &&
                        code.stage_count == again.stage_count && code.item_count == again.item_count &&
                        code.fusion_count == again.fusion_count && code.scratch_bytes == again.scratch_bytes &&
                        code.tile_bytes == again.tile_bytes;
    const bool arrays =
        counts && same(code.loops, again.loops, code.loop_count) &&
        same(code.buffers, again.buffers, code.buffer_count) && same(code.stages, again.stages, code.stage_count) &&
        same(code.items, again.items, code.item_count) && same(code.fusions, again.fusions, code.fusion_count) &&
        same(code.reads, again.reads, code.stage_count * count);
    if (arrays) return;
    std::printf("FAILED: %s: its plan is another than the planner makes at run time\n", name);
    ++failures;
}

/// The plans for a dense destination, and for one whose columns are contiguous.
template <class Expression>
static void check(const char* name, const Expression&) {
    constexpr axis_list dense = detail::row_major<Expression>();
    constexpr axis_list turned = [] {
        axis_list strides{};
        std::ptrdiff_t step = 1;
        for (std::size_t a = 0; a < Expression::shape_type::rank; ++a) {
            strides[a] = step;
            step *= static_cast<std::ptrdiff_t>(Expression::shape_type::extents[a]);
        }
        return detail::spelled_out(strides);
    }();
    check_plan<Expression, dense>(name);
    check_plan<Expression, turned>(name);
}
#define CHECK(...) check(#__VA_ARGS__, __VA_ARGS__)

int main() {
    static tensor<float, 20, 24> q{}, k{}, v{};
    static tensor<float, 33, 40> x{}, y{};
    static tensor<float, 40, 40> w{};
    static tensor<float, 40> g{}, b{};
    static tensor<float, 3, 4, 20, 16> heads{};
    static tensor<float, 8, 8, 4> stack{};
    static tensor<float, 4, 15> narrow{};
    static tensor<float, 15, 12> wide{};
    static packed<float, 40, 40> weights{};
    CHECK(attention(q, k, v));
    CHECK(attention(q, k, v, causal));
    CHECK(attention(q, k, v, keys_below(11)));
    CHECK(attention(heads, heads, heads, sliding_window<5, 0>));
    CHECK(min<1>(matmul(matmul(stack, narrow), wide)));
    CHECK(max<1>(matmul(matmul(stack, narrow), wide)));
    CHECK(matmul(x, w));
    CHECK(matmul(x, transpose(w)));
    CHECK(matmul(x, weights) + b);
    CHECK(gelu(matmul(x, w) + b) * x);
    CHECK(matmul(gelu(matmul(x, weights) + b), weights) + x);
    CHECK(layer_norm(x + matmul(y, w), g, b));
    CHECK(softmax(x * 0.5f));
    CHECK(log_softmax(x + y));
    CHECK(sum<0>(x * y));
    CHECK(transpose(x) + transpose(y));
    CHECK(reshape<40, 33>(x * y));
    CHECK(matmul(reshape<33, 10, 4>(x * y), narrow) * 2.0f);
    CHECK(let(softmax(x), [](auto p) { return matmul(p, transpose(p)); }));
    CHECK(let(x * y, [](auto t) { return t + flip<0>(t); }));
    std::printf("%d of 40 plans are wrong\n", failures);
    return failures == 0 ? 0 : 1;
}
#else
int main() { std::puts("nothing to compare: this compiler cannot clear padding"); }
#endif
