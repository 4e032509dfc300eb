// SPDX-License-Identifier: BSL-1.0
// The laws of index maps, over random chains of shape operations: what follows from a map agrees with what the
// operations do to single elements.
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/plan/build/node_memory.hpp>
#include <ashlar/plan/graph/column_blocks.hpp>

namespace {

using namespace ashlar;
using namespace ashlar::detail;

using indices = std::array<std::size_t, max_rank>;

/// Node 0 is an array, each other node an index map of the one before it. Slices begin at `first`.
constexpr std::size_t longest = 5;
struct chain {
    std::array<graph_node, longest> nodes{};
    std::array<std::ptrdiff_t, longest> first{};
    std::size_t length = 1;
};

class chains {
    std::mt19937 engine;

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine); }

    /// The extents of n elements, some of them 1.
    void factor(graph_node& g, std::size_t n) {
        static_cast<axis_extents&>(g) = {};
        while (g.rank < 4) {
            std::size_t part = 1 + below(n);
            while (n % part != 0) --part;
            if (g.rank == 3) part = n;
            g.extents[g.rank++] = part;
            n /= part;
            if (n == 1 && below(2) == 0) break;
        }
        if (n != 1) g.extents[g.rank - 1u] *= n;
    }

    void add(chain& c, node_kind kind) {
        const graph_node& o = c.nodes[c.length - 1];
        graph_node n;
        n.kind = kind;
        static_cast<axis_extents&>(n) = o;
        n.operand_count = 1;
        n.operands[0] = index_at<node_index>(c.length - 1);
        n.axis = below(o.rank);
        const std::size_t extent = o.extents[n.axis];
        switch (kind) {
        case node_kind::permute: {
            std::vector<std::ptrdiff_t> order(o.rank);
            std::iota(order.begin(), order.end(), 0);
            std::shuffle(order.begin(), order.end(), engine);
            for (std::size_t a = 0; a < o.rank; ++a) {
                n.permutation[a] = order[a];
                n.extents[a] = o.extents[static_cast<std::size_t>(order[a])];
            }
            break;
        }
        case node_kind::reshape: factor(n, o.size()); break;
        case node_kind::slice: {
            const std::size_t count = 1 + below(extent), room = count == 1 ? 3 : (extent - 1) / (count - 1);
            n.step = static_cast<std::ptrdiff_t>(1 + below(room));
            const auto reach = n.step * static_cast<std::ptrdiff_t>(count - 1);
            c.first[c.length] = static_cast<std::ptrdiff_t>(below(extent - static_cast<std::size_t>(reach)));
            if (below(2) == 0) {
                c.first[c.length] += reach;
                n.step = -n.step;
            }
            n.extents[n.axis] = count;
            break;
        }
        case node_kind::broadcast:
            for (std::size_t a = 0; a < n.rank; ++a)
                if (n.extents[a] == 1 && below(2) == 0) n.extents[a] = 1 + below(3);
            if (n.rank < 5 && below(2) == 0) {
                for (std::size_t a = n.rank; a > 0; --a) n.extents[a] = n.extents[a - 1];
                n.extents[0] = 1 + below(3);
                ++n.rank;
            }
            break;
        case node_kind::repeat:
            n.step = static_cast<std::ptrdiff_t>(1 + below(3));
            n.extents[n.axis] *= static_cast<std::size_t>(n.step);
            break;
        case node_kind::window: {
            const std::size_t size = 1 + below(extent), reach = size == 1 ? 3 : (extent - 1) / (size - 1);
            n.dilation = static_cast<std::ptrdiff_t>(1 + below(reach));
            n.step = static_cast<std::ptrdiff_t>(1 + below(4));
            const std::size_t covered = (size - 1) * static_cast<std::size_t>(n.dilation) + 1;
            for (std::size_t a = n.rank; a > n.axis + 1; --a) n.extents[a] = n.extents[a - 1];
            n.extents[n.axis] = (extent - covered) / static_cast<std::size_t>(n.step) + 1;
            n.extents[n.axis + 1] = size;
            ++n.rank;
            break;
        }
        default: n.step = static_cast<std::ptrdiff_t>(below(extent)); break;
        }
        c.nodes[c.length++] = n;
    }

