// SPDX-License-Identifier: BSL-1.0
// Reductions, and other stages row by row, do not read memory if a condition or a mask chooses none of its elements.
// That memory may have no pages.
#include <limits>

#include <tests/support/differential.hpp>

#if __has_include(<sys/mman.h>) && __has_include(<unistd.h>)
#include <sys/mman.h>
#include <unistd.h>
#define HAS_GUARD_PAGES 1
#else
#define HAS_GUARD_PAGES 0
#endif

namespace {

using namespace ashlar;

/// A matrix whose first Kept elements can be read. Behind them begin pages that the process may not touch.
template <class T, std::size_t Rows, std::size_t Columns, std::size_t Kept>
class half_there {
public:
    half_there() {
        static_assert(Kept <= Rows * Columns);
#if HAS_GUARD_PAGES
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const auto pages = [&](std::size_t count) { return (count * sizeof(T) + page - 1) / page * page; };
        bytes = pages(Kept) + pages(Rows * Columns - Kept) + page;
        base =
            static_cast<std::byte*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        std::byte* const end = base + pages(Kept);
        mprotect(end, bytes - pages(Kept), PROT_NONE);
        first = reinterpret_cast<T*>(end) - Kept;
#else
        first = elements;
#endif
        support::random_numbers random(Kept);
        for (std::size_t i = 0; i < Kept; ++i) first[i] = whole.data()[i] = static_cast<T>(random.normal_number());
    }
#if HAS_GUARD_PAGES
    ~half_there() { munmap(base, bytes); }
#endif
    half_there(const half_there&) = delete;
    half_there& operator=(const half_there&) = delete;

    /// f of the matrix that is not all there, against f of one with zeros.
    void check(const auto& f, double tolerance = 1e-5) const {
        const tensor_view<const T, Rows, Columns> part(first);
        const auto says = explain(f(part));
        EXPECT_TRUE(says.contains("are not loaded")) << says.c_str();
        support::check(f(part), reference::of(ashlar::detail::constant_evaluate(f(whole))), tolerance);
    }

private:
    tensor<T, Rows, Columns> whole{};
    T* first;
#if HAS_GUARD_PAGES
    std::byte* base;
    std::size_t bytes;
#else
    T elements[Rows * Columns]{};
#endif
};

template <std::size_t Size, std::size_t Kept>
constexpr auto first_of = generate<bool, Size>([](auto i) { return i < Kept; });

/// Rows end inside a register, so that the last of the first rows ends where memory does.
TEST(conditional_loads, rows_that_are_not_kept) {
    const half_there<float, 33, 37, 12 * 37> x;
    static constexpr auto present = first_of<33, 12>;
    const auto rows = unsqueeze<1>(present);
    x.check([](const auto& e) { return masked_mean<0>(e, keys_below(12)); });
    x.check([&](const auto& e) { return masked_mean<0>(e, present); });
    x.check([&](const auto& e) { return sum<0>(where(rows, e, 0.0f)); });
    x.check([&](const auto& e) { return sum<1>(where(!rows, 0.0f, e * 2.0f)); });
    x.check([&](const auto& e) { return mean<1>(masked_fill(e, !keep(rows), 0.0f)); });
    x.check([&](const auto& e) { return max<1>(max<>(masked(e, keep(rows)), -9.0f)); });
    x.check([](const auto& e) { return sum(where(index<0>(e) < 12, e, 0.0f)); });
    x.check([&](const auto& e) { return argmax<0>(where(rows, e, -9.0f)); }, 0);
    x.check([&](const auto& e) { return argmax<1>(masked(e, keep(rows))); }, 0);
    x.check([&](const auto& e) { return variance<0>(where(rows, e, 0.0f)); });
    x.check([&](const auto& e) { return logsumexp<0>(masked(e, keep(rows))); });
    x.check([&](const auto& e) { return any<1>(where(rows, e > 0.0f, false)); }, 0);
    x.check([&](const auto& e) { return variance(where(rows, e, 1.0f)); });
}

/// Elementwise stages, copies for products, and second passes over rows, where a row is chosen as a whole.
TEST(conditional_loads, rows_of_elementwise_stages) {
    const half_there<float, 33, 40, 16 * 40> x;
    const auto w = support::random_numbers(2).normal<float, 40, 16>();
    const auto rows = unsqueeze<1>(first_of<33, 16>);
    x.check([&](const auto& e) { return where(!rows, 2.0f, e * 3.0f); });
    x.check([&](const auto& e) { return where(index<0>(rows) < 16, e, 1.0f); });
    x.check([&](const auto& e) { return transpose(where(rows, e, 0.0f)); });
    x.check([&](const auto& e) { return matmul(where(rows, e, 0.0f), w); });
    x.check([&](const auto& e) { return softmax<1>(where(rows, e, 0.0f)); });
    x.check([&](const auto& e) { return layer_norm(where(rows, e, 0.0f)); });
}

/// The first columns of one row, in whole registers of them.
TEST(conditional_loads, columns_that_are_not_kept) {
    const half_there<float, 1, 100, 32> x;
    x.check([](const auto& e) { return masked_mean<1>(e, keys_below(32)); });
    x.check([](const auto& e) { return sum<1>(where(first_of<100, 32>, e, 0.0f)); });
    x.check([](const auto& e) { return sum<0>(masked_fill(e, !keys_below(32), 0.0f)); });
    x.check([](const auto& e) { return logsumexp<1>(masked(e, causal_at(31))); });
}

/// Both values, each read where it is chosen.
TEST(conditional_loads, of_two_matrices) {
    const half_there<float, 20, 16, 8 * 16> x;
    const auto y = support::random_numbers(1).normal<float, 20, 16>();
    const auto rows = unsqueeze<1>(first_of<20, 8>);
    x.check([&](const auto& e) { return sum<0>(where(rows, e, y)); });
    x.check([&](const auto& e) { return max<1>(where(!rows, y, e)); });
}

/// What the chosen elements themselves decide is read anyway. So is what masks choose that keep the same pairs of all
/// arrays: their elements are there, and a branch costs more than a select.
TEST(conditional_loads, where_all_is_read) {
    static constexpr tensor<float, 16, 16> x{};
    const auto reads_all = [](const auto& e) { return !explain(e).contains("are not loaded"); };
    EXPECT_TRUE(reads_all(sum<0>(where(x > 0.0f, x, 0.0f))));
    EXPECT_TRUE(reads_all(max<1>(masked(x, causal))));
    EXPECT_TRUE(reads_all(softmax<1>(masked(x, sliding_window<4, 0>))));
    EXPECT_TRUE(reads_all(sum<0>(where(!causal, x, 0.0f))));
    EXPECT_FALSE(reads_all(max<1>(masked(x, causal && keys_below(8)))));
    EXPECT_FALSE(reads_all(sum<0>(where(causal || keys_below(8), x, 0.0f))));
}

}  // namespace
