// SPDX-License-Identifier: BSL-1.0
// Register blocks at the edge of a mask: a part of the columns, counted in halves of registers, with two depth steps
// side by side.
//
// Lane 2*q + d of a packed vector is V(k + d, j + q) for half a register of columns; against it stand S(i, k) and
// S(i, k + 1), one load repeated W/2 times. So half a register takes half of the multiply-adds, and where several
// halves take part, each load serves all of them.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/product/product_block.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::detail {

/// Whether blocks of a product can begin at half a register of columns.
constexpr bool takes_half_registers(const product_shape& product, std::size_t element_bytes, bool floating,
                                    const machine& m) {
    const std::size_t width = m.lanes(element_bytes);
    return width >= 4 && m.registers >= 32 && m.shuffles(element_bytes, floating) && product.sk == 1 &&
           product.k % 2 == 0 && (product.padded || product.j % (width / 2) == 0);
}
template <class Element, class Config, product_shape Product>
inline constexpr bool has_half_registers =
    takes_half_registers(Product, sizeof(Element), std::is_floating_point_v<Element>, machine_of<Config>);

/// Whether the accumulators of so many rows and halves leave registers for the operands of a step.
template <class Config>
constexpr bool fits_half_registers(std::size_t rows, std::size_t halves) {
    return rows * halves + halves + 3 <= machine_of<Config>.registers;
}

/// Half a register of columns at two depth steps, side by side: from v on and from v + distance on.
template <class Lanes, class Element>
ASHLAR_STAGE_INLINE Lanes load_steps_in_turn(const Element* v, std::ptrdiff_t distance) {
    constexpr std::size_t width = Lanes::size, half = width / 2;
    if constexpr (loads_halves<Element, width, typename Lanes::config_type>) {
        struct in_turn {
            static constexpr std::size_t from(std::size_t lane) { return lane % 2 * half + lane / 2; }
        };
        const Lanes both(Lanes::ops::template load_groups<half>(v, distance));
        return shuffle_as<in_turn>(both, both);
    } else {
        struct in_turn {
            static constexpr std::size_t from(std::size_t lane) { return lane % 2 * width + lane / 2; }
        };
        return shuffle_as<in_turn>(Lanes::template load_partial<half>(v),
                                   Lanes::template load_partial<half>(v + distance));
    }
}

/// A register of columns from the packed sums of its lower and its upper half; of two rows, each in both halves.
template <class Element, std::size_t Width>
struct folded_halves {
    static constexpr std::size_t from(std::size_t lane) {
        return folded_lane<Element, Width, 2>(lane / (Width / 2), lane % (Width / 2));
    }
};
template <class Element, std::size_t Width, std::size_t Row>
struct folded_twice {
    static constexpr std::size_t from(std::size_t lane) {
        return folded_lane<Element, Width, 2>(Row, lane % (Width / 2));
    }
};

/// The rows [i, i + Rows) of the halves [First, First + Halves) of the `Columns` columns that begin at j. Their
/// registers are handed to the epilogue whole, to be masked; what the other halves hold is not specified.
template <class Element, class Config, product_shape Product, std::size_t Rows, std::size_t Columns, std::size_t First,
          std::size_t Halves, class Epilogue>