public:
    explicit chains(unsigned seed) : engine(seed) {}

    std::size_t number(std::size_t n) { return below(n); }

    chain next() {
        constexpr std::array kinds{node_kind::permute, node_kind::reshape, node_kind::slice, node_kind::broadcast,
                                   node_kind::repeat,  node_kind::roll,    node_kind::window};
        chain c;
        graph_node& array = c.nodes[0];
        array.kind = node_kind::array;
        factor(array, std::array<std::size_t, 6>{1, 6, 12, 24, 30, 36}[below(6)]);
        std::ptrdiff_t step = 1;
        for (std::size_t a = array.rank; a-- > 0;) {
            array.strides[a] = step;
            step *= static_cast<std::ptrdiff_t>(array.extents[a]);
        }
        const std::size_t length = 2 + below(longest - 1);
        while (c.length < length && c.nodes[c.length - 1].size() < 400 && c.nodes[c.length - 1].rank < 6)
            add(c, kinds[below(kinds.size())]);
        return c;
    }
};

/// What a shape operation does to the indices of one element, by its definition.
indices by_definition(const chain& c, std::size_t id, const indices& at) {
    const graph_node& n = c.nodes[id];
    const graph_node& o = c.nodes[id - 1];
    indices from{};
    switch (n.kind) {
    case node_kind::permute:
        for (std::size_t a = 0; a < n.rank; ++a) from[static_cast<std::size_t>(n.permutation[a])] = at[a];
        return from;
    case node_kind::reshape: {
        std::size_t element = 0;
        for (std::size_t a = 0; a < n.rank; ++a) element = element * n.extents[a] + at[a];
        for (std::size_t a = o.rank; a-- > 0;) {
            from[a] = element % o.extents[a];
            element /= o.extents[a];
        }
        return from;
    }
    case node_kind::broadcast:
        for (std::size_t a = 0; a < o.rank; ++a) from[a] = o.extents[a] == 1 ? 0 : at[a + n.rank - o.rank];
        return from;
    case node_kind::window:
        for (std::size_t a = 0; a < o.rank; ++a) from[a] = at[a > n.axis ? a + 1 : a];
        from[n.axis] =
            at[n.axis] * static_cast<std::size_t>(n.step) + at[n.axis + 1] * static_cast<std::size_t>(n.dilation);
        return from;
    default: break;
    }
    from = at;
    const auto entry = static_cast<std::ptrdiff_t>(at[n.axis]), extent = static_cast<std::ptrdiff_t>(n.extents[n.axis]);
    from[n.axis] = static_cast<std::size_t>(n.kind == node_kind::slice    ? c.first[id] + n.step * entry
                                            : n.kind == node_kind::repeat ? entry / n.step
                                            : entry < n.step              ? entry + extent - n.step
                                                                          : entry - n.step);
    return from;
}

/// The same by the pieces of its map.
indices by_map(const chain& c, std::size_t id, const indices& at) {
    const graph_node& n = c.nodes[id];
    const graph_node& o = c.nodes[id - 1];
    indices from{};
    for (const index_piece& piece : map_of(n, o)) {
        std::ptrdiff_t number = 0;
        for (std::size_t a = piece.first; a < piece.last; ++a)
            number = number * static_cast<std::ptrdiff_t>(n.extents[a]) + static_cast<std::ptrdiff_t>(at[a]);
        number =
            static_cast<std::ptrdiff_t>(piece.of(static_cast<std::size_t>(number))) + (piece.shifted ? c.first[id] : 0);
        for (std::size_t a = piece.operand_last; a-- > piece.operand_first;) {
            from[a] += static_cast<std::size_t>(number) % o.extents[a];
            number /= static_cast<std::ptrdiff_t>(o.extents[a]);
        }
    }
    return from;
}

