// SPDX-License-Identifier: BSL-1.0
// Programs of many expressions: nothing is read before it is written, nothing that is needed is overwritten.
#include <tests/plan/program_check.hpp>

namespace {

using namespace ashlar;
using support::expect_sound;

template <auto... Dims>
tensor<float, Dims...> x{};
template <auto... Dims>
tensor<float, Dims...> y{};
template <auto... Dims>
tensor<float, Dims...> z{};

constexpr auto twice_used = [](const auto& v) { return layer_norm(v + relu(v), z<16>, z<16>, 1e-5f); };
template <std::size_t Heads>
constexpr auto heads_of = [](const auto& e) {
    constexpr std::size_t width = shape_of<decltype(e)>::extents[shape_of<decltype(e)>::rank - 1];
    if constexpr (shape_of<decltype(e)>::rank == 2)
        return permute<1, 0, 2>(reshape<-1, Heads, width / Heads>(e));
    else
        return permute<0, 2, 1, 3>(reshape<shape_of<decltype(e)>::extents[0], -1, Heads, width / Heads>(e));
};
template <std::size_t B, std::size_t N, std::size_t M>
constexpr auto multi_head = [](const auto& e, const auto&... options) {
    const auto split = heads_of<4>;
    const auto mixed =
        attention(split(matmul(e, x<M, M>)), split(matmul(e, y<M, M>)), split(matmul(e, z<M, M>)), options...);
    return matmul(reshape<B, N, M>(permute<0, 2, 1, 3>(mixed)), x<M, M>);
};

TEST(program, elementwise) {
    expect_sound(exp(x<5, 7>) * 2.0f);
    expect_sound(transpose(x<64, 48>) + y<48, 64>);
    expect_sound(where(x<40, 3> > 0.0f, x<40, 3>, y<3>));
    expect_sound(reshape<6, 8>(x<48> + 1.0f) * y<6, 8>);
}
TEST(program, shape_operations) {
    expect_sound(concat<0>(x<3, 8>, y<5, 8>));
    expect_sound(concat<1>(x<3, 8>, exp(y<3, 5>)));
    expect_sound(concat<0>(matmul(x<3, 8>, y<8, 4>), softmax(y<5, 4>)));
    expect_sound(matmul(concat<0>(x<33, 8>, softmax(y<5, 8>)), z<8, 9>));
    expect_sound(permute<2, 0, 1>(matmul(x<3, 4, 5>, y<5, 6>)));
    expect_sound(reshape<24>(softmax(x<4, 6>)));
}
TEST(program, rows) {
    expect_sound(softmax(x<64, 48>));
    expect_sound(softmax<0>(x<64, 48>));
    expect_sound(log_softmax(x<64, 48> * 2.0f));
    expect_sound(softmax(softmax<0>(x<33, 17>)));
    expect_sound(layer_norm(x<100, 16>, y<16>, z<16>, 1e-5f));
    expect_sound(rms_norm(x<2, 40, 16> + 1.0f, y<16>, 1e-5f));
    expect_sound(sum(x<50, 6> * y<6>));
    expect_sound(variance(x<3, 50, 60> * y<60>));
    expect_sound(x<3, 50, 60> * sum<1, 2>(x<3, 50, 60> * y<60>, keep_dims));
    expect_sound(argmax<0, 1>(transpose(x<50, 60>) * y<50>));
    expect_sound(max(matmul(x<100, 6>, y<6, 9>)) + sum(softmax(x<70, 9>) * y<9>));
    expect_sound(sum<0>(x<3, 40, 70>));
    expect_sound(exp(mean<1, 3>(reshape<1, 3, 20, 2, 70>(x<3, 40, 70>)) + x<70>));
    expect_sound(x<50, 6> - mean<1>(x<50, 6>, keep_dims));
    expect_sound(sum<0>(sum<1>(exp(x<4, 40, 8>))));
    expect_sound(logsumexp(x<50, 6>) + max<1>(y<50, 6>));
}
TEST(program, products) {
    expect_sound(matmul(transpose(x<65, 33>), y<65, 17>));
    expect_sound(matmul(x<1, 33>, transpose(y<17, 33>)));
    expect_sound(matmul(x<33>, y<33, 5>));
    expect_sound(dot(x<33>, y<33>));
    expect_sound(matmul(x<4, 1, 8>, y<8, 8>));
    expect_sound(transpose(matmul(x<40, 8>, y<8, 50>)));
    expect_sound(matmul(gelu(matmul(x<64, 32>, y<32, 128>) + x<128>), y<128, 32>));
    expect_sound(matmul(matmul(x<40, 8>, y<8, 50>), matmul(x<50, 8>, y<8, 20>)));
    expect_sound(matmul(exp(x<40, 8>), tanh(y<8, 50>)));
    expect_sound(matmul(x<40, 8>, softmax<0>(y<8, 50>)));
    expect_sound(matmul(matmul(matmul(x<2, 40, 8>, y<8, 8>), y<8, 8>), z<8, 8>));
    expect_sound(einsum<"bij,bkj->bik">(x<3, 40, 8>, y<3, 50, 8>));
    expect_sound(einsum<"ij,jk,kl->il">(x<40, 8>, y<8, 9>, z<9, 10>));
    expect_sound(matmul(x<40, 8>, y<8, 8>) * matmul(y<40, 8>, x<8, 8>));
}
TEST(program, attention) {
    expect_sound(attention(x<64, 64>, y<64, 64>, z<64, 64>, causal));
    expect_sound(attention(x<100, 7>, y<50, 7>, z<50, 5>, keys_below(20)));
    expect_sound(attention(x<7>, y<50, 7>, z<50, 5>));
    expect_sound(attention(x<2, 4, 40, 8>, y<2, 2, 50, 8>, z<2, 2, 50, 8>, sliding_window<8, 0>, softcap(3.0f)));
    expect_sound(
        attention(matmul(x<64, 32>, y<32, 32>), matmul(x<64, 32>, y<32, 32>), matmul(x<64, 32>, z<32, 32>), causal));
    expect_sound(attention(softmax(x<64, 32>), exp(y<64, 32>), layer_norm(z<64, 32>, x<32>, y<32>, 1e-5f)));
    expect_sound(attention_weights(x<64, 32>, y<50, 32>, causal));
    expect_sound(attention(x<40, 8>, y<50, 8>, z<50, 8>, bias(matmul(x<40, 8>, y<8, 50>))));
    expect_sound(multi_head<4, 40, 16>(x<4, 40, 16>));
    expect_sound(multi_head<3, 1, 16>(exp(x<3, 1, 16>)));
}
TEST(program, let) {
    expect_sound(let(matmul(x<64, 16>, y<16, 16>) + x<64, 16>, twice_used));
    expect_sound(let(matmul(x<64, 16>, y<16, 16>), [](const auto& v) { return attention(v, v, v, causal) + v; }));
    expect_sound(let(layer_norm(x<64, 16>, y<16>, z<16>, 1e-5f),
                     [](const auto& v) { return multi_head<1, 64, 16>(reshape<1, 64, 16>(v)); }));
    expect_sound(let(softmax(x<64, 16>), [](const auto& v) { return v - mean<0>(v); }));
    expect_sound(
        let(slice<0, 0, 1>(exp(x<2, 3, 9, 33>)), [](const auto& v) { return v * matmul(matmul(v, transpose(v)), v); }));
    expect_sound(
        let(sum<0>(x<64, 16>), [](const auto& v) { return let(v * 2.0f, [](const auto& w) { return w + exp(w); }); }));
}
TEST(program, store) {
    expect_sound(store(y<64, 16>, exp(x<64, 16>)) * 2.0f);
    expect_sound(matmul(store(y<64, 50>, softmax(matmul(x<64, 16>, z<16, 50>))), x<50, 8>));
    expect_sound(softmax(store(y<64, 50>, matmul(x<64, 16>, z<16, 50>))));
    expect_sound(matmul(x<40, 64>, store(y<64, 50>, matmul(x<64, 16>, z<16, 50>))));
}
TEST(program, chains_of_barriers) {
    expect_sound(matmul(x<40, 8>, matmul(x<8, 9>, matmul(x<9, 10>, softmax<0>(x<10, 11>)))));
    expect_sound(matmul(
        x<40, 8>, let(softmax<0>(y<8, 50>), [](const auto& v) { return v - mean<0>(v) + mean<1>(v, keep_dims); })));
    expect_sound(x<40, 8> - mean<0>(matmul(y<40, 8>, z<8, 8>) - max<0>(x<40, 8>)));
    expect_sound(matmul(matmul(x<2, 40, 8>, softmax<1>(y<2, 8, 9>)), matmul(z<2, 9, 5>, softmax<0>(y<5, 6>))));
    expect_sound(
        attention(x<3, 40, 8>, matmul(softmax<1>(x<3, 40, 8>), x<8, 8>), softmax<1>(matmul(x<3, 40, 8>, y<8, 8>))));
    expect_sound(sum(matmul(x<40, 8>, matmul(y<8, 9>, z<9, 50>))));
    expect_sound(max<0>(softmax<0>(concat<0>(matmul(x<40, 8>, y<8, 8>), z<3, 8>))));
    expect_sound(let(matmul(x<40, 8>, y<8, 8>), [](const auto& v) { return v + matmul(x<40, 40>, v); }));
    expect_sound(let(matmul(x<40, 8>, y<8, 8>), [](const auto& v) { return matmul(v, transpose(v)); }));
    expect_sound(let(matmul(x<40, 8>, y<8, 8>), [](const auto& v) { return concat<0>(v, relu(v)); }));
    expect_sound(
        let(matmul(x<40, 8>, y<8, 8>), [](const auto& v) { return store(z<40, 8>, v) + softmax<0>(v) * softmax(v); }));
}
TEST(program, layers) {
    const auto layer = [](const auto& e) {
        return let(multi_head<2, 40, 16>(e, causal) + e, [](const auto& h) {
            return let(layer_norm(h, x<16>, y<16>, 1e-5f), [](const auto& n) {
                return layer_norm(matmul(gelu(matmul(n, x<16, 64>) + x<64>), y<64, 16>) + n, y<16>, z<16>, 1e-5f);
            });
        });
    };
    expect_sound(layer(layer(x<2, 40, 16>)));
}

}  // namespace
