// SPDX-License-Identifier: BSL-1.0
// A PyTorch notebook without PyTorch: the seeds give the weights, and the modules everything that the notebook prints.
#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "support/check.hpp"

using namespace ashlar;
using namespace examples;

namespace {

/// the train left the station on time, as positions in the sorted vocabulary.
constexpr tensor<int, 7> tokens{3, 5, 0, 3, 2, 1, 4};

using words = nn::embedding<{.entries = 6, .size = 2}>;
using projection = nn::linear<{.in = 2, .out = 4, .bias = false}>;
using two_heads = nn::multihead_attention<{.embed = 4, .heads = 2}>;

}  // namespace

int main() {
    nn::init::generator random(123);  // torch.manual_seed(123)
    const auto table = nn::init::make<words>(random);
    const auto x = eval(table(tokens));
    title("x_embed");
    check_near("embedding(x)", x,
               {{-0.9724f, -0.7550f},
                {0.2103f, -0.3908f},
                {-0.1115f, 0.1204f},
                {-0.9724f, -0.7550f},
                {-1.1969f, 0.2093f},
                {-0.3696f, -0.2404f},
                {0.3239f, -0.1085f}},
               printed);

    random.manual_seed(1);
    const auto query_embed = nn::init::make<projection>(random);
    const auto key_embed = nn::init::make<projection>(random);
    const auto value_embed = nn::init::make<projection>(random);
    const auto query = eval(query_embed(x)), key = eval(key_embed(x)), value = eval(value_embed(x));
    title("Query, Key, Value");
    check_near("query_embed(x_embed)", query,
               {{-0.1186f, -0.1173f, 0.3271f, -0.1302f},
                {0.1986f, -0.1586f, -0.3058f, -0.1712f},
                {-0.0782f, 0.0552f, 0.1252f, 0.0595f},
                {-0.1186f, -0.1173f, 0.3271f, -0.1302f},
                {-0.5014f, 0.2335f, 0.8855f, 0.2494f},
                {-0.0596f, -0.0291f, 0.1441f, -0.0327f},
                {0.1519f, -0.0804f, -0.2616f, -0.0862f}},
               printed);
    check_near("key_embed(x_embed)", key,
               {{-0.0302f, -0.2170f, -0.0431f, 0.0982f},
                {0.0545f, 0.0276f, 0.1620f, 0.0140f},
                {-0.0214f, -0.0177f, -0.0620f, -0.0019f},
                {-0.0302f, -0.2170f, -0.0431f, 0.0982f},
                {-0.1358f, -0.2274f, -0.3668f, 0.0484f},
                {-0.0155f, -0.0809f, -0.0292f, 0.0344f},
                {0.0412f, 0.0597f, 0.1136f, -0.0098f}},
               printed);
    check_near("value_embed(x_embed), as far as printed", slice<0, 0, 4>(value),
               {{-0.0975f, -0.7672f, 0.5785f, 0.3455f},
                {0.0227f, 0.0440f, 0.1115f, 0.0943f},
                {-0.0118f, -0.0424f, -0.0221f, -0.0235f},
                {-0.0975f, -0.7672f, 0.5785f, 0.3455f}},
               printed);

    random.manual_seed(1);
    const auto multihead_attn = nn::init::make<two_heads>(random);
    title("MHA");
    check_near("attn_output", multihead_attn(query, key, value),
               {{0.0168f, -0.0299f, 0.0095f, -0.0084f},
                {0.0170f, -0.0291f, 0.0093f, -0.0086f},
                {0.0168f, -0.0298f, 0.0095f, -0.0085f},
                {0.0168f, -0.0299f, 0.0095f, -0.0084f},
                {0.0165f, -0.0309f, 0.0097f, -0.0082f},
                {0.0168f, -0.0298f, 0.0094f, -0.0085f},
                {0.0169f, -0.0292f, 0.0093f, -0.0086f}},
               printed);
    check_near("attn_output_weights", multihead_attn.average_weights(query, key),
               {{0.1429f, 0.1446f, 0.1425f, 0.1429f, 0.1400f, 0.1429f, 0.1441f},
                {0.1428f, 0.1404f, 0.1432f, 0.1428f, 0.1470f, 0.1427f, 0.1410f},
                {0.1429f, 0.1438f, 0.1427f, 0.1429f, 0.1413f, 0.1429f, 0.1436f},
                {0.1429f, 0.1446f, 0.1425f, 0.1429f, 0.1400f, 0.1429f, 0.1441f},
                {0.1428f, 0.1493f, 0.1418f, 0.1428f, 0.1326f, 0.1430f, 0.1476f},
                {0.1429f, 0.1437f, 0.1427f, 0.1429f, 0.1415f, 0.1429f, 0.1435f},
                {0.1428f, 0.1409f, 0.1431f, 0.1428f, 0.1461f, 0.1428f, 0.1414f}},
               printed);

    // The notebook adds a matrix of ones and minus infinities to the scores; the mask is a type here.
    title("MHA with causal mask");
    check_near("attn_output", multihead_attn(query, key, value, causal),
               {{0.0422f, -0.0849f, 0.0276f, -0.0172f},
                {0.0262f, -0.0692f, 0.0236f, -0.0038f},
                {0.0165f, -0.0406f, 0.0136f, -0.0039f},
                {0.0230f, -0.0517f, 0.0171f, -0.0072f},
                {0.0208f, -0.0342f, 0.0105f, -0.0121f},
                {0.0199f, -0.0317f, 0.0098f, -0.0115f},
                {0.0169f, -0.0292f, 0.0093f, -0.0086f}},
               printed);
    check_near("attn_output_weights", multihead_attn.average_weights(query, key, causal),
               {{1.0000f, 0.0000f, 0.0000f, 0.0000f, 0.0000f, 0.0000f, 0.0000f},
                {0.5043f, 0.4957f, 0.0000f, 0.0000f, 0.0000f, 0.0000f, 0.0000f},
                {0.3327f, 0.3349f, 0.3324f, 0.0000f, 0.0000f, 0.0000f, 0.0000f},
                {0.2495f, 0.2523f, 0.2488f, 0.2495f, 0.0000f, 0.0000f, 0.0000f},
                {0.2014f, 0.2104f, 0.1999f, 0.2014f, 0.1869f, 0.0000f, 0.0000f},
                {0.1668f, 0.1677f, 0.1666f, 0.1668f, 0.1652f, 0.1668f, 0.0000f},
                {0.1428f, 0.1409f, 0.1431f, 0.1428f, 0.1461f, 0.1428f, 0.1414f}},
               printed);
    return report();
}
