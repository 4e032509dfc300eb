// SPDX-License-Identifier: BSL-1.0
// What the debuggers are asked to show. The program prints the same numbers itself, by <ashlar/tensor/print.hpp>.
#include <cstddef>
#include <cstring>
#include <iostream>
#include <limits>

#include <ashlar/ashlar.hpp>
#include <ashlar/linalg.hpp>
#include <ashlar/tensor/print.hpp>

using namespace ashlar;

inline constexpr axis<"seq", 4> seq;
inline constexpr axis<"head", 6> head;
inline constexpr axis<"\u00e4, \"b>", 2> odd;
using rows = tensor<float, seq, head>;

constinit tensor<int, 2, 3> table{{1, -2, 3}, {4, 5, 600}};
constinit tensor<float, 2, 3> gains{{1, 2, 3}, {4, 5, 6}};
constinit auto waiting = relu(gains * 0.5f);
static quantized<float, 70, 18> bytes;
static quantized<smoothed<float>, 96, 18> smooth;
static quantized<int4, 70, 34> nibbles;

struct layer {
    tensor<float, 2, 2> weight;
    tensor<bf16, 2> bias;
};

/// Where the debuggers stop.
[[gnu::noinline]] void stop() { asm volatile("" ::: "memory"); }

template <class Object>
[[gnu::noinline]] void observe(const Object& object) {
    asm volatile("" ::"r"(&object) : "memory");
}

/// A tensor in a register, where the calling convention has it there.
[[gnu::noinline]] float in_register(tensor<float, 2> pair) {
    float first = pair(0);
    asm volatile("" : "+m"(first));
    return first * pair(1);
}

/// A tensor in a register that the call overwrites.
[[gnu::noinline]] void forgotten([[maybe_unused]] tensor<float, 2> overwritten) {
    stop();
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] float by_reference(const rows& argument, const rows* pointer) {
    stop();
    return argument(0, 0) + (*pointer)(0, 1);
}

/// Numbers of both signs that differ from place to place.
template <class Element, auto... Dims>
basic_tensor<Element, Dims...> filled(float step) {
    basic_tensor<Element, Dims...> t;
    std::size_t i = 0;
    for (Element& x : t) {
        x = static_cast<Element>(step * static_cast<float>(static_cast<int>(i * 7 % 23) - 9));
        ++i;
    }
    return t;
}

template <class Matrix>
auto unpacked(const Matrix& w) {
    tensor<float, Matrix::shape_type::extents[0], Matrix::shape_type::extents[1]> t;
    for (std::size_t i = 0; i < t.extents[0]; ++i)
        for (std::size_t j = 0; j < t.extents[1]; ++j) t(i, j) = static_cast<float>(w(i, j));
    return t;
}

template <class Array>
void say(const char* name, const Array& array) {
    std::cout << "== " << name << '\n' << array << '\n';
    observe(array);
}

