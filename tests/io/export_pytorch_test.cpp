// SPDX-License-Identifier: BSL-1.0
// tools/export_pytorch.py against the library: the same bits in safetensors, the same bytes in images. Skipped without
// PyTorch.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

#include "constant_encoder.hpp"

namespace ashlar {
namespace {

using encoder = test::constant_encoder;

const std::string folder = testing::TempDir(), source = std::string(ASHLAR_TEST_DIR);

/// What a command writes, and whether it succeeded.
struct outcome {
    std::string text;
    bool succeeded = false;
};
outcome run(const std::string& command) {
    outcome result;
    std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return result;
    for (char line[512]; std::fgets(line, sizeof line, pipe) != nullptr;) result.text += line;
    result.succeeded = pclose(pipe) == 0;
    return result;
}

/// A Python that has PyTorch, or nothing.
const std::string& python() {
    static const std::string found = [] {
        for (const char* candidate : {"python3", "/usr/bin/python3"})
            if (run(std::string(candidate) + " -c 'import torch'").succeeded) return std::string(candidate);
        return std::string();
    }();
    return found;
}

std::string file_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

class export_pytorch : public testing::Test {
protected:
    void SetUp() override {
        if (python().empty()) GTEST_SKIP() << "no python3 with torch (Debian: python3-torch)";
    }
    /// Runs a script that finds the exporter, torch, the folder `out` and an encoder layer with numbers of its own.
    static outcome script(const std::string& body) {
        const std::string path =
            folder + "ashlar_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".py";
        std::ofstream(path)
            << "import sys, pathlib\nsys.path.insert(0, '" + source + "/../tools')\n"
            << "import torch, export_pytorch as e\nout = '" + folder + "ashlar_'\ntorch.manual_seed(7)\n"
            << "layer = torch.nn.TransformerEncoderLayer(8, 2, 24)\nfor p in layer.parameters(): p.data.normal_()\n"
            << body;
        return run(python() + " " + path);
    }
};

// The fixture is not PyTorch's: it is compared everywhere.
TEST(constant_encoder, layout_is_that_of_the_fixture) {
    std::vector<char> text(8192);
    ASSERT_TRUE(io::save_layout<encoder>(text));
    EXPECT_EQ(std::string_view(text.data()), file_text(source + "/io/fixtures/constant_encoder.layout"))
        << "the layout has changed: write this text to the fixture, then run tests/io/make_constant_image.py";
}

TEST_F(export_pytorch, safetensors_and_image) {
    const outcome exported = script("e.save_safetensors(layer, out + 'layer.safetensors')\n"
                                    "e.save_image(layer, '" +
                                    source +
                                    "/io/fixtures/constant_encoder.layout', out + 'layer.image')\n"
                                    "torch.save(layer.state_dict(), out + 'layer.pt')\n"
                                    "print(*[float(v).hex() for v in layer.linear1.weight[2]])\n");
    ASSERT_TRUE(exported.succeeded) << exported.text;
    static encoder model{};
    const io::result r = io::load(model, folder + "ashlar_layer.safetensors");
    ASSERT_TRUE(r) << r.message().c_str();
    const char* text = exported.text.c_str();
    for (std::size_t in = 0; in < 8; ++in) {
        char* end = nullptr;
        EXPECT_EQ(model.feed_forward.linear1.weight(in, 2), static_cast<float>(std::strtod(text, &end)));
        text = end;
    }
    // The image that Python made is the one that the library makes.
    std::string image(io::image_bytes<encoder>, '\0');
    ASSERT_TRUE(io::save_image(model, std::span(image)));
    EXPECT_TRUE(image == file_text(folder + "ashlar_layer.image"));

    // The same by the command line, from a file of torch.save.
    const std::string tool = python() + " " + source + "/../tools/export_pytorch.py " + folder + "ashlar_layer.pt ";
    const outcome by_command = run(tool + "--safetensors " + folder + "ashlar_again.safetensors --image " + folder +
                                   "ashlar_again.image --layout " + source + "/io/fixtures/constant_encoder.layout");
    ASSERT_TRUE(by_command.succeeded) << by_command.text;
    EXPECT_TRUE(image == file_text(folder + "ashlar_again.image"));
    EXPECT_TRUE(file_text(folder + "ashlar_layer.safetensors") == file_text(folder + "ashlar_again.safetensors"));
    EXPECT_FALSE(run(tool).succeeded);
    EXPECT_FALSE(run(tool + "--image x").succeeded);
}

struct normed {
    nn::conv1d<{.in = 2, .out = 3, .kernel = 2}> conv;
    nn::batch_norm<{.channels = 3}> norm;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("conv", self.conv);
        visit("norm", self.norm);
    }
};

// PyTorch's batch norms count their training steps. Leaving the count out needs no option.
TEST_F(export_pytorch, counts_of_batches_are_left_out) {
    ASSERT_TRUE(io::save_layout<normed>(folder + "ashlar_normed.layout"));
    const outcome exported = script("m = torch.nn.Module()\n"
                                    "m.conv, m.norm = torch.nn.Conv1d(2, 3, 2), torch.nn.BatchNorm1d(3)\n"
                                    "m.norm(m.conv(torch.randn(4, 2, 5)))\n"
                                    "e.save_safetensors(m, out + 'normed.safetensors')\n"
                                    "e.save_image(m, out + 'normed.layout', out + 'normed.image')\n");
    ASSERT_TRUE(exported.succeeded) << exported.text;
    static normed model{};
    const io::result r = io::load(model, folder + "ashlar_normed.safetensors");
    ASSERT_TRUE(r) << r.message().c_str();
    EXPECT_NE(model.norm.running_mean(0), 0.0f);
    std::string image(io::image_bytes<normed>, '\0');
    ASSERT_TRUE(io::save_image(model, std::span(image)));
    EXPECT_TRUE(image == file_text(folder + "ashlar_normed.image"));
}

TEST_F(export_pytorch, half_precision) {
    const outcome exported = script("e.save_safetensors(layer, out + 'f32.safetensors')\n"
                                    "e.save_safetensors(layer, out + 'f16.safetensors', 'F16')\n"
                                    "e.save_safetensors(layer, out + 'bf16.safetensors', 'BF16')\n"
                                    "e.save_safetensors(layer.double(), out + 'f64.safetensors')\n");
    ASSERT_TRUE(exported.succeeded) << exported.text;
    static encoder exact{}, other{};
    ASSERT_TRUE(io::load(exact, folder + "ashlar_f32.safetensors"));
    const auto largest_error = [&](const char* type) {
        const io::result r = io::load(other, folder + "ashlar_" + type + ".safetensors");
        EXPECT_TRUE(r) << r.message().c_str();
        float largest = 0;
        for (std::size_t i = 0; i < 8; ++i)
            for (std::size_t k = 0; k < 24; ++k) {
                const float value = exact.feed_forward.linear1.weight(i, k);
                largest =
                    std::max(largest, std::abs(other.feed_forward.linear1.weight(i, k) - value) / std::abs(value));
            }
        return largest;
    };
    EXPECT_EQ(largest_error("f64"), 0.0f);
    EXPECT_GT(largest_error("f16"), 0.0f);
    EXPECT_LE(largest_error("f16"), 0x1p-11f * 1.01f);
    EXPECT_GT(largest_error("bf16"), 0x1p-12f);
    EXPECT_LE(largest_error("bf16"), 0x1p-8f * 1.01f);
}

TEST_F(export_pytorch, refusals) {
    const outcome exported =
        script("layout = '" + source +
               "/io/fixtures/constant_encoder.layout'\n"
               "def attempt(**changes):\n"
               "    state = dict(layer.state_dict(), **{k.replace('__', '.'): v for k, v in changes.items()})\n"
               "    try: e.save_image({k: v for k, v in state.items() if v is not None}, layout, out + 'none.image')\n"
               "    except e.ExportError as error: print(error)\n"
               "attempt(norm1__bias=None)\nattempt(more=torch.zeros(1))\nattempt(norm1__bias=torch.zeros(7))\n"
               "attempt(norm1__bias=torch.zeros(8, dtype=torch.int32))\nattempt(norm1__bias='text')\n"
               "attempt(norm1__bias=torch.zeros(8, dtype=torch.complex64))\n"
               "print(pathlib.Path(out + 'none.image').exists())\n");
    EXPECT_EQ(exported.text, "norm1.bias: missing in the state dict\n"
                             "more: in the state dict, but not in the model\n"
                             "norm1.bias: the model needs [8], the state dict has [7]\n"
                             "norm1.bias: the model needs F32, the state dict has I32\n"
                             "norm1.bias: no tensor but str\n"
                             "norm1.bias: tensors of torch.complex64 (torch.strided) cannot be exported\n"
                             "False\n");
}

TEST_F(export_pytorch, layouts_in_8_bits_are_for_make_image) {
    std::ofstream(folder + "ashlar_bytes.layout")
        << "ashlar-layout 1\nmodel 1024 64 little\narray 0 I8 32x24 0 32 24 1 16x4 w\n";
    const outcome exported = script("try: e.read_layout(out + 'bytes.layout')\n"
                                    "except e.ExportError as error: print(str(error).removeprefix(out))\n");
    EXPECT_EQ(exported.text,
              "bytes.layout: w is in 8 bits: write --safetensors, of which make_image makes the image\n");
}

}  // namespace
}  // namespace ashlar
