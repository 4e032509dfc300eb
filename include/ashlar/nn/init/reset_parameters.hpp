// SPDX-License-Identifier: BSL-1.0
// reset_parameters: the values with which PyTorch constructs modules, from the same seed.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/expr/nodes/packed.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/init.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/transformers/generator.hpp>

namespace ashlar::inline v0_1::nn::init {

namespace detail {

using nn::detail::initialization;

/// A stack of layers with the same options, such as nn::encoder; in PyTorch they are copies of one layer.
template <class Module>
concept stack_of_copies = requires(Module& m) {
    Module::options.layer;
    m.layers[0];
};

/// Writes the element of a packed matrix [in, out] that is element i of PyTorch's [out, in].
template <class Weight>
struct put_transposed {
    Weight& weight;

    template <class Element>
    ASHLAR_ALWAYS_INLINE constexpr void operator()(std::size_t i, Element value) const noexcept {
        constexpr std::size_t in = Weight::shape_type::extents[0], out = Weight::shape_type::extents[1];
        weight.elements[ashlar::detail::panel_offset(Weight::panel, in, out, i % in, i / in)] =
            static_cast<typename Weight::value_type>(value);
    }
};

/// Writes the element of a convolution's matrix [taps * channels of a group, out] that is element i of PyTorch's [out,
/// channels of a group, taps].
template <std::size_t Channels, class Weight>
struct put_taps_first {
    Weight& weight;

    template <class Element>
    ASHLAR_ALWAYS_INLINE constexpr void operator()(std::size_t i, Element value) const noexcept {
        constexpr std::size_t depth = shape_of<Weight>::extents[0], taps = depth / Channels;
        const std::size_t channel = i % depth / taps, tap = i % taps;
        auto& element = nn::detail::matrix_element(weight, tap * Channels + channel, i / depth);
        element = static_cast<std::remove_reference_t<decltype(element)>>(value);
    }
};

/// The same for a matrix in 8 bits: it rounds an output's weights when the last one is written. PyTorch orders them by
/// channels, the matrix by taps.
template <class Config, class Weight, std::size_t Channels = Weight::shape_type::extents[0]>
struct put_rounded {
    Weight& weight;
    float* output;

    constexpr void operator()(std::size_t i, float value) const noexcept {
        constexpr std::size_t in = Weight::shape_type::extents[0], taps = in / Channels;
        output[i % taps * Channels + i % in / taps] = value;
        if (i % in + 1 != in) return;
        weight.columns_in_memory().template set<Config>(i / in, [&](std::size_t row) { return output[row]; });
    }
};

template <class Config, class Weight>
constexpr void draw_weight(Weight& weight, generator& random, double bound) noexcept {
    using Element = element_of<Weight>;
    const auto low = static_cast<Element>(-bound), high = static_cast<Element>(bound);
    if constexpr (ashlar::detail::is_quantized<Weight>) {
        float output[Weight::shape_type::extents[0]]{};
        weight.columns_in_memory().template clear_rest<Config>();
        draw_uniform(random, Weight::shape_type::size, low, high, put_rounded<Config, Weight>{weight, output});
    } else {
        draw_uniform(random, Weight::shape_type::size, low, high, put_transposed<Weight>{weight});
    }
}

template <class Config, class Module>
constexpr void reset(Module& m, generator& random) noexcept;

/// Resets the modules among the members; arrays of a user's own module are unchanged.
template <class Config, bool Copies>
struct reset_members {
    generator& random;

