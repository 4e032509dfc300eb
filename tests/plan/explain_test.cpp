// SPDX-License-Identifier: BSL-1.0
// explain(e): what the text says, and that it is a constant of at most 100 columns.
#include <string_view>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/machines.hpp"

namespace {

using namespace ashlar;

inline constexpr axis<"seq", 64> seq;
inline constexpr axis<"head", 32> head;
inline constexpr axis<"heads", 8> heads;
inline constexpr axis<"batch", 4> batch;

template <auto... Dims>
tensor<float, Dims...> x{};

/// Whether the text has the parts, in this order.
template <class Text, class... Parts>
testing::AssertionResult says(const Text& text, const Parts&... parts) {
    const std::string_view view(text.data(), text.size());
    std::size_t from = 0;
    for (const std::string_view part : {std::string_view(parts)...}) {
        const std::size_t found = view.find(part, from);
        if (found == std::string_view::npos)
            return testing::AssertionFailure() << "no \"" << part << "\" here:\n" << view.substr(from);
        from = found + part.size();
    }
    std::size_t column = 0;
    for (const char c : view) {
        column = c == '\n' ? 0 : column + 1;
        if (column > 100) return testing::AssertionFailure() << "more than 100 columns:\n" << view;
    }
    return testing::AssertionSuccess();
}

TEST(explain, attention) {
    EXPECT_TRUE(says(explain(attention(x<seq, head>, x<seq, head>, x<seq, head>, causal)),
                     "plan of float [seq 64, head 32]: 1 step, 278,720 flops", "reads a [seq 64, head 32]",
                     "b [head 32, seq 64] by columns, c [seq 64, head 32]", "step 1: 278,720 flops", "the result",
                     "for every 32 of 64 rows (seq)", " = a * s * log2(e)", "product", "[seq 32, seq 64]",
                     "then masked(causal)", "of 8 tiles of 32 x 16 keys: 2 skipped, 4 masked, 2 full", "softmax",
                     "= exp2(", "in place of", "1 / sum", "result = matmul("));
    EXPECT_TRUE(says(explain(attention(x<seq, head>, x<seq, head>, x<seq, head>, causal && !keys_below(3))),
                     "masked(causal && !keys_below(n))", "2 skipped, 6 decided at run time"));
    EXPECT_TRUE(says(explain(attention(x<batch, seq, head>, x<batch, seq, head>, x<batch, seq, head>,
                                       causal_at(tensor<int, batch>{}))),
                     "masked(causal_at(t))"));
}
TEST(explain, queries_that_are_a_loop) {
    EXPECT_TRUE(says(explain(unsqueeze<1>(attention(x<40, 4>, x<40, 4>, x<40, 2>, causal)) + x<40, 3, 2>),
                     "for each of 40", "of 120 tiles of 1 x 16 keys: 48 skipped, 37 masked, 35 full"));
    EXPECT_TRUE(
        says(explain(sum<0>(where(keys_below(7), x<40, 8>, 0.0f))), "registers without a kept element are not loaded"));
}
TEST(explain, barriers) {
    const auto project = [](const auto& e) { return matmul(e, x<32, 32>); };
    EXPECT_TRUE(
        says(explain(attention(project(x<batch, seq, 32>), project(x<batch, seq, 32>), project(x<batch, seq, 32>))),
             "2 steps", "step 1: ", "no scratch, 2 values for later steps (16 KiB)", "for each of 4 (batch)",
             "for all 64 rows (seq)", "t1 = matmul(", "t2 = matmul(", "step 2: ", "for each of 4 (batch)",
             "for every 32 of 64 rows (seq)", "result = matmul("));
}
TEST(explain, loops_inside_a_tile) {
    const auto split = [](const auto& e) { return permute<1, 0, 2>(reshape<seq, heads, 4>(e)); };
    const auto e =
        matmul(reshape<seq, 32>(permute<1, 0, 2>(attention(split(x<seq, 32>), split(x<seq, 32>), split(x<seq, 32>)))),
               x<32, 32>);
    EXPECT_TRUE(says(explain(e), "1 step", "for every 32 of 64 rows (seq)", "for each of 8 (heads)",
                     "result = matmul(reshape(permute("));
}
TEST(explain, elementwise) {
    EXPECT_TRUE(says(explain(where(x<7, 5> > 0.0f, gelu(x<7, 5> + x<5>), -x<7, 5>)), "no scratch", "for all 7 rows",
                     "map", "result = where(a > s, gelu(b + c), -d)", "[7, 5]"));
    EXPECT_TRUE(says(explain(matmul(gelu(matmul(x<100, 64>, x<64, 256>) + x<256>), x<256, 64>)),
                     "for every 32 of 100 rows, 4 at the end", "t1 = matmul(a, b)", "then + c, gelu",
                     "result = matmul(t1, d)"));
    EXPECT_TRUE(says(explain(layer_norm(x<64, 16>, x<16>, x<16>, 1e-5f)), "norm", "= mean(a)", "1 / deviation(a)",
                     "result = "));
    EXPECT_TRUE(says(explain(store(x<64, 16>, exp(x<64, 16>)) * 2.0f), "1 store", "t1 = exp(a)", "store = t1",
                     "result = t1 * s"));
    EXPECT_TRUE(says(explain(x<3>), "a tensor"));
}
TEST(explain, is_a_constant) {
    static constexpr tensor<float, 3> a{1, 2, 3};
    static constexpr auto text = explain(a + a);
    static_assert(text.contains("result = a + b") && !text.contains("matmul") && text.size() == text.capacity());
    static_assert(text.c_str()[text.size()] == '\0' &&
                  text.end() - text.begin() == static_cast<std::ptrdiff_t>(text.size()));
    EXPECT_EQ(std::string_view(text.c_str()), std::string_view(text.data(), text.size()));
}

TEST(fixed_text, writer) {
    constexpr auto written = [] {
        detail::text_writer<300> out;
        out.indent = 2;
        out.put(std::size_t{1234567}, ' ', detail::byte_count{2048}, ' ', detail::byte_count{1000}, ' ');
        out.put_signed(-5);
        out.put('\n');
        for (int i = 0; i < 25; ++i) out.put("word ");
        return out.text;
    }();
    EXPECT_TRUE(says(written, "1,234,567 2 KiB 1,000 B -5\nword", "\n  word"));
}
TEST(fixed_text, overflow_is_cut_off) {
    detail::text_writer<4> out;
    out.put("abcdef");
    EXPECT_EQ(std::string_view(out.text.c_str()), "abcd");
}

TEST(explain, last_tiles_that_run_otherwise) {
    using support::machines::avx2, support::machines::avx512;
    const auto text = [](const auto& e) { return explain<std::remove_cvref_t<decltype(e)>, avx512>(e); };
    const auto of_16 = [](const auto& e) { return explain<std::remove_cvref_t<decltype(e)>, avx2>(e); };
    const auto hidden = [](const auto& rows) { return gelu(matmul(rows, x<512, 512>)); };
    // 32 rows and 3 more, too few to hide work between the multiply-adds.
    EXPECT_TRUE(says(of_16(matmul(hidden(x<35, 512>), x<512, 512>)), "when a block is stored, but in the last tile\n"));
    EXPECT_TRUE(says(of_16(matmul(hidden(x<36, 512>), x<512, 512>)), "when a block is stored\n"));
    EXPECT_TRUE(says(text(matmul(hidden(x<35, 512>), x<512, 512>)), "prefetched, but in the last tile\n",
                     "prefetched, but in the last tile\n"));
    EXPECT_TRUE(says(text(matmul(hidden(x<40, 512>), x<512, 512>)), "prefetched\n"));
    EXPECT_TRUE(says(text(matmul(matmul(x<38, 4096>, x<4096, 512>), x<512, 512>)),
                     "the depth in 7 parts, the next columns prefetched, but in the last tile\n",
                     "the depth in 8 parts, the next columns prefetched, in the last tile\n"));
}

}  // namespace
