// SPDX-License-Identifier: BSL-1.0
// docs/modules.md names the arrays that modules have in files.
#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

namespace ashlar {
namespace {

std::string read_page() {
    std::ifstream file(ASHLAR_TEST_DIR "/../docs/modules.md");
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether the page has a name, or one with a star for its end ("linear1.*").
bool is_on(const std::string& page, const std::string& name) {
    if (page.find('`' + name + '`') != std::string::npos) return true;
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
        if (page.find('`' + name.substr(0, dot) + ".*`") != std::string::npos) return true;
    return false;
}

/// Looks for the names of a module's `count` arrays.
template <class M>
void expect_names(std::size_t count) {
    static const std::string page = read_page();
    ASSERT_FALSE(page.empty());
    const auto m = std::make_unique<M>();
    std::set<std::string> names;
    nn::for_each_parameter(*m, [&](const nn::parameter& p) {
        std::string name(p.name);
        if (const std::size_t at = name.find(".0."); at != std::string::npos) name[at + 1] = 'N';
        names.insert(name);
    });
    EXPECT_EQ(names.size(), count);
    for (const std::string& name : names) EXPECT_TRUE(is_on(page, name)) << name;
}

TEST(module_names, parts) {
    expect_names<nn::linear<{.in = 3, .out = 2}>>(2);
    expect_names<nn::layer_norm<{.size = 3}>>(2);
    expect_names<nn::rms_norm<{.size = 3}>>(1);
    expect_names<nn::conv1d<{.in = 3, .out = 2, .kernel = 3}>>(2);
    expect_names<nn::conv_transpose1d<{.in = 3, .out = 2, .kernel = 3}>>(2);
    expect_names<nn::prelu<{}>>(1);
    expect_names<nn::conv2d<{.in = 3, .out = 2, .kernel = 3}>>(2);
    expect_names<nn::group_norm<{.groups = 1, .channels = 2}>>(2);
    expect_names<nn::batch_norm<{.channels = 2}>>(4);
    expect_names<nn::feed_forward<{.embed = 3, .hidden = 5}>>(4);
    expect_names<nn::feed_forward<{.embed = 3, .hidden = 5, .gated = true}>>(6);
    expect_names<nn::embedding<{.entries = 5, .size = 3}>>(1);
    expect_names<nn::learned_positions<{.positions = 5, .size = 3}>>(1);
    expect_names<nn::relative_positions<{.heads = 2}>>(1);
}

TEST(module_names, attention) {
    expect_names<nn::multihead_attention<{.embed = 6, .heads = 2}>>(4);
    expect_names<nn::multihead_attention<{.embed = 6, .heads = 2, .key_bias = false}>>(5);
    expect_names<nn::multihead_attention<{.embed = 6, .heads = 2, .kdim = 4, .vdim = 5}>>(6);
    expect_names<nn::multihead_attention<{.embed = 8, .heads = 4, .kv_heads = 2, .names = nn::attention_names::llama}>>(
        8);
}

TEST(module_names, layers) {
    expect_names<nn::encoder_layer<{.embed = 6, .heads = 2}>>(12);
    expect_names<nn::encoder_layer<{.embed = 6, .heads = 2, .gated = true, .norm = nn::norm_kind::rms}>>(12);
    expect_names<nn::decoder_layer<{.embed = 6, .heads = 2}>>(18);
    expect_names<nn::encoder<{.layer = {.embed = 6, .heads = 2}, .layers = 1, .final_norm = true}>>(14);
    expect_names<nn::llama_layer<{.embed = 8, .heads = 4, .kv_heads = 2}>>(9);
    expect_names<nn::llama_decoder<{.block = {.embed = 8, .heads = 4, .bias = true}, .layers = 1}>>(13);
}

}  // namespace
}  // namespace ashlar
