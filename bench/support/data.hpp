// SPDX-License-Identifier: BSL-1.0
// The operands of a problem, its result by plain loops in double precision, and the comparison with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "problem.hpp"

namespace ashlar::bench {

/// Owns the memory of a problem. Operands are uniform in [-1, 1) and the same in every run; products' right operands
/// are scaled by 1/sqrt(depth), so that results are of order 1.
class problem_data {
public:
    explicit problem_data(const problem& what) : what_(what) {
        for (std::size_t i = 0; i < most_operands; ++i) {
            const std::size_t count = what.operand_size(i);
            if (count == 0) continue;
            values_[i].resize(count);
            const double scale = scale_of(i);
            for (double& value : values_[i]) value = round_to_element(scale * next());
            where_.in[i] = stored(values_[i]);
        }
        reference_.resize(what.result_size());
        where_.out = allocate(what.result_size() * what.element_bytes());
        where_.spare = allocate(what.result_size() * what.element_bytes());
        compute();
    }
    const operands& where() const { return where_; }

    /// Makes sure that nobody is taken for right because of what another left behind.
    void clear_result() {
        for (std::size_t i = 0; i < reference_.size(); ++i) set_result(i, std::numeric_limits<double>::quiet_NaN());
    }
    /// The largest distance from the reference, NaN if any element is.
    double error() const {
        double worst = 0;
        for (std::size_t i = 0; i < reference_.size(); ++i) {
            const double distance = std::fabs(result(i) - reference_[i]);
            if (!(distance <= worst)) worst = distance;
            if (std::isnan(distance)) return distance;
        }
        return worst;
    }
    /// What rounding may cost in any order of summation that is not careless.
    double tolerance() const { return what_.doubles ? 1e-12 : what_.op == operation::layer_norm ? 5e-5 : 1e-5; }

private:
    struct release {
        void operator()(void* memory) const { std::free(memory); }
    };

    void* allocate(std::size_t bytes) {
        // Not every library guards its last vector.
        const std::size_t whole = (bytes + 63) / 64 * 64 + 256;
        void* const memory = std::aligned_alloc(64, whole);
        if (!memory) throw std::bad_alloc();
        std::fill_n(static_cast<unsigned char*>(memory), whole, static_cast<unsigned char>(0));
        memory_.emplace_back(memory);
        return memory;
    }
    const void* stored(const std::vector<double>& values) {
        void* const memory = allocate(values.size() * what_.element_bytes());
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (what_.doubles)
                static_cast<double*>(memory)[i] = values[i];
            else
                static_cast<float*>(memory)[i] = static_cast<float>(values[i]);
        }
        return memory;
    }
    double round_to_element(double value) const { return what_.doubles ? value : static_cast<float>(value); }
    double result(std::size_t i) const {
        return what_.doubles ? where_.result<double>()[i] : where_.result<float>()[i];
    }
    void set_result(std::size_t i, double value) {
        if (what_.doubles)
            where_.result<double>()[i] = value;
        else
            where_.result<float>()[i] = static_cast<float>(value);
    }
    double next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(state_ >> 11) * 0x1p-52 - 1;
    }
    double scale_of(std::size_t i) const {
        if (what_.op == operation::matmul && i == 1) return 1 / std::sqrt(static_cast<double>(what_.inner));
        if (what_.op == operation::feed_forward && i == 1) return 1 / std::sqrt(static_cast<double>(what_.cols));
        if (what_.op == operation::feed_forward && i == 3) return 1 / std::sqrt(static_cast<double>(what_.inner));
        return 1;
    }

    void compute() {
        switch (what_.op) {
        case operation::attention: return compute_attention();
        case operation::matmul: return compute_matmul();
        case operation::feed_forward: return compute_feed_forward();
        default: return compute_rows();
        }
    }
    void compute_attention() {
        const double scale = 1 / std::sqrt(static_cast<double>(what_.cols));
        std::vector<double> scores(what_.inner);
        for (std::size_t i = 0; i < what_.rows; ++i) {
            double largest = -std::numeric_limits<double>::infinity(), sum = 0;
            const std::size_t first = what_.first_key(i), end = what_.end_key(i);
            for (std::size_t j = first; j < end; ++j) {
                scores[j] = 0;
                for (std::size_t d = 0; d < what_.cols; ++d)
                    scores[j] += values_[0][i * what_.cols + d] * values_[1][j * what_.cols + d] * scale;
                largest = std::max(largest, scores[j]);
            }
            for (std::size_t j = first; j < end; ++j) sum += scores[j] = std::exp(scores[j] - largest);
            for (std::size_t j = first; j < end; ++j)
                for (std::size_t d = 0; d < what_.cols; ++d)
                    reference_[i * what_.cols + d] += scores[j] / sum * values_[2][j * what_.cols + d];
        }
    }
    void compute_matmul() {
        for (std::size_t i = 0; i < what_.rows; ++i)
            for (std::size_t p = 0; p < what_.inner; ++p)
                for (std::size_t j = 0; j < what_.cols; ++j)
                    reference_[i * what_.cols + j] +=
                        values_[0][i * what_.inner + p] *
                        values_[1][what_.transposed ? j * what_.inner + p : p * what_.cols + j];
    }
    void compute_feed_forward() {
        std::vector<double> hidden_row(what_.inner);
        for (std::size_t i = 0; i < what_.rows; ++i) {
            hidden_row = values_[2];
            for (std::size_t p = 0; p < what_.cols; ++p)
                for (std::size_t h = 0; h < what_.inner; ++h)
                    hidden_row[h] += values_[0][i * what_.cols + p] * values_[1][p * what_.inner + h];
            for (double& h : hidden_row) h = h / 2 * (1 + std::erf(h / std::sqrt(2.0)));
            for (std::size_t j = 0; j < what_.cols; ++j) reference_[i * what_.cols + j] = values_[4][j];
            for (std::size_t h = 0; h < what_.inner; ++h)
                for (std::size_t j = 0; j < what_.cols; ++j)
                    reference_[i * what_.cols + j] += hidden_row[h] * values_[3][h * what_.cols + j];
        }
    }
    void compute_rows() {
        for (std::size_t i = 0; i < what_.rows; ++i) {
            const double* const x = values_[0].data() + i * what_.cols;
            double* const y = reference_.data() + i * what_.cols;
            const double n = static_cast<double>(what_.cols);
            double largest = x[0], sum = 0, mean = 0, variance = 0;
            for (std::size_t j = 0; j < what_.cols; ++j) {
                largest = std::max(largest, x[j]);
                mean += x[j] / n;
            }
            for (std::size_t j = 0; j < what_.cols; ++j) {
                sum += std::exp(x[j] - largest);
                variance += (x[j] - mean) * (x[j] - mean) / n;
            }
            for (std::size_t j = 0; j < what_.cols; ++j) {
                if (what_.op == operation::softmax)
                    y[j] = std::exp(x[j] - largest) / sum;
                else if (what_.op == operation::layer_norm)
                    y[j] = (x[j] - mean) / std::sqrt(variance + norm_epsilon) * values_[1][j] + values_[2][j];
                else
                    y[j] = std::max(x[j] * chain_scale + values_[1][j], 0.0);
            }
        }
    }

    problem what_;
    operands where_;
    std::vector<double> values_[most_operands];
    std::vector<double> reference_;
    std::vector<std::unique_ptr<void, release>> memory_;
    std::uint64_t state_ = 20240607;
};

}  // namespace ashlar::bench
