// SPDX-License-Identifier: BSL-1.0
// What the planner promises: how many steps, what is materialised, what stays in a tile. Compiling is passing.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using support::x;

inline constexpr std::size_t tile = 32;

// Attention is one step that never holds more scores than a tile of rows.
using full_attention = decltype(attention(x<64, 64>(), x<64, 64>(), x<64, 64>()));
static_assert(plan<full_attention>.step_count == 1 && plan<full_attention>.barrier_count == 0);
static_assert(plan<full_attention>.steps[0].rows == 64 && plan<full_attention>.steps[0].tile_rows == tile);
static_assert(plan<full_attention>.steps[0].tiles() == 2 && plan<full_attention>.steps[0].products == 2);
static_assert(plan<full_attention>.steps[0].outputs == 1 && plan<full_attention>.steps[0].writes_result);
static_assert(plan<full_attention>.largest_buffer_elements == tile * 64);
static_assert(plan<full_attention>.steps[0].keys == key_tiles{});
using long_attention = decltype(attention(x<1024, 64>(), x<1024, 64>(), x<1024, 64>()));
static_assert(plan<long_attention>.step_count == 1 && plan<long_attention>.largest_buffer_elements <= tile * 1024);
using many_attentions = decltype(attention(x<4, 8, 64, 64>(), x<4, 8, 64, 64>(), x<4, 8, 64, 64>()));
static_assert(plan<many_attentions>.step_count == 1 &&
              plan<many_attentions>.scratch_bytes == plan<full_attention>.scratch_bytes);
static_assert(plan<many_attentions>.steps[0].batch_loops == 2 && plan<many_attentions>.steps[0].batch[0] == 4 &&
              plan<many_attentions>.steps[0].batch[1] == 8);

// A tile whose scratch would come back from behind the second cache is half as tall, unless that does not help either.
template <std::size_t Hidden>
using wide = decltype(matmul(gelu(matmul(x<128, 64>(), x<64, Hidden>())), x<Hidden, 64>()));
static_assert(plan<wide<2048>>.steps[0].tile_rows == tile && plan<wide<6144>>.steps[0].tile_rows == tile / 2);
static_assert(plan<wide<16384>>.steps[0].tile_rows == tile);
template <std::size_t SecondCache>
using config_with = build_config<current_config::instruction_sets, current_config::register_bits,
                                 current_config::registers, current_config::stack_budget, current_config::l1_bytes,
                                 SecondCache, current_config::checks, current_config::fast_math>;
static_assert(plan<wide<6144>, config_with<1024 * 1024>>.steps[0].tile_rows == tile);
static_assert(plan<wide<128>, config_with<10 * 1024>>.steps[0].tile_rows == tile / 2);
static_assert(plan<wide<6144>, config_with<128 * 1024>>.steps[0].tile_rows == tile);
// Attention runs in blocks of keys before that, and tiles keep their rows.
using attention_to_4096 = decltype(attention(x<4096, 64>(), x<4096, 64>(), x<4096, 64>()));
static_assert(plan<attention_to_4096>.steps[0].tile_rows == tile);
static_assert(plan<attention_to_4096>.largest_buffer_elements <= tile * 512);
// Barriers, which all rows need, do not count.
static_assert(plan<decltype(attention(matmul(x<512, 256>(), x<256, 256>()), matmul(x<512, 256>(), x<256, 256>()), matmul(x<512, 256>(), x<256, 256>())))>
                  .steps[1].tile_rows == tile);

// By hand it is the same.
using by_hand =
    decltype(matmul(softmax(masked(matmul(x<64, 64>(), transpose(x<64, 64>())) * 0.125f, causal)), x<64, 64>()));
static_assert(plan<by_hand>.step_count == 1 && plan<by_hand>.largest_buffer_elements == tile * 64);

// A feed-forward block never holds its wide activation beyond a tile.
using feed_forward = decltype(matmul(gelu(matmul(x<128, 64>(), x<64, 256>()) + x<256>()), x<256, 64>()));
static_assert(plan<feed_forward>.step_count == 1 && plan<feed_forward>.steps[0].stages == 2);
static_assert(plan<feed_forward>.barrier_count == 0 && plan<feed_forward>.largest_buffer_elements == tile * 256);

// K and V computed by products are barriers, made by one step with two outputs; Q is none.
using projected = decltype(attention(matmul(x<64, 48>(), x<48, 32>()), matmul(x<64, 48>(), x<48, 32>()),
                                     matmul(x<64, 48>(), x<48, 32>()), causal));
static_assert(plan<projected>.step_count == 2 && plan<projected>.barrier_count == 2);
static_assert(plan<projected>.steps[0].outputs == 2 && plan<projected>.steps[0].barriers == 2 &&
              !plan<projected>.steps[0].writes_result);
