// SPDX-License-Identifier: BSL-1.0
// Loading models and tensors from weight files: everything is checked before the first element is written.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/heap_memory.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/files/source.hpp>
#include <ashlar/io/formats/archive.hpp>
#include <ashlar/io/formats/convert.hpp>
#include <ashlar/io/model/check_arrays.hpp>
#include <ashlar/io/model/int4_array.hpp>
#include <ashlar/io/model/model_arrays.hpp>
#include <ashlar/io/model/named.hpp>
#include <ashlar/io/model/names.hpp>
#include <ashlar/io/model/quantized_array.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether the integers of a file's array are values of an array of a model.
template <class Config>
bool check_values(const model_array& a, const io::stored_array& stored, io::result& wrong) noexcept {
    if (!io::is_integer(stored.dtype)) return true;
    const bool fit = (!a.parameter.is_quantized() || integers_are_symmetric<Config>(stored)) &&
                     integers_fit<Config>(stored, dtype_of_kind<Config>(a.parameter.kind));
    if (!fit) wrong = io_error<Config>(io::error::value_out_of_range, stored.name);
    return fit;
}

/// Checks all arrays of a model against those of a file, then copies them. The model is not touched before that.
/// `report` receives the errors of rounding to 8 bits.
template <class Config, class Report>
io::result load_arrays(model_arrays& model, const io::archive& weights, io::name_map names,
                       const io::load_options& options, Report&& report) noexcept {
    const io::result r = check_arrays<Config>(
        model, weights, names, options, [](const model_array& a, const io::stored_array& stored, io::result& wrong) {
            return check_array<Config>(a, stored, wrong) && check_values<Config>(a, stored, wrong);
        });
    if (!r) return r;
    for (const model_array& a : model)
        if (a.stored != nullptr) {
            const io::stored_array listed = as_listed<Config>(*a.stored, a.transposed);
            if (a.parameter.is_quantized()) {
                const io::quantization_error error = copy_quantized<Config>(listed, a.first_row, a.parameter);
                if (io::is_floating(listed.dtype)) report(error);
            } else if (a.parameter.is_int4()) {
                report(copy_int4<Config>(listed, a.first_row, a.parameter));
            } else if (!is_made_by_rounding<Config>(a, model)) {
                // The caller passes a writable model; its list of arrays is const because saving uses it too.
                copy_array<Config>(listed, a.first_row, a.parameter, const_cast<void*>(a.parameter.data));
            }
        }
    return r;
}
template <class Config>
io::result load_arrays(model_arrays& model, const io::archive& weights, io::name_map names,
                       const io::load_options& options) noexcept {
    return load_arrays<Config>(model, weights, names, options, [](const io::quantization_error&) {});
}

}  // namespace ashlar::detail