void for_each_element(const graph_node& n, auto f) {
    indices at{};
    for (std::size_t i = 0; i < n.size(); ++i) {
        std::size_t rest = i;
        for (std::size_t a = n.rank; a-- > 0;) {
            at[a] = rest % n.extents[a];
            rest /= n.extents[a];
        }
        f(at);
    }
}

/// The place of an element of node `id` in the array.
std::ptrdiff_t address(const chain& c, std::size_t id, indices at) {
    for (; id != 0; --id) at = by_definition(c, id, at);
    std::ptrdiff_t sum = 0;
    for (std::size_t a = 0; a < c.nodes[0].rank; ++a) sum += static_cast<std::ptrdiff_t>(at[a]) * c.nodes[0].strides[a];
    return sum;
}

std::ptrdiff_t offset(const graph_node& n, const indices& at, const axis_list& strides) {
    std::ptrdiff_t sum = 0;
    for (std::size_t a = 0; a < n.rank; ++a) sum += static_cast<std::ptrdiff_t>(at[a]) * strides[a];
    return sum;
}

constexpr int chain_count = 4000;

TEST(index_map, pieces_find_the_elements_that_the_operations_define) {
    chains random(1);
    for (int i = 0; i < chain_count; ++i) {
        const chain c = random.next();
        for (std::size_t id = 1; id < c.length; ++id)
            for_each_element(c.nodes[id],
                             [&](const indices& at) { ASSERT_EQ(by_map(c, id, at), by_definition(c, id, at)); });
    }
}

TEST(index_map, carried_axes_pass_their_index_through_a_chain) {
    chains random(2);
    std::size_t carried = 0;
    for (int i = 0; i < chain_count; ++i) {
        const chain c = random.next();
        axis_map from = same_axes;  // composed from the last node down
        const graph_node& top = c.nodes[c.length - 1];
        for (std::size_t id = c.length - 1; id != 0; --id)
            from = operand_bindings(c.nodes[id], c.nodes[id - 1], 0, from);
        for_each_element(top, [&](const indices& at) {
            indices below = at;
            for (std::size_t id = c.length - 1; id != 0; --id) below = by_definition(c, id, below);
            for (std::size_t a = 0; a < c.nodes[0].rank; ++a)
                if (from[a] != no_axis) {
                    ASSERT_EQ(below[a], at[from[a]]);
                }
        });
        for (std::size_t a = 0; a < c.nodes[0].rank; ++a) carried += from[a] != no_axis;
    }
    EXPECT_GT(carried, chain_count / 2);
}

stride_result strides_in_array(const chain& c, std::size_t id, const std::array<bool, max_rank>& fixed) {
    return node_memory{c.nodes.data(), nullptr, nullptr, false}.strides(index_at<node_index>(id), fixed);
}

TEST(index_map, lifted_strides_lead_to_the_elements) {
    chains random(3);
    std::size_t affine = 0, with_fixed_axes = 0;
    for (int i = 0; i < chain_count; ++i) {
        const chain c = random.next();
        const std::size_t id = c.length - 1;
        const graph_node& top = c.nodes[id];
        std::array<bool, max_rank> fixed{};
        for (std::size_t a = 0; a < top.rank; ++a) fixed[a] = random.number(3) == 0;
        const stride_result found = strides_in_array(c, id, fixed);
        if (!found.affine) continue;
        ++affine;
        with_fixed_axes += !strides_in_array(c, id, {}).affine;
        // From any element along axes that are not fixed, to the element at their beginning.
        for_each_element(top, [&](const indices& at) {
            indices start = at;
            for (std::size_t a = 0; a < top.rank; ++a)
                if (!fixed[a]) start[a] = 0;
            ASSERT_EQ(address(c, id, at) - address(c, id, start),
                      offset(top, at, found.strides) - offset(top, start, found.strides));
        });
    }
    EXPECT_GT(affine, chain_count / 3);
    EXPECT_GT(with_fixed_axes, chain_count / 50);
}

