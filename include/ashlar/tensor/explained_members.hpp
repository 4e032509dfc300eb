// SPDX-License-Identifier: BSL-1.0
// Members of other libraries: errors that say what to write instead.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/any_argument.hpp>
#include <ashlar/tensor/memory_range.hpp>

// Only here user macros may have the same names: T is NumPy's transposed matrix.
#pragma push_macro("T")
#undef T

namespace ashlar::inline v0_1::detail {

/// The type of `Element::size` and `x.size()`.
template <std::size_t Size>
struct element_count : std::integral_constant<std::size_t, Size> {
    using std::integral_constant<std::size_t, Size>::operator();
    void operator()(refused_call<"ashlar: member: a shape is part of the type; write x.extents[0], x.rank">) const;
};

/// A base of tensors, views and nodes, a distinct empty class for each of them, so that it takes no space. None of
/// these can be called, and `requires` finds none.
template <class Derived, class... Base>
struct explained_members : Base... {
    auto shape(...) const = delete;      // ashlar: member: a shape is part of the type; write x.extents[0], x.rank
    auto dim(...) const = delete;        // ashlar: member: a shape is part of the type; write x.extents[0], x.rank
    auto ndim(...) const = delete;       // ashlar: member: a shape is part of the type; write x.extents[0], x.rank
    auto rows(...) const = delete;       // ashlar: member: a shape is part of the type; write x.extents[0], x.rank
    auto cols(...) const = delete;       // ashlar: member: a shape is part of the type; write x.extents[0], x.rank
    auto reshape(...) const = delete;    // ashlar: member: dimensions are template arguments; write reshape<8, 4>(x)
    auto view(...) const = delete;       // ashlar: member: dimensions are template arguments; write reshape<8, 4>(x)
    auto flatten(...) const = delete;    // ashlar: member: dimensions are template arguments; write reshape<8, 4>(x)
    auto T(...) const = delete;          // ashlar: member: axes are exchanged by functions; write transpose(x)
    auto t(...) const = delete;          // ashlar: member: axes are exchanged by functions; write transpose(x)
    auto transpose(...) const = delete;  // ashlar: member: axes are exchanged by functions; write transpose(x)
    auto permute(...) const = delete;    // ashlar: member: axes are exchanged by functions; write transpose(x)
    auto squeeze(...) const = delete;    // ashlar: member: axes are template arguments; write squeeze<0>(x)
    auto unsqueeze(...) const = delete;  // ashlar: member: axes are template arguments; write squeeze<0>(x)
    auto sum(...) const = delete;        // ashlar: member: axes are template arguments; write sum<1>(x)
    auto mean(...) const = delete;       // ashlar: member: axes are template arguments; write sum<1>(x)
    auto(max)(...) const = delete;       // ashlar: member: axes are template arguments; write sum<1>(x)
    auto(min)(...) const = delete;       // ashlar: member: axes are template arguments; write sum<1>(x)
    auto argmax(...) const = delete;     // ashlar: member: axes are template arguments; write sum<1>(x)
    auto softmax(...) const = delete;    // ashlar: member: axes are template arguments; write sum<1>(x)
    auto exp(...) const = delete;     // ashlar: member: operations are functions; write exp(x), matmul(x, y), eval(x)
    auto sqrt(...) const = delete;    // ashlar: member: operations are functions; write exp(x), matmul(x, y), eval(x)
    auto abs(...) const = delete;     // ashlar: member: operations are functions; write exp(x), matmul(x, y), eval(x)
    auto matmul(...) const = delete;  // ashlar: member: operations are functions; write exp(x), matmul(x, y), eval(x)
    auto dot(...) const = delete;     // ashlar: member: operations are functions; write exp(x), matmul(x, y), eval(x)
    auto eval(...) const = delete;    // ashlar: member: operations are functions; write exp(x), matmul(x, y), eval(x)
    auto item(...) const = delete;    // ashlar: member: elements are indexed; write x(i, j), eval(e)(i, j)
    auto at(...) const = delete;      // ashlar: member: elements are indexed; write x(i, j), eval(e)(i, j)
    auto clone(...) const = delete;   // ashlar: member: copies and casts are functions; write eval(x), cast<int>(x)
    auto numpy(...) const = delete;   // ashlar: member: copies and casts are functions; write eval(x), cast<int>(x)
    auto to(...) const = delete;      // ashlar: member: copies and casts are functions; write eval(x), cast<int>(x)
    auto astype(...) const = delete;  // ashlar: member: copies and casts are functions; write eval(x), cast<int>(x)
    operator double(  // ashlar: member: a tensor is no number; write exp(x), x(i, j); tensor/print.hpp prints eval(e)
    ) const
        requires(Derived::shape_type::rank != 0)
    = delete;
    template <class Matrix, std::enable_if_t<foreign_matrix<Matrix>, int> = 0>  // NOLINT(modernize-use-constraints)
    operator Matrix(  // ashlar: member: other matrices view its memory; write Eigen::Map<RowMajor>(x.data(), 4, 8)
    ) const = delete;
};

}  // namespace ashlar::detail

#pragma pop_macro("T")
