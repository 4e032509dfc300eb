// SPDX-License-Identifier: BSL-1.0
// The checker of programs, on broken programs: a fault that it does not notice is not checked.
#include <tests/plan/program_check.hpp>
#include <tests/support/machines.hpp>

namespace {

using namespace ashlar;
using namespace ashlar::detail;
using support::checked_program;

tensor<float, 64, 64> a{}, b{}, c{};
tensor<float, 4, 8> few{};

/// All complaints about a program.
std::string complaints(const checked_program& program) {
    std::string all;
    for (const std::string& what : support::program_checker(program).violations) all += what + "\n";
    return all;
}
void expect_complaint(const checked_program& program, const char* about) {
    EXPECT_NE(complaints(program).find(about), std::string::npos) << complaints(program);
}

checked_program large() { return support::checked<support::machines::avx512>(softmax(matmul(a, b)) * 2.0f); }
checked_program small() { return support::checked<support::machines::avx512>(attention(few, few, few)); }
checked_program norm() {
    return support::checked<support::machines::avx512>(matmul(softmax(matmul(a, b)) * 2.0f + a, c));
}

TEST(broken_programs, are_sound_at_first) {
    EXPECT_EQ(complaints(large()), "");
    EXPECT_EQ(complaints(small()), "");
    EXPECT_EQ(complaints(norm()), "");
    ASSERT_EQ(large().fusions.size(), 1u);
    ASSERT_EQ(small().fusions.size(), 1u);
    EXPECT_EQ(large().fusions[0].how[full_tile], fusion::statistics_into_map);
    EXPECT_EQ(small().fusions[0].how[full_tile], fusion::register_softmax);
}
TEST(broken_programs, a_stage_is_left_out) {
    checked_program program = large();
    program.fusions[0].stages[2] = no_stage;
    expect_complaint(program, "is a stage that does not run once");
    program = large();
    for (plan_item& item : program.items)
        if (item.stage != no_stage) item.stage = program.fusions[0].stages[1];
    expect_complaint(program, "is read before it is written");
}
TEST(broken_programs, memory_is_shared) {
    checked_program program = large();
    for (plan_buffer& buffer : program.buffers) buffer.offset = 0;
    expect_complaint(program, "is overwritten while it is read");
}
/// A right operand in another order than the one that the product's lanes were chosen by.
TEST(broken_programs, columns_lie_apart) {
    checked_program program = support::checked<support::machines::avx512>(matmul(a, exp(b)));
    EXPECT_EQ(complaints(program), "");
    for (plan_buffer& buffer : program.buffers) std::swap(buffer.strides[0], buffer.strides[1]);
    expect_complaint(program, "multiplies by columns that lie apart");
}
/// The packed columns of a product overlap values that it reads, and values that it writes.
TEST(broken_programs, tables_are_shared) {
    static tensor<float, 64, 17> ragged{};
    const auto packs = [] { return support::checked<support::machines::avx512>(softmax(matmul(exp(a), ragged))); };
    checked_program program = packs();
    EXPECT_EQ(complaints(program), "");
    const support::checked_stage* product = nullptr;
    for (const support::checked_stage& stage : program.stages)
        if (stage.table != no_buffer) product = &stage;
    ASSERT_NE(product, nullptr);
    const buffer_index table = product->table, written = product->buffer;
    program.buffers[table].offset = program.buffers[written].offset;
    expect_complaint(program, "is overwritten by what a kernel packs");
    program = packs();
    buffer_index read = written;
    for (buffer_index i{}; i < program.buffers.size(); ++i)
        if (i != table && program.buffers[i].node < program.buffers[written].node) read = i;
    ASSERT_NE(read, written);
    program.buffers[table].offset = program.buffers[read].offset;
    expect_complaint(program, "is overwritten while it is read");
}
TEST(broken_programs, memory_ends_early) {
    checked_program program = large();
    program.scratch_bytes -= scratch_alignment;
    expect_complaint(program, "lies outside scratch");
}
TEST(broken_programs, registers_are_taken_for_memory) {
    checked_program program = small();
    program.fusions[0].how = {fusion::none, fusion::none};
    expect_complaint(program, "has no memory");
    program = small();
    program.fusions[0].how[full_tile] = fusion::register_softmax_to_memory;
    expect_complaint(program, "has no memory");
}
/// A map writes over memory that the statistics read in the same turn.
TEST(broken_programs, stages_that_take_turns_overlap) {
    checked_program program = large();
    const plan_fusion& pair = program.fusions[0];
    const support::checked_stage& softmax = program.stages[pair.stages[1]];
    // The result is written over the memory of the scores.
    support::checked_stage& product = program.stages[pair.stages[2]];
    program.buffers.push_back(program.buffers[softmax.buffer]);
    product.buffer = index_at<buffer_index>(program.buffers.size() - 1);
    program.buffers.back().storage = product.buffer;
    expect_complaint(program, "takes turns with its reader");
}

/// A product takes its depth from a loop that is not over blocks of keys, or that does not contain it.
TEST(broken_programs, depths_of_other_loops) {
    static tensor<float, 64, 16> query{};
    static tensor<float, 4096, 16> key{};
    using cached = support::machines::built_for<support::machines::avx2_sets, 256, 16, 32 * 1024, 256 * 1024>;
    const auto blocks = [] { return support::checked<cached>(attention(query, key, key)); };
    checked_program program = blocks();
    EXPECT_EQ(complaints(program), "");
    support::checked_stage* product = nullptr;
    for (support::checked_stage& stage : program.stages)
        if (stage.depth_loop != no_loop) product = &stage;
    ASSERT_NE(product, nullptr);
    program.loops[product->depth_loop].keys = false;
    expect_complaint(program, "takes its depth block by block outside a loop over blocks of keys");
    program.loops[product->depth_loop].keys = true;
    product->loop = program.loops[product->depth_loop].parent;
    expect_complaint(program, "takes its depth block by block outside a loop over blocks of keys");
}

}  // namespace
