// SPDX-License-Identifier: BSL-1.0
// Objects of the public types at namespace scope and in functions: the object must have no constructor at start-up.
#include <array>

#include <ashlar/ashlar.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/image.hpp>
#include <ashlar/io/image/layout.hpp>
#include <ashlar/io/model/named.hpp>
#include <ashlar/io/model/names_of_models.hpp>
#include <ashlar/nn.hpp>

namespace objects {

using namespace ashlar;

// Declared without a value, with an empty one, and where the compiler must refuse a constructor.
template <class M>
M plain;
template <class M>
M braced{};
template <class M>
constinit M constant{};
template <class M>
std::array<M, 3> several;
template <class M>
M* local() {
    static M object;
    return &object;
}

template <class... M>
struct all_of {
    static void use(void (*f)(const void*)) {
        (f(&plain<M>), ...);
        (f(&braced<M>), ...);
        (f(&constant<M>), ...);
        (f(&several<M>), ...);
        (f(local<M>()), ...);
    }
};

inline constexpr axis<"seq", 16> seq;
inline constexpr axis<"head", 8> head;
inline constexpr nn::encoder_layer_options layer{.embed = 32, .heads = 4, .hidden = 64};

using arrays = all_of<tensor<float, seq, head>, tensor<bool, 3>, tensor<double>, packed<float, 32, 48>, workspace<4096>,
                      basic_packed<double, 0, std::size_t{8}, std::size_t{9}>>;
using caches =
    all_of<nn::kv_cache<float, 512, 2, 32>, nn::kv_cache<float, 2048, 8, 128>, nn::kv_cache<double, 5, 3, 7, 2>,
           nn::kv_cache<std::int8_t, 512, 2, 32>, nn::kv_cache<float, seq, 2, head, head, nn::cache_order::ring>>;
using modules =
    all_of<nn::linear<{.in = 32, .out = 8}>, nn::embedding<{.entries = 50, .size = 32}>, nn::layer_norm<{.size = 32}>,
           nn::rms_norm<{.size = 32}>, nn::multihead_attention<{.embed = 32, .heads = 4}>,
           nn::feed_forward<{.embed = 32, .hidden = 64}>, nn::encoder_layer<layer>, nn::decoder_layer<layer>,
           nn::encoder<{.layer = layer, .layers = 2, .final_norm = true}>, nn::decoder<{.layer = layer, .layers = 2}>,
           nn::llama_decoder<{.block = {.embed = 32, .heads = 4, .kv_heads = 2, .hidden = 64}, .layers = 2}>>;
using positions = all_of<nn::rope<{.head_width = 8, .positions = 64}>, nn::sinusoidal<{.positions = 64, .size = 32}>,
                         nn::learned_positions<{.positions = 64, .size = 32}>, nn::relative_positions<{.heads = 4}>,
                         nn::distance_table<float, 4, 16, 16>>;
using others = all_of<nn::init::generator, io::result, io::dimensions, fixed_text<64>>;

void use(void (*f)(const void*)) {
    arrays::use(f);
    caches::use(f);
    modules::use(f);
    positions::use(f);
    others::use(f);
}

// Of a cache on the stack only the length is written.
std::size_t use_stack(void (*f)(void*)) {
    nn::kv_cache<float, 512, 2, 32> plain_rows;
    f(&plain_rows);
    nn::kv_cache<float, 500, 3, 36, 40> braced_rows{};
    f(&braced_rows);
    nn::kv_cache<std::int8_t, 512, 2, 32> rounded_rows;
    f(&rounded_rows);
    return plain_rows.length() + braced_rows.length() + rounded_rows.length();
}

// Views and what else needs a value.
tensor<float, seq, head> weights;
tensor_view<float, seq, head> all{weights};
tensor_view<const float, 16, 8> readable{weights};
auto third_row = weights[3];
auto turned = transpose(weights);
auto lengths_mask = keys_below(7) && causal;
auto named = io::named("weights", weights);
nn::init::generator seeded(123);
io::image_view<nn::linear<{.in = 32, .out = 8}>> image{io::result{}};
std::array<io::name_rule, 1> names{{{"weight", "kernel", true}}};
auto slope = nn::alibi_score_mod(0.5f);

}  // namespace objects