ASHLAR_STAGE_INLINE void product_half_registers(const Element* s, const Element* v, Epilogue& epilogue, std::size_t i,
                                                std::size_t j) {
    static_assert(!has_hook<Epilogue, hook::interleave> && !has_hook<Epilogue, hook::group>);
    constexpr std::size_t width = lane_width<Element, Config>, half = width / 2,
                          registers = (First + Halves + 1) / 2 - First / 2;
    using vec = lanes<Element, width, Config>;
    vec sums[Halves][Rows];
    ASHLAR_UNROLL
    for (std::size_t h = 0; h < Halves; ++h) {
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r) sums[h][r] = vec(Element(0));
    }
    const Element* s_at = s + i * Product.si;
    const Element* v_at = v + j + First * half;
    for (std::size_t left = Product.k / 2; left != 0; --left, s_at += 2, v_at += 2 * Product.vk) {
        vec b[Halves];
        ASHLAR_UNROLL
        for (std::size_t h = 0; h < Halves; ++h)
            b[h] = opaque(load_steps_in_turn<vec>(v_at + h * half, static_cast<std::ptrdiff_t>(Product.vk)));
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r) {
            const vec a = load_repeated<vec, 2>(s_at + r * Product.si);
            ASHLAR_UNROLL
            for (std::size_t h = 0; h < Halves; ++h) sums[h][r] = fma(a, b[h], sums[h][r]);
        }
    }
    [&]<std::size_t... ColumnIndex>(std::index_sequence<ColumnIndex...>) ASHLAR_STAGE_LAMBDA {
        const auto column = [&]<std::size_t RowIndex>() ASHLAR_STAGE_LAMBDA {
            constexpr std::size_t end = First + Halves, rest = Columns - RowIndex * width;
            constexpr std::size_t low = 2 * RowIndex < First ? 0 : 2 * RowIndex - First;
            constexpr bool both = 2 * RowIndex >= First && 2 * RowIndex + 1 < end;
            vec whole[Rows];
            ASHLAR_UNROLL
            for (std::size_t r = 0; r < Rows; r += both ? 1 : 2) {
                vec pair[2] = {sums[low][r], both ? sums[both ? low + 1 : 0][r] : sums[low][r + 1 < Rows ? r + 1 : r]};
                fold_lanes<1, 2, 2>(pair);
                if constexpr (both) {
                    whole[r] = shuffle_as<folded_halves<Element, width>>(pair[0], pair[0]);
                } else {
                    whole[r] = shuffle_as<folded_twice<Element, width, 0>>(pair[0], pair[0]);
                    if (r + 1 < Rows) whole[r + 1] = shuffle_as<folded_twice<Element, width, 1>>(pair[0], pair[0]);
                }
            }
            constexpr lane_count<(rest < width ? rest : width)> count;
            add_initial(epilogue, i, j + RowIndex * width, whole, count);
            finish_column(epilogue, i, j + RowIndex * width, whole, count, masked_block{});
        };
        (column.template operator()<First / 2 + ColumnIndex>(), ...);
    }(std::make_index_sequence<registers>{});
    finish_block(epilogue, i, Rows, j + First / 2 * width, registers);
}

/// Computes the block if halves of it are needed that begin or end within it, and tells whether nothing is left to do.
template <class Element, class Config, product_shape Product, std::size_t Rows, std::size_t Columns, class Epilogue>
ASHLAR_STAGE_INLINE bool does_half_registers(const Element* s, const Element* v, Epilogue& epilogue, std::size_t i,
                                             std::size_t j) {
    constexpr std::size_t half = lane_width<Element, Config> / 2, count = (Columns + half - 1) / half;
    const half_range kept = epilogue.kept_halves(i, i + Rows, j, j + Columns);
    const auto among = [&]<std::size_t Half, bool Upper>() ASHLAR_STAGE_LAMBDA {
        if constexpr (fits_half_registers<Config>(Rows, Half)) {
            if (Upper ? kept.first + Half == count : kept.first == 0 && kept.last == Half) {
                product_half_registers<Element, Config, Product, Rows, Columns, Upper ? count - Half : 0, Half>(
                    s, v, epilogue, i, j);
                return true;
            }
        }
        return false;
    };
    return kept.first == kept.last || [&]<std::size_t... Half>(std::index_sequence<Half...>) ASHLAR_STAGE_LAMBDA {
        if (kept.first != 0) return (among.template operator()<Half + 1, true>() || ...);
        if constexpr (Epilogue::ends_within)
            if (kept.last != count) return (among.template operator()<Half + 1, false>() || ...);
        return false;
    }(std::make_index_sequence<count - 1>{});
}

}  // namespace ashlar::detail
