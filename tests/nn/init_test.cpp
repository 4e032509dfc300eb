// SPDX-License-Identifier: BSL-1.0
// Random numbers, weights and modules as PyTorch (torch 1.13) makes them from the same seed; 9 digits are exact.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/module/parameters.hpp>
#include <ashlar/nn/init/init.hpp>
#include <ashlar/nn/init/reset_parameters.hpp>
#include <ashlar/nn/layers/embedding.hpp>
#include <ashlar/nn/transformers/encoder.hpp>

using namespace ashlar;
namespace init = nn::init;

namespace {

// The same in constant expressions: manual_seed(0); rand(4); rand(2, dtype=float64).
constexpr bool uniform_at_compile_time() {
    init::generator random(0);
    const auto a = init::rand<float, 4>(random);
    const auto b = init::rand<double, 2>(random);
    return a(0) == 0.49625659f && a(1) == 0.768221796f && a(2) == 0.0884774327f && a(3) == 0.132030487f &&
           b(0) > 0.4593829425 && b(0) < 0.4593829435 && b(1) > 0.9207476835 && b(1) < 0.9207476845;
}
static_assert(uniform_at_compile_time());

constexpr auto sixteen = [] {
    init::generator random(42);
    return init::randn<float, 4, 4>(random);
}();
static_assert(sixteen(0, 0) > 1.926914f && sixteen(0, 0) < 1.926917f);

template <class Array, std::size_t N>
void expect_equal(const Array& actual, const double (&expected)[N], double tolerance) {
    static_assert(Array::size == N);
    for (std::size_t i = 0; i < N; ++i)
        EXPECT_NEAR(static_cast<double>(*(actual.begin() + static_cast<std::ptrdiff_t>(i))),
                    static_cast<double>(static_cast<float>(expected[i])), tolerance)
            << i;
}

/// FNV-1a of bytes.
std::uint64_t hash(const void* bytes, std::size_t count, std::uint64_t h = 14695981039346656037u) {
    for (std::size_t k = 0; k < count; ++k) h = (h ^ static_cast<const unsigned char*>(bytes)[k]) * 1099511628211u;
    return h;
}

constexpr double block_tolerance = 1e-6;

/// Of the bytes that a weight file would hold of the next module, in the order of the names.
template <class M>
std::uint64_t next_hash(init::generator& random) {
    const M m = init::make<M>(random);
    std::uint64_t h = hash(nullptr, 0);
    nn::for_each_parameter(m, [&](const nn::const_parameter& p) {
        for (std::size_t k = 0; k < p.rows * p.columns; ++k)
            h = hash(static_cast<const char*>(p.data) + p.offset(k / p.columns, k % p.columns) * p.element_bytes,
                     p.element_bytes, h);
    });
    return h;
}

constexpr auto small = [] {
    init::generator random(1);
    return init::make<nn::linear<{.in = 2, .out = 4, .bias = false}>>(random);
}();
// torch.manual_seed(1); nn.Linear(2, 4, bias=False).weight[0, 0]
static_assert(small.weight(0, 0) == 0.364346087f);

struct classifier {
    nn::embedding<{.entries = 6, .size = 2}> words;
    nn::linear<{.in = 2, .out = 3}> head;
    tensor<float, 2> extra;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("words", self.words);
        visit("head", self.head);
        visit("extra", self.extra);
    }
};

}  // namespace

TEST(init, mersenne_twister_is_the_standard_one) {
    std::mt19937 standard(20);
    init::generator ours(20);
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(ours.next(), standard()) << i;
    ours.manual_seed(20);
    standard.seed(20);
    const std::uint64_t upper = standard(), lower = standard();
    EXPECT_EQ(ours.next_wide(), upper << 32 | lower);
}

TEST(init, uniform_is_exact) {
    init::generator random(9);
    static tensor<float, 1000, 100> many;
    init::uniform(many, random);
    EXPECT_EQ(hash(many.data(), many.size() * sizeof(float)), 12620449833273455385u);  // rand(100000)
    random.manual_seed(9);
    static tensor<double, 1000> wide;
    init::uniform(wide, random);
    EXPECT_EQ(hash(wide.data(), wide.size() * sizeof(double)), 3732853643331183944u);  // rand(1000, dtype=float64)
    random.manual_seed((std::uint64_t{1} << 40) + 5);
    expect_equal(init::rand<float, 2>(random), {0.830251873, 0.126110911}, 0);
    random.manual_seed(5);
    expect_equal(init::rand<float, 2>(random), {0.830251873, 0.126110911}, 0);
}

TEST(init, short_normals_come_in_pairs) {
    init::generator random(0);
    static_cast<void>(init::rand<float, 4>(random));
    static_cast<void>(init::rand<double, 2>(random));
    // Three numbers take three of two pairs, the fourth is the next call's.
    expect_equal(init::randn<float, 3>(random), {-1.08452237, -1.39859545, 0.403346837}, 0);
    const auto wide = init::randn<double, 2>(random);
    EXPECT_NEAR(wide(0), 0.838026333, 5e-10);
    EXPECT_NEAR(wide(1), -0.719257578, 5e-10);
    // A seed forgets the half that is left.
    random.manual_seed(0);
    static_cast<void>(init::randn<float, 1>(random));
    random.manual_seed(0);
    const auto again = init::randn<float, 1>(random);
    random.manual_seed(0);
    EXPECT_EQ(again(0), (init::randn<float, 1>(random)(0)));
}

