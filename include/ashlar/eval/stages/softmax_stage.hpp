// SPDX-License-Identifier: BSL-1.0
// The softmax stage: numerators and the sums that divide them, with rows or columns in lanes.
#pragma once

#include <bit>

#include <ashlar/eval/stages/row_stage.hpp>
#include <ashlar/eval/stages/softmax_numerators.hpp>
#include <ashlar/kernel/math/exp2_nonpositive.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::inline v0_1::detail {

/// Numerators exp(x - maximum) and the factor 1 / sum of each row; for log_softmax the maximum and the logarithm of the
/// sum. The factor of a row without a finite element is zero.
template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct softmax_stage : row_stage<Plan, Element, Stage, Rows> {
    using base = row_stage<Plan, Element, Stage, Rows>;
    using base::f, base::stage, base::columns, base::width, base::core;
    using typename base::element;
    using vec = typename base::template lanes_of<element>;
    static constexpr bool plain = Plan::nodes[core].variant == static_cast<std::uint8_t>(softmax_kind::plain);
    static constexpr bool partial = Plan::nodes[core].partial, is_weighted = Plan::nodes[core].is_weighted;
    /// Whether keys come in blocks. The last block repeats some keys of the block before.
    static constexpr bool in_blocks = base::key_loop != whole_axis;
    static constexpr bool hides_keys = in_blocks && base::all_columns % columns != 0;

    ASHLAR_STAGE_INLINE static vec lowest() { return vec(lowest_value<element>); }

    static constexpr exp_form form = Plan::nodes[core].fast ? exp_form::coarse : exp_form::near_one;
    static constexpr exp_arguments arguments =
        Plan::nodes[core].masked == no_node && !hides_keys ? exp_arguments::finite : exp_arguments::any;

    /// Hides the function of this name: the largest numerator of a row is 1, and the expression may be `fast`.
    template <exp_arguments Arguments = arguments>
    ASHLAR_STAGE_INLINE static vec exp_nonpositive(vec x) {
        if constexpr (stage.powers_of_two)
            return exp2_nonpositive_as<form, Arguments>(x);
        else
            return exp_nonpositive_as<form, Arguments>(x);
    }

    ASHLAR_STAGE_ROOT ASHLAR_STAGE_INLINE void run() const {
        // Zeros are written in the whole range of the tile, because the next product reads the rows of a block over the
        // keys of all of them.
        const auto r = this->column_range(this->first_row(), Rows);
        if constexpr (hides_keys) hide_keys();
        if constexpr (base::how.form == row_form::groups_of_columns) {
            groups_of_rows(r);
        } else if constexpr (base::how.form == row_form::rows_in_lanes) {
            // Pairs first, then the rest of the tile.
            constexpr std::size_t pair = 2 * width, paired = base::how.together == 2 ? Rows / pair * pair : 0;
            for (std::size_t i = 0; i < paired; i += pair) pair_of_registers(this->first_row() + i, r);
            if constexpr (paired != Rows)
                for_each_register<Rows - paired, width>([&](std::size_t i, auto n) ASHLAR_STAGE_LAMBDA {
                    const std::size_t row = this->first_row() + paired + i;
                    lanes_of_rows<n>(row, Rows <= width && !base::how.exact_keys ? r : this->column_range(row, n, &r),
                                     r);
                });
        } else {
            base::both_passes(*this, r);
        }
    }

    ASHLAR_STAGE_INLINE element* numerators(std::size_t row, std::size_t column) const {
        return f.template buffer<element, base::first_buffer>() +
               f.template buffer_offset<base::first_buffer>(this->in_core(row, column));
    }
    /// Numerators as the next product reads them. Zeros stay zeros, because no scale may exist where a mask keeps
    /// nothing.
    template <std::size_t Width>
    ASHLAR_STAGE_INLINE vec weight(const vec& numerator, [[maybe_unused]] std::size_t row,
                                   [[maybe_unused]] std::size_t column) const {
        if constexpr (!is_weighted) {
            return numerator;
        } else {
            using factors = typename base::template reader<Width>;
            const vec factor =
                factors{f}.template operand_value<core, 1, base::top_steps>(this->in_core(row, column), 0);
            return select(numerator == vec(0), numerator, numerator * factor);
        }
    }
    /// The factors of Width rows from `row`, which the epilogue of the next product applies. A partial softmax writes
    /// its maxima and sums instead.
    template <std::size_t Width, class Lanes>
    ASHLAR_STAGE_INLINE Lanes factors(std::size_t row, [[maybe_unused]] const Lanes& most, const Lanes& total) const {
        if constexpr (!partial) {
            return reciprocal_or_zero(total);
        } else {
            const auto& node = node_at<core>(f.expression);
            const std::ptrdiff_t first = offset_of(this->in_core(row, 0), statistics_strides);
            constexpr std::ptrdiff_t step = stage.row_axis == no_axis ? 0 : statistics_strides[stage.row_axis];
            store_lanes<step, Width>(natural(most), node.maxima + first);
            store_lanes<step, Width>(total, node.sums + first);
            return Lanes(element(1));
        }
    }
    /// The maxima of rows in the units of the expression; the lowest number for a row without elements.
    template <class Lanes>
    ASHLAR_STAGE_INLINE static Lanes natural(const Lanes& most) {
        if constexpr (!stage.powers_of_two)
            return most;
        else
            return select(most == Lanes(lowest_value<element>), most, most * Lanes(element(0.693147180559945309417)));
    }
    /// log_softmax: the maxima of Width rows and the logarithms of their sums. That of an empty row is finite, so that
    /// it can be subtracted from minus infinity.
    template <std::size_t Width>
    ASHLAR_STAGE_INLINE void store_logarithms(std::size_t row, const vec& most, const vec& total) const {
        this->template store_row_numbers<base::first_buffer, Width, element>(row, most);
        this->template store_row_numbers<base::second_buffer, Width, element>(row, logarithm(total));
    }
    ASHLAR_STAGE_INLINE static vec logarithm(const vec& total) { return max<>(lowest(), log(total)); }
    /// Strides of the rows' statistics in memory, which have all axes of the core except the last one.
    static constexpr auto statistics_strides = [] {
        const graph_node& g = Plan::nodes[core];
        std::array<std::ptrdiff_t, base::core_rank> strides{};
        std::ptrdiff_t step = 1;
        for (std::size_t a = g.rank - 1u; a-- > 0; step *= static_cast<std::ptrdiff_t>(g.extents[a])) strides[a] = step;
        return strides;
    }();
    static constexpr std::ptrdiff_t column_distance =
        plain ? Plan::code.buffers[base::first_buffer].strides[stage.column_axis] : 0;

    // -------------------------------------------------------------- blocks of keys

    /// Excludes keys that the block before has processed.
    ASHLAR_STAGE_INLINE void hide_keys() const {
        const std::size_t first = this->first_row(), count = new_keys<base::key_loop>(f);
        for (std::size_t c = 0; c < count; ++c)
            for (std::size_t r = 0; r < Rows; ++r) *numerators(first + r, c) = -infinity<element>;
    }
    /// The numbers of rows from `row`, in lanes: of a register of rows, or of exactly Count rows.
    template <buffer_index Buffer, std::size_t Count = width>
    ASHLAR_STAGE_INLINE vec numbers(std::size_t row) const {
        return vec::template load_partial<Count>(this->template row_number<Buffer, element>(row));
    }
    template <buffer_index Buffer, std::size_t Width, bool Register>
    ASHLAR_STAGE_INLINE void put(std::size_t row, const vec& x) const {
        if constexpr (Register)
            this->template store_row_numbers<Buffer, Width, element>(row, x);
        else
            store_lanes<base::template row_number_stride<Buffer>(), Width>(
                x, this->template row_number<Buffer, element>(row));
    }
    /// Updates the running maxima with those of a block and stores the factors that rescale earlier results: the
    /// exponentials of the differences. Returns the new maxima.
    template <std::size_t Width, bool Register = true>
    ASHLAR_STAGE_INLINE vec grown(std::size_t row, const vec& of_block) const {
        constexpr auto running = stage.running_maxima, corrections = stage.corrections;
        const vec before = numbers<running, Register ? width : Width>(row);
        const vec most = max<>(before, of_block);
        put<corrections, Width, Register>(row, exp_nonpositive<exp_arguments::any>(before - most));
        put<running, Width, Register>(row, most);
        return most;
    }
    /// The sums of rows, with those of earlier blocks.
    template <std::size_t Count = width>
    ASHLAR_STAGE_INLINE vec with_earlier(std::size_t row, const vec& of_block) const {
        return fma(numbers<base::second_buffer, Count>(row), numbers<stage.corrections, Count>(row), of_block);
    }
    /// Before the first and after the last block.
    ASHLAR_STAGE_INLINE void begin_blocks() const {
        this->each_register_of_rows([&](std::size_t row, auto n) ASHLAR_STAGE_LAMBDA {
            this->template store_row_numbers<stage.running_maxima, n, element>(row, lowest());
            this->template store_row_numbers<base::second_buffer, n, element>(row, vec(0));
        });
    }
    ASHLAR_STAGE_INLINE void end_blocks() const {
        this->each_register_of_rows([&](std::size_t row, auto n) ASHLAR_STAGE_LAMBDA {
            this->template store_row_numbers<base::second_buffer, n, element>(
                row, factors<n>(row, numbers<stage.running_maxima>(row), numbers<base::second_buffer>(row)));
        });
    }

    /// With few remaining rows, one register takes several columns.
    template <std::size_t Width>
    static constexpr bool joins_columns = Width < width && base::how.joined_lanes != 0;
    /// Whether numerators also replace scores in the lanes after Width rows. Their maxima differ from 0 if there is a
    /// bias.
    template <std::size_t Width>
    static constexpr bool reads_whole_lines = base::how.whole_lines && (base::how.one_address || joins_columns<Width>);

    /// The maximum of Width rows: from the product that made the scores, or from a pass over them.
    template <std::size_t Width>
    ASHLAR_STAGE_INLINE vec greatest(std::size_t row, typename base::range r) const {
        if constexpr (stage.maxima != no_buffer) {
            constexpr auto maxima = stage.maxima;
            const vec most = vec::load(f.template buffer<element, maxima>() +
                                       f.template buffer_offset<maxima>(this->in_core(row, 0)));
            return Width == width || reads_whole_lines<Width> ? most
                                                              : select(vec::mask_type::first(Width), most, vec(0));
        } else {
            vec most[4] = {lowest(), lowest(), lowest(), lowest()};
            this->template fold_down<Width>(
                row, r, most, [](vec& m, vec x, std::size_t, auto) ASHLAR_STAGE_LAMBDA { m = max<>(m, x); });
            return max<>(max<>(most[0], most[1]), max<>(most[2], most[3]));
        }
    }

    /// Few rows in lines shorter than a register, replaced in place: one vector holds several columns.
    static constexpr std::size_t line = std::bit_ceil(Rows);
    ASHLAR_STAGE_INLINE void groups_of_rows(typename base::range r) const {
        constexpr std::size_t packs = width / line, rest = columns % packs;
        const std::size_t row = this->first_row(), whole_end = r.last / packs * packs;
        element* const x = numerators(row, 0);
        const auto each = [&](auto body) ASHLAR_STAGE_LAMBDA {
            for (std::size_t c = r.first; c < whole_end; c += packs)
                body(x + c * line, std::integral_constant<std::size_t, packs>{});
            if constexpr (rest != 0)
                if (r.last == base::columns)
                    body(x + (base::columns - rest) * line, std::integral_constant<std::size_t, rest>{});
        };
        const auto load = [](const element* p, auto n) ASHLAR_STAGE_LAMBDA {
            return n == packs ? vec::load(p)
                              : select(vec::mask_type::first(n * line), vec::load(p), vec(-infinity<element>));
        };
        vec m = lowest();
        if constexpr (stage.maxima != no_buffer) {
            constexpr auto maxima = stage.maxima;
            m = vec::load(f.template buffer<element, maxima>() +
                          f.template buffer_offset<maxima>(this->in_core(row, 0)));
        } else {
            each([&](element* p, auto n) ASHLAR_STAGE_LAMBDA { m = max<>(m, load(p, n)); });
            m = combine_groups<line>(m, [](vec a, vec b) ASHLAR_LAMBDA_INLINE { return max<>(a, b); });
        }
        if constexpr (in_blocks) m = grown<Rows>(row, m);
        vec sum(0);
        each([&](element* p, auto n) ASHLAR_STAGE_LAMBDA {
            const vec e = exp_nonpositive<exp_arguments::any>(load(p, n) - m);
            e.store(p);
            sum += e;
        });
        if constexpr (stage.fill_outside) {
            for (std::size_t c = 0; c < r.first * line; ++c) x[c] = element(0);
            for (std::size_t c = r.last * line; c < columns * line; ++c) x[c] = element(0);
        }
        const vec total = combine_groups<line>(sum, [](vec a, vec b) ASHLAR_LAMBDA_INLINE { return a + b; });
        if constexpr (in_blocks)
            this->template store_row_numbers<base::second_buffer, Rows, element>(row, with_earlier(row, total));
        else
            this->template store_row_numbers<base::second_buffer, Rows, element>(row, factors<Rows>(row, m, total));
    }

    template <std::size_t Width>
    ASHLAR_STAGE_INLINE void lanes_of_rows(std::size_t row, typename base::range r, typename base::range tile) const {
        softmax_numerators<softmax_stage, Width>(*this, row, r, tile).finish();
    }

    /// Two registers of rows column by column, without a mask: one is computed while the other waits.
    ASHLAR_STAGE_INLINE void pair_of_registers(std::size_t row, typename base::range all) const {
        softmax_numerators<softmax_stage, width> one(*this, row, all, all), other(*this, row + width, all, all);
        for (std::size_t c = all.first; c < all.last; ++c) {
            one.sum += one.numerator(this->template at<width>(row, c), c);
            other.sum += other.numerator(this->template at<width>(row + width, c), c);
        }
        one.store_factor(one.sum);
        other.store_factor(other.sum);
    }

    // The first pass finds maxima.
    static constexpr bool walks = true;
    static constexpr std::size_t states = 4;
    ASHLAR_STAGE_INLINE static vec start() { return lowest(); }
    template <std::size_t Width>
    ASHLAR_STAGE_INLINE static void step(vec& m, vec x, std::integral_constant<std::size_t, Width>) {
        if constexpr (Width == base::width)
            m = max<>(m, x);
        else
            m = max<>(m, select(vec::mask_type::first(Width), x, lowest()));
    }
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE auto finished(std::size_t row, const vec (&most)[states]) const {
        const auto maxima = base::template across_lanes<Count>(most, typename base::maximising{});
        if constexpr (!in_blocks) {
            return base::template in_all_lanes<Count>(maxima);
        } else {
            alignas(64) element numbers[width]{};
            maxima.store(numbers);
            grown<Count, false>(row, vec::load(numbers)).store(numbers);
            return base::template in_all_lanes<Count>(base::template numbers_of<Count>::load(numbers));
        }
    }
    /// The numerators and factors of these rows.
    template <std::size_t Count, class Beside = typename base::nothing>
    ASHLAR_STAGE_INLINE void second_pass(std::size_t row, typename base::range r,
                                         const typename base::template of_rows<Count>& shift,
                                         Beside beside = {}) const {
        vec sum[4] = {vec(0), vec(0), vec(0), vec(0)};
        element* out = plain ? numerators(row, 0) : nullptr;
        const std::ptrdiff_t distance = plain && Count > 1 ? numerators(row + 1, 0) - out : 0;
        this->template fold_rows_along<Count>(
            row, r, sum, [&](vec& s, vec x, std::size_t q, std::size_t c, auto n) ASHLAR_STAGE_LAMBDA {
                // Zeros in lanes without an element may exceed the elements.
                vec e = exp_nonpositive(repeat_first<n>(x) - shift.of[q]);
                if constexpr (n != base::width) e = select(vec::mask_type::first(n), e, vec(0));
                if constexpr (plain)
                    store_lanes<1, n>(weight<n>(e, row + q, c), out + static_cast<std::ptrdiff_t>(q) * distance + c);
                s += e;
                if (q + 1 == Count) beside(c, std::integral_constant<std::size_t, n>{});
            });
        if constexpr (plain && stage.fill_outside)
            for (std::size_t q = 0; q < Count; ++q) {
                element* const line_out = out + static_cast<std::ptrdiff_t>(q) * distance;
                for (std::size_t c = 0; c < r.first; ++c) line_out[c] = element(0);
                for (std::size_t c = r.last; c < columns; ++c) line_out[c] = element(0);
            }
        const auto total = base::template across_lanes<Count>(sum, typename base::adding{});
        if constexpr (in_blocks) {
            element numbers[width]{};
            total.store(numbers);
            with_earlier<Count>(row, vec::load(numbers)).store(numbers);
            this->template store_numbers<base::second_buffer, Count>(row,
                                                                     base::template numbers_of<Count>::load(numbers));
        } else if constexpr (plain) {
            this->template store_numbers<base::second_buffer, Count>(
                row, factors<Count>(row, base::template from_all_lanes<Count>(shift), total));
        } else {
            ASHLAR_UNROLL
            for (std::size_t q = 0; q < Count; ++q) {
                *this->template row_number<base::first_buffer, element>(row + q) = shift.of[q][0];
                *this->template row_number<base::second_buffer, element>(row + q) = logarithm(vec(total[q]))[0];
            }
        }
    }
};

}  // namespace ashlar::detail
