// SPDX-License-Identifier: BSL-1.0
// DLPack, by which NumPy, PyTorch, JAX and others pass arrays: views of theirs, and theirs of tensors, without a copy.
// The structures are our own; those of a user's dlpack.h serve as well, since members are known by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/interop/layout/dlpack_types.hpp>
#include <ashlar/interop/layout/foreign_layout.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// A DLTensor, ours or that of dlpack.h.
template <class Tensor>
concept any_dlpack = requires(const Tensor& t) {
    t.data;
    t.device.device_type;
    t.ndim;
    t.dtype.lanes;
    t.shape[0];
    t.strides[0];
    t.byte_offset;
};
/// A DLManagedTensor or DLManagedTensorVersioned, likewise.
template <class Managed>
concept any_managed_dlpack = requires(Managed& m) {
    requires any_dlpack<decltype(m.dl_tensor)>;
    m.deleter(&m);
    m.manager_ctx;
};
template <class Managed>
concept versioned_dlpack = any_managed_dlpack<Managed> && requires(Managed& m) {
    m.version;
    m.flags;
};

/// The type code of elements.
template <class Element>
consteval std::uint8_t dlpack_code() {
    using type = std::remove_cv_t<Element>;
    if constexpr (std::is_same_v<type, bool>)
        return 6;
    else if constexpr (is_bf16<type>)
        return 4;
    else if constexpr (is_narrow<type> || std::is_floating_point_v<type>)
        return 2;
    else
        return std::is_signed_v<type> ? 0 : 1;
}

/// Memory of the processor, or of the host allocators of CUDA and ROCm.
ASHLAR_ALWAYS_INLINE constexpr bool is_readable_device(int type) noexcept {
    return type == 1 || type == 3 || type == 11;
}

/// Why an array cannot be viewed as View.
template <class View, class Config, any_dlpack Tensor>
constexpr dlpack_error dlpack_mismatch(const Tensor& t, bool read_only) noexcept {
    using element = typename View::element_type;
    constexpr std::size_t rank = View::shape_type::rank;
    if (t.data == nullptr) return dlpack_error::null;
    if (!is_readable_device(static_cast<int>(t.device.device_type))) return dlpack_error::device;
    if (t.dtype.code != dlpack_code<element>() || t.dtype.bits != 8 * sizeof(element) || t.dtype.lanes != 1)
        return dlpack_error::dtype;
    if (t.ndim < 0 || static_cast<std::size_t>(t.ndim) != rank) return dlpack_error::rank;
    std::array<std::ptrdiff_t, rank> strides = row_major_strides(View::extents);
    for (std::size_t i = 0; i < rank; ++i) {
        if (t.shape[i] < 0 || static_cast<std::uint64_t>(t.shape[i]) != View::extents[i]) return dlpack_error::shape;
        if (t.strides != nullptr) strides[i] = static_cast<std::ptrdiff_t>(t.strides[i]);
    }
    if (!same_strides(View::extents, strides, View::strides)) return dlpack_error::strides;
    if ((reinterpret_cast<std::uintptr_t>(t.data) + t.byte_offset) % alignof(element) != 0)
        return dlpack_error::alignment;
    return read_only && !std::is_const_v<element> ? dlpack_error::read_only : dlpack_error::none;
}

/// Extents or strides in DLPack's type.
template <std::size_t Rank, class Number>
constexpr std::array<std::int64_t, (Rank == 0 ? 1 : Rank)> dlpack_numbers(const std::array<Number, Rank>& numbers) {
    std::array<std::int64_t, (Rank == 0 ? 1 : Rank)> result{};
    for (std::size_t i = 0; i < Rank; ++i) result[i] = static_cast<std::int64_t>(numbers[i]);
    return result;
}
template <class View>
inline constexpr auto dlpack_shape = dlpack_numbers(View::extents);
template <class View>
inline constexpr auto dlpack_strides = dlpack_numbers(View::strides);