[[gnu::noinline]] void arrays() {
    rows q = filled<float, seq, head>(0.25f);
    auto view = view_of(q);
    auto columns = transpose(q);
    auto part = slice<0, 1, 3>(q);
    auto some = slice<1, 0, 6, 2>(q);
    auto backwards = flip<0>(q);
    auto row_view = q[1];
    auto repeated = broadcast_to<6, 3>(unsqueeze<1>(row_view));
    tensor<float, odd, 2> named = filled<float, odd, std::size_t{2}>(1.0f);
    tensor<float> scalar;
    scalar() = -0.5f;
    tensor<double, 3> doubles{1e-9, 1.0, 2.5e12};
    tensor<long double, 2> longs;
    longs(0) = 1.5L, longs(1) = -2.25L;
    tensor<bool, 2, 2> bools{{true, false}, {false, true}};
    tensor<f16, 2, 3> halves = filled<f16, std::size_t{2}, std::size_t{3}>(0.3f);
    tensor<bf16, 2, 3> brains = filled<bf16, std::size_t{2}, std::size_t{3}>(0.3f);
    tensor<signed char, 3> tiny{-128, 0, 127};
    tensor<unsigned char, 3> octets{0, 65, 255};
    tensor<std::int64_t, 2> wide{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    tensor<std::uint64_t, 1> widest(std::numeric_limits<std::uint64_t>::max());
    constexpr float inf = std::numeric_limits<float>::infinity();
    tensor<float, 6> specials{inf, -inf, std::numeric_limits<float>::quiet_NaN(), -0.0f, 1.5f, 1e-40f};
    tensor<float, 12> whole = filled<float, std::size_t{12}>(1000.0f);
    tensor<float, 30> wrapped = filled<float, std::size_t{30}>(0.125f);
    tensor<float, 2, 2, 3> cube = filled<float, std::size_t{2}, std::size_t{2}, std::size_t{3}>(1.0f);
    static tensor<float, 40, 5, 7> large = filled<float, std::size_t{40}, std::size_t{5}, std::size_t{7}>(0.5f);
    static const auto weights = filled<float, std::size_t{70}, std::size_t{18}>(0.1f);
    auto packed_weights = pack(weights);
    auto packed_brains = packed<bf16, 5, 20>{};
    pack(packed_brains, filled<bf16, std::size_t{5}, std::size_t{20}>(0.7f));
    quantize(bytes, weights);
    quantize(smooth, filled<float, std::size_t{96}, std::size_t{18}>(0.1f));
    quantize(nibbles, filled<float, std::size_t{70}, std::size_t{34}>(0.1f));
    layer both{{{1, 2}, {3, 4}}, {0.5f, 1.5f}};

    say("q", q), say("view", view), say("columns", columns), say("part", part), say("some", some);
    say("backwards", backwards), say("row_view", row_view), say("repeated", repeated), say("named", named),
        say("scalar", scalar);
    say("doubles", doubles), say("longs", longs), say("bools", bools), say("halves", halves), say("brains", brains);
    say("tiny", tiny), say("octets", octets), say("wide", wide), say("widest", widest), say("specials", specials);
    say("whole", whole), say("wrapped", wrapped), say("cube", cube), say("large", large), say("weights", weights);
    observe(packed_weights), observe(packed_brains), observe(bytes), observe(smooth), observe(nibbles), observe(both);
    say("packed_weights", unpacked(packed_weights)), say("packed_brains", unpacked(packed_brains));
    say("bytes", unpacked(bytes)), say("smooth", unpacked(smooth)), say("nibbles", unpacked(nibbles));
    say("table", table), say("both.weight", both.weight), say("both.bias", both.bias), say("large[3]", large[3]);
    std::cout << "== end" << std::endl;
    stop();
    observe(q), observe(view), observe(columns), observe(part), observe(some), observe(backwards), observe(row_view),
        observe(repeated), observe(named);
    observe(scalar), observe(doubles), observe(longs), observe(bools), observe(halves), observe(brains), observe(tiny),
        observe(octets);
    observe(wide), observe(widest), observe(specials), observe(whole), observe(wrapped), observe(cube),
        observe(packed_weights);
    observe(packed_brains), observe(both);
}

struct cubed {
    template <class Lanes>
    constexpr auto operator()(const Lanes& x) const {
        return x * x * x;
    }
};

struct softened {
    template <class Value>
    constexpr auto operator()(const Value& y) const {
        return y / (1.0f + y);
    }
};

[[gnu::noinline]] void expressions() {
    rows q = filled<float, seq, head>(0.25f), k = q;
    tensor<float, seq, seq> seen{};
    auto attend = attention(q, k, q, causal);
    auto stored = store(seen, softmax(masked(matmul(q, transpose(k)), causal && sliding_window<2, 0>)));
    auto chain = cast<double>(sum<1>(map(cubed{}, q) + where(q > 0.0f, k, 1.5f)));
    auto twice = let(exp(q), softened{});
    auto by_lambda = let(exp(q), [](const auto& y) { return y / (1.0f + y); });
    auto by_bytes = matmul(filled<float, std::size_t{2}, std::size_t{70}>(1.0f), bytes);
    auto solved = det(seen) * solve_spd(seen, q);
    auto text = explain(attend);
    auto summary = plan<decltype(attend)>;
    observe(attend), observe(stored), observe(chain), observe(twice), observe(by_lambda), observe(by_bytes),
        observe(solved), observe(text), observe(summary);
    std::cout << "== text\n" << text.c_str() << "== end" << std::endl;
    stop();
    observe(attend), observe(stored), observe(chain), observe(twice), observe(by_lambda), observe(by_bytes),
        observe(solved), observe(text), observe(summary);
}

[[gnu::noinline]] void corrupted() {
    float* nowhere = nullptr;
    tensor_view<float, 2, 2> lost(nowhere);
    unsigned char raw[]{0, 1, 7};
    tensor_view<bool, 3> no_bools(reinterpret_cast<bool*>(raw));
    fixed_text<7> overlong{{'p', 'l', 'a', 'n'}, 4000};
    observe(lost), observe(no_bools), observe(overlong);
    auto dead = exp(lost) * 2.0f;
    observe(dead);
    stop();
    observe(lost), observe(no_bools), observe(overlong), observe(dead);
}

int main() {
    observe(waiting);
    arrays();
    expressions();
    corrupted();
    rows q = filled<float, seq, head>(0.25f);
    volatile float unknown = 1.5f;
    forgotten({unknown, -2.5f});
    const float sum = by_reference(q, &q) + in_register({1.5f, -2.5f});
    return sum == 0.0f ? 1 : 0;
}
