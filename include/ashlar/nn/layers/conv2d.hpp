// SPDX-License-Identifier: BSL-1.0
// conv2d: a convolution over an image with learnt weights.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/nodes/packed_slice.hpp>
#include <ashlar/expr/shape/one_or_two.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/convolution.hpp>
#include <ashlar/nn/layers/padding_mode.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `conv2d`, those of PyTorch's nn.Conv2d: numbers for both axes, or {height, width}. With
/// `channels_last` inputs are [..., height, width, in].
struct conv2d_options {
    width in, out;
    one_or_two kernel, stride = 1, padding = 0, dilation = 1;
    width groups = 1;
    bool bias = true;
    nn::padding_mode padding_mode = nn::padding_mode::zeros;
    bool channels_last = false;
};

/// Weighted sums over windows of an image and all channels of a group: [..., in, H, W] to [..., out, rows, columns], or
/// with `channels_last` [..., H, W, in] to [..., rows, columns, out], lazily, with extents as of `conv1d`. PyTorch's
/// nn.Conv2d: in weight files `weight` is [out, in / groups, height, width of the kernel] and `bias` [out]. Here the
/// matrix is [height * width * in / groups, out], packed if there is one group. A padded or computed input, or one with
/// contiguous columns, is copied to scratch. The windows of a tile are copied side by side, unless those of one row of
/// the kernel are long: then each row is a product that reads them in place. With one group per channel and up to 32
/// taps there are no windows; with as many results as channels neither layout is permuted.
///
///     nn::conv2d<{.in = 3, .out = 64, .kernel = 16, .stride = 16}> patches{};
///     tensor<float, 64, 2, 2> y = patches(image);   // image: tensor<float, 3, 32, 32>
template <conv2d_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct conv2d {
    static constexpr conv2d_options options = Options;
    static constexpr auto initialization = detail::initialization::convolution;
    static constexpr std::size_t in = Options.in, out = Options.out;

private:
    /// Depth from which a product of one row of the kernel costs less than copies of its windows.
    static constexpr std::size_t least_depth_of_row = 32;
    static constexpr detail::convolved_axis down{options.kernel.first, options.stride.first, options.padding.first,
                                                 options.dilation.first};
    static constexpr detail::convolved_axis across{options.kernel.second, options.stride.second, options.padding.second,
                                                   options.dilation.second};
    static constexpr detail::convolved_channels channels{Options.in, Options.out, Options.groups};
    static_assert(
        detail::convolution_options<channels, down, across>::valid,
        "ashlar: nn: a convolution needs channels, a kernel, a stride and a dilation that are not 0, and groups "
        "that divide both its channels");
    static constexpr std::size_t depth = down.kernel * across.kernel * channels.in_group();

public:
    typename detail::convolution_matrix<Weight, Panel, depth, out, channels.groups == 1>::type weight;
    [[no_unique_address]] detail::optional_vector<Options.bias, Element, out> bias;

    /// The expression; it borrows the module.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const& noexcept {
        using from = shape_of<Input>;
        constexpr bool wide = detail::convolution_input<from, 2, in, Options.channels_last>::fits;
        static_assert(
            detail::convolution_input<from, 2, in, Options.channels_last>::fits,
            "ashlar: nn: the input of a convolution must be [..., channels, height, width] with as many channels "
            "as the options say, with .channels_last [..., height, width, channels]; permute it or change one");
        if constexpr (!wide) {
            return ashlar::detail::refused<element_of<Input>, from>();
        } else {
            constexpr std::size_t axis = from::rank - (Options.channels_last ? 3 : 2);
            static_assert(detail::convolution_kernel<from, axis, down, across>::fits,
                          "ashlar: nn: the kernel of a convolution must fit into the padded input; add padding or make "
                          "the input longer");
            constexpr std::size_t height = from::extents[axis], columns = from::extents[axis + 1];
            constexpr bool repeats = detail::padding_entries<down.padding, height, options.padding_mode>::exist &&
                                     detail::padding_entries<across.padding, columns, options.padding_mode>::exist;
            static_assert(
                detail::padding_entries<down.padding, height, options.padding_mode>::exist &&
                    detail::padding_entries<across.padding, columns, options.padding_mode>::exist,
                "ashlar: nn: a padding that reflects must be less than the extent of its axis, and a circular one at "
                "most that; make it smaller");
            if constexpr (!detail::convolution_kernel<from, axis, down, across>::fits || !repeats)
                return ashlar::detail::refused<element_of<Input>, from>();
            else if constexpr (Options.channels_last)
                return with_bias(sums(std::forward<Input>(x)));
            else if constexpr (channels.is_depthwise() && channels.out == channels.in &&
                               down.kernel * across.kernel <= detail::most_taps_of_a_sum)
                return sums_of_planes(std::forward<Input>(x));
            else
                return ashlar::detail::permute_by<channels_to<from::rank, false>()>(with_bias(
                    sums(ashlar::detail::permute_by<channels_to<from::rank, true>()>(std::forward<Input>(x)))));
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
        visit("weight", convolution_weight<down.kernel, across.kernel>(self.weight));
        if constexpr (Options.bias) visit("bias", self.bias);
    }

private:
    /// The permutation that moves the channels after the image, or before it.
    template <std::size_t Rank, bool Last>
    static consteval std::array<std::size_t, Rank> channels_to() {
        std::array<std::size_t, Rank> order{};
        for (std::size_t i = 0; i < Rank; ++i) {
            if (i + 3 < Rank)
                order[i] = i;
            else if (Last)
                order[i] = i + 1 < Rank ? i + 1 : Rank - 3;
            else
                order[i] = i + 3 == Rank ? Rank - 1 : i - 1;
        }
        return ashlar::detail::spelled_out(order);
    }

    template <any_expression Sums>
    ASHLAR_ALWAYS_INLINE constexpr auto with_bias(Sums&& y) const noexcept {
        if constexpr (Options.bias)
            return std::forward<Sums>(y) + bias;
        else
            return ashlar::detail::hold(std::forward<Sums>(y));
    }

    /// The image with its padding, in memory with contiguous channels.
    template <any_expression Input>
    ASHLAR_ALWAYS_INLINE static constexpr auto framed(Input&& x) noexcept {
        constexpr std::size_t axis = shape_of<Input>::rank - 3;
        if constexpr (down.padding != 0)
            return detail::padded_by<options.padding_mode, axis, down.padding>(
                detail::padded_by<options.padding_mode, axis + 1, across.padding>(std::forward<Input>(x)));
        else
            return detail::padded<axis + 1, across.padding, options.padding_mode>(std::forward<Input>(x));
    }

    /// The windows of each row of the kernel side by side: [..., H, W, in] as [..., rows, columns, taps * in].
    template <any_expression Input>
    ASHLAR_ALWAYS_INLINE static constexpr auto all_taps(const Input& y) noexcept {
        constexpr std::size_t axis = shape_of<Input>::rank - 3;
        constexpr std::size_t rows = (shape_of<Input>::extents[axis] - down.reach()) / down.stride + 1;
        return [&]<std::size_t... Row>(std::index_sequence<Row...>) ASHLAR_LAMBDA_INLINE {
            return detail::side_by_side(
                detail::taps_of<across, channels.groups, 2>(detail::tap_of<axis, down, Row, rows>(y))...);
        }(std::make_index_sequence<down.kernel>{});
    }

    /// Whether the windows of one row of the kernel are the left operand of a product where they are. The others are
    /// copied so that they are side by side; that costs less if there are few taps for many results.
    static consteval bool reads_rows_in_place() {
        constexpr std::size_t row_depth = across.kernel * in, copied = down.kernel * row_depth,
                              added = (down.kernel - 1) * out;
        constexpr bool in_panels = std::is_same_v<decltype(weight), basic_packed<Element, Panel, depth, out>>;
        return in_panels && down.kernel > 1 && down.kernel <= detail::most_taps_of_a_sum && across.kernel > 1 &&
               across.dilation == 1 && row_depth >= least_depth_of_row && copied > added;
    }

    /// Products of the windows of each row of the kernel, added up.
    template <any_expression Input>
    ASHLAR_ALWAYS_INLINE constexpr auto sum_of_rows(const Input& y) const noexcept {
        constexpr std::size_t axis = shape_of<Input>::rank - 3, row_depth = across.kernel * in;
        constexpr std::size_t rows = (shape_of<Input>::extents[axis] - down.reach()) / down.stride + 1;
        return detail::sum_of_taps<down.kernel>([&](auto row) ASHLAR_LAMBDA_INLINE {
            constexpr std::size_t number = decltype(row)::value;
            return matmul(detail::taps_of<across, 1, 2>(detail::tap_of<axis, down, number, rows>(y)),
                          ashlar::detail::slice_of_packed<number * row_depth, row_depth>(weight));
        });
    }

    /// A depthwise convolution, [..., in, H, W] to [..., in, rows, columns]: multiply-adds of rows of the image, one
    /// for each tap, by the weight of a channel. With a stride, the rows are copied in phases.
    template <any_expression Input>
    ASHLAR_ALWAYS_INLINE constexpr auto sums_of_planes(Input&& x) const noexcept {
        constexpr std::size_t axis = shape_of<Input>::rank - 2;
        constexpr std::size_t rows = down.windows(shape_of<Input>::extents[axis]);
        constexpr std::size_t columns = across.windows(shape_of<Input>::extents[axis + 1]);
        constexpr std::size_t taps = down.kernel * across.kernel;
        constexpr bool once = taps == 1, in_phases = !once && across.stride != 1;
        auto framed = [&]() ASHLAR_LAMBDA_INLINE {
            auto whole = detail::padded_by<options.padding_mode, axis, down.padding>(
                detail::padded_by<options.padding_mode, axis + 1, across.padding>(std::forward<Input>(x)));
            if constexpr (in_phases)
                return detail::phases<across.stride>(std::move(whole));
            else
                return whole;
        }();
        auto y = detail::read_by<once>(std::move(framed), [this](const auto& planes) ASHLAR_LAMBDA_INLINE {
            return detail::sum_of_taps<taps>([&](auto tap) ASHLAR_LAMBDA_INLINE {
                constexpr std::size_t number = decltype(tap)::value, place = number % across.kernel;
                const auto lines = detail::tap_of<axis, down, number / across.kernel, rows>(planes);
                const auto factor = reshape<in, 1, 1>(row(weight, number));
                if constexpr (in_phases)
                    return detail::tap_of_phases<across, place, columns>(lines) * factor;
                else
                    return detail::tap_of<axis + 1, across, place, columns>(lines) * factor;
            });
        });
        if constexpr (Options.bias)
            return std::move(y) + reshape<in, 1, 1>(bias);
        else
            return y;
    }

    /// [..., H, W, in] to [..., rows, columns, out].
    template <any_expression Input>
    ASHLAR_ALWAYS_INLINE constexpr auto sums(Input&& x) const noexcept {
        constexpr std::size_t axis = shape_of<Input>::rank - 3;
        if constexpr (down.is_pointwise() && across.is_pointwise() && channels.groups == 1) {
            return matmul(std::forward<Input>(x), weight);
        } else if constexpr (channels.is_depthwise() && down.kernel * across.kernel <= detail::most_taps_of_a_sum) {
            // Multiply-adds of rows, one for each tap.
            constexpr std::size_t rows = down.windows(shape_of<Input>::extents[axis]);
            constexpr std::size_t columns = across.windows(shape_of<Input>::extents[axis + 1]);
            return detail::read_by < down.kernel * across.kernel ==
                   1 > (detail::channels_repeated<channels>(framed(std::forward<Input>(x))),
                        [this](const auto& y) ASHLAR_LAMBDA_INLINE {
                            return detail::sum_of_taps<down.kernel * across.kernel>([&](auto tap) ASHLAR_LAMBDA_INLINE {
                                constexpr std::size_t number = decltype(tap)::value;
                                return detail::tap_of<axis + 1, across, number % across.kernel, columns>(
                                           detail::tap_of<axis, down, number / across.kernel, rows>(y)) *
                                       row(weight, number);
                            });
                        });
        } else if constexpr (channels.is_depthwise()) {
            auto taps = windows<axis + 2, across.kernel, across.stride, across.dilation>(
                windows<axis, down.kernel, down.stride, down.dilation>(
                    detail::channels_repeated<channels>(framed(std::forward<Input>(x)))));
            return sum<-4, -2>(std::move(taps) * reshape<down.kernel, 1, across.kernel, out>(weight));
        } else {
            constexpr bool once = down.kernel == 1 && detail::names_once(across, channels.groups);
            return detail::read_by<once>(framed(std::forward<Input>(x)), [this](const auto& y) ASHLAR_LAMBDA_INLINE {
                if constexpr (reads_rows_in_place())
                    return this->sum_of_rows(y);
                else
                    return detail::multiplied<channels, 2>(all_taps(y), weight);
            });
        }
    }
};

}  // namespace ashlar::nn