template <class Tensor, class Array>
ASHLAR_ALWAYS_INLINE void fill_dlpack(Tensor& t, Array& array, std::int64_t* shape, std::int64_t* strides) noexcept {
    using element = std::remove_pointer_t<decltype(array.data())>;
    t.data = const_cast<std::remove_const_t<element>*>(array.data());
    t.device.device_type = static_cast<decltype(t.device.device_type)>(1);
    t.device.device_id = 0;
    t.ndim = static_cast<decltype(t.ndim)>(Array::shape_type::rank);
    t.dtype.code = dlpack_code<element>();
    t.dtype.bits = static_cast<std::uint8_t>(8 * sizeof(element));
    t.dtype.lanes = 1;
    t.shape = shape;
    t.strides = strides;
    t.byte_offset = 0;
}

/// A managed array, the owner of its memory, and the shape and strides that it points to.
template <class Managed, class Owner, class Config>
struct dlpack_holder {
    using array_type = std::remove_reference_t<decltype(*std::declval<Owner&>())>;
    using element_type = std::remove_pointer_t<decltype(std::declval<array_type&>().data())>;

    Managed managed{};
    Owner owner;
    std::array<std::int64_t, dlpack_shape<array_type>.size()> shape = dlpack_shape<array_type>,
                                                              strides = dlpack_strides<array_type>;

    static void release(Managed* m) noexcept { delete static_cast<dlpack_holder*>(m->manager_ctx); }
};

/// Whether elements can be passed on: only versioned structures tell that they are not to be written.
template <class Element, bool HasFlags>
struct dlpack_constness {
    static constexpr bool can_be_told = HasFlags || !std::is_const_v<Element>;
};

}  // namespace detail

/// A view of an array of DLPack, or the error. As a std::optional it is empty after an error, which is then in `error`.
///
///     dlpack_result<tensor_view<float, 4, 8>> x = try_view_of<float, 4, 8>(t);
///     if (!x) std::puts(dlpack_message(x.error));
template <class View>
struct [[nodiscard]] dlpack_result : std::optional<View> {
    dlpack_error error = dlpack_error::none;
};

/// A view with given dimensions, integers or axes, of a DLTensor with these extents, contiguous in row-major order.
/// Element may be const. Nothing is copied, and no owner changes.
///
///     if (auto x = try_view_of<float, 4, 8>(t)) *x *= 2.0f;
template <any_element Element, auto... Dims, detail::any_dlpack Tensor, class Config = current_config>
constexpr auto try_view_of(const Tensor& t) noexcept {
    using view = tensor_view<Element, Dims...>;
    dlpack_result<view> result{std::nullopt, detail::dlpack_mismatch<view, Config>(t, false)};
    if (result.error == dlpack_error::none)
        result.emplace(reinterpret_cast<Element*>(static_cast<char*>(t.data) + t.byte_offset));
    return result;
}

/// A view at given strides, in elements, of an array of DLPack that is a transpose or part of another one; empty, with
/// the error, as from `try_view_of<Element, Dims...>(t)`.
///
///     constexpr std::array<std::ptrdiff_t, 2> by_columns{1, 4};
///     auto x = try_strided_view_of<float, by_columns, 4, 8>(t);
template <any_element Element, auto Strides, auto... Dims, detail::any_dlpack Tensor, class Config = current_config>
constexpr auto try_strided_view_of(const Tensor& t) noexcept {
    using view = detail::view_at<Element, detail::shape_of_dims<Dims...>, Strides>;
    dlpack_result<view> result{std::nullopt, detail::dlpack_mismatch<view, Config>(t, false)};
    if (result.error == dlpack_error::none)
        result.emplace(reinterpret_cast<Element*>(static_cast<char*>(t.data) + t.byte_offset));
    return result;
}

/// An array of DLPack that this object owns, seen as a row-major view: it calls the deleter at its end. If the array is
/// not the expected one, it holds the error. Movable.
///
///     dlpack_array<float, 4, 8> x(managed);   // takes it, also after an error
///     if (x) *x *= 2.0f; else std::puts(dlpack_message(x.error()));
template <class Element, auto... Dims>
class dlpack_array {
public:
    using view_type = tensor_view<Element, Dims...>;

