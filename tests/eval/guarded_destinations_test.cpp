// SPDX-License-Identifier: BSL-1.0
// Expressions by destinations, apart from and over what is read: workspaces of exactly workspace_bytes_into between
// guards, elements that are nobody's destination unchanged, values those of an evaluation node by node.
#include <array>
#include <cstring>
#include <vector>

#include <tests/support/random.hpp>
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

template <std::size_t Bytes>
struct guarded_workspace {
    static constexpr std::byte mark{0xA5};
    alignas(64) std::byte before[4096];
    workspace<Bytes> scratch;
    std::byte behind[16384];

    guarded_workspace() {
        std::memset(static_cast<void*>(this), 0xff, sizeof *this);
        std::memset(before, 0xA5, sizeof before);
        std::memset(behind, 0xA5, sizeof behind);
    }
    std::size_t overwritten() const {
        std::size_t count = 0;
        for (const std::byte b : before) count += b != mark;
        for (const std::byte b : behind) count += b != mark;
        return count;
    }
};

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
        static guarded_workspace<bytes> guarded;
        guarded = {};
        evaluate(destination, e, guarded.scratch);
        EXPECT_EQ(guarded.overwritten(), 0u)
            << "of a workspace of " << bytes << " bytes, " << distance << " behind the input";
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
TEST_F(guarded_destinations, softmax_of_rows) {
    const auto make = [](auto x) { return softmax(x); };
    everywhere<dense>(make);
    everywhere<wide_rows>(make);
}
TEST_F(guarded_destinations, softmax_of_columns) {
    const auto make = [](auto x) { return softmax(transpose(x)); };
    everywhere<dense>(make);
    everywhere<transposed>(make);
    everywhere<stepped>(make);
}
TEST_F(guarded_destinations, product) {
    const auto make = [this](auto x) { return matmul(x, w); };
    everywhere<dense>(make);
    everywhere<stepped>(make);
}
TEST_F(guarded_destinations, transposed_product) {
    const auto make = [this](auto x) { return transpose(matmul(x, w)); };
    everywhere<dense>(make);
    everywhere<transposed>(make);
}
TEST_F(guarded_destinations, attention) {
    const auto make = [](auto x) { return attention(x, x, x, causal); };
    everywhere<dense>(make);
    everywhere<transposed>(make);
    everywhere<wide_rows>(make);
}
TEST_F(guarded_destinations, reduction) {
    const auto make = [](auto x) { return x - mean<0>(x) * sum(x); };
    everywhere<dense>(make);
    everywhere<transposed>(make);
}
TEST_F(guarded_destinations, join) {
    const auto make = [](auto x) { return concat<0>(slice<0, 9, 37>(x) * 2.0f, slice<0, 0, 9>(x)); };
    everywhere<dense>(make);
    everywhere<stepped>(make);
}

}  // namespace
