// SPDX-License-Identifier: BSL-1.0
// The C interface of denoiser.h: the only file that is C++. No exception and no allocation crosses it.
#include "denoiser.h"

#include <cstdint>
#include <new>
#include <utility>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;

namespace {

inline constexpr std::size_t count = denoiser_rows, width = denoiser_width;
using layers = nn::encoder<{.layer = {.embed = width, .heads = 4, .hidden = 64}, .layers = 2}>;
using frames = tensor<float, count, width>;
using expression = decltype(std::declval<const layers&>()(std::declval<const frames&>(), keys_below(std::size_t{1})));

}  // namespace

struct denoiser {
    layers model;
    frames padded;
    workspace<workspace_bytes<expression>> scratch;
    fixed_text<511> message;
};

extern "C" {

size_t denoiser_bytes() { return sizeof(denoiser); }
size_t denoiser_alignment() { return alignof(denoiser); }

denoiser_status denoiser_create(void* memory, size_t bytes, unsigned seed, denoiser** model) {
    if (memory == nullptr || model == nullptr) return denoiser_null;
    if (reinterpret_cast<std::uintptr_t>(memory) % alignof(denoiser) != 0) return denoiser_misaligned;
    if (bytes < sizeof(denoiser)) return denoiser_too_small;
    *model = new (memory) denoiser{};
    nn::init::generator random(seed);
    nn::init::reset_parameters((*model)->model, random);
    return denoiser_ok;
}

denoiser_status denoiser_load(denoiser* model, const char* path) {
    if (model == nullptr || path == nullptr) return denoiser_null;
    const io::result loaded = io::load(model->model, path);
    if (loaded) return denoiser_ok;
    model->message = loaded.message();
    return denoiser_no_weights;
}

denoiser_status denoiser_run(denoiser* model, const float* x, float* y, size_t rows) {
    if (model == nullptr || x == nullptr || y == nullptr) return denoiser_null;
    if (rows > count) return denoiser_too_many;
    // The caller's memory has `rows` rows. The view has the full capacity, but rows beyond `rows` are not read.
    for (std::size_t i = 0; i < rows; ++i) model->padded[i] = tensor_view<const float, width>(x + i * width);
    evaluate(model->padded, model->model(model->padded, keys_below(rows)), model->scratch, rows_below(rows));
    for (std::size_t i = 0; i < rows; ++i) tensor_view<float, width>(y + i * width) = model->padded[i];
    return denoiser_ok;
}

const char* denoiser_message(const denoiser* model) { return model == nullptr ? "no model" : model->message.c_str(); }

}  // extern "C"
