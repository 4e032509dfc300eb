// SPDX-License-Identifier: BSL-1.0
// Checks the arrays of a model against those of a file, without their values; constexpr.
#pragma once

#include <cstddef>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/heap_memory.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/convert.hpp>
#include <ashlar/io/formats/stored_array.hpp>
#include <ashlar/io/model/model_arrays.hpp>
#include <ashlar/io/model/names.hpp>
#include <ashlar/io/model/nearest_name.hpp>

namespace ashlar::inline v0_1::io {

/// The options of `load`. By default a file must have exactly the arrays of the model.
struct load_options {
    /// Put before every name in the file, "bert."; arrays without the prefix are ignored.
    std::string_view prefix{};
    /// Whether the file may have arrays that the model does not know, including unknown element types.
    bool ignore_unexpected = false;
    bool ignore_missing = false;  ///< whether arrays that the file does not have keep their values in the model
};

}  // namespace ashlar::io

namespace ashlar::inline v0_1::detail {

/// The array of a file after its rules: transposed in memory order and shape if a rule says so.
template <class Config>
constexpr io::stored_array as_listed(const io::stored_array& stored, bool transposed) noexcept {
    io::stored_array a = stored;
    if (!transposed) return a;
    for (std::size_t i = 0; i < a.shape.rank; ++i) a.shape.extents[i] = stored.shape.extents[a.shape.rank - 1 - i];
    a.is_column_major = !a.is_column_major;
    return a;
}

/// The error of an array whose elements do not convert.
template <class Config>
constexpr bool refuse_dtype(const io::stored_array& stored, io::dtype type, io::result& wrong) noexcept {
    wrong = io_error<Config>(io::error::wrong_dtype, stored.name);
    wrong.expected_dtype = type;
    wrong.found_dtype = stored.dtype;
    return false;
}

/// Whether the type and the shape of a file's array are those of an array of a model, or convert to them; else `wrong`
/// says what is wrong. It is not returned by value, which would take the compiler long for each array.
template <class Config>
constexpr bool check_array(const model_array& a, const io::stored_array& stored, io::result& wrong) noexcept {
    if (stored.dtype == io::dtype::unknown) {
        wrong = io_error<Config>(io::error::unsupported, stored.name);
        wrong.reason = "an unknown element type";
        wrong.other = printable_name<Config>(stored.type_name);
        return false;
    }
    const std::size_t rank = a.shape.rank;
    bool same = stored.shape.rank == rank;
    io::dimensions expected = a.shape;
    for (std::size_t i = 0; i < rank && same; ++i) {
        if (a.transposed) expected.extents[i] = a.shape.extents[rank - 1 - i];
        same = expected.extents[i] == stored.shape.extents[i];
    }
    if (!same) {
        if (a.transposed)
            for (std::size_t i = 0; i < rank; ++i) expected.extents[i] = a.shape.extents[rank - 1 - i];
        wrong = io_error<Config>(io::error::wrong_shape, stored.name);
        wrong.expected = expected;
        wrong.found = stored.shape;
        return false;
    }
    if (a.parameter.is_quantized() && io::is_floating(stored.dtype)) return true;
    const io::dtype type = dtype_of_kind<Config>(a.parameter.kind);
    return dtype_converts<Config>(stored.dtype, type) || refuse_dtype<Config>(stored, type, wrong);
}

/// Whether an array is the scales of a matrix that the file has as floats; rounding computes them.
template <class Config>
constexpr bool is_made_by_rounding(const model_array& scales, const model_arrays& model) noexcept {
    for (std::size_t i = 0; i < model.size(); ++i)
        if (model[i].parameter.is_quantized() && model[i].parameter.scales == scales.parameter.data)
            return model[i].stored != nullptr && io::is_floating(model[i].stored->dtype);
    return false;
}

/// Whether an array is the batch count of a PyTorch batch norm whose statistics the model has: evaluation does not use
/// the count.
template <class Config, class Weights>
constexpr bool is_count_of_batches(const io::stored_array& stored, const Weights& weights,
                                   const owned_array<bool>& used) noexcept {
    constexpr std::string_view count = "num_batches_tracked";
    if (!stored.name.ends_with(count)) return false;
    file_name statistics;
    statistics.put(stored.name.substr(0, stored.name.size() - count.size()));
    statistics.put("running_var");
    const io::stored_array* const beside = weights.find(statistics.view());
    return beside != nullptr && used[static_cast<std::size_t>(beside - weights.begin())];
}

/// Names all arrays of a model and checks them against those of a file: `Weights` is an index with `find`, and
/// `check(a, stored, wrong)` checks an array that the file has.
template <class Config, class Weights, class Check>
constexpr io::result check_arrays(model_arrays& model, const Weights& weights, io::name_map names,
                                  const io::load_options& options, Check&& check) noexcept {
    io::result r =
        model.name_all<Config>(names, options.prefix, [&](std::string_view name) { return weights.find(name); });
    if (!r) return r;
    owned_array<bool> used;
    if (!used.allocate(weights.size())) return io_error<Config>(io::error::out_of_memory);
    for (const model_array& a : model) {
        const io::stored_array* const stored = a.stored;
        if (stored == nullptr) {
            if (options.ignore_missing || is_made_by_rounding<Config>(a, model)) continue;
            r = io_error<Config>(io::error::missing, a.file.view());
            if (a.model.view() != a.file.view()) r.other = printable_name<Config>(a.model.view());
            for (const model_array& b : model)
                if (b.stored != nullptr) used[static_cast<std::size_t>(b.stored - weights.begin())] = true;
            r.nearest =
                printable_name<Config>(nearest_name<Config>(a.file.view(), weights, [&](const io::stored_array& other) {
                    return used[static_cast<std::size_t>(&other - weights.begin())];
                }));
            return r;
        }
        used[static_cast<std::size_t>(stored - weights.begin())] = true;
        if (!check(a, *stored, r)) return r;
    }
    if (!options.ignore_unexpected)
        for (std::size_t i = 0; i < weights.size(); ++i)
            if (!used[i] && weights[i].name.starts_with(options.prefix) &&
                !is_count_of_batches<Config>(weights[i], weights, used))
                return io_error<Config>(io::error::unexpected, weights[i].name);
    return r;
}

}  // namespace ashlar::detail
