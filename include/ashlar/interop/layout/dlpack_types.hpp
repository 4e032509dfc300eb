// SPDX-License-Identifier: BSL-1.0
// The structures of DLPack 1.0, member for member those of dlpack.h, and what may be wrong with one.
#pragma once

#include <cstdint>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1 {

/// Where an array is: DLDevice. Type 1 is the processor's own memory; 3 and 11 are memory that it shares with a GPU.
/// Example: `dlpack_tensor`.
struct dlpack_device {
    std::int32_t device_type;
    std::int32_t device_id;
};

/// The type of elements: DLDataType. Code 0 is signed, 1 unsigned, 2 floating point, 4 bfloat, 6 bool.
/// Example: `dlpack_tensor`.
struct dlpack_data_type {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};

/// An array that somebody else owns: DLTensor. Without strides it is row-major.
///
///     tensor<float, 4, 8> t{};
///     dlpack_tensor borrowed = dlpack_of(t);
struct dlpack_tensor {
    void* data;
    dlpack_device device;
    std::int32_t ndim;
    dlpack_data_type dtype;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
};

/// An array with its owner: DLManagedTensor. The last user calls the deleter. Example: `managed_dlpack`.
struct dlpack_managed_tensor {
    ashlar::dlpack_tensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(dlpack_managed_tensor*);
};

/// The version of the structures: DLPackVersion.
/// Example: `managed_dlpack`.
struct dlpack_version {
    std::uint32_t major_number;
    std::uint32_t minor_number;
};

/// An array with its owner, a version and flags: DLManagedTensorVersioned. Bit 0 of the flags says read-only.
/// Example: `managed_dlpack`.
struct dlpack_managed_tensor_versioned {
    ashlar::dlpack_version version;
    void* manager_ctx;
    void (*deleter)(dlpack_managed_tensor_versioned*);
    std::uint64_t flags;
    ashlar::dlpack_tensor dl_tensor;
};

/// Why an array of DLPack is not the expected one.
enum class dlpack_error : std::uint8_t {
    none,
    null,       ///< no array, or no data
    version,    ///< a major version after 1, whose structures are unknown
    device,     ///< not in memory that the processor reads
    dtype,      ///< other elements, or vectors of them
    rank,       ///< another number of axes
    shape,      ///< another extent
    strides,    ///< other strides
    alignment,  ///< elements are not at multiples of their size
    read_only   ///< the array must not be written, but the view is not one of const elements
};

/// An error as a sentence.
///
///     std::puts(dlpack_message(dlpack_error::shape));
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const char* dlpack_message(dlpack_error error) noexcept {
    switch (error) {
    case dlpack_error::none: return "no error";
    case dlpack_error::null: return "there is no array, or it has no data";
    case dlpack_error::version: return "the array is of a major version of DLPack that is not known";
    case dlpack_error::device: return "the array is not in memory that the processor reads; copy it there first";
    case dlpack_error::dtype: return "the array has other elements than the view; convert it first";
    case dlpack_error::rank: return "the array has another number of axes than the view";
    case dlpack_error::shape: return "the array has another shape than the view";
    case dlpack_error::strides: return "the array has other strides than the view; make it contiguous first";
    case dlpack_error::alignment: return "the elements are not at multiples of their size";
    case dlpack_error::read_only: return "the array is read-only; view it as one of const elements";
    }
    return "";
}

}  // namespace ashlar
