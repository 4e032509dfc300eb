// SPDX-License-Identifier: BSL-1.0
// PyTorch's modules in files: what tools/make_parity_fixtures.py and make_model_fixtures.py wrote, and comparison with
// it.
#pragma once

#include <string>
#include <tuple>

#include <gtest/gtest.h>
#include <tests/support/reference.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace parity {

/// A file of fixtures/, whose cases have their state dict as <case>.state.*, inputs as <case>.in.* and outputs as
/// <case>.out.*.
class fixture {
public:
    explicit fixture(const std::string& name)
        : path(std::string(ASHLAR_TEST_DIR) + "/nn/fixtures/" + name + ".safetensors") {
        const ashlar::io::result r = weights.open(path.c_str());
        EXPECT_TRUE(r.ok()) << path << ": " << r.message().c_str();
    }

    /// A module with the state dict of a case: all of it, and nothing else.
    template <class M>
    M& load(M& m, const std::string& name, ashlar::io::name_map names = {}) const {
        const std::string prefix = name + ".state.";
        const ashlar::io::result r = ashlar::io::load(m, weights, names, {.prefix = prefix});
        EXPECT_TRUE(r.ok()) << r.message().c_str();
        return m;
    }
    /// An array of a case.
    template <class T, auto... Dims>
    ashlar::tensor<T, Dims...> array(const std::string& name) const {
        ashlar::tensor<T, Dims...> result{};
        const ashlar::io::result r = ashlar::io::load(result, path.c_str(), name.c_str());
        EXPECT_TRUE(r.ok()) << r.message().c_str();
        return result;
    }

    /// Fails unless the values agree with an output of a case within 2e-6 of its largest.
    template <ashlar::array_expression A>
    void expect(const A& actual, const std::string& name,
                std::source_location where = std::source_location::current()) const {
        using in_file = ashlar::detail::value_tensor<A>;
        in_file wanted{};
        const ashlar::io::result r = ashlar::io::load(wanted, path.c_str(), name.c_str());
        EXPECT_TRUE(r.ok()) << r.message().c_str();
        reference::expect_near(actual, reference::of(wanted), 2e-6, 0, where);
    }

private:
    std::string path;
    ashlar::io::archive weights;
};

}  // namespace parity