TEST(index_map, lowered_strides_undo_lifted_ones) {
    chains random(4);
    std::size_t affine = 0;
    for (int i = 0; i < chain_count; ++i) {
        const chain c = random.next();
        const graph_node& n = c.nodes[1];
        const graph_node& o = c.nodes[0];
        axis_list strides{};
        std::ptrdiff_t step = 1;
        for (std::size_t a = n.rank; a-- > 0;) {
            strides[a] = step;
            step *= static_cast<std::ptrdiff_t>(n.extents[a]);
        }
        const stride_result below = lower_strides(n, o, strides, all_whole);
        if (!below.affine) continue;
        ++affine;
        for_each_element(n, [&](const indices& at) {
            ASSERT_EQ(offset(n, at, strides), offset(o, by_definition(c, 1, at), below.strides));
        });
        const stride_result up = lift_strides(n, o, below.strides, {});
        ASSERT_TRUE(up.affine);
        for_each_element(n, [&](const indices& at) { ASSERT_EQ(offset(n, at, strides), offset(n, at, up.strides)); });
    }
    EXPECT_GT(affine, chain_count / 5);
}

TEST(index_map, runs_are_steps_of_one_size) {
    chains random(5);
    std::size_t runs = 0;
    for (int i = 0; i < chain_count; ++i) {
        const chain c = random.next();
        const std::size_t id = c.length - 1, axis = c.nodes[id].rank - 1u;
        const std::size_t run = run_along(c.nodes.data(), index_at<node_index>(id), axis);
        if (run == 0) continue;
        ++runs;
        for_each_element(c.nodes[id], [&](const indices& at) {
            if (at[axis] % run < 2) return;
            indices before = at, earlier = at;
            before[axis] -= 1;
            earlier[axis] -= 2;
            ASSERT_EQ(address(c, id, at) - address(c, id, before), address(c, id, before) - address(c, id, earlier));
        });
    }
    EXPECT_GT(runs, chain_count / 4);
}

// ---------------------------------------------------------------- identity, and where composing gives one

constexpr graph_node moved(node_kind kind, std::ptrdiff_t step, std::array<std::size_t, 2> extents) {
    graph_node n;
    n.kind = kind;
    static_cast<axis_extents&>(n) = {.rank = 2, .extents = {extents[0], extents[1]}};
    n.axis = 1;
    n.step = step;
    n.permutation = {0, 1};
    return n;
}
constexpr bool passes_everything(node_kind kind, std::ptrdiff_t step) {
    const graph_node n = moved(kind, step, {3, 8});
    const axis_list strides{8, 1};
    const stride_result up = lift_strides(n, n, strides, {});
    const axis_map from = carried_axes(n, n, 0);
    return up.affine && up.strides == strides && from[0] == 0 && from[1] == 1;
}
static_assert(passes_everything(node_kind::permute, 1) && passes_everything(node_kind::reshape, 1));
static_assert(passes_everything(node_kind::slice, 1) && passes_everything(node_kind::broadcast, 1));
static_assert(passes_everything(node_kind::repeat, 1));
static_assert(!passes_everything(node_kind::slice, -1) && !passes_everything(node_kind::roll, 3));

// A flip has strides and carries nothing along its axis. A roll has no strides unless its axis stays in place.
constexpr graph_node flipped = moved(node_kind::slice, -1, {3, 8}), turned = moved(node_kind::roll, 3, {3, 8});
static_assert(lift_strides(flipped, flipped, {8, 1}, {}).strides == axis_list{8, -1});
static_assert(lift_strides(flipped, flipped, {8, 1}, {}).affine);
static_assert(!lower_strides(flipped, flipped, {8, 1}, all_whole).affine);
static_assert(!lift_strides(turned, turned, {8, 1}, {}).affine);
static_assert(lift_strides(turned, turned, {8, 1}, {false, true}).affine);
static_assert(carried_axes(turned, turned, 0)[0] == 0 && carried_axes(turned, turned, 0)[1] == no_axis);

}  // namespace
