// SPDX-License-Identifier: BSL-1.0
// The depth of a call on the stack: it runs on its own stack, which was filled with a pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <ucontext.h>

namespace test {

/// Whether frames of calls are those of users' builds. Without optimisation or with AddressSanitizer frames are several
/// times as large, or elsewhere.
inline constexpr bool has_usual_frames =
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
    false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    false;
#else
    true;
#endif
#else
    true;
#endif

/// Runs functions on a stack filled with a pattern, and returns how many bytes a call has changed.
class painted_stack {
public:
    explicit painted_stack(std::size_t bytes = std::size_t{1} << 20) : memory(bytes) {}

    /// Bytes of stack between the call of `function` and the deepest byte that it wrote.
    template <class Function>
    std::size_t depth_of(Function& function) {
        const auto nothing = [] {};
        const std::size_t of_nothing = depth_below(nothing);
        const std::size_t of_function = depth_below(function);
        return of_function > of_nothing ? of_function - of_nothing : 0;
    }

private:
    static constexpr unsigned char pattern = 0xa5;
    std::vector<unsigned char> memory;
    ucontext_t here{}, there{};

    template <class Function>
    struct call {
        static void run(unsigned low, unsigned high) {
            const std::uintptr_t address =
                static_cast<std::uintptr_t>(low) | (static_cast<std::uintptr_t>(high) << 16 << 16);
            (*reinterpret_cast<Function*>(address))();
        }
    };

    template <class Function>
    std::size_t depth_below(Function& function) {
        std::memset(memory.data(), pattern, memory.size());
        getcontext(&there);
        there.uc_stack.ss_sp = memory.data();
        there.uc_stack.ss_size = memory.size();
        there.uc_link = &here;
        const auto address = reinterpret_cast<std::uintptr_t>(&function);
        makecontext(&there, reinterpret_cast<void (*)()>(&call<Function>::run), 2, static_cast<unsigned>(address),
                    static_cast<unsigned>(address >> 16 >> 16));
        swapcontext(&here, &there);
        std::size_t untouched = 0;
        while (untouched < memory.size() && memory[untouched] == pattern) ++untouched;
        return memory.size() - untouched;
    }
};

}  // namespace test
