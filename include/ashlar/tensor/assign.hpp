// SPDX-License-Identifier: BSL-1.0
// Assignment: the entry for every construction and assignment from an expression, and copies of arrays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/tensor/element_index.hpp>

namespace ashlar::inline v0_1::detail {

/// A destination's memory: perhaps also read by the source, or fresh, because it has just been created.
enum class destination_memory : bool { shared, fresh };

/// Writes an expression's elements into a destination of the same shape and element type:
/// `run<destination_memory>(Destination& destination, const Source& source)`, where Destination is a basic_tensor, a
/// basic_view or a strided_view. Defined here for tensors and views as the source, and in the evaluation layer for lazy
/// nodes. For a fresh destination no code for overlaps is generated.
template <class Destination, class Source, class Config>
struct assignment;

/// Whether the two sides of an assignment have the same element type; f16 and bf16 take floats.
template <class Destination, class Source>
struct assigned_element {
    static constexpr bool matches = std::is_same_v<computed<Destination>, Source>;
};

/// Whether a destination can be written: its elements are not const (those of a const tensor are), and no two indices
/// share one.
template <class Destination>
struct assigned_destination {
    static constexpr bool writable =
        !std::is_const_v<std::remove_pointer_t<decltype(std::declval<Destination&>().data())>> &&
        !is_broadcast(Destination::extents, Destination::strides);
};

/// The rules of assignment, one message each; none for the result of a refused operation.
template <class Destination, class Source>
consteval bool check_assignment() {
    using to = typename Destination::shape_type;
    using from = shape_of<Source>;
    using to_element = typename Destination::value_type;
    constexpr bool fits = assigned_destination<Destination>::writable && assigned_shape<to, from>::matches &&
                          assigned_element<to_element, element_of<Source>>::matches;
    if constexpr (!fits)
        if constexpr (!is_refused<Source>) {
            static_assert(assigned_destination<Destination>::writable,
                          "ashlar: assignment: a const tensor, a view of const elements or of a broadcast cannot be "
                          "written; make a tensor");
            static_assert(
                assigned_shape<to, from>::matches,
                "ashlar: assignment: both sides must have the same shape; broadcast_to, reshape or rename one");
            static_assert(assigned_element<to_element, element_of<Source>>::matches,
                          "ashlar: assignment: both sides must have the same element type; convert with cast<U>");
        }
    return fits;
}

/// Checks and runs an assignment. (Tensors and views do the same in their members, for one line less in each error.)
template <class Config, destination_memory Memory = destination_memory::shared, class Destination, class Source>
constexpr void assign(Destination& destination, const Source& source) noexcept {
    if constexpr (check_assignment<Destination, Source>())
        assignment<Destination, Source, Config>::template run<Memory>(destination, source);
}

/// Copies element by element in row-major order of the indices; every loop bound and stride is a constant.
template <class Config, class To, class From, std::size_t Axis = 0, class Element>
constexpr void copy_axes(Element* to, const Element* from) noexcept {
    if constexpr (Axis == To::shape_type::rank) {
        *to = *from;
    } else {
        for (std::size_t i = 0; i < To::extents[Axis]; ++i) {
            const auto at = static_cast<std::ptrdiff_t>(i);
            copy_axes<Config, To, From, Axis + 1>(to + at * To::strides[Axis], from + at * From::strides[Axis]);
        }
    }
}

/// The same between different element types, one of which is f16 or bf16.
template <class Config, class To, class From, std::size_t Axis = 0, class Element, class Other>
constexpr void convert_axes(Element* to, const Other* from) noexcept {
    if constexpr (Axis == To::shape_type::rank) {
        *to = static_cast<Element>(static_cast<float>(*from));
    } else {
        for (std::size_t i = 0; i < To::extents[Axis]; ++i) {
            const auto at = static_cast<std::ptrdiff_t>(i);
            convert_axes<Config, To, From, Axis + 1>(to + at * To::strides[Axis], from + at * From::strides[Axis]);
        }
    }
}

template <class Array>
inline constexpr bool is_dense = is_row_major(Array::extents, Array::strides);

/// Copies between arrays that share no element.
template <class Config, class To, class From, class Element>
constexpr void copy_apart(Element* to, const Element* from) noexcept {
    if constexpr (is_dense<To> && is_dense<From>) {
        for (std::size_t i = 0; i < To::shape_type::size; ++i) to[i] = from[i];
    } else {
        copy_axes<Config, To, From>(to, from);
    }
}

/// The row-major layout of an array's shape.
template <class Array>
struct dense_like {
    using shape_type = typename Array::shape_type;
    static constexpr auto extents = Array::extents;
    static constexpr auto strides = row_major_strides(extents);
};

/// Copies through a buffer on the stack: right for any overlap. Out of line, so that only calls that need the buffer
/// have its frame.
template <class Config, class To, class From, class Element>
ASHLAR_NOINLINE constexpr void copy_through_scratch(Element* to, const Element* from) noexcept {
    Element scratch[To::shape_type::size];
    copy_apart<Config, dense_like<To>, From>(scratch + 0, from);
    copy_apart<Config, To, dense_like<To>>(to, static_cast<const Element*>(scratch));
}

template <class Array>
struct array_reach {
    static consteval std::ptrdiff_t sum(bool upwards) {
        std::ptrdiff_t reach = 0;
        for (std::size_t i = 0; i < Array::shape_type::rank; ++i)
            if ((Array::strides[i] > 0) == upwards)
                reach += static_cast<std::ptrdiff_t>(Array::extents[i] - 1) * Array::strides[i];
        return reach;
    }
    /// The first and the last element in memory, relative to the one at index zero.
    static constexpr std::ptrdiff_t lowest = sum(false), highest = sum(true);
};

/// Whether the memory from the first to the last element of two arrays overlaps.
template <class Config, class Left, class Right, class Element>
bool arrays_overlap(const Element* a, const Element* b) noexcept {
    // As integers, because the order of pointers into different objects is unspecified.
    const auto address = [](const Element* p) { return reinterpret_cast<std::uintptr_t>(p); };
    return address(a + array_reach<Left>::lowest) <= address(b + array_reach<Right>::highest) &&
           address(b + array_reach<Right>::lowest) <= address(a + array_reach<Left>::highest);
}

/// Between arrays of different element types, one of which is f16 or bf16: element by element. They share no memory.
template <class Destination, array_expression Source, class Config>
    requires(!std::is_same_v<typename Destination::value_type, typename Source::value_type>)
struct assignment<Destination, Source, Config> {
    template <destination_memory Memory = destination_memory::shared>
    static constexpr void run(Destination& destination, const Source& source) noexcept {
        convert_axes<Config, Destination, Source>(destination.data(), source.data());
    }
};

template <class Destination, array_expression Source, class Config>
    requires std::is_same_v<typename Destination::value_type, typename Source::value_type>
struct assignment<Destination, Source, Config> {
    using element_type = typename Destination::value_type;
    static constexpr std::size_t bytes = Destination::shape_type::size * sizeof(element_type);

