// SPDX-License-Identifier: BSL-1.0
// No evaluation touches the heap: every way to it is counted while expressions of all kinds are evaluated.
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/random.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define HEAP_OF_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEAP_OF_SANITIZER 1
#endif
#endif

namespace {

// Compilers know that malloc reads no variable of theirs, and would keep these in registers across it.
volatile bool counting = false;
volatile unsigned heap_calls = 0;

void note_heap_call() {
    if (counting) heap_calls = heap_calls + 1;
}

}  // namespace

#if defined(HEAP_OF_SANITIZER)

// The sanitizer has a malloc of its own, and hooks; g++ comes without the header that declares them.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                                         void (*on_free)(const volatile void*));

namespace {

[[maybe_unused]] const int hooks = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { note_heap_call(); }, [](const volatile void*) { note_heap_call(); });

}  // namespace
#define HEAP_IS_COUNTED 1

#elif defined(__GLIBC__)

// glibc lets a program bring its own malloc; operator new of libstdc++ comes here too.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
    note_heap_call();
    return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    note_heap_call();
    return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
    note_heap_call();
    return __libc_realloc(block, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
    note_heap_call();
    return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    *block = memalign(alignment, size);
    return *block == nullptr ? 12 : 0;  // ENOMEM
}
void free(void* block) {
    note_heap_call();
    __libc_free(block);
}
}
#define HEAP_IS_COUNTED 1

#else
#define HEAP_IS_COUNTED 0
#endif

namespace {

using namespace ashlar;

unsigned heap_calls_of(const auto& f) {
    heap_calls = 0;
    counting = true;
    f();
    counting = false;
    return heap_calls;
}

void* volatile escaped;

class no_allocation : public testing::Test {
protected:
    void SetUp() override {
        if (!HEAP_IS_COUNTED) GTEST_SKIP() << "the heap of this system is not counted";
    }

    support::random_numbers random{1};
};

void allocate() {
    escaped = std::malloc(16);
    std::free(escaped);
}
void allocate_aligned() {
    escaped = ::operator new(64, std::align_val_t{64});
    ::operator delete(escaped, std::align_val_t{64});
}
TEST_F(no_allocation, trap_counts) {
    EXPECT_GE(heap_calls_of(allocate), 2u);
    EXPECT_GE(heap_calls_of(allocate_aligned), 2u);
    EXPECT_EQ(heap_calls_of([] {}), 0u);
}

TEST_F(no_allocation, attention) {
    const auto x = random.normal<float, 40, 24>();
    const auto wide = random.normal<float, 40, 30>();
    const auto pairs = random.truths<40, 40>(0.7);
    tensor<float, 40, 30> y;
    tensor<float, 40, 40> weights;
    const int length = random.whole<int, 1>(5, 30)(0);
    EXPECT_EQ(heap_calls_of([&] { y = attention(x, x, wide, keep(pairs) && keys_below(length), softcap(5)); }), 0u);
    EXPECT_EQ(heap_calls_of([&] { y = matmul(store(weights, softmax(matmul(x, transpose(x)))), wide); }), 0u);

    const auto q = random.normal<float, 160, 64>();
    tensor<float, 160, 64> out;
    const auto e = attention(q, q, q);
    static workspace<workspace_bytes<decltype(e)>> scratch;
    EXPECT_EQ(heap_calls_of([&] { evaluate(out, e, scratch); }), 0u);
}

TEST_F(no_allocation, blocks) {
    const auto x = random.normal<float, 32, 16>();
    const auto up = random.normal<float, 16, 64>();
    const auto down = random.normal<float, 64, 16>();
    const auto gamma = random.normal<float, 16>();
    tensor<float, 32, 16> y;
    const auto residual = [&](const auto& n) { return n + matmul(relu(matmul(n, up)), down); };
    EXPECT_EQ(heap_calls_of([&] { y = let(layer_norm(x, gamma, gamma, 1e-5), residual); }), 0u);
}

TEST_F(no_allocation, destinations_that_overlap) {
    auto x = random.normal<float, 16, 16>();
    EXPECT_EQ(heap_calls_of([&] { x = softmax(x); }), 0u);
    EXPECT_EQ(heap_calls_of([&] { x = transpose(x); }), 0u);
    EXPECT_EQ(heap_calls_of([&] { x = attention(x, x, x); }), 0u);
}

TEST_F(no_allocation, reductions_and_moves) {
    const auto x = random.normal<float, 12, 35>();
    const auto tokens = random.whole<int, 9>(0, 12);
    const auto a = random.normal<double, 3, 4, 5>();
    float total = 0;
    tensor<float, 9, 35> rows;
    tensor<double, 3, 3> product;
    EXPECT_EQ(heap_calls_of([&] { total = eval(sum(exp(x)))() + eval(logsumexp<0>(x))(3); }), 0u);
    EXPECT_EQ(heap_calls_of([&] { total += static_cast<float>(eval(argmax<1>(x))(3)); }), 0u);
    EXPECT_EQ(heap_calls_of([&] { rows = take<0>(x, tokens); }), 0u);
    EXPECT_EQ(heap_calls_of([&] { rows = concat<0>(slice<0, 0, 8>(x), slice<0, 11, 12>(x + 1.0f)); }), 0u);
    EXPECT_EQ(heap_calls_of([&] { product = einsum<"ijk,ljk->il">(a, a); }), 0u);
    EXPECT_EQ(total, total);
}

TEST_F(no_allocation, texts) {
    const auto x = random.normal<float, 12, 8>();
    const auto e = attention(x, x, x, causal);
    std::size_t length = 0;
    EXPECT_EQ(heap_calls_of([&] { length = explain(e).size(); }), 0u);
    EXPECT_GT(length, 0u);
}

}  // namespace
