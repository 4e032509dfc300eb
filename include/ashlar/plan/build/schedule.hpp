// SPDX-License-Identifier: BSL-1.0
// The last pass over a program: lifetimes of buffers, and where each lies in scratch.
#pragma once

#include <ashlar/plan/build/program.hpp>

namespace ashlar::detail {

inline constexpr std::size_t scratch_alignment = 64;

template <std::size_t Count>
class scheduler {
public:
    constexpr explicit scheduler(program<Count>& p) : plan(p) {}

    constexpr void run() {
        order_stages(no_loop);
        find_lifetimes();
        place_buffers();
    }

private:
    static constexpr std::size_t capacity = program<Count>::capacity;

    struct span {
        std::size_t first = 0, last = 0;
        bool used = false;

        constexpr void add(std::size_t from, std::size_t to) {
            first = !used || from < first ? from : first;
            last = !used || to > last ? to : last;
            used = true;
        }
    };

    program<Count>& plan;
    std::size_t stage_time[capacity]{};
    span loop_time[capacity]{};
    span lifetime[capacity]{};
    std::size_t now = 0;

    constexpr void order_stages(loop_index parent) {
        for (std::size_t i = 0; i < plan.item_count; ++i) {
            const plan_item& item = plan.items[i];
            if (item.parent != parent) continue;
            if (item.is_loop()) {
                loop_time[item.loop].first = now;
                order_stages(item.loop);
                loop_time[item.loop].last = now;
            } else {
                // What stages use that take turns is in use until both have ended.
                const plan_fusion run = stages_of(plan, item);
                for (std::size_t member = 0; member < run.stages.size(); ++member)
                    if (run.stages[member] != no_stage)
                        stage_time[run.stages[member]] = member == 2 && run.takes_turns() ? now - 1 : now++;
            }
        }
    }

    /// A stage inside a loop that is itself inside the buffer's scope uses it for as long as that loop runs.
    constexpr void use(buffer_index buffer, const plan_stage<Count>& stage, std::size_t time) {
        if (buffer == no_buffer) return;
        const plan_buffer& b = plan.buffers[buffer];
        if (b.in_registers) return;
        span& life = lifetime[b.storage];
        loop_index loop = stage.loop, below = no_loop;
        while (loop != b.scope) {
            below = loop;
            loop = plan.loops[loop].parent;
        }
        if (below == no_loop)
            life.add(time, time);
        else
            life.add(loop_time[below].first, loop_time[below].last);
    }

    constexpr void find_lifetimes() {
        for (std::size_t s = 0; s < plan.stage_count; ++s) {
            const plan_stage<Count>& stage = plan.stages[s];
            use(stage.buffer, stage, stage_time[s]);
            use(stage.second_buffer, stage, stage_time[s]);
            use(stage.maxima, stage, stage_time[s]);
            use(stage.table, stage, stage_time[s]);
            for (std::size_t n = 0; n < Count; ++n) {
                if (stage.values[n] != no_buffer) use(stage.values[n], stage, stage_time[s]);
                if (stage.factors[n] != no_buffer) use(stage.factors[n], stage, stage_time[s]);
            }
        }
    }

    /// First fit in the order in which the buffers were asked for. Those that are storage, of themselves too, have
    /// lifetimes.
    constexpr void place_buffers() {
        std::size_t peak = 0;
        for (std::size_t b = 0; b < plan.buffer_count; ++b) {
            plan_buffer& buffer = plan.buffers[b];
            if (!lifetime[b].used) continue;
            std::size_t offset = 0;
            bool moved = true;
            while (moved) {
                moved = false;
                for (std::size_t o = 0; o < b; ++o) {
                    const plan_buffer& other = plan.buffers[o];
                    if (!lifetime[o].used || !meet(lifetime[o], lifetime[b])) continue;
                    const std::size_t end = other.offset + rounded(other.bytes);
                    if (offset < end && other.offset < offset + rounded(buffer.bytes)) {
                        offset = end;
                        moved = true;
                    }
                }
            }
            buffer.offset = offset;
            if (offset + rounded(buffer.bytes) > peak) peak = offset + rounded(buffer.bytes);
        }
        for (std::size_t b = 0; b < plan.buffer_count; ++b)
            plan.buffers[b].offset = plan.buffers[plan.buffers[b].storage].offset;
        plan.scratch_bytes = peak;
    }
    static constexpr bool meet(const span& a, const span& b) { return a.first <= b.last && b.first <= a.last; }
    static constexpr std::size_t rounded(std::size_t bytes) {
        return (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
    }
};

template <std::size_t Count>
constexpr void schedule(program<Count>& plan) {
    scheduler<Count>(plan).run();
}

}  // namespace ashlar::detail