    /// Copies; the two may overlap. If they do and their strides differ, a buffer of the tensor's size on the stack is
    /// used. Beyond the stack budget they must not overlap: an asserted precondition.
    template <destination_memory Memory = destination_memory::shared>
    static constexpr void run(Destination& destination, const Source& source) noexcept {
        element_type* const to = destination.data();
        const element_type* const from = source.data();
        if constexpr (Memory == destination_memory::fresh) {
            copy_apart<Config, Destination, Source>(to, from);
        } else if (__builtin_is_constant_evaluated()) {
            // Constant expressions cannot compare unrelated pointers.
            copy_through_scratch<Config, Destination, Source>(to, from);
        } else if constexpr (is_dense<Destination> && is_dense<Source>) {
            const auto distance = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
            if (distance == 0 || distance >= bytes)
                copy_apart<Config, Destination, Source>(to, from);
            else  // The destination begins inside the source.
                for (std::size_t i = Destination::shape_type::size; i-- > 0;) to[i] = from[i];
        } else if (!arrays_overlap<Config, Destination, Source>(static_cast<const element_type*>(to), from)) {
            copy_apart<Config, Destination, Source>(to, from);
        } else if constexpr (bytes <= Config::stack_budget) {
            copy_through_scratch<Config, Destination, Source>(to, from);
        } else {
            ASHLAR_ASSERT(false, "ashlar: assignment: the two sides overlap and are too large for the stack budget");
            copy_apart<Config, Destination, Source>(to, from);
        }
    }
};

/// A layout of the same shape in which every index is the same element.
template <class Array>
struct all_the_same {
    using shape_type = typename Array::shape_type;
    static constexpr auto extents = Array::extents;
    static constexpr std::array<std::ptrdiff_t, shape_type::rank> strides{};
};

/// Sets every element of a destination to one value.
template <class Config, class Destination, class Other>
constexpr void assign_value(Destination& destination, Other value) noexcept {
    static_assert(assigned_destination<Destination>::writable,
                  "ashlar: assignment: a const tensor, a view of const elements or of a broadcast cannot be written; "
                  "make a tensor");
    if constexpr (assigned_destination<Destination>::writable) {
        using element_type = typename Destination::value_type;
        const element_type element = element_cast<Config, element_type>(value);
        copy_apart<Config, Destination, all_the_same<Destination>>(destination.data(), &element);
    }
}

}  // namespace ashlar::detail
