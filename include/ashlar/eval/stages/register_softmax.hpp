// SPDX-License-Identifier: BSL-1.0
// A softmax of few rows between two products. Values stay in registers from the first multiply-add to the last.
//
// Memory between the stages would cost a store, a load and a wait, each about as long as the arithmetic. Only scores
// that are scaled or mapped alike fit, because a lane does not know its row and column.
#pragma once

#include <ashlar/eval/stages/product_stage.hpp>
#include <ashlar/eval/stages/softmax_stage.hpp>
#include <ashlar/kernel/product/folded_rows.hpp>

namespace ashlar::inline v0_1::detail {

template <class Plan, class Element, stage_index Scores, stage_index Softmax, stage_index Values, std::size_t Rows,
          fusion How>
struct register_softmax {
    using scores = product_stage<Plan, Element, Scores, Rows>;
    using soft = softmax_stage<Plan, Element, Softmax, Rows>;
    using values = product_stage<Plan, Element, Values, Rows>;
    using element = typename scores::element;
    using config = typename scores::config;
    using rows = folded_rows<element, config, Rows>;
    using vec = typename rows::vec;
    static constexpr std::size_t width = scores::width, packs = rows::packs, keys = scores::columns,
                                 columns = values::columns;
    static constexpr std::size_t vectors = rows::vectors(keys);

    /// The factors of the rows are applied already.
    using finished_values = typename values::template finishing_epilogue<false>;

    const frame<Plan, Element>& f;

    ASHLAR_STAGE_ROOT ASHLAR_STAGE_INLINE void run() const {
        vec x[keys];
        score(x);
        vec most(lowest_value<element>);
        most = max<>(most, fold(x, [](vec a, vec b) ASHLAR_STAGE_LAMBDA { return max<>(a, b); }));
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < vectors; ++i) {
            if (keys % packs != 0 && i + 1 == vectors)
                x[i] = soft::template exp_nonpositive<exp_arguments::any>(x[i] - most);
            else
                x[i] = soft::exp_nonpositive(x[i] - most);
        }
        const vec total = fold(x, lane_sum{});
        const vec factor = factors(most, total);
        if constexpr (How == fusion::register_softmax)
            add_weighted(x, rows::template spread<0>(factor));
        else if constexpr (How == fusion::register_softmax_of_vectors)
            add_weighted_vectors(x, factor);
        else
            store_numerators(x, factor);
    }

private:
    ASHLAR_STAGE_INLINE vec factors(const vec& most, const vec& total) const {
        if constexpr (!soft::partial) {
            return reciprocal_or_zero(total);
        } else {
            const soft stage{{{f}}};
            return stage.template factors<Rows>(stage.first_row(), rows::in_order(most), rows::in_order(total));
        }
    }

