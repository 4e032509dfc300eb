// SPDX-License-Identifier: BSL-1.0
// One array of embedded weights in place.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <type_traits>

#include <ashlar/core/axis.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/io/embedded/embedded_errors.hpp>
#include <ashlar/io/embedded/embedded_index.hpp>
#include <ashlar/io/embedded/embedded_plan.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/io/model/nearest_name.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether the elements of an array begin at a multiple of their size in the file.
template <class Name, std::uint64_t Offset, std::size_t Bytes>
struct weight_offset {
    static constexpr bool is_aligned = Offset % Bytes == 0;
};

/// Finds an array, and checks its type and shape.
template <class Config, class Element, class Byte>
constexpr embedded_plan<1> plan_array(std::span<const Byte> file, std::string_view name, const io::dimensions& shape) {
    embedded_plan<1> plan;
    embedded_index weights;
    plan.status = weights.open<Config>(file);
    if (!plan.status) return plan;
    const io::stored_array* const stored = weights.find(name);
    if (stored == nullptr) {
        plan.status = io_error<Config>(io::error::missing, name);
        plan.status.nearest = printable_name<Config>(
            nearest_name<Config>(name, weights, [](const io::stored_array&) { return false; }));
    } else if (!(stored->shape == shape)) {
        plan.status = io_error<Config>(io::error::wrong_shape, name);
        plan.status.expected = shape;
        plan.status.found = stored->shape;
    } else if (stored->dtype != io::dtype_of<Element>()) {
        refuse_dtype<Config>(*stored, io::dtype_of<Element>(), plan.status);
    } else {
        plan.arrays[0].offset = stored->offset;
    }
    return plan;
}

template <class View>
consteval io::dimensions dimensions_of_view() {
    io::dimensions shape;
    shape.rank = View::rank;
    for (std::size_t i = 0; i < View::rank; ++i) shape.extents[i] = View::extents[i];
    return shape;
}

/// What is known of an array of weights.
template <class Config, fixed_string Name, class View, class Weights>
struct embedded_array_check {
    static constexpr auto plan = plan_array<Config, typename View::value_type>(
        Weights::bytes(), std::string_view(Name.text, Name.size()), dimensions_of_view<View>());
};

/// The array as a view.
template <class Config, fixed_string Name, class View, class Weights>
View view_embedded(Weights weights) noexcept {
    using element = typename View::value_type;
    using check = embedded_array_check<Config, Name, View, Weights>;
    static_assert(std::endian::native == std::endian::little,
                  "ashlar: embedded: files are little-endian, and arrays in place need a machine that is; load them");
    constexpr std::uint64_t offset = check::plan.arrays[0].offset;
    if constexpr (check_embedded<check>())
        static_assert(weight_offset<text<Name>, offset, sizeof(element)>::is_aligned,
                      "ashlar: embedded: an array in place must begin at a multiple of its elements' size in the file; "
                      "export it again, or load it");
    const auto* const at = weights.bytes().data() + offset;
    ASHLAR_ASSERT(reinterpret_cast<std::uintptr_t>(at) % alignof(element) == 0,
                  "ashlar: view_array: the bytes of the file are not aligned; declare their array alignas(64)");
    // Arrays of bytes implicitly create such objects (P0593), as `view_image` has it.
    return View(std::launder(reinterpret_cast<const element*>(at)));
}

}  // namespace ashlar::detail