static_assert(plan<projected>.steps[0].products == 2 && plan<projected>.steps[0].flops == 2 * 2 * 64 * 48 * 32);
static_assert(plan<projected>.steps[1].outputs == 1 && plan<projected>.steps[1].products == 3 &&
              plan<projected>.steps[1].tile_rows == tile);
static_assert(plan<projected>.barrier_bytes == 2 * 64 * 32 * sizeof(float) &&
              plan<projected>.largest_tile_elements == tile * 64);

// A multi-head block is those barriers and one loop; its scratch does not grow with the batch.
template <std::size_t Batch, std::size_t Rows>
auto multi_head() {
    const auto heads = [](const auto& e) { return permute<0, 2, 1, 3>(reshape<Batch, Rows, 8, 16>(e)); };
    const auto project = [](const auto& e) { return matmul(e, x<128, 128>()); };
    auto& in = x<Batch, Rows, 128>();
    const auto mixed = attention(heads(project(in)), heads(project(in)), heads(project(in)), causal);
    return project(reshape<Batch, Rows, 128>(permute<0, 2, 1, 3>(mixed)));
}
using block = decltype(multi_head<4, 64>());
static_assert(plan<block>.step_count == 2 && plan<block>.barrier_count == 2 && plan<block>.steps[0].outputs == 2);
static_assert(plan<block>.steps[0].batch_loops == 1 && plan<block>.steps[0].batch[0] == 4 &&
              plan<block>.steps[1].batch_loops == 1);
static_assert(plan<block>.steps[1].inner_loops == 1 && plan<block>.steps[1].products == 4 &&
              plan<block>.steps[1].writes_result);
static_assert(plan<block>.barrier_bytes == 2 * 64 * 128 * sizeof(float) &&
              plan<block>.largest_tile_elements == tile * 128);
static_assert(workspace_bytes<decltype(multi_head<32, 64>())> == workspace_bytes<block>);
static_assert(plan<decltype(multi_head<1, 64>())>.step_count == 2 &&
              plan<decltype(multi_head<1, 64>())>.steps[0].batch_loops == 0);
static_assert(workspace_bytes<decltype(multi_head<1, 64>())> == workspace_bytes<block>);

// A let for a residual stays in the tile.
using residual =
    decltype(let(matmul(x<64, 64>(), x<64, 64>()) + x<64, 64>(), [](const auto& h) { return h + relu(h); }));
static_assert(plan<residual>.step_count == 1 && plan<residual>.barrier_count == 0 &&
              plan<residual>.steps[0].products == 1);
static_assert(plan<residual>.largest_buffer_elements == tile * 64);
using post_norm = decltype(let(matmul(x<64, 64>(), x<64, 64>()) + x<64, 64>(), [](const auto& h) {
    return layer_norm(matmul(gelu(matmul(h, x<64, 256>())), x<256, 64>()) + h, x<64>(), x<64>(), 1e-5f);
}));
static_assert(plan<post_norm>.step_count == 1 && plan<post_norm>.barrier_count == 0 &&
              plan<post_norm>.steps[0].products == 3);
static_assert(plan<post_norm>.largest_buffer_elements == tile * 256);
// Used as keys and values it is a barrier, made once.
using self_attention =
    decltype(let(matmul(x<64, 32>(), x<32, 32>()), [](const auto& h) { return attention(h, h, h) + h; }));
static_assert(plan<self_attention>.step_count == 2 && plan<self_attention>.barrier_count == 1);
static_assert(plan<self_attention>.steps[0].products == 1 && plan<self_attention>.steps[1].products == 2);
// The same if one use takes it row by row and another one needs all of it, in either order.
using less_its_mean = decltype(let(matmul(x<64, 32>(), x<32, 32>()), [](const auto& h) { return h - mean<0>(h); }));
static_assert(plan<less_its_mean>.steps[0].products == 1 && plan<less_its_mean>.step_count == 3 &&
              plan<less_its_mean>.barrier_count == 2);
using mean_less_it = decltype(let(matmul(x<64, 32>(), x<32, 32>()), [](const auto& h) { return mean<0>(h) - h; }));
static_assert(plan<mean_less_it>.step_count == 3 &&
              plan<mean_less_it>.scratch_bytes == plan<less_its_mean>.scratch_bytes);

// store gives weights and result from one evaluation.
using weights_too =
    decltype(matmul(store(x<64, 64>(), softmax(matmul(x<64, 32>(), transpose(x<64, 32>())))), x<64, 32>()));
static_assert(plan<weights_too>.step_count == 1 && plan<weights_too>.steps[0].outputs == 2 &&
              plan<weights_too>.steps[0].stores == 1);
static_assert(plan<weights_too>.steps[0].products == 2 && plan<weights_too>.barrier_count == 0);
static_assert(plan<weights_too>.largest_buffer_elements == tile * 64);