TEST(init, long_normals_come_in_blocks) {
    init::generator random(42);
    expect_equal(init::randn<float, 16>(random),
                 {1.92691529, 1.48728406, 0.900717199, -2.10552096, 0.678418458, -1.23454487, -0.0430674776,
                  -1.60466695, -0.752135277, 1.64872301, -0.392478645, -1.40360713, -0.727881312, -0.559430182,
                  -0.768838882, 0.76244539},
                 block_tolerance);
    expect_equal(init::randn<float, 17>(random),
                 {1.64231694, -0.871236145, -0.223365918, 1.71736145, 0.31888032, -0.424518973, 0.305720925,
                  -0.774592519, 0.0349123441, 0.995636106, -0.879785836, -0.601142049, -1.27415121, 2.12278509,
                  -1.23465312, -0.487913877, -1.41805995},
                 block_tolerance);
}

TEST(init, distributions_of_weights) {
    init::generator random(42);
    tensor<float, 3, 5> w;
    init::xavier_uniform(w, random, 2);
    EXPECT_EQ(hash(w.data(), w.size() * sizeof(float)), 3469802462529316524u);  // 1.32421958 ... 0.835174263
    init::kaiming_uniform(w, random);
    EXPECT_EQ(hash(w.data(), w.size() * sizeof(float)), 1840450538672091176u);  // -0.154667005 ... -1.08194828
    init::xavier_normal(w, random);
    expect_equal(w,
                 {-0.16335322, -0.139404312, -0.210993022, -0.666162074, -0.181966141, 0.0756690428, -0.175720215,
                  -0.395321548, -0.0457546115, 0.11758998, 1.1219933, 0.290834337, 0.226382658, 0.320505589,
                  0.259981871},
                 1e-7);
    init::kaiming_normal(w, random, 1);
    expect_equal(w,
                 {0.248980001, 0.0332832113, 0.318107754, -0.254311234, 0.562597811, -0.710606396, -0.50123471,
                  0.37670058, 0.0780000985, -0.950590253, 0.430619836, 0.339683622, 0.328403056, -0.299992651,
                  1.22632158},
                 1e-7);
}

TEST(init, views_are_filled_in_row_major_order) {
    init::generator random(3), same(3);
    tensor<float, 4, 3> t{};
    tensor<float, 3, 4> expected;
    init::uniform(transpose(t), random, -1, 1);
    init::uniform(expected, same, -1, 1);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(t(i % 4, i / 4), expected.elements[i]);
}

TEST(init, moments) {
    init::generator random(1);
    static tensor<double, 100003> x;
    init::normal(x, random, 3, 0.5);
    double mean = 0, square = 0;
    for (const double e : x) mean += e / 100003;
    for (const double e : x) square += (e - mean) * (e - mean) / 100003;
    EXPECT_NEAR(mean, 3, 0.005);
    EXPECT_NEAR(std::sqrt(square), 0.5, 0.005);
}

// torch.manual_seed(7), and then one after the other:
TEST(reset_parameters, as_pytorch_constructs_modules) {
    init::generator random(7);
    // nn.Linear(5, 7)
    EXPECT_EQ((next_hash<nn::linear<{.in = 5, .out = 7}>>(random)), 14481498959011553199u);
    // nn.Linear(70, 33, bias=False)
    EXPECT_EQ((next_hash<nn::linear<{.in = 70, .out = 33, .bias = false}>>(random)), 363163193830659372u);
    // nn.MultiheadAttention(12, 3)
    EXPECT_EQ((next_hash<nn::multihead_attention<{.embed = 12, .heads = 3}>>(random)), 8713670185009738593u);
    // nn.MultiheadAttention(4, 2, kdim=3, vdim=5)
    EXPECT_EQ((next_hash<nn::multihead_attention<{.embed = 4, .heads = 2, .kdim = 3, .vdim = 5}>>(random)),
              15256937442177012586u);
    // nn.MultiheadAttention(4, 2, bias=False)
    EXPECT_EQ((next_hash<nn::multihead_attention<{.embed = 4, .heads = 2, .bias = false}>>(random)),
              15683130449354303667u);
    // nn.TransformerEncoderLayer(8, 2, 20)
    EXPECT_EQ((next_hash<nn::encoder_layer<{.embed = 8, .heads = 2, .hidden = 20}>>(random)), 3663007429144402129u);
    // nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 20), 3, nn.LayerNorm(8))
    EXPECT_EQ(
        (next_hash<nn::encoder<{.layer = {.embed = 8, .heads = 2, .hidden = 20}, .layers = 3, .final_norm = true}>>(
            random)),
        17717243649550739278u);
    // nn.Linear(6, 4, dtype=torch.float64), whose last bits depend on fused multiply-adds
    const auto wide = init::make<nn::linear<{.in = 6, .out = 4}, double>>(random);
    EXPECT_NEAR(wide.weight(0, 0), -0.018318832080823716, 1e-16);
    EXPECT_NEAR(wide.bias(3), 0.08336267928050396, 1e-16);
}

TEST(reset_parameters, members_in_their_order) {
    init::generator random(3), same(3);
    static classifier m{};
    m.extra = 5;
    init::reset_parameters(m, random);
    const auto words = init::randn<float, 6, 2>(same);
    tensor<float, 3, 2> weight;
    init::linear_weight(weight, same);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(m.words.weight.elements[i], words.elements[i]);
    EXPECT_EQ(m.head.weight(1, 2), weight(2, 1));
    EXPECT_EQ(m.extra(1), 5);
    EXPECT_NE(m.head.bias(0), 0);
}

TEST(reset_parameters, norms_are_the_identity) {
    init::generator random(3);
    nn::layer_norm<{.size = 5}> norm{};
    init::reset_parameters(norm, random);
    EXPECT_EQ(norm.weight(4), 1);
    EXPECT_EQ(norm.bias(4), 0);
    EXPECT_EQ(random.next(), init::generator(3).next());
}
