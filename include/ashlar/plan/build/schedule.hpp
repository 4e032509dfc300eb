// SPDX-License-Identifier: BSL-1.0
// The last pass over a program: lifetimes of buffers, and their offsets in scratch.
#pragma once

#include <ashlar/plan/build/program.hpp>

namespace ashlar::inline v0_1::detail {

inline constexpr std::size_t scratch_alignment = 64;

class scheduler {
public:
    constexpr explicit scheduler(program& p) : plan(p) {}

    constexpr void run() {
        order_stages(no_loop);
        find_lifetimes();
        place_buffers();
    }

private:
    program& plan;
    std::size_t now = 0;

    constexpr void order_stages(loop_index parent) {
        for (std::size_t i = 0; i < plan.item_count; ++i) {
            const plan_item& item = plan.items[i];
            if (item.parent != parent) continue;
            if (item.is_loop()) {
                const std::size_t before = now;
                order_stages(item.loop);
                plan.loops[item.loop].runs = {before, now, true};
            } else {
                // Buffers of alternating stages live until both stages have ended.
                const plan_fusion run = stages_of(plan, item);
                for (std::size_t member = 0; member < run.stages.size(); ++member) {
                    if (run.stages[member] == no_stage) continue;
                    const std::size_t time = member == 2 && run.alternates() ? now - 1 : now++;
                    plan.stages[run.stages[member]].runs = {time, time, true};
                }
            }
        }
    }

    /// A stage inside a loop inside the buffer's scope uses the buffer as long as that loop runs.
    constexpr void use(buffer_index buffer, const plan_stage& stage) {
        if (buffer == no_buffer) return;
        const plan_buffer& b = plan.buffers[buffer];
        if (b.in_registers) return;
        loop_index loop = stage.loop, below = no_loop;
        while (loop != b.scope) {
            below = loop;
            loop = plan.loops[loop].parent;
        }
        plan.buffers[b.storage].lifetime.add(below == no_loop ? stage.runs : plan.loops[below].runs);
    }

    constexpr void find_lifetimes() {
        for (std::size_t b = 0; b < plan.buffer_count; ++b) plan.buffers[b].lifetime = {};
        for (std::size_t s = 0; s < plan.stage_count; ++s) {
            const plan_stage& stage = plan.stages[s];
            use(stage.buffer, stage);
            use(stage.second_buffer, stage);
            use(stage.maxima, stage);
            use(stage.table, stage);
            for (const buffer_index b : {stage.running_maxima, stage.corrections, stage.waiting}) use(b, stage);
            const node_read* from = plan.reads + stage.first_read;
            for (std::size_t n = 0; n < plan.node_count; ++n) {
                if (from[n].values != no_buffer) use(from[n].values, stage);
                if (from[n].factors != no_buffer) use(from[n].factors, stage);
            }
        }
    }

    /// Buffers inside loops that workers share, and copies for columns that they share, exist once per worker, after
    /// the rest of scratch.
    constexpr void place_buffers() {
        for (std::size_t b = 0; b < plan.buffer_count; ++b)
            plan.buffers[b].of_worker = is_in_shared_loop(plan, plan.buffers[plan.buffers[b].storage].scope);
        for (std::size_t s = 0; s < plan.stage_count; ++s)
            if (plan.stages[s].shares_columns && plan.stages[s].table != no_buffer)
                plan.buffers[plan.stages[s].table].of_worker = true;
        const std::size_t common = place_buffers(false, 0);
        plan.scratch_bytes = place_buffers(true, common);
        plan.worker_bytes = plan.scratch_bytes - common;
        for (std::size_t b = 0; b < plan.buffer_count; ++b)
            plan.buffers[b].offset = plan.buffers[plan.buffers[b].storage].offset;
    }

    /// Places the buffers of a worker, or the other ones, from an offset. Returns where they end. First fit in the
    /// order in which the buffers were requested. Buffers that are storage have lifetimes.
    constexpr std::size_t place_buffers(bool of_worker, std::size_t from) {
        std::size_t peak = from;
        for (std::size_t b = 0; b < plan.buffer_count; ++b) {
            plan_buffer& buffer = plan.buffers[b];
            if (!buffer.lifetime.used || buffer.of_worker != of_worker) continue;
            std::size_t offset = from;
            bool moved = true;
            while (moved) {
                moved = false;
                for (std::size_t o = 0; o < b; ++o) {
                    const plan_buffer& other = plan.buffers[o];
                    if (other.of_worker != of_worker || !other.lifetime.meets(buffer.lifetime)) continue;
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
        return peak;
    }
    static constexpr std::size_t rounded(std::size_t bytes) {
        return (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
    }
};

constexpr void schedule(program& plan) { scheduler(plan).run(); }

}  // namespace ashlar::detail
