// SPDX-License-Identifier: BSL-1.0
// One unit of the program of models: random numbers, modules, a cache, files, images, printing. MIXED_UNIT names it.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sstream>

#include <ashlar/io.hpp>
#include <ashlar/tensor/print.hpp>

#include "mixed_models.hpp"

namespace {

using namespace ashlar;
constexpr auto& turn = nn::rope_tables<{.head_width = 4, .positions = 8}>;

/// All that this unit can do with one array in files of every kind.
template <class A>
bool passes(const A& array, const char* file) {
    A read{};
    return io::save(array, file, "array") && io::load(read, file, "array") &&
           std::memcmp(&read, &array, sizeof(A)) == 0;
}

/// The same of a layer of a model with weights in 8 bits: rounded from the floats of a file, and saved as integers.
struct head_in_8_bits {
    nn::linear<{.in = 16, .out = 33}, float, std::int8_t> head;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("head", self.head);
    }
};
bool rounds(const char* floats, const char* integers) {
    static head_in_8_bits rounded, read;
    if (!io::load(rounded, floats, {}, {.ignore_unexpected = true})) return false;
    if (!io::save(rounded, integers) || !io::load(read, integers)) return false;
    rows x{};
    scores y{}, again{};
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 13) - 6;
    y = rounded.head(x);
    again = read.head(x);
    return std::memcmp(&y, &again, sizeof y) == 0;
}

}  // namespace

void MIXED_UNIT::fill(my_model& m) {
    nn::init::generator random(3);
    nn::init::reset_parameters(m, random);
    nn::init::normal(m.head.bias, random, 0, 0.5);
    const auto more = nn::init::rand<float, 33, 16>(random);
    auto weight = nn::init::randn<float, 33, 16>(random);
    pack(m.head.weight, transpose(weight + more));
    nn::init::xavier_uniform(weight, random);
    pack(m.head.weight, m.head.weight + transpose(weight));
    nn::init::kaiming_normal(weight, random);
    m.head.weight = pack(eval(transpose(weight) + m.head.weight));
}

scores MIXED_UNIT::call(const my_model& m, const rows& x) {
    static nn::kv_cache<float, 8, 2, 4> cache;
    cache.clear();
    const rows y = m.norm(x);
    const rows all = m.block(y, turn);
    rows decoded;
    for (std::size_t t = 0; t < 5; ++t) {
        const tensor<float, 1, 16> token = reshape<1, 16>(row(y, t));
        const tensor<float, 1, 16> next = m.block.decode(token, turn, cache);
        row(decoded, t) = row(next, 0);
    }
    return m.head((decoded + all) * 0.5f);
}

int MIXED_UNIT::pass_through_files(my_model& m, const char* file, const char* image) {
    static my_model read;
    if (!io::save(m, file)) return 1;
    if (!io::load(read, file) || std::memcmp(&read, &m, sizeof m) != 0) return 2;
    if (!rounds(file, image)) return 7;
    if (!io::save_image(m, image) || !io::load_image(read, image) || std::memcmp(&read, &m, sizeof m) != 0) return 3;
    if (!passes(m.head.bias, file)) return 4;
    if (io::load(read, file)) return 5;  // that of another model
    std::ostringstream text;
    text << m.head.bias << nn::summary<my_model>().c_str() << nn::parameter_count<my_model>;
    text << io::load(read, "no such file").message().c_str();
    return text.str().size() > 400 ? 0 : 6;
}
