// SPDX-License-Identifier: BSL-1.0
// Where the arrays of a model lie in embedded weights, or what is wrong with these: constants of the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/io/embedded/embedded_index.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/convert.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/io/model/check_arrays.hpp>
#include <ashlar/io/model/model_arrays.hpp>
#include <ashlar/io/model/names.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/module/parameters.hpp>
#include <ashlar/module/unborn.hpp>

namespace ashlar::inline v0_1::detail {

/// A model whose members constant expressions name and call, as those of std::array. It is not a constant, so that the
/// compiler does not check whether its lifetime has begun. No program contains it: g++ would emit a definition, and
/// clang, which does not, needs one for a type without linkage.
template <class Model>
struct model_in_name {
#if defined(__clang__)
    static inline nn::detail::unborn<Model> storage{};
#else
    static nn::detail::unborn<Model> storage;
#endif
};

/// The number of arrays of a model.
template <class Model, class Config>
consteval std::size_t count_arrays() {
    std::size_t count = 0;
    nn::for_each_parameter(std::as_const(model_in_name<Model>::storage.object),
                           [&](const nn::const_parameter&) { ++count; });
    return count;
}

/// The place of an array of a model in the bytes of a file.
struct embedded_array {
    std::uint64_t offset = 0;
    std::size_t first_row = 0;  // of the file's array
    std::size_t rows = 0;       // of the file's array, the other extents are the parameter's
    io::dtype dtype = io::dtype::unknown;
    bool is_column_major = false;
    bool is_copied = false;  // not if the file may lack it, or if rounding computes it
};

/// Whether every integer of one type is a value of another.
ASHLAR_ALWAYS_INLINE constexpr bool always_fits(io::dtype from, io::dtype to) noexcept {
    return from == to || (io::size_of(from) < io::size_of(to) && (is_signed_integer(to) || !is_signed_integer(from)));
}

/// Whether an array of a file can become an array of a model whatever its values are, since the compiler does not read
/// these.
template <class Config>
constexpr bool check_embedded_array(const model_array& a, const io::stored_array& stored, io::result& wrong) noexcept {
    if (!check_array<Config>(a, stored, wrong)) return false;
    const io::dtype type = dtype_of_kind<Config>(a.parameter.kind);
    return !io::is_integer(stored.dtype) || always_fits(stored.dtype, type) ||
           refuse_dtype<Config>(stored, type, wrong);
}

/// The places of all arrays, in the model's order; not all of them if `status` is an error.
template <std::size_t Count>
struct embedded_plan {
    io::result status{};
    std::array<embedded_array, Count> arrays{};
};

/// Checks a model, which is not read, against the bytes of a safetensors file.
template <class Config, class Model, class Byte>
constexpr auto plan_embedded(const Model& model, std::span<const Byte> file, io::name_map names,
                             const io::load_options& options) {
    embedded_plan<count_arrays<Model, Config>()> plan;
    embedded_index weights;
    plan.status = weights.open<Config>(file);
    model_arrays arrays;
    if (plan.status) plan.status = arrays.collect<Config>(model);
    if (plan.status)
        plan.status =
            check_arrays<Config>(arrays, weights, names, options,
                                 [&](const model_array& a, const io::stored_array& stored, io::result& wrong) {
                                     if (!check_embedded_array<Config>(a, stored, wrong)) return false;
                                     embedded_array& place = plan.arrays[static_cast<std::size_t>(&a - arrays.begin())];
                                     place.offset = stored.offset;
                                     place.first_row = a.first_row;
                                     place.rows = a.shape.rank == 0 ? 1 : static_cast<std::size_t>(a.shape.extents[0]);
                                     place.dtype = stored.dtype;
                                     place.is_column_major = a.transposed;
                                     place.is_copied = true;
                                     return true;
                                 });
    bool is_rounded = false;
    for (const model_array& a : arrays) is_rounded = is_rounded || a.parameter.is_quantized();
    if (is_rounded && plan.status)
        for (std::size_t i = 0; i < arrays.size(); ++i)
            if (is_made_by_rounding<Config>(arrays[i], arrays)) plan.arrays[i].is_copied = false;
    return plan;
}

}  // namespace ashlar::detail