    /// The finished scores, `packs` keys in a vector; minus infinity in lanes without a key.
    ASHLAR_STAGE_INLINE void score(vec (&x)[keys]) const {
        const scores stage{{{f}}};
        const std::size_t first = stage.first_row();
        const typename scores::reader memory{f};
        const element* a = memory.template address<scores::left>(stage.in_left(first));
        const element* b = memory.template address<scores::right>(stage.in_right());
        if constexpr (!scores::packs_k) {
            ASHLAR_UNROLL
            for (std::size_t c = 0; c < keys; ++c) x[c] = vec(0);
            for (std::size_t k = 0; k < scores::depth; ++k, a += scores::left_depth, b += scores::right_depth) {
                const vec left = opaque(vec::load(a));
                ASHLAR_UNROLL
                for (std::size_t c = 0; c < keys; ++c) x[c] = fma(vec(b[c * scores::right_column]), left, x[c]);
            }
        } else {
            constexpr packed_k_shape shape{
                Rows, keys, scores::depth, scores::left_row, scores::right_column, scores::how.packed};
            auto sums = packed_sums_of_all<element, config, shape>(b, a);
            fold_lanes<1, packs, keys>(sums.sum[0][0]);
            ASHLAR_UNROLL
            for (std::size_t i = 0; i < vectors; ++i) x[i] = sums.sum[0][0][i];
        }
        const typename scores::plain_epilogue epilogue{stage, nullptr, first, nullptr};
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < vectors; ++i)
            x[i] = epilogue.template finished<width, false>(0, 0, elements_alone(x[i], i));
        if constexpr (keys % packs != 0)
            x[vectors - 1] = rows::template first_columns<keys % packs>(x[vectors - 1], -infinity<element>);
    }

    /// Some functions must not be called for lanes without a score.
    ASHLAR_STAGE_INLINE static vec elements_alone(vec x, std::size_t i) {
        if constexpr (!scores::needs_valid_lanes)
            return x;
        else if constexpr (keys % packs == 0)
            return rows::template elements_alone<packs>(x);
        else
            return i + 1 == vectors ? rows::template elements_alone<keys % packs>(x)
                                    : rows::template elements_alone<packs>(x);
    }

    /// Reduces all keys of each row by f; all lanes of the row get the result.
    template <class Function>
    ASHLAR_STAGE_INLINE static vec fold(const vec (&x)[keys], Function f) {
        constexpr std::size_t chains = vectors < 4 ? vectors : 4;
        vec part[chains];
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < vectors; ++i) part[i % chains] = i < chains ? x[i] : f(part[i % chains], x[i]);
        ASHLAR_UNROLL
        for (std::size_t i = 1; i < chains; ++i) part[0] = f(part[0], part[i]);
        return rows::combine_columns(part[0], f);
    }

    ASHLAR_STAGE_INLINE void add_weighted(const vec (&weights)[keys], vec factor) const {
        const values stage{{{f}}};
        const std::size_t first = stage.first_row();
        const element* v = typename values::reader{f}.template address<values::right>(stage.in_right());
        vec sums[columns / packs];
        rows::template add_weighted<keys, columns, values::right_depth>(weights, v, sums);
        ASHLAR_UNROLL
        for (std::size_t j = 0; j < columns / packs; ++j) sums[j] = sums[j] * factor;
        const finished_values epilogue{stage, stage.written(), first, nullptr};
        if constexpr (values::rows_in_lanes) {
            put_columns(epilogue, sums, std::make_index_sequence<columns>{});
        } else {
            transpose_groups_back<packs, columns / packs>(sums);
            store_row_numbers(epilogue, sums, std::make_index_sequence<Rows>{});
        }
    }

    ASHLAR_STAGE_INLINE void add_weighted_vectors(const vec (&x)[keys], vec factor) const {
        const values stage{{{f}}};
        const std::size_t first = stage.first_row();
        const element* v = typename values::reader{f}.template address<values::right>(stage.in_right());
        element stored[(vectors + 1) * width];
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < vectors; ++i) x[i].store(stored + i * width);
        factor.store(stored + vectors * width);
        const element* w = from_memory(stored);
        vec sums[Rows][columns / width];
        rows::template add_weighted_vectors<keys, columns, values::right_depth>(w, v, sums);
        const finished_values epilogue{stage, stage.written(), first, nullptr};
        put_vectors(epilogue, sums, w + vectors * width, std::make_index_sequence<Rows>{});
    }
    template <class Epilogue, std::size_t Count, std::size_t... RowIndex>
    ASHLAR_STAGE_INLINE static void put_vectors(const Epilogue& epilogue, const vec (&sums)[Rows][Count],
                                                const element* factors, std::index_sequence<RowIndex...>) {
        (put_row(epilogue, RowIndex, sums[RowIndex], vec(factors[rows::lane_of(0, RowIndex)])), ...);
    }
    template <class Epilogue, std::size_t Count>
    ASHLAR_STAGE_INLINE static void put_row(const Epilogue& epilogue, std::size_t row, const vec (&sums)[Count],
                                            vec factor) {
        ASHLAR_UNROLL
        for (std::size_t j = 0; j < Count; ++j)
            epilogue.vector(row, j * width, sums[j] * factor, lane_count<width>{}, masked_block{});
    }

    ASHLAR_STAGE_INLINE void store_numerators(const vec (&x)[keys], vec factor) const {
        const soft stage{{{f}}};
        const std::size_t row = stage.first_row();
        element* const out = stage.numerators(row, 0);
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < vectors; ++i)
            rows::in_order(x[i]).store(out + static_cast<std::ptrdiff_t>(i * packs) * soft::column_distance);
        stage.template store_row_numbers<soft::second_buffer, Rows, element>(row, rows::in_order(factor));
        from_memory(out);
        values::run(f);
    }

    template <std::size_t Column>
    struct picking {
        static constexpr std::size_t from(std::size_t lane) { return lane % rows::line * packs + Column; }
    };
    template <std::size_t Row>
    struct lowering {
        static constexpr std::size_t from(std::size_t lane) { return (Row * columns + lane) % width; }
    };
    template <class Epilogue, std::size_t Count, std::size_t... ColumnIndex>
    ASHLAR_STAGE_INLINE static void put_columns(const Epilogue& epilogue, const vec (&sums)[Count],
                                                std::index_sequence<ColumnIndex...>) {
        if constexpr (packs == 1)
            (epilogue.vector(ColumnIndex, 0, sums[ColumnIndex], lane_count<Rows>{}, masked_block{}), ...);
        else
            (epilogue.vector(
                 ColumnIndex, 0,
                 shuffle_as<picking<ColumnIndex % packs>>(sums[ColumnIndex / packs], sums[ColumnIndex / packs]),
                 lane_count<Rows>{}, masked_block{}),
             ...);
    }
    /// Several consecutive rows are one store.
    template <class Epilogue, std::size_t Count, std::size_t... RowIndex>
    ASHLAR_STAGE_INLINE static void store_row_numbers(const Epilogue& epilogue, const vec (&sums)[Count],
                                                      std::index_sequence<RowIndex...>) {
        constexpr std::size_t elements = Rows * columns, last = (elements + width - 1) % width + 1;
        if constexpr (values::top == values::core && !values::scales_rows && values::column_stride == 1 &&
                      values::row_stride == static_cast<std::ptrdiff_t>(columns)) {
            ASHLAR_UNROLL
            for (std::size_t i = 0; i + width < elements; i += width) sums[i / width].store(epilogue.out + i);
            sums[(elements - 1) / width].template store_partial<last>(epilogue.out + (elements - last));
        } else {
            (epilogue.vector(
                 RowIndex, 0,
                 shuffle_as<lowering<RowIndex>>(sums[RowIndex * columns / width], sums[RowIndex * columns / width]),
                 lane_count<columns>{}, masked_block{}),
             ...);
        }
    }
};

}  // namespace ashlar::detail
