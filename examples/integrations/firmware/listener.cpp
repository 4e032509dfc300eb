// SPDX-License-Identifier: BSL-1.0
// Two buffers: interrupts fill one while the model reads the other.
#include "listener.hpp"

#include "clock.hpp"

namespace firmware {
namespace {

/// Random weights, which the compiler computes: they are in flash. A trained model is an image, as in
/// examples/gestures.
constexpr model make_weights() {
    model m{};
    nn::init::generator random(1);
    nn::init::reset_parameters(m, random);
    return m;
}
constinit const model weights = make_weights();

samples buffers[2];
volatile std::uint32_t filling = 0;
volatile bool full = false;
std::size_t count = 0;
state kept;
record all;

}  // namespace

void start_listening() noexcept {
    kept.attach(weights);
    run(buffers[1], weights, kept, buffers[0]);  // the first call is the slowest
    kept.attach(weights);
}

bool take_sample(float x) noexcept {
    buffers[filling](count, 0) = x;
    if (++count < block) return false;
    count = 0;
    if (full) all.too_late = all.too_late + 1;
    full = true;
    filling = 1 - filling;
    return true;
}

void run_block() noexcept {
    if (!full || all.done == blocks) return;
    samples y;
    const std::uint32_t start = ticks();
    run(y, weights, kept, buffers[1 - filling]);
    const std::uint32_t taken = ticks() - start;
    full = false;
    all.least = taken < all.least ? taken : all.least;
    all.most = taken > all.most ? taken : all.most;
    all.sum += taken;
    all.results[all.done] = y(block - 1, 0);
    all.done = all.done + 1;
}

const record& heard() noexcept { return all; }

}  // namespace firmware
