// SPDX-License-Identifier: BSL-1.0
// Products of products with few registers. g++ 12 computes their addresses from those of their operands.
#include <cstdio>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

constexpr std::size_t rows = 16, depth = 32, middle = 64;
int failures = 0;

/// This build with so many registers.
template <std::size_t Registers>
using with_registers = build_config<current_config::instruction_sets, current_config::register_bits, Registers,
                                    current_config::stack_budget, current_config::l1_bytes, current_config::l2_bytes,
                                    current_config::checks, current_config::fast_math, current_config::optimize_size,
                                    current_config::l3_bytes>;

/// What a chain gives, of integers, which floats hold exactly, with scratch on the stack and with scratch of the
/// caller's that holds other numbers.
template <std::size_t Registers, class Expression>
[[gnu::noinline]] void check(const char* name, const Expression& e, const tensor<float, rows, depth>& expected) {
    using value = tensor<float, rows, depth>;
    static value on_stack, with_workspace;
    static workspace<workspace_bytes<Expression, 1, with_registers<Registers>>> scratch;
    for (std::byte& b : scratch.bytes) b = std::byte{0x55};
    evaluate<value&, Expression, with_registers<Registers>>(on_stack, e);
    evaluate<value&, Expression, sizeof scratch.bytes, with_registers<Registers>>(with_workspace, e, scratch);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < value::size(); ++i)
        wrong += on_stack.data()[i] != expected.data()[i] || with_workspace.data()[i] != expected.data()[i];
    if (wrong == 0) return;
    std::printf("FAILED: %s, %zu registers: %zu of %zu are wrong\n", name, Registers, wrong, value::size());
    ++failures;
}

tensor<float, rows, depth> x;
tensor<float, depth, middle> up;
tensor<float, middle, depth> down;
packed<float, depth, middle> packed_up;
packed<float, middle, depth> packed_down;

/// Integers from -3 to 3 in no order.
void fill(auto& t, std::size_t step) {
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = static_cast<float>(static_cast<int>(i * step % 7) - 3);
}

/// The matrix product by plain loops.
template <class Result>
Result times(const auto& left, const auto& right) {
    Result y{};
    for (std::size_t i = 0; i < left.extents[0]; ++i)
        for (std::size_t j = 0; j < right.extents[1]; ++j)
            for (std::size_t k = 0; k < right.extents[0]; ++k) y(i, j) += left(i, k) * right(k, j);
    return y;
}

template <std::size_t... Registers>
void test(const tensor<float, rows, depth>& products, const tensor<float, rows, depth>& activated) {
    (check<Registers>("products", matmul(matmul(x * 2.0f, packed_up), packed_down), products), ...);
    (check<Registers>("relu", matmul(relu(matmul(x * 2.0f, packed_up)), packed_down), activated), ...);
}

}  // namespace

int main() {
    fill(x, 3);
    fill(up, 5);
    fill(down, 4);
    pack(packed_up, up);
    pack(packed_down, down);
    tensor<float, rows, depth> twice = x;
    for (float& v : twice) v *= 2;
    auto between = times<tensor<float, rows, middle>>(twice, up);
    const auto products = times<tensor<float, rows, depth>>(between, down);
    for (float& v : between) v = v > 0 ? v : 0;
    const auto activated = times<tensor<float, rows, depth>>(between, down);
    test<5, 8, 9>(products, activated);
    std::puts(failures == 0 ? "all of them are right" : "some are wrong");
    return failures == 0 ? 0 : 1;
}
