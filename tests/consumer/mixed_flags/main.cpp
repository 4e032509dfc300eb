// SPDX-License-Identifier: BSL-1.0
// Runs the program of two units where the machine has the instructions of both; 77 means skipped.
int consumer_main();

int main() {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 77;
    return consumer_main();
}
