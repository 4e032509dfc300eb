// SPDX-License-Identifier: BSL-1.0
// A compiled attention layer as a Python module: it reads and writes NumPy arrays in place.
#include <cstddef>
#include <string>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <ashlar/ashlar.hpp>

namespace py = pybind11;
using namespace ashlar;

namespace {

std::string shape_text(const py::array& array) {
    std::string text = "(";
    for (py::ssize_t i = 0; i < array.ndim(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(array.shape(i));
    return text + (array.ndim() == 1 ? ",)" : ")");
}

/// A view of a NumPy array. A wrong array is a ValueError: it names both shapes if they differ, or the other fault.
template <class Element, std::size_t... Extents>
tensor_view<Element, Extents...> view_of_array(const char* name, const py::array& array) {
    using number = std::remove_const_t<Element>;
    std::string expected;
    for (const std::size_t extent : {Extents...}) expected += (expected.empty() ? "" : ", ") + std::to_string(extent);
    bool same = array.ndim() == static_cast<py::ssize_t>(sizeof...(Extents));
    py::ssize_t axis = 0;
    ((same = same && array.shape(axis++) == static_cast<py::ssize_t>(Extents)), ...);
    if (!same)
        throw py::value_error(std::string(name) + " has shape " + shape_text(array) + ", the model needs (" + expected +
                              ")");
    if (!py::isinstance<py::array_t<number>>(array))
        throw py::value_error(std::string(name) + " has another dtype than the model");
    if ((array.flags() & py::array::c_style) == 0)
        throw py::value_error(std::string(name) + " is not C-contiguous; pass numpy.ascontiguousarray of it");
    if constexpr (std::is_const_v<Element>) {
        return tensor_view<Element, Extents...>(static_cast<Element*>(array.data()));
    } else {
        if (!array.writeable()) throw py::value_error(std::string(name) + " is read-only");
        return tensor_view<Element, Extents...>(static_cast<Element*>(const_cast<void*>(array.data())));
    }
}

/// out = attention(q, k, v, causal)
void attend(const py::array& q, const py::array& k, const py::array& v, const py::array& out) {
    const auto queries = view_of_array<const float, 64, 32>("q", q);
    const auto keys = view_of_array<const float, 64, 32>("k", k);
    const auto values = view_of_array<const float, 64, 32>("v", v);
    view_of_array<float, 64, 32>("out", out) = attention(queries, keys, values, causal);
}

}  // namespace

PYBIND11_MODULE(scorer, module) {
    module.doc() = "Causal attention of 64 queries of 32 numbers, compiled";
    module.def("attend", &attend, py::arg("q"), py::arg("k"), py::arg("v"), py::arg("out"));
}
