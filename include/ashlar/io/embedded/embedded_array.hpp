// SPDX-License-Identifier: BSL-1.0
// The place of one array in embedded weights, for a view of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <ashlar/core/axis.hpp>
#include <ashlar/core/config.hpp>
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
        plan.status.nearest =
            printable_name<Config>(nearest_name<Config>(name, weights, [](const io::stored_array&) { return false; }));
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
    using weights = Weights;
    static constexpr auto plan = plan_array<Config, typename View::value_type>(
        Weights::bytes(), std::string_view(Name.text, Name.size()), dimensions_of_view<View>());
};

}  // namespace ashlar::detail
