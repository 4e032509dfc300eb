// SPDX-License-Identifier: BSL-1.0
// einsum: which operations it becomes, names and shapes, and values against loops over all labels.
#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

inline constexpr axis<"batch", 6> batch;
inline constexpr axis<"row", 2> row_axis;
inline constexpr axis<"key", 4> key;
inline constexpr axis<"head", 3> head;

// Small integers, so that sums in any order are exact.
template <std::size_t Seed, auto... Dims>
constexpr tensor<float, Dims...> numbers() {
    tensor<float, Dims...> t{};
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = static_cast<float>((i * 7 + Seed * 5) % 11) - 5.0f;
    return t;
}

constexpr auto ij = numbers<1, 2, 3>();
constexpr auto kj = numbers<2, 4, 3>();
constexpr auto jj = numbers<3, 3, 3>();
constexpr auto bij = numbers<4, 6, 2, 3>();
constexpr auto bkj = numbers<5, 6, 4, 3>();
constexpr auto jjk = numbers<6, 3, 3, 4>();
constexpr auto i1 = numbers<8, 2>();
constexpr auto j1 = numbers<9, 3>();

template <class E, auto... Dims>
constexpr bool has_dims = std::is_same_v<shape_of<E>, typename tensor<float, Dims...>::shape_type>;
template <class E>
constexpr node_kind kind = detail::kind_of<E>;

// Sums over shared labels are matrix products, with no transpose of the result; without them products are elementwise.
static_assert(kind<decltype(einsum<"ij,kj->ik">(ij, kj))> == node_kind::matmul);
static_assert(kind<decltype(einsum<"ij,kj->ki">(ij, kj))> == node_kind::matmul);
static_assert(kind<decltype(einsum<"bij,bkj->bik">(bij, bkj))> == node_kind::matmul);
static_assert(kind<decltype(einsum<"i,j">(i1, j1))> == node_kind::map);
static_assert(kind<decltype(einsum<"bij,ij->bij">(bij, ij))> == node_kind::map);
// A permutation or a diagonal of a tensor is a view of it.
static_assert(array_expression<decltype(einsum<"ij->ji">(ij))> && array_expression<decltype(einsum<"jj->j">(jj))>);
// Without -> the labels that occur once, in alphabetical order.
static_assert(has_dims<decltype(einsum<"ba,ca">(ij, kj)), 2, 4> && has_dims<decltype(einsum<"ca,ba">(ij, kj)), 4, 2>);
static_assert(has_dims<decltype(einsum<"jj">(jj))> && has_dims<decltype(einsum<"aB">(ij)), 3, 2>);
// Names travel, also where an anonymous axis has the same label, and through merged axes.
static_assert(has_dims<decltype(einsum<"bij,bkj->bik">(numbers<1, 6, row_axis, head>(), numbers<2, batch, key, 3>())),
                       batch, row_axis, key>);
static_assert(has_dims<decltype(einsum<"bij,kj->kib">(numbers<1, batch, row_axis, head>(), kj)), 4, row_axis, batch>);
static_assert(has_dims<decltype(einsum<"jj->j">(numbers<1, head, head>())), head>);

// The value of one element by a loop over every label, straight from the definition.
struct operand {
    std::string_view labels;
    const float* data;
    const std::size_t* extents;
};
template <std::size_t N, std::size_t Rank>
double element(const std::array<operand, N>& operands, std::string_view result,
               const std::array<std::size_t, Rank>& at) {
    std::array<std::size_t, 128> extent{}, index{};
    char others[16];
    std::size_t count = 0;
    for (const auto& o : operands)
        for (std::size_t i = 0; i < o.labels.size(); ++i) {
            const auto label = static_cast<std::size_t>(o.labels[i]);
            if (extent[label] == 0 && result.find(o.labels[i]) == result.npos) others[count++] = o.labels[i];
            extent[label] = o.extents[i];
        }
    for (std::size_t i = 0; i < Rank; ++i) index[static_cast<std::size_t>(result[i])] = at[i];
    double sum = 0;
    for (bool more = true; more;) {
        double product = 1;
        for (const auto& o : operands) {
            std::size_t offset = 0;
            for (std::size_t i = 0; i < o.labels.size(); ++i)
                offset = offset * o.extents[i] + index[static_cast<std::size_t>(o.labels[i])];
            product *= static_cast<double>(o.data[offset]);
        }
        sum += product;
        more = false;
        for (std::size_t n = 0; n < count && !more; ++n) {
            const auto label = static_cast<std::size_t>(others[n]);
            more = ++index[label] < extent[label];
            if (!more) index[label] = 0;
        }
    }
    return sum;
}

// Evaluates at run time and as constants do, and compares each element with the definition.
template <fixed_string Subscripts, class... T>
void check(const T&... tensors) {
    const std::string_view text(Subscripts.text, Subscripts.size());
    const auto arrow = text.find("->");
    std::array<operand, sizeof...(T)> operands{operand{{}, tensors.data(), T::extents.data()}...};
    std::size_t start = 0;
    for (auto& o : operands) {
        const auto end = std::min(text.find(',', start), arrow);
        o.labels = text.substr(start, end - start);
        start = end + 1;
    }
    const auto e = einsum<Subscripts>(tensors...);
    const auto values = eval(e);
    const auto constants = detail::constant_evaluate(e);
    using shape_type = shape_of<decltype(e)>;
    for (std::size_t i = 0; i < shape_type::size; ++i) {
        const double expected =
            element(operands, text.substr(arrow + 2), detail::coordinates_of_element<shape_type>(i));
        EXPECT_EQ(static_cast<double>(values.data()[i]), expected) << text << " element " << i;
        EXPECT_EQ(static_cast<double>(constants.data()[i]), expected) << text << " constant element " << i;
    }
}

TEST(einsum, one_operand) {
    check<"ij->ji">(ij);
    check<"ij->i">(ij);
    check<"ij->">(ij);
    check<"jj->j">(jj);
    check<"jjk->kj">(jjk);
    check<"jjj->j">(numbers<3, 3, 3, 3>());
    check<"bij->jb">(bij);
}

TEST(einsum, two_operands) {
    check<"ij,kj->ik">(ij, kj);
    check<"ij,kj->ki">(ij, kj);
    check<"ij,kj->ikj">(ij, kj);
    check<"ij,j->i">(ij, j1);
    check<"j,j->">(j1, j1);
    check<"bij,bkj->kbi">(bij, bkj);
    check<"bij,ij->b">(bij, ij);
    check<"bij,bkj->ik">(bij, bkj);
    check<"jjk,ij->ik">(jjk, ij);
}

TEST(einsum, three_operands) {
    check<"ij,jl,kj->ilk">(ij, jj, kj);
    check<"bij,bkj,kl->bil">(bij, bkj, numbers<5, 4, 2>());
    check<"ij,j,i->">(ij, j1, i1);
}

TEST(einsum, lazy_operands) {
    const auto e = einsum<"jj->">(jj + jj);
    EXPECT_EQ(eval(e)(), 2 * eval(einsum<"jj->">(jj))());
    const auto product = eval(einsum<"ij, kj -> ik">(ij * 2.0f, transpose(transpose(kj))));
    const auto expected = eval(matmul(ij, transpose(kj)));
    for (std::size_t i = 0; i < product.size(); ++i) EXPECT_EQ(product.data()[i], 2 * expected.data()[i]);
}

constexpr tensor<float> trace = einsum<"jj->">(jj);
static_assert(trace() == jj(0, 0) + jj(1, 1) + jj(2, 2));

}  // namespace
