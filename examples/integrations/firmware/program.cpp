// SPDX-License-Identifier: BSL-1.0
// Listens to a sensor for some seconds, then prints how long blocks took, on a microcontroller or on a desktop.
#include <cstddef>
#include <cstdint>

#include "board.hpp"
#include "clock.hpp"
#include "listener.hpp"

namespace {

using board::print;

void print(const char* before, std::uint32_t value, const char* behind) {
    board::print(before);
    print(value);
    board::print(behind);
}

}  // namespace

int run() noexcept {
    firmware::start_listening();
    firmware::start_timer();
    while (firmware::heard().done < firmware::blocks) firmware::wait();
    firmware::stop_timer();

    const firmware::record& r = firmware::heard();
    for (std::size_t i = 0; i < firmware::blocks; i += 20) {  // in millionths, from -1 on
        print("result ", static_cast<std::uint32_t>(i), ": ");
        print("", static_cast<std::uint32_t>((r.results[i] + 1.0f) * 1e6f), "\n");
    }
    print("blocks: ", r.done, ", ");
    print("too late: ", r.too_late, "\n");
    print("a block: least ", r.least, ", ");
    print("mean ", r.sum / r.done, ", ");
    print("most ", r.most, " ");
    board::print(firmware::tick_name());
    print(" of ", firmware::ticks_a_sample() * firmware::block, "\n");
    if (board::stack_size() > 0) {
        print("stack: ", static_cast<std::uint32_t>(board::stack_used()), " of ");
        print("", static_cast<std::uint32_t>(board::stack_size()), " bytes\n");
    }
    return r.too_late == 0 ? 0 : 1;
}
