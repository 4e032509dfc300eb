// SPDX-License-Identifier: BSL-1.0
// An executor calls any function object, not only what a pointer to a function can be.
//
// expect: ashlar: evaluate: pass a named workspace after the expression, then an executor, which has workers() and run(count, f) for any function object f, or rows_below(n), or both; rows_below(n) also alone
//
// expect: evaluation_arguments<
//
// expect: pointer_pool
//
// expect: ::are_known
#include <cstddef>

#include <ashlar/ashlar.hpp>

using namespace ashlar;

struct pool {
    std::size_t workers() const { return 2; }
    void run(std::size_t count, const auto& f) const {
        for (std::size_t i = 0; i < count; ++i) f(i);
    }
};
struct pointer_pool {
    std::size_t workers() const { return 2; }
    void run(std::size_t count, void (*f)(std::size_t)) const {
        for (std::size_t i = 0; i < count; ++i) f(i);
    }
};

void normalize_rows(tensor<float, 64, 8>& y, const tensor<float, 64, 8>& x) {
    auto e = softmax(x);
    static workspace<workspace_bytes<decltype(e), 2>> scratch;
#ifdef ASHLAR_EXPECT_ERROR
    evaluate(y, e, scratch, pointer_pool{});
#else
    evaluate(y, e, scratch, pool{});
#endif
}
