// SPDX-License-Identifier: BSL-1.0
// mdspans of tensors and views, and views of mdspans: shapes and layouts in types, elements where they lie, refusals at
// run time. A program of its own, since the standard library of the other tests has no std::mdspan: of std::mdspan by
// libc++, or of Kokkos' header where that is there.
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/ashlar.hpp>
#include <ashlar/interop/mdspan.hpp>

#include "../checks.hpp"

#if !defined(__cpp_lib_mdspan) && !defined(MDSPAN_IMPL_STANDARD_NAMESPACE)
int main() { return skipped("no std::mdspan, and no <mdspan/mdspan.hpp>"); }
#else
using namespace ashlar;
namespace md = ashlar::detail::mdspan_library;

namespace {

inline constexpr axis<"seq", 3> seq;
using size = std::size_t;
template <size... Extents>
using extents = md::extents<size, Extents...>;
using row_major = md::mdspan<float, extents<3, 4>>;
using column_major = md::mdspan<float, extents<3, 4>, md::layout_left>;
inline constexpr size any = md::dynamic_extent;

// Types of mdspans.
tensor<float, seq, 4> t = iota<float, 3, 4>();
const tensor<float, 3, 4>& constant = t;
tensor<float, 2, 3, 4> cube = iota<float, 2, 3, 4>();
static_assert(std::is_same_v<decltype(mdspan_of(t)), row_major>);
static_assert(std::is_same_v<decltype(mdspan_of(constant)), md::mdspan<const float, extents<3, 4>>>);
static_assert(std::is_same_v<decltype(mdspan_of(transpose(t))), md::mdspan<float, extents<4, 3>, md::layout_left>>);
static_assert(
    std::is_same_v<decltype(mdspan_of(slice<1, 0, 2>(t))), md::mdspan<float, extents<3, 2>, md::layout_stride>>);
static_assert(std::is_same_v<decltype(mdspan_of(permute<1, 0, 2>(cube)))::layout_type, md::layout_stride>);
static_assert(std::is_same_v<decltype(mdspan_of(permute<2, 1, 0>(cube)))::layout_type, md::layout_left>);
static_assert(std::is_same_v<decltype(mdspan_of(t[0])), md::mdspan<float, extents<4>>>);
template <class Given>
concept has_mdspan = requires { mdspan_of(std::declval<Given>()); };
static_assert(!has_mdspan<tensor<float, 3, 4>>, "a temporary would dangle");
static_assert(has_mdspan<tensor_view<float, 3, 4>>);

// Types of views.
static_assert(std::is_same_v<decltype(view_of(std::declval<row_major>())), tensor_view<float, 3, 4>>);
static_assert(decltype(view_of(std::declval<column_major>()))::strides == std::array<std::ptrdiff_t, 2>{1, 3});
static_assert(std::is_same_v<decltype(view_of<seq, 4>(std::declval<row_major>())), tensor_view<float, seq, 4>>);
template <class Given>
concept has_view = requires { view_of(std::declval<Given>()); };

/// An accessor that computes is not memory that a view could read.
struct negated {
    using element_type = float;
    using reference = float;
    using data_handle_type = float*;
    using offset_policy = negated;

    constexpr float access(float* p, size i) const { return -p[i]; }
    constexpr float* offset(float* p, size i) const { return p + i; }
};
static_assert(!has_view<md::mdspan<float, extents<3, 4>, md::layout_right, negated>>);

/// Whether an mdspan and an array have the same elements at the same addresses.
template <class Span, class Array>
constexpr bool same_elements(const Span& m, const Array& a) {
    if (m.rank() != Array::rank) return false;
    for (size i = 0; i < Array::extents[0]; ++i)
        for (size j = 0; j < Array::extents[1]; ++j) {
            const auto offset = m.mapping()(i, j);
            if (m.data_handle() + offset != &a(i, j)) return false;
        }
    return true;
}

void there_and_back() {
    check("row-major", same_elements(mdspan_of(t), t) && view_of(mdspan_of(t)).data() == t.data());
    auto turned = transpose(t);
    check("column-major", same_elements(mdspan_of(turned), turned));
    check("column-major and back", all(view_of(mdspan_of(turned)) == turned));
    auto part = slice<1, 1, 4, 2>(t);
    check("strided", same_elements(mdspan_of(part), part));
    constexpr std::array<std::ptrdiff_t, 2> strides{4, 2};
    auto again = strided_view_of<strides, 3, 2>(mdspan_of(part));
    check("strided and back", again.data() == part.data() && all(again == part));
    static_assert(std::is_same_v<decltype(again)::shape_type, shape<size{3}, size{2}>>);
    // What is written through one is seen through the other.
    view_of(mdspan_of(t)) = full<float, 3, 4>(7);
    check("writes", t(2, 3) == 7);
    t = iota<float, 3, 4>();
    // A leading extent of 1 has any stride.
    auto first = slice<0, 0, 1>(cube);
    check("extent of one", view_of(mdspan_of(first)).data() == cube.data());
    check("expressions", all(eval(view_of(mdspan_of(t)) + 1.0f) == t + 1.0f));
}

void without_axes() {
    tensor<float> one{7.0f};
    auto m = mdspan_of(one);
    static_assert(m.rank() == 0);
    static_assert(std::is_same_v<decltype(view_of(m)), tensor_view<float>>);
    check("without axes", view_of(m).data() == one.data());
    constexpr std::array<std::ptrdiff_t, 0> none{};
    const auto again = try_strided_view_of<none>(m);
    check("strides without axes", again && again->data() == one.data());
}

void shapes_at_run_time() {
    md::mdspan<float, extents<any, any>> m(t.data(), 3, 4);
    check("of this shape", try_view_of<3, 4>(m).has_value() && view_of<seq, 4>(m).data() == t.data());
    check("of another shape", !try_view_of<4, 3>(m) && !try_view_of<3, 5>(m));
    md::mdspan<float, extents<any, 4>, md::layout_left> left(t.data(), 3);
    const auto columns = try_view_of<3, 4>(left);
    check("column-major at run time", columns && columns->strides[1] == 3);
    check("another number of columns", !try_view_of<2, 4>(left));
    using stride = md::layout_stride::mapping<extents<any, 4>>;
    md::mdspan<float, extents<any, 4>, md::layout_stride> gaps(cube.data(),
                                                               stride(extents<any, 4>(2), std::array<size, 2>{12, 1}));
    constexpr std::array<std::ptrdiff_t, 2> right{12, 1}, wrong{4, 1};
    check("strides", try_strided_view_of<right, 2, 4>(gaps).has_value());
    check("other strides", !try_strided_view_of<wrong, 2, 4>(gaps));
    check("other extents", !try_strided_view_of<right, 1, 4>(gaps));
}

constexpr bool constant_evaluation() {
    tensor<int, 2, 2> a{{1, 2}, {3, 4}};
    auto m = mdspan_of(a);
    view_of(m)(0, 1) = 5;
    return a(0, 1) == 5 && try_view_of<2, 2>(m).has_value();
}
static_assert(constant_evaluation());

}  // namespace

int main() {
    there_and_back();
    without_axes();
    shapes_at_run_time();
    return report();
}
#endif