namespace ashlar::inline v0_1::io {

/// Loads a model from the arrays of an open file. The names are those of PyTorch's state dict unless a map renames
/// them. 16-bit floating point is widened, f64 rounded to f32 or f32 widened, integers converted if they fit. On any
/// error the model is unchanged. Heap: about 1 KiB for each array of the model, while it runs.
template <nn::module Model, class Config = current_config>
    requires(!std::is_const_v<Model>)
result load(Model& model, const archive& weights, name_map names = {}, const load_options& options = {}) noexcept {
    ashlar::detail::model_arrays arrays;
    const result r = arrays.collect<Config>(model);
    return r ? ashlar::detail::load_arrays<Config>(arrays, weights, names, options) : r;
}

/// Loads a model from a safetensors or .npz file, or from the bytes of one.
///
///     if (io::result r = io::load(model, "weights.safetensors"); !r) std::puts(r.message().c_str());
///     io::result r = io::load(model, std::span(flash, flash_size), io::bert_names, {.ignore_unexpected = true});
template <nn::module Model, class Config = current_config>
    requires(!std::is_const_v<Model>)
result load(Model& model, const source& from, name_map names = {}, const load_options& options = {}) noexcept {
    archive weights;
    const result r = weights.open<Config>(from);
    return r ? load<Model, Config>(model, weights, names, options) : r;
}

/// The same by PyTorch's names, with options.
///
///     io::result r = io::load(model, "weights.safetensors", {.ignore_unexpected = true});
template <nn::module Model, std::same_as<load_options> Options = load_options, class Config = current_config>
    requires(!std::is_const_v<Model>)
result load(Model& model, const source& from, const Options& options) noexcept {
    return load<Model, Config>(model, from, name_map{}, options);
}
template <nn::module Model, std::same_as<load_options> Options = load_options, class Config = current_config>
    requires(!std::is_const_v<Model>)
result load(Model& model, const archive& weights, const Options& options) noexcept {
    return load<Model, Config>(model, weights, name_map{}, options);
}

/// Loads a model some of whose weights are in 8 bits, as `load` does, and calls report(e) with a `quantization_error`
/// for each matrix of floats that it rounds. If the file has integers and their scales, as `save` writes them, there is
/// no error and no report.
///
///     io::result r = io::quantize(model, "weights.safetensors", [](const io::quantization_error& e) {
///         std::printf("%.*s %.4f\n", int(e.name.size()), e.name.data(), e.relative);
///     });
template <nn::module Model, class Report, class Config = current_config>
    requires(!std::is_const_v<Model>)
result quantize(Model& model, const source& from, Report&& report, name_map names = {},
                const load_options& options = {}) noexcept {
    archive weights;
    result r = weights.open<Config>(from);
    ashlar::detail::model_arrays arrays;
    if (r) r = arrays.collect<Config>(model);
    return r ? ashlar::detail::load_arrays<Config>(arrays, weights, names, options, report) : r;
}

/// Loads tensors by the given names: all or none.
///
///     io::result r = io::load(std::tuple(io::named("weight", w), io::named("bias", b)), "layer.safetensors");
template <class... Array, class Config = current_config>
result load(const std::tuple<named_array<Array>...>& arrays, const source& from,
            const load_options& options = {}) noexcept {
    ashlar::detail::named_arrays<Array...> all{arrays};
    return load<ashlar::detail::named_arrays<Array...>, Config>(all, from, name_map{}, options);
}
template <class... Array, class Config = current_config>
result load(const std::tuple<named_array<Array>...>& arrays, const archive& weights,
            const load_options& options = {}) noexcept {
    ashlar::detail::named_arrays<Array...> all{arrays};
    return load<ashlar::detail::named_arrays<Array...>, Config>(all, weights, name_map{}, options);
}

/// Loads one tensor, or view, by its name, from a file or an open archive; other arrays of the file do not matter.
///
///     io::result r = io::load(table, "weights.safetensors", "tok_embeddings");
template <loadable_array Array, class Config = current_config>
    requires(ashlar::detail::is_writable<std::remove_reference_t<Array>>())
result load(Array&& array, const source& from, const char* name) noexcept {
    named_array<std::remove_reference_t<Array>> only{name, array};
    return load<named_array<std::remove_reference_t<Array>>, Config>(
        only, from, name_map{}, load_options{.prefix = {}, .ignore_unexpected = true});
}

template <loadable_array Array, class Config = current_config>
    requires(ashlar::detail::is_writable<std::remove_reference_t<Array>>())
result load(Array&& array, const archive& weights, const char* name) noexcept {
    named_array<std::remove_reference_t<Array>> only{name, array};
    return load<named_array<std::remove_reference_t<Array>>, Config>(
        only, weights, name_map{}, load_options{.prefix = {}, .ignore_unexpected = true});
}

/// Catches every other call, to report one error.
template <class Model, class... Arguments, class Config = current_config>
    requires(
        !ashlar::detail::model_to_load<std::remove_reference_t<Model>, sizeof...(Arguments)>::is_listed_and_not_const)
ashlar::detail::refused_result load(Model&&, const Arguments&...) noexcept {
    static_assert(
        ashlar::detail::model_to_load<std::remove_reference_t<Model>, sizeof...(Arguments)>::is_listed_and_not_const,
        "ashlar: load: the first argument must be a module, a dense array with its name as the third argument, or a tuple of io::named, and not const; give the type a list of members");
    return {};
}

/// Loads the array of a .npy file, which has the shape of the destination.
///
///     tensor<float, 200, 512> logits;
///     io::result r = io::load_npy(logits, "expected_logits.npy");
template <loadable_array Array, class Config = current_config>
result load_npy(Array&& array, const source& from) noexcept {
    return load<Array, Config>(std::forward<Array>(array), from, "");
}

}  // namespace ashlar::io
