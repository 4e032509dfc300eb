// SPDX-License-Identifier: BSL-1.0
// conv_transpose1d: a transposed convolution, which makes a longer signal from a shorter one.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/expr/shape/pad.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/expr/shape/reshape.hpp>
#include <ashlar/expr/shape/roll.hpp>
#include <ashlar/expr/shape/slice.hpp>
#include <ashlar/expr/shape/windows.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/convolution.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `conv_transpose1d`, those of PyTorch's nn.ConvTranspose1d. With `channels_last` inputs are [...,
/// time, in].
struct conv_transpose1d_options {
    width in, out, kernel;
    width stride = 1, padding = 0, output_padding = 0, groups = 1;
    bool bias = true;
    width dilation = 1;
    bool channels_last = false;
};

namespace detail {

/// The parameters of a transposed convolution along time.
struct transposed_axis {
    std::size_t kernel = 1, stride = 1, padding = 0, output_padding = 0, dilation = 1;

    constexpr std::size_t reach() const { return (kernel - 1) * dilation + 1; }
    /// Results of `extent` inputs.
    constexpr std::size_t results(std::size_t extent) const {
        return (extent - 1) * stride + reach() + output_padding - 2 * padding;
    }
    constexpr bool fits(std::size_t extent) const {
        return extent != 0 && (extent - 1) * stride + reach() + output_padding > 2 * padding;
    }
    /// Inputs that one result depends on, at most.
    constexpr std::size_t taps() const { return (reach() + stride - 1) / stride; }
};

template <transposed_axis Along>
struct transposed_options {
    static constexpr bool valid =
        Along.kernel != 0 && Along.stride != 0 && Along.dilation != 0 &&
        (Along.output_padding == 0 || Along.output_padding < Along.stride || Along.output_padding < Along.dilation);
};
template <class Input, std::size_t Axis, transposed_axis Along>
struct transposed_results {
    static constexpr bool exist = Along.fits(Input::extents[Axis]);
};

}  // namespace detail

/// Each input adds its kernel to the results from place `stride * i` on: [..., in, T] to [..., out, results], or with
/// `channels_last` [..., T, in] to [..., results, out], lazily; results = (T - 1) * stride - 2 * padding + dilation *
/// (kernel - 1) + output_padding + 1. PyTorch's nn.ConvTranspose1d: `weight` [in, out / groups, kernel], here as in
/// weight files, and `bias` [out].
///
/// One product computes it: `stride` neighbouring results depend on the same inputs, and are one row of the product.
/// The inputs with zeros around them and the weights in that order are copied to scratch, which `workspace_bytes`
/// counts; a dilation multiplies this copy. in * out / groups * kernel + out parameters.
///
///     nn::conv_transpose1d<{.in = 64, .out = 32, .kernel = 8, .stride = 4, .padding = 2}> up{};
///     tensor<float, 32, 200> y = up(x);   // x: tensor<float, 64, 50>
template <conv_transpose1d_options Options, class Element = float>
struct conv_transpose1d {
    static constexpr conv_transpose1d_options options = Options;
    static constexpr auto initialization = detail::initialization::transposed_convolution;
    static constexpr std::size_t in = options.in, out = options.out, kernel = options.kernel;

private:
    static constexpr detail::transposed_axis along{options.kernel, options.stride, options.padding,
                                                   options.output_padding, options.dilation};
    static constexpr detail::convolved_channels channels{options.in, options.out, options.groups};
    static_assert(
        detail::convolution_options<channels,
                                    detail::convolved_axis{options.kernel, options.stride, 0, options.dilation}>::valid,
        "ashlar: nn: a convolution needs channels, a kernel, a stride and a dilation that are not 0, and groups "
        "that divide both its channels");
    static_assert(detail::transposed_options<along>::valid,
                  "ashlar: nn: the output_padding of a transposed convolution must be less than its stride or its "
                  "dilation; make it smaller");

public:
    basic_tensor<detail::table_element<Element>, in, channels.out_group(), kernel> weight;
    [[no_unique_address]] detail::optional_vector<options.bias, Element, out> bias;

