// SPDX-License-Identifier: BSL-1.0
// A controller of ros2_control that runs a network. With ROS, add the lists of interfaces, parameters and the
// export.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>

#if __has_include(<controller_interface/controller_interface.hpp>)
#include <controller_interface/controller_interface.hpp>
#else
#include "controller_interface.hpp"
#endif

#include "policy.hpp"

namespace robot {

/// State interfaces are the positions of all joints, then their velocities; command interfaces are torques. All memory
/// is in members, so that `update` allocates nothing.
class policy_controller : public controller_interface::ControllerInterface {
public:
    using return_type = controller_interface::return_type;
    using CallbackReturn = controller_interface::CallbackReturn;

    /// The weights. Fill them in on_configure, for example by io::load.
    policy law{};
    /// The limit of the motors.
    float most_torque = 40;

    CallbackReturn on_init() override { return CallbackReturn::SUCCESS; }

    /// Starts at the robot's present position, and calls the network once, because the first call is the slowest.
    CallbackReturn on_activate() override {
        if (state_interfaces_.size() != 2 * joints || command_interfaces_.size() != joints)
            return CallbackReturn::FAILURE;
        for (std::size_t j = 0; j < joints; ++j) want(j, state_interfaces_[j].get_value());
        observe();
        torques = law(seen);
        return CallbackReturn::SUCCESS;
    }

    /// Sets the target of a joint. Any thread may call it.
    void want(std::size_t joint, double position) noexcept { wanted[joint].store(position, std::memory_order_relaxed); }

    /// Called at the rate of the loop. NaN and infinity never reach a motor: torques are zero then, and the result is
    /// an error.
    return_type update(const rclcpp::Time&, const rclcpp::Duration&) override {
        observe();
        torques = law(seen);
        bool good = true;
        for (std::size_t j = 0; j < joints; ++j) good &= std::isfinite(torques(j));
        for (std::size_t j = 0; j < joints; ++j)
            command_interfaces_[j].set_value(
                good ? static_cast<double>(std::clamp(torques(j), -most_torque, most_torque)) : 0);
        return good ? return_type::OK : return_type::ERROR;
    }

private:
    void observe() noexcept {
        for (std::size_t i = 0; i < 2 * joints; ++i) seen(i) = static_cast<float>(state_interfaces_[i].get_value());
        for (std::size_t j = 0; j < joints; ++j)
            seen(2 * joints + j) = static_cast<float>(wanted[j].load(std::memory_order_relaxed));
    }

    std::array<std::atomic<double>, joints> wanted{};
    tensor<float, observations> seen{};
    tensor<float, joints> torques{};
};

}  // namespace robot