    template <class Member>
    constexpr void operator()(const char*, Member&& member) const noexcept {
        using plain = std::remove_cvref_t<Member>;
        if constexpr (module<plain>) {
            reset<Config>(member, random);
        } else if constexpr (nn::detail::is_array_of_members<plain>) {
            for (std::size_t i = 0; i < member.size(); ++i) {
                if (Copies && i > 0)
                    member[i] = member[0];
                else
                    (*this)("", member[i]);
            }
        }
    }
};

/// nn.Conv1d and nn.Conv2d: as a linear layer whose inputs are the entries of a window in one group's channels.
template <class Config, class Module>
constexpr void reset_convolution(Module& m, generator& random) noexcept {
    using Weight = decltype(m.weight);
    using Element = element_of<Weight>;
    constexpr std::size_t channels = Module::in / Module::options.groups, depth = shape_of<Weight>::extents[0];
    const double bound = root(3.0) * kaiming_deviation(depth, root(5.0));
    const auto low = static_cast<Element>(-bound), high = static_cast<Element>(bound);
    if constexpr (ashlar::detail::is_quantized<Weight>) {
        float output[depth]{};
        m.weight.columns_in_memory().template clear_rest<Config>();
        draw_uniform(random, shape_of<Weight>::size, low, high,
                     put_rounded<Config, Weight, channels>{m.weight, output});
    } else {
        draw_uniform(random, shape_of<Weight>::size, low, high, put_taps_first<channels, Weight>{m.weight});
    }
    if constexpr (Module::options.bias) linear_bias(m.bias, depth, random);
}

/// nn.ConvTranspose1d: PyTorch takes the second axis of the weights, which is that of results, for the inputs.
template <class Module>
constexpr void reset_transposed(Module& m, generator& random) noexcept {
    using Element = element_of<decltype(m.weight)>;
    constexpr std::size_t depth = Module::out / Module::options.groups * Module::kernel;
    const double bound = root(3.0) * kaiming_deviation(depth, root(5.0));
    draw_uniform(random, m.weight.size(), static_cast<Element>(-bound), static_cast<Element>(bound),
                 [&](std::size_t i, Element value) { m.weight.elements[i] = value; });
    if constexpr (Module::options.bias) linear_bias(m.bias, depth, random);
}

/// nn.MultiheadAttention: constructs its output projection first, then draws the others, then clears the biases.
template <class Config, class Module>
constexpr void reset_attention(Module& m, generator& random) noexcept {
    reset<Config>(m.out_proj, random);
    constexpr std::size_t q = decltype(m.query)::out, k = decltype(m.key)::out, v = decltype(m.value)::out;
    constexpr bool one_matrix =
        Module::kdim == Module::embed && Module::vdim == Module::embed && Module::kv_heads == Module::heads;
    const auto bound = [](std::size_t in, std::size_t out) {
        return root(3.0) * xavier_deviation(fans{in, one_matrix ? q + k + v : out}, 1);
    };
    draw_weight<Config>(m.query.weight, random, bound(Module::embed, q));
    draw_weight<Config>(m.key.weight, random, bound(Module::kdim, k));
    draw_weight<Config>(m.value.weight, random, bound(Module::vdim, v));
    if constexpr (Module::options.bias) {
        m.query.bias = 0;
        if constexpr (Module::options.key_bias) m.key.bias = 0;
        m.value.bias = 0;
    }
    if constexpr (Module::options.bias && Module::options.out_bias) m.out_proj.bias = 0;
    if constexpr (Module::has_relative_positions) reset<Config>(m.relative_attention_bias, random);
}

/// nn.LSTM, nn.GRU and nn.RNN: every array has the bound 1 / sqrt(hidden).
template <class Config, class Module>
constexpr void reset_recurrent(Module& m, generator& random) noexcept {
    const auto draw_cell = [&](auto& cell) {
        using recurrent = decltype(cell.recurrent);
        const double bound = 1 / root(static_cast<double>(Module::hidden));
        draw_weight<Config>(cell.weight_ih, random, bound);
        draw_weight<Config>(cell.recurrent.weight_hh, random, bound);
        if constexpr (recurrent::has_bias) {
            linear_bias(cell.bias_ih, Module::hidden, random);
            linear_bias(cell.recurrent.bias_hh, Module::hidden, random);
        }
        if constexpr (recurrent::has_projection) draw_weight<Config>(cell.recurrent.weight_hr, random, bound);
    };
    for (auto& cell : m.first_cells) draw_cell(cell);
    if constexpr (Module::layer_count != 1)
        for (auto& cell : m.further_cells) draw_cell(cell);
}

template <class Config, class Module>
constexpr void reset(Module& m, generator& random) noexcept {
    constexpr initialization kind = nn::detail::initialization_of<Module>();
    if constexpr (kind == initialization::linear) {
        draw_weight<Config>(m.weight, random, root(3.0) * kaiming_deviation(Module::in, root(5.0)));
        if constexpr (Module::options.bias) linear_bias(m.bias, Module::in, random);
    } else if constexpr (kind == initialization::convolution) {
        reset_convolution<Config>(m, random);
    } else if constexpr (kind == initialization::transposed_convolution) {
        reset_transposed(m, random);
    } else if constexpr (kind == initialization::slope) {
        m.weight = 0.25f;
    } else if constexpr (kind == initialization::table) {
        normal(m.weight, random);
    } else if constexpr (kind == initialization::norm) {
        m.weight = 1;
        if constexpr (requires { m.bias = 0; }) m.bias = 0;
    } else if constexpr (kind == initialization::channel_norm) {
        if constexpr (Module::options.affine) {
            m.weight = 1;
            m.bias = 0;
        }
        if constexpr (requires { m.running_var = 1; }) {
            m.running_mean = 0;
            m.running_var = 1;
        }
    } else if constexpr (kind == initialization::attention) {
        reset_attention<Config>(m, random);
    } else if constexpr (kind == initialization::recurrent) {
        reset_recurrent<Config>(m, random);
    } else {
        Module::members(m, reset_members<Config, stack_of_copies<Module>>{random});
    }
}

/// Whether a module can be returned by value.
template <std::size_t Bytes, std::size_t Allowed>
struct module_on_stack {
    static constexpr bool fits = Bytes <= Allowed;
};

}  // namespace detail

/// Sets a module to the values with which PyTorch constructs the same module, drawn in the same order: nn.Linear,
/// nn.Conv1d, nn.Conv2d, nn.ConvTranspose1d, nn.PReLU, nn.Embedding (also of positions), norms, nn.MultiheadAttention,
/// nn.LSTM, nn.GRU, nn.RNN, and modules that consist of these in the order of the members (nn.TransformerEncoderLayer
/// and nn.TransformerDecoderLayer). The layers of an encoder or decoder are copies of one, as in PyTorch. Uniform
/// floats, so all but embeddings, are equal bit by bit. Tensors that are members of your own modules are unchanged.
/// Works in constant expressions.
///
///     nn::init::generator random(1);                     // torch.manual_seed(1)
///     nn::multihead_attention<{.embed = 4, .heads = 2}> mha{};
///     nn::init::reset_parameters(mha, random);           // nn.MultiheadAttention(4, 2)
template <module Module, class Config = current_config>
constexpr void reset_parameters(Module& m, generator& random) noexcept {
    detail::reset<Config>(m, random);
}

/// Returns such a module by value; it has at most ASHLAR_STACK_BUDGET bytes (`fits_on_stack`). Define a larger one as
/// static, and reset it in place.
///
///     auto query = nn::init::make<nn::linear<{.in = 2, .out = 4, .bias = false}>>(random);
///     // nn.Linear(2, 4, bias=False)
template <module Module, class Config = current_config>
[[nodiscard]] constexpr Module make(generator& random) noexcept {
    static_assert(detail::module_on_stack<sizeof(Module), Config::stack_budget>::fits,
                  "ashlar: init: a module by value exceeds ASHLAR_STACK_BUDGET; make it static, and call "
                  "reset_parameters(m, random)");
    Module m{};
    reset_parameters(m, random);
    return m;
}

}  // namespace ashlar::nn::init