    /// The expression; it borrows the module.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const& noexcept {
        using from = shape_of<Input>;
        constexpr bool wide = detail::convolution_input<from, 1, in, options.channels_last>::fits;
        static_assert(
            detail::convolution_input<from, 1, in, options.channels_last>::fits,
            "ashlar: nn: the input of a convolution must be [..., channels, time] with as many channels as the "
            "options say, with .channels_last [..., time, channels]; transpose it or change one");
        if constexpr (!wide) {
            return ashlar::detail::refused<element_of<Input>, from>();
        } else {
            constexpr std::size_t axis = from::rank - (options.channels_last ? 2 : 1);
            static_assert(detail::transposed_results<from, axis, along>::exist,
                          "ashlar: nn: the padding of a transposed convolution must leave a result; make it smaller");
            if constexpr (!detail::transposed_results<from, axis, along>::exist)
                return ashlar::detail::refused<element_of<Input>, from>();
            else if constexpr (options.channels_last)
                return with_bias(sums(std::forward<Input>(x)));
            else
                return transpose(with_bias(sums(transpose(std::forward<Input>(x)))));
        }
    }
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x));
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("weight", self.weight);
        if constexpr (options.bias) visit("bias", self.bias);
    }

private:
    static constexpr std::size_t taps = along.taps(), stride = along.stride;

    template <any_expression Sums>
    ASHLAR_ALWAYS_INLINE constexpr auto with_bias(Sums&& y) const noexcept {
        if constexpr (options.bias)
            return std::forward<Sums>(y) + bias;
        else
            return ashlar::detail::hold(std::forward<Sums>(y));
    }

    /// The matrices of the groups, [groups, taps * in of a group, stride * out of a group]. Row (tap, c) and column (r,
    /// o) hold the weight by which the input `taps - 1 - tap` before the last one adds to result r: tap number (taps -
    /// 1 - tap) * stride + r of the kernel, or 0 where that ends.
    ASHLAR_ALWAYS_INLINE constexpr auto matrices() const noexcept {
        constexpr std::size_t groups = channels.groups, c = channels.in_group(), o = channels.out_group();
        const auto kernels = [this] {
            if constexpr (along.dilation == 1)
                return pad<-1, 0, taps * stride - kernel>(weight);
            else
                return pad<-1, 0, taps * stride - along.reach()>(
                    slice<-1, 0, static_cast<std::ptrdiff_t>(along.reach())>(reshape<in, o, kernel * along.dilation>(
                        pad<-1, 0, along.dilation - 1>(reshape<in, o, kernel, 1>(weight)))));
        }();
        return reshape<groups, taps * c, stride * o>(
            permute<0, 3, 1, 4, 2>(flip<3>(reshape<groups, c, o, taps, stride>(kernels))));
    }

    /// [..., T, in] to [..., results, out].
    template <any_expression Input>
    ASHLAR_ALWAYS_INLINE constexpr auto sums(Input&& x) const noexcept {
        using from = shape_of<Input>;
        constexpr std::size_t axis = from::rank - 2, extent = from::extents[axis], groups = channels.groups;
        constexpr std::size_t results = along.results(extent), rows = (along.padding + results + stride - 1) / stride;
        // Rows after those that inputs reach are padding of the output.
        auto framed = ashlar::detail::pad_along<axis, taps - 1, (rows > extent ? rows - extent : 0)>(
            std::forward<Input>(x), element_of<Input>(0));
        auto product = [&] {
            if constexpr (groups == 1) {
                return matmul(detail::taps_of<detail::convolved_axis{taps, 1, 0, 1}, 1, 1>(framed),
                              reshape<taps * in, stride * out>(matrices()));
            } else {
                return detail::used_often(framed, [this](const auto& y) ASHLAR_LAMBDA_INLINE {
                    return matmul(detail::taps_of<detail::convolved_axis{taps, 1, 0, 1}, channels.groups, 1>(y),
                                  matrices());
                });
            }
        }();
        return ashlar::detail::slice_from<axis, results, 1>(rows_of_results(std::move(product)),
                                                            static_cast<std::ptrdiff_t>(along.padding));
    }
    /// [..., groups, rows, stride * out of a group] to [..., rows * stride, out].
    template <any_expression Product>
    ASHLAR_ALWAYS_INLINE static constexpr auto rows_of_results(Product&& p) noexcept {
        using from = shape_of<Product>;
        constexpr std::size_t groups = channels.groups, rank = from::rank;
        using result = decltype(ashlar::detail::build_shape<rank>([]<std::size_t Place>() {
            if constexpr (Place + 2 < rank)
                return ashlar::detail::dimension_at<from, Place>;
            else if constexpr (Place + 2 == rank)
                return from::extents[rank - 2] * stride;
            else
                return channels.out_group();
        }));
        auto rows = ashlar::detail::reshape_to<result>(std::forward<Product>(p));
        if constexpr (groups == 1)
            return rows;
        else
            return detail::groups_last<groups, 1>(std::move(rows));
    }
};

}  // namespace ashlar::nn
