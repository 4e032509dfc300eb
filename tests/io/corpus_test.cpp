// SPDX-License-Identifier: BSL-1.0
// The fuzz targets over their corpora without a fuzzer: every file whole, cut anywhere, and with every byte changed.
// Each input has memory of its own size, so sanitizers find reads beyond the end.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#define LLVMFuzzerTestOneInput fuzz_archive_input
#include "fuzz_archive.cpp"
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_image_input
#include "fuzz_image.cpp"
#undef LLVMFuzzerTestOneInput

namespace {

using input_function = int(const std::uint8_t*, std::size_t);

void replay(const std::vector<std::uint8_t>& whole, input_function& take) {
    EXPECT_EQ(take(whole.data(), whole.size()), 0);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        take(cut.data(), cut.size());
    }
    std::vector<std::uint8_t> changed = whole;
    for (std::uint8_t& byte : changed)
        for (const int bits : {0x01, 0x80, 0xff}) {
            const std::uint8_t was = byte;
            byte = static_cast<std::uint8_t>(byte ^ bits);
            take(changed.data(), changed.size());
            byte = was;
        }
}

std::size_t replay_files(const std::string& corpus, input_function& take) {
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(ASHLAR_TEST_DIR) + "/io/corpus/" + corpus)) {
        std::ifstream file(entry.path(), std::ios::binary);
        SCOPED_TRACE(entry.path().string());
        replay({std::istreambuf_iterator<char>(file), {}}, take);
        ++files;
    }
    return files;
}

TEST(corpus, archives) { EXPECT_GE(replay_files("archive", fuzz_archive_input), 50u); }

TEST(corpus, images) {
    EXPECT_GE(replay_files("image", fuzz_image_input), 8u);
    // One that is right even if images have changed since the files were made.
    const fuzz_image::model m{};
    std::vector<std::uint8_t> image(ashlar::io::image_bytes<fuzz_image::model>);
    ASSERT_TRUE(ashlar::io::save_image(m, image));
    replay(image, fuzz_image_input);
}

}  // namespace