// Statistics down the rows are a barrier and a row map; along them they stay in the tile.
using down = decltype(softmax<0>(x<64, 48>()));
static_assert(plan<down>.step_count == 2 && plan<down>.barrier_count == 1 && plan<down>.steps[1].writes_result);
using along = decltype(softmax(x<64, 48>()));
static_assert(plan<along>.step_count == 1 && plan<along>.barrier_count == 0 &&
              plan<along>.largest_buffer_elements <= tile * 48);
using whole_norm = decltype(layer_norm(reshape<1, 64 * 48>(x<64, 48>()), x<64 * 48>(), x<64 * 48>(), 1e-5f));
static_assert(plan<whole_norm>.step_count == 1 && plan<whole_norm>.barrier_bytes == 0 &&
              plan<whole_norm>.scratch_bytes <= 128);
using centred = decltype(x<64, 48>() - mean<0>(x<64, 48>()));
static_assert(plan<centred>.step_count == 2 && plan<centred>.steps[0].barriers == 1 &&
              plan<centred>.largest_buffer_elements == 48);

// What is folded along an axis before the last one has the last one in lanes, and holds a tile of it.
static_assert(plan<decltype(sum<0>(x<30, 8, 480>()))>.largest_buffer_elements == tile);
static_assert(plan<decltype(relu(max<1>(x<3, 80, 480>()) + x<480>()))>.largest_buffer_elements == tile);
static_assert(plan<decltype(mean<1, 3>(reshape<1, 3, 40, 2, 480>(x<3, 80, 480>())))>.scratch_bytes <= 1024);

// A map reads and reduces windows of few entries.
using pooled_last = decltype(avg_pool<{.kernel = {3, 2}, .channels_last = true}>(x<3, 80, 480>()));
static_assert(plan<pooled_last>.step_count == 1 && plan<pooled_last>.scratch_bytes == 0);
static_assert(flops<pooled_last> == 10 * 40 * 480);
using pooled_first = decltype(max_pool<{.kernel = {2, 2}}>(x<64, 32, 32>()));
static_assert(plan<pooled_first>.step_count == 1 && plan<pooled_first>.scratch_bytes == 0);

// What only computes elements needs no scratch and is not cut into tiles.
using elementwise = decltype(gelu(x<64, 48>() + x<48>()) * 2.0f);
static_assert(plan<elementwise>.step_count == 1 && plan<elementwise>.scratch_bytes == 0 &&
              plan<elementwise>.steps[0].tiles() == 1);
static_assert(plan<decltype(matmul(x<64, 64>(), x<64, 64>()) + x<64>())>.scratch_bytes == 0);
static_assert(plan<tensor<float, 3>>.step_count == 0);

// Joins are written in place, part by part.
using joined = decltype(concat<0>(softmax(x<40, 8>()), exp(x<50, 8>())));
static_assert(plan<joined>.barrier_count == 0 && plan<joined>.step_count == 2);

// One row has no tiles: a single query's heads are loops inside the step.
using one_query = decltype(attention(x<8, 1, 16>(), x<8, 64, 16>(), x<8, 64, 16>()));
static_assert(plan<one_query>.step_count == 1 && plan<one_query>.steps[0].rows == 1 &&
              plan<one_query>.steps[0].batch[0] == 8);

// Masks: tiles of 32 rows by 16 keys.
template <class Mask>
using under = decltype(attention(x<64, 64>(), x<64, 64>(), x<64, 64>(), std::declval<Mask>()));
template <class Mask>
constexpr key_tiles tiles_under = plan<under<Mask>>.steps[0].keys;
// Rows 0-31 keep keys 0-31: two mixed tiles, two empty. Rows 32-63: two full tiles, two mixed ones.
static_assert(tiles_under<decltype(causal)> == key_tiles{8, 2, 4, 2, 0, 2});
static_assert(tiles_under<decltype(!causal)> == key_tiles{8, 2, 4, 2, 0, 2});
static_assert(tiles_under<decltype(sliding_window<0, 0>)> == key_tiles{8, 4, 4, 0, 0, 4});
static_assert(tiles_under<decltype(causal && keys_below(3))> == key_tiles{8, 2, 0, 0, 6, 2});
static_assert(tiles_under<decltype(keys_below(3))> == key_tiles{8, 0, 0, 0, 8, 0});
// A hole between kept keys is empty, but inside the range that is visited.
constexpr bool ends(std::size_t, std::size_t key) { return key < 16 || key >= 48; }
static_assert(tiles_under<decltype(keep_if<ends>())> == key_tiles{8, 4, 0, 4, 0, 0});

TEST(plan, steps_add_up) {
    std::size_t operations = 0;
    for (const plan_step& step : plan<block>.steps) operations += step.flops;
    EXPECT_EQ(operations, flops<block>);
    EXPECT_EQ(plan<block>.scratch_bytes, workspace_bytes<block>);
    EXPECT_LE(plan<block>.steps[1].scratch_bytes + plan<block>.barrier_bytes, plan<block>.scratch_bytes);
}

}  // namespace