    /// Takes a managed array, ours or that of dlpack.h; null is an error.
    template <detail::any_managed_dlpack Managed, class Config = current_config>
    explicit dlpack_array(Managed* managed) noexcept
        : owner(managed), release([](void* m) { static_cast<Managed*>(m)->deleter(static_cast<Managed*>(m)); }) {
        if (managed == nullptr || managed->deleter == nullptr) release = nullptr;
        if (managed == nullptr) {
            problem = dlpack_error::null;
            return;
        }
        bool read_only = false;
        if constexpr (detail::versioned_dlpack<Managed>) {
            const auto [newest, minor_number] = managed->version;  // users' macros may have the members' names
            if (newest > 1) {
                problem = dlpack_error::version;
                return;
            }
            read_only = (managed->flags & 1) != 0;
        }
        const auto& t = managed->dl_tensor;
        problem = detail::dlpack_mismatch<view_type, Config>(t, read_only);
        if (problem == dlpack_error::none) first = static_cast<char*>(t.data) + t.byte_offset;
    }
    ASHLAR_ALWAYS_INLINE dlpack_array(dlpack_array&& other) noexcept
        : owner(other.owner),
          release(std::exchange(other.release, nullptr)),
          first(std::exchange(other.first, nullptr)),
          problem(std::exchange(other.problem, dlpack_error::null)) {}
    dlpack_array& operator=(dlpack_array&&) = delete;
    ASHLAR_ALWAYS_INLINE ~dlpack_array() {
        if (release != nullptr) release(owner);
    }

    /// Whether it is the expected array.
    ASHLAR_ALWAYS_INLINE explicit operator bool() const noexcept { return problem == dlpack_error::none; }
    /// Why not.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE dlpack_error error() const noexcept { return problem; }
    /// The view, if there is no error.
    ASHLAR_ALWAYS_INLINE view_type operator*() const noexcept { return view_type(static_cast<Element*>(first)); }

private:
    void* owner;
    void (*release)(void*);
    void* first = nullptr;
    dlpack_error problem = dlpack_error::none;
};

/// The DLTensor of a named tensor or a view, which must outlive it. Shape and strides point to constants, which the
/// receiver must not write; it cannot know that of const elements either. Tensor may be the DLTensor of dlpack.h.
///
///     tensor<float, 4, 8> t{};
///     dlpack_tensor borrowed = dlpack_of(t);
template <detail::any_dlpack Tensor = dlpack_tensor, class Array, class Config = current_config>
    requires detail::viewable<Array>
[[nodiscard]] Tensor dlpack_of(Array&& array) noexcept {
    using view = std::remove_cvref_t<Array>;
    Tensor t{};
    detail::fill_dlpack(t, array, const_cast<std::int64_t*>(detail::dlpack_shape<view>.data()),
                        const_cast<std::int64_t*>(detail::dlpack_strides<view>.data()));
    return t;
}
template <detail::any_dlpack Tensor = dlpack_tensor, detail::owner Array>
Array& dlpack_of(const Array&&) = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first

/// A managed array that shares a tensor or view with what owns it, a std::unique_ptr or std::shared_ptr; nullptr
/// without memory. The receiver calls its deleter, which destroys the pointer. Managed may be a structure of dlpack.h;
/// const elements need a versioned one, which tells that they are read-only.
///
///     auto weights = std::make_shared<tensor<float, 4, 8>>();
///     dlpack_managed_tensor* m = managed_dlpack(weights);   // one more owner
///     m->deleter(m);
template <detail::any_managed_dlpack Managed = dlpack_managed_tensor, class Owner, class Config = current_config>
[[nodiscard]] Managed* managed_dlpack(Owner owner) {
    using holder_type = detail::dlpack_holder<Managed, Owner, Config>;
    static_assert(
        detail::dlpack_constness<typename holder_type::element_type, detail::versioned_dlpack<Managed>>::can_be_told,
        "ashlar: dlpack: only a versioned array can be read-only; share one that is not const");
    if (!owner) return nullptr;
    auto* const holder = new (std::nothrow) holder_type{.owner = std::move(owner)};
    if (holder == nullptr) return nullptr;
    detail::fill_dlpack(holder->managed.dl_tensor, *holder->owner, holder->shape.data(), holder->strides.data());
    holder->managed.manager_ctx = holder;
    holder->managed.deleter = [](Managed* m) { holder_type::release(m); };
    if constexpr (detail::versioned_dlpack<Managed>) {
        auto& [major_number, minor_number] = holder->managed.version;
        major_number = 1;
        minor_number = 0;
        holder->managed.flags = std::is_const_v<typename holder_type::element_type> ? 1 : 0;
    }
    return &holder->managed;
}

}  // namespace ashlar
