// SPDX-License-Identifier: BSL-1.0
// Lanes as batches of xsimd and back, for users' functions (opt-in): includes all of xsimd.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd.hpp>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
// In this order: a formatter must not sort them.
// clang-format off
#include <ashlar/kernel/simd/hidden_macros.hpp>
#if defined(ASHLAR_EMULATED_WIDTH) && !defined(XSIMD_WITH_EMULATED)
#define XSIMD_WITH_EMULATED 1
#endif
#include <xsimd/xsimd.hpp>
#include <ashlar/kernel/simd/restored_macros.hpp>
// clang-format on
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#if defined(ASHLAR_EMULATED_WIDTH) && !defined(XSIMD_EMULATED_HPP)
#error "ashlar: xsimd: it was included without its emulated registers; include ashlar/kernel/xsimd.hpp before it"
#endif

namespace ashlar::inline v0_1::detail {

/// The element type of a batch: long, char and similar types have no batches of their own.
template <class Element>
using batch_element = std::conditional_t<
    std::is_floating_point_v<Element>, Element,
    std::conditional_t<std::is_signed_v<Element>, signed_of_size<sizeof(Element)>, unsigned_of_size<sizeof(Element)>>>;

/// The batch of `Width` elements; void if there is none.
#if defined(ASHLAR_EMULATED_WIDTH)
inline constexpr bool has_batches = true;
template <class Stored, std::size_t Width>
struct sized_batch {
    using type = xsimd::batch<Stored, xsimd::emulated<Width * sizeof(Stored) * 8>>;
};
#elif defined(ASHLAR_HAS_REGISTERS)
inline constexpr bool has_batches = true;
// xsimd's choice, except for AVX-512VL, which does not compile at -O0.
template <class Stored, std::size_t Width>
struct sized_batch {
    template <class Best, class Other>
    using supported = std::conditional_t<Best::supported(), Best, Other>;
    template <class Batch>
    struct chosen {
        using type = Batch;
    };
    template <class Same>
    struct chosen<xsimd::batch<Same, xsimd::avx512vl_256>> {
        using type = xsimd::batch<Same, supported<xsimd::fma3<xsimd::avx2>, xsimd::avx2>>;
    };
    template <class Same>
    struct chosen<xsimd::batch<Same, xsimd::avx512vl_128>> {
        using type = xsimd::batch<Same, supported<xsimd::fma3<xsimd::sse4_2>, xsimd::sse4_2>>;
    };
    using type = typename chosen<xsimd::make_sized_batch_t<Stored, Width>>::type;
};
#else
inline constexpr bool has_batches = false;
template <class Stored, std::size_t Width>
struct sized_batch {
    using type = void;
};
#endif

/// The architecture of the batch for lanes. A single lane is repeated in a whole register. Lanes without a register use
/// it too; an error follows.
template <class Element, std::size_t Width, class Config>
struct batch_of {
    static_assert(has_batches,
                  "ashlar: xsimd: it has no registers for this target; write functions of ashlar, or define "
                  "ASHLAR_EMULATED_WIDTH");
    using wanted = typename sized_batch<batch_element<Element>, Width == 1 ? lane_width<Element, Config> : Width>::type;
    using batch = std::conditional_t<std::is_void_v<wanted>, xsimd::batch<batch_element<Element>>, wanted>;
    using architecture = typename batch::arch_type;
};

template <std::size_t Width, std::size_t Elements>
consteval void check_elements() {
    static_assert(Width == 1 || Width == Elements,
                  "ashlar: xsimd: a batch has as many elements as the lanes have; write xsimd::batch(v), of operands "
                  "whose elements have one size");
}

// Not constexpr, because xsimd is not.
template <class Stored, class Architecture, class Element, std::size_t Width, class Config>
    requires std::is_same_v<Stored, batch_element<Element>>
struct batch_conversion<xsimd::batch<Stored, Architecture>, lanes<Element, Width, Config>> {
    static constexpr bool exists = true;
    using batch = xsimd::batch<Stored, Architecture>;
    using values = lanes<Element, Width, Config>;

    ASHLAR_ALWAYS_INLINE static batch to_batch(values a) {
        check_elements<Width, batch::size>();
        if constexpr (Width != batch::size) {
            return batch(static_cast<Stored>(a[0]));
        } else if constexpr (in_register<Element, Width, Config>()) {
            return batch(a.data.data);
        } else {
            return batch::load_unaligned(reinterpret_cast<const Stored*>(a.data.values));
        }
    }
    ASHLAR_ALWAYS_INLINE static values from_batch(batch a) {
        check_elements<Width, batch::size>();
        if constexpr (Width != batch::size) {
            return values(static_cast<Element>(a.first()));
        } else if constexpr (in_register<Element, Width, Config>()) {
            return values(typename values::storage{a.data});
        } else {
            values result;
            a.store_unaligned(reinterpret_cast<Stored*>(result.data.values));
            return result;
        }
    }
};

template <class Stored, class Architecture, class Element, std::size_t Width, class Config>
    requires std::is_same_v<Stored, batch_element<Element>>
struct batch_conversion<xsimd::batch_bool<Stored, Architecture>, lane_mask<Element, Width, Config>> {
    static constexpr bool exists = true;
    using batch = xsimd::batch_bool<Stored, Architecture>;
    using values = lane_mask<Element, Width, Config>;
    /// Masks of AVX-512 may be vectors in one library and bits in the other.
    static constexpr bool is_same_register = in_register<Element, Width, Config>() &&
                                             sizeof(typename values::storage) == sizeof(typename batch::register_type);

    ASHLAR_ALWAYS_INLINE static batch to_batch(values m) {
        check_elements<Width, batch::size>();
        if constexpr (Width != batch::size) {
            return batch(m[0]);
        } else if constexpr (is_same_register) {
            return batch(m.data.data);
        } else {
            bool truths[Width];
            m.store(truths);
            return batch::load_unaligned(truths);
        }
    }
    ASHLAR_ALWAYS_INLINE static values from_batch(batch m) {
        check_elements<Width, batch::size>();
        if constexpr (Width != batch::size) {
            return values(m.get(0));
        } else if constexpr (is_same_register) {
            return values(typename values::storage{m.data});
        } else {
            bool truths[Width];
            m.store_unaligned(truths);
            return values::load(truths);
        }
    }
};

}  // namespace ashlar::detail

namespace xsimd {

// `batch(v)` for lanes and `batch_bool(m)` for their masks.
template <class Element, std::size_t Width, class Config>
batch(ashlar::lanes<Element, Width, Config>)
    -> batch<ashlar::detail::batch_element<Element>,
             typename ashlar::detail::batch_of<Element, Width, Config>::architecture>;
template <class Element, std::size_t Width, class Config>
batch_bool(ashlar::lane_mask<Element, Width, Config>)
    -> batch_bool<ashlar::detail::batch_element<Element>,
                  typename ashlar::detail::batch_of<Element, Width, Config>::architecture>;

}  // namespace xsimd

namespace ashlar::inline v0_1 {

// `lanes(b)` for a batch and `lane_mask(b)` for a batch of truth values.
template <class Stored, class Architecture>
lanes(xsimd::batch<Stored, Architecture>) -> lanes<Stored, xsimd::batch<Stored, Architecture>::size>;
template <class Stored, class Architecture>
lane_mask(xsimd::batch_bool<Stored, Architecture>) -> lane_mask<Stored, xsimd::batch_bool<Stored, Architecture>::size>;

}  // namespace ashlar
