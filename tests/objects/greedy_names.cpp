// SPDX-License-Identifier: BSL-1.0
// Functors in a namespace with greedy function templates of the library's names, which check_greedy_names.py adds.
#include <ashlar/linalg.hpp>
#include <ashlar/nn.hpp>

using ashlar::tensor, ashlar::workspace;

namespace mine {

struct half {
    constexpr auto operator()(const auto& x) const { return x * 0.5f; }
};
struct shift {
    constexpr auto operator()(const auto& s, const auto& i, const auto& j) const { return s + (i - j); }
};
struct near {
    constexpr bool operator()(std::size_t i, std::size_t j) const { return i < j + 3; }
};
struct pool_of_two {
    std::size_t workers() const { return 2; }
    template <class F>
    void run(std::size_t n, const F& f) {
        for (std::size_t i = 0; i < n; ++i) f(i);
    }
};

struct classifier {
    ashlar::nn::encoder<{.layer = {.embed = 16, .heads = 2, .hidden = 32}, .layers = 2}> layers;
    ashlar::nn::linear<{.in = 16, .out = 4}> head;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("layers", self.layers);
        visit("head", self.head);
    }
    auto operator()(const ashlar::any_expression auto& x) const { return head(tensor<float, 8, 16>(layers(x))); }
};

}  // namespace mine

int main() {
    static tensor<float, 8, 16> a{}, b{}, c{};
    static tensor<float, 16, 8> w{};
    c = ashlar::map(mine::half{}, a);
    c = ashlar::softmax(ashlar::map(mine::half{}, a)) + b;
    c = ashlar::attention(a, b, c, ashlar::score_mod(mine::shift{}));
    c = ashlar::attention(ashlar::map(mine::half{}, a), b, c, ashlar::keep_if(mine::near{}));
    static tensor<float, 8, 8> m{};
    m = ashlar::matmul(ashlar::map(mine::half{}, a), w);
    m = ashlar::transpose(ashlar::map(mine::half{}, m));
    static tensor<float, 8> r{};
    r = ashlar::sum<1>(ashlar::map(mine::half{}, a));
    c = ashlar::layer_norm(ashlar::map(mine::half{}, a));
    static workspace<65536> scratch;
    static tensor<float, 8, 16> d{};
    ashlar::evaluate(d, ashlar::attention(ashlar::map(mine::half{}, a), b, c), scratch);
    ashlar::evaluate(d, ashlar::attention(ashlar::map(mine::half{}, a), b, c), scratch, ashlar::rows_below(3));
    static mine::classifier model;
    ashlar::nn::init::generator random{1};
    ashlar::nn::init::reset_parameters(model, random);
    static_assert(ashlar::nn::parameter_count<mine::classifier> > 0);
    const tensor<float, 8, 4> classes = model(ashlar::map(mine::half{}, a));
    constexpr tensor<float, 2, 2> k =
        ashlar::eval(ashlar::map(mine::half{}, tensor<float, 2, 2>{1.0f, 2.0f, 3.0f, 4.0f}));
    return k(0, 0) + classes(0, 0) * 0 == 0.5f ? 0 : 1;
}
