// SPDX-License-Identifier: BSL-1.0
// A controller manager and six joints in place of a robot: calls the controller 1,000 times a second. Prints how long
// an update takes and how late it begins. It fails if an update allocates, or if the joints do not reach their targets.
//
//     control_loop [seconds]
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include <ashlar/nn.hpp>

#include "controller.hpp"
#include "counted_allocations.hpp"
#include "flush_denormals.hpp"
#include "real_time_thread.hpp"
#include "times.hpp"

namespace {

using namespace robot;
using clock = std::chrono::steady_clock;
constexpr auto period = std::chrono::milliseconds(1);

/// Weights with a known result: the network computes 30 (wanted - position) - 8 velocity, by the two sides of relu.
void fill(policy& p) {
    static tensor<float, observations, hidden> first;
    static tensor<float, hidden, joints> second;
    for (std::size_t j = 0; j < joints; ++j)
        for (std::size_t side = 0; side < 2; ++side) {
            const float sign = side == 0 ? 1.0f : -1.0f;
            first(j, 2 * j + side) = -30 * sign;
            first(joints + j, 2 * j + side) = -8 * sign;
            first(2 * joints + j, 2 * j + side) = 30 * sign;
            second(2 * j + side, j) = sign;
        }
    pack(p.first.weight, first);
    pack(p.second.weight, second);
}

/// Joints with inertia and friction.
struct plant {
    std::array<double, joints> position{}, velocity{}, torque{};

    void move(double seconds) {
        for (std::size_t j = 0; j < joints; ++j) {
            velocity[j] += seconds * (torque[j] - 0.5 * velocity[j]) / (0.5 + 0.1 * static_cast<double>(j));
            position[j] += seconds * velocity[j];
        }
    }
};

int failures = 0;
void expect(bool good, const char* what) {
    if (good) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

double microseconds(clock::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

struct loop {
    plant robot{};
    policy_controller controller{};
    examples::times computing{}, late{};
    std::size_t allocations = 0;
    bool locked = false, raised = false;

    void connect() {
        std::vector<controller_interface::LoanedInterface> commands, states;
        for (auto& t : robot.torque) commands.emplace_back(t);
        for (auto& q : robot.position) states.emplace_back(q);
        for (auto& v : robot.velocity) states.emplace_back(v);
        controller.assign_interfaces(commands, states);
    }

    /// The thread of the manager.
    void run(double seconds) {
        locked = examples::lock_memory();
        raised = examples::raise_priority(50);
        examples::touch_stack<64 * 1024>();
        const examples::flush_denormals guard;
        expect(controller.on_activate() == policy_controller::CallbackReturn::SUCCESS, "activation");
        for (std::size_t j = 0; j < joints; ++j) controller.want(j, 0.2 * static_cast<double>(j) - 0.5);
        const auto turns = static_cast<std::int64_t>(seconds * 1000);
        const std::size_t before = examples::allocations;
        const auto began = clock::now();
        for (std::int64_t turn = 0; turn < turns; ++turn) {
            const auto due = began + turn * period;
            std::this_thread::sleep_until(due);
            const auto start = clock::now();
            const auto state = controller.update(rclcpp::Time(turn * 1'000'000), rclcpp::Duration(1'000'000));
            computing.add(microseconds(clock::now() - start));
            late.add(microseconds(start - due));
            if (state != policy_controller::return_type::OK) ++failures;
            robot.move(1e-3);
        }
        allocations = examples::allocations - before;
    }
};

loop simulation;

void print(const char* what, const examples::times& t) {
    std::printf("%s: p50 %.1f, p99 %.1f, p99.9 %.1f, worst %.1f microseconds of 1,000\n", what, t.quantile(500),
                t.quantile(990), t.quantile(999), t.worst());
}

}  // namespace

int main(int count, char** arguments) {
    double seconds = 2;
    if (count > 1) {
        const char* const end = arguments[1] + std::strlen(arguments[1]);
        const auto [stop, error] = std::from_chars(arguments[1], end, seconds);
        if (error != std::errc() || stop != end || !(seconds >= 1 && seconds <= 86'400)) {
            std::puts("usage: control_loop [seconds, at least 1]");
            return 2;
        }
    }
    fill(simulation.controller.law);
    expect(simulation.controller.on_activate() == policy_controller::CallbackReturn::FAILURE,
           "without interfaces it does not start");
    simulation.connect();
    std::thread manager([&] { simulation.run(seconds); });
    manager.join();

    expect(simulation.allocations == 0, "an update allocates");
    for (std::size_t j = 0; j < joints; ++j)
        expect(std::abs(simulation.robot.position[j] - (0.2 * static_cast<double>(j) - 0.5)) < 0.05,
               "a joint reaches its target");
    // A sensor fails.
    simulation.robot.position[2] = std::numeric_limits<double>::quiet_NaN();
    expect(simulation.controller.update(rclcpp::Time(), rclcpp::Duration()) == policy_controller::return_type::ERROR,
           "NaN is an error");
    for (const double torque : simulation.robot.torque) expect(torque == 0, "NaN moves no motor");

    std::printf("memory %s, priority %s\n", simulation.locked ? "locked" : "not locked: the system refuses",
                simulation.raised ? "SCHED_FIFO 50" : "ordinary: the system refuses another");
    print("an update takes ", simulation.computing);
    print("it begins late by", simulation.late);
    std::printf("%llu updates, %llu of them later than a period, %zu allocations\n",
                static_cast<unsigned long long>(simulation.computing.calls()),
                static_cast<unsigned long long>(simulation.late.above(1000)), simulation.allocations);
    if (failures == 0) std::puts("all joints are where they shall be");
    return failures != 0;
}
