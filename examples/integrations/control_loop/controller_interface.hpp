// SPDX-License-Identifier: BSL-1.0
// The few classes of ros2_control that the controller uses, with its names, for builds without ROS, such as the test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rclcpp {

/// Nanoseconds since the clock's beginning, and between two of them.
class Time {
public:
    explicit Time(std::int64_t nanoseconds = 0) : value(nanoseconds) {}
    std::int64_t nanoseconds() const noexcept { return value; }
    double seconds() const noexcept { return 1e-9 * static_cast<double>(value); }

private:
    std::int64_t value;
};
using Duration = Time;

}  // namespace rclcpp

namespace controller_interface {

enum class return_type : std::uint8_t { OK, ERROR };
enum class CallbackReturn : std::uint8_t { SUCCESS, FAILURE };

/// A hardware value that a controller reads or writes.
class LoanedInterface {
public:
    explicit LoanedInterface(double& at) : place(&at) {}
    double get_value() const noexcept { return *place; }
    void set_value(double value) noexcept { *place = value; }

private:
    double* place;
};

class ControllerInterface {
public:
    virtual ~ControllerInterface() = default;
    virtual CallbackReturn on_init() = 0;
    virtual CallbackReturn on_activate() = 0;
    virtual return_type update(const rclcpp::Time& time, const rclcpp::Duration& period) = 0;

    /// Called by the controller manager before on_activate.
    void assign_interfaces(std::vector<LoanedInterface> commands, std::vector<LoanedInterface> states) {
        command_interfaces_ = std::move(commands);
        state_interfaces_ = std::move(states);
    }

protected:
    std::vector<LoanedInterface> command_interfaces_, state_interfaces_;
};

}  // namespace controller_interface
