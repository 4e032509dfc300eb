// SPDX-License-Identifier: BSL-1.0
// Expressions by destinations, apart from and over what is read: workspaces of exactly workspace_bytes_into between
// guards, elements that are nobody's destination unchanged, values those of an evaluation node by node.
#include <array>
#include <vector>

#include <tests/support/executors.hpp>
#include <tests/support/reference.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
using reference::expect_near;
using reference::of;

// Two tiles of rows, the second of them short, and rows that end within a register.
constexpr std::size_t n = 37;
constexpr std::ptrdiff_t line = n, room = 10240, start = 2048;

template <std::ptrdiff_t Row, std::ptrdiff_t Column>
using strided = strided_view<float, std::array<std::ptrdiff_t, 2>{Row, Column}, n, n>;
using dense = tensor_view<float, n, n>;
using transposed = strided<1, line>;
using wide_rows = strided<line + 4, 1>;
using stepped = strided<2 * line + 3, 2>;
using input = tensor_view<const float, n, n>;

class guarded_destinations : public testing::Test {
protected:
    guarded_destinations() {
        support::random_numbers random(1);
        w = random.normal<float, n, n>();
        memory = random.normal<float, static_cast<std::size_t>(room)>();
    }

    /// make(x) into a destination that begins so many elements behind x.
    template <class Destination, class Make>
    void evaluate_at(std::ptrdiff_t distance, const Make& make) {
        auto arena = memory;
        const auto e = make(input(arena.data() + start));
        using E = std::remove_const_t<decltype(e)>;
        constexpr std::size_t bytes = workspace_bytes_into<Destination, E>;
        static_assert(!detail::is_dense<Destination> || bytes == workspace_bytes<E>);
        static_assert(bytes >= workspace_bytes<E>, "an overlap takes the plan for a dense copy");
        const auto expected = of(detail::constant_evaluate(e));
        const Destination destination(arena.data() + start + distance);
        static support::guarded_workspace<bytes, 16384> guarded;
        guarded = {};
        evaluate(destination, e, guarded.scratch);
        EXPECT_TRUE(guarded.is_whole()) << "a workspace of " << bytes << " bytes, " << distance << " behind the input";
        expect_near(destination, expected, 1e-5);

        std::vector<bool> written(static_cast<std::size_t>(room));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                written[static_cast<std::size_t>(&destination(i, j) - arena.data())] = true;
        for (std::size_t i = 0; i < static_cast<std::size_t>(room); ++i)
            if (!written[i] && arena.elements[i] != memory.elements[i]) {
                ADD_FAILURE() << "element " << i << " is not the destination's, " << distance << " behind the input";
                return;
            }
    }
    template <class Destination, class Make>
    void everywhere(const Make& make) {
        const std::ptrdiff_t one = 1;
        for (const std::ptrdiff_t distance : {0 * one, one, line, -5 * one, -3 * line, 2 * line * line})
            evaluate_at<Destination>(distance, make);
    }

    tensor<float, n, n> w;
    tensor<float, static_cast<std::size_t>(room)> memory;
};

TEST_F(guarded_destinations, elementwise) {
    const auto make = [](auto x) { return exp(x) + transpose(x); };
    everywhere<dense>(make);
    everywhere<transposed>(make);
}
TEST_F(guarded_destinations, softmaxes) {
    everywhere<dense>([](auto x) { return softmax(x); });
    everywhere<wide_rows>([](auto x) { return softmax(x); });
    everywhere<stepped>([](auto x) { return softmax(transpose(x)); });
}
TEST_F(guarded_destinations, products) {
    everywhere<dense>([this](auto x) { return matmul(x, w); });
    everywhere<stepped>([this](auto x) { return matmul(x, w); });
    everywhere<transposed>([this](auto x) { return transpose(matmul(x, w)); });
}
TEST_F(guarded_destinations, attention) {
    everywhere<wide_rows>([](auto x) { return attention(x, x, x, causal); });
}
TEST_F(guarded_destinations, reduction) {
    everywhere<transposed>([](auto x) { return x - mean<0>(x) * sum(x); });
}
TEST_F(guarded_destinations, join) {
    everywhere<stepped>([](auto x) { return concat<0>(slice<0, 9, 37>(x) * 2.0f, slice<0, 0, 9>(x)); });
}

}  // namespace
