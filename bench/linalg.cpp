// SPDX-License-Identifier: BSL-1.0
// Small matrices and a Kalman filter beside Eigen's fixed matrices, in alternating turns; the least time of each
// counts.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#if __has_include(<Eigen/Dense>)
#include <Eigen/Dense>
#else
#error "apt: libeigen3-dev"
#endif

#include <ashlar/linalg.hpp>

#include "../examples/support/kalman_filter.hpp"
#include "support/peak.hpp"

namespace {

using ashlar::tensor;

template <std::size_t Rows, std::size_t Columns>
using eigen_matrix = Eigen::Matrix<float, Rows, Columns, Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor>;

void pass_on() { __asm__ volatile("" ::: "memory"); }

/// Runs both by turns and prints ns per call of each.
template <class Ours, class Theirs>
void compare(const char* name, std::size_t calls, std::size_t per_call, Ours ours, Theirs theirs) {
    constexpr int turns = 300;  // short ones, so that some are not interrupted
    double best[2] = {1, 1};
    const auto timed = [&](auto& run) {
        return ashlar::bench::seconds([&] {
                   for (std::size_t i = 0; i < calls; ++i) {
                       run();
                       pass_on();
                   }
               }) /
               static_cast<double>(calls * per_call);
    };
    for (int t = 0; t < turns; ++t) {
        best[0] = std::fmin(best[0], timed(ours));
        best[1] = std::fmin(best[1], timed(theirs));
    }
    std::printf("%-32s %9.1f ns %9.1f ns   x %.2f\n", name, best[0] * 1e9, best[1] * 1e9, best[1] / best[0]);
}

void expect_near(const char* name, const float* a, const float* b, std::size_t count, float bound) {
    for (std::size_t i = 0; i < count; ++i)
        if (!(std::fabs(a[i] - b[i]) <= bound * (1 + std::fabs(b[i])))) {
            std::printf("%s: %g is not %g\n", name, static_cast<double>(a[i]), static_cast<double>(b[i]));
            std::exit(1);
        }
}

template <std::size_t N>
tensor<float, N, N> positive_definite(std::size_t seed) {
    tensor<float, N, N> g;
    for (std::size_t i = 0; i < N * N; ++i)
        g.data()[i] = static_cast<float>((i * 7919 + seed * 104729) % 997) / 997.0f - 0.5f;
    return matmul(g, transpose(g)) + ashlar::identity<float, N>();
}

template <std::size_t N>
void one_matrix(std::size_t calls) {
    const tensor<float, N, N> a = positive_definite<N>(1);
    tensor<float, N> b = ashlar::full<float, N>(1.0f), x;
    tensor<float, N, N> y;
    using square = eigen_matrix<N, N>;
    const Eigen::Map<const square> ea(a.data());
    const Eigen::Map<const eigen_matrix<N, 1>> eb(b.data());
    eigen_matrix<N, 1> ex;
    square ey;
    char name[64];
    const auto named = [&](const char* what) {
        std::snprintf(name, sizeof name, "%s %zu", what, N);
        return name;
    };
    compare(named("inverse"), calls, 1, [&] { y = inverse(a); }, [&] { ey = ea.inverse(); });
    expect_near(name, y.data(), ey.data(), N * N, 1e-3f);
    compare(named("solve"), calls, 1, [&] { x = solve(a, b); }, [&] { ex = ea.partialPivLu().solve(eb); });
    expect_near(name, x.data(), ex.data(), N, 1e-3f);
    compare(named("solve_spd"), calls, 1, [&] { x = solve_spd(a, b); }, [&] { ex = ea.llt().solve(eb); });
    expect_near(name, x.data(), ex.data(), N, 1e-3f);
    compare(named("cholesky"), calls, 1, [&] { y = cholesky(a); }, [&] { ey = ea.llt().matrixL(); });
    expect_near(name, y.data(), ey.data(), N * N, 1e-3f);
    volatile float d = 0, ed = 0;
    compare(named("det"), calls, 1, [&] { d = det(a); }, [&] { ed = ea.determinant(); });
}

template <std::size_t N, std::size_t Count>
void batch(std::size_t calls) {
    static tensor<float, Count, N, N> a, y, ey;
    for (std::size_t i = 0; i < Count; ++i) a[i] = positive_definite<N>(i);
    using square = eigen_matrix<N, N>;
    char name[64];
    std::snprintf(name, sizeof name, "inverse %zu, each of %zu", N, Count);
    compare(
        name, calls, Count, [&] { y = inverse(a); },
        [&] {
            for (std::size_t i = 0; i < Count; ++i)
                Eigen::Map<square>(ey.data() + i * N * N) = Eigen::Map<const square>(a.data() + i * N * N).inverse();
        });
    expect_near(name, y.data(), ey.data(), Count * N * N, 1e-3f);
}

/// The same filter in Eigen, as its users write it: columns, in its own order of elements. Its Cholesky solver is the
/// fastest way to the gain.
struct eigen_filter {
    Eigen::Matrix<float, 6, 1> x = Eigen::Matrix<float, 6, 1>::Zero();
    Eigen::Matrix<float, 6, 6> p = Eigen::Matrix<float, 6, 6>::Identity() * 100;

    void predict(const Eigen::Matrix<float, 6, 6>& f, const Eigen::Matrix<float, 6, 6>& q) {
        x = (f * x).eval();
        const Eigen::Matrix<float, 6, 6> fp = f * p;
        p.noalias() = fp * f.transpose();
        p += q;
    }
    void update(const Eigen::Matrix<float, 3, 6>& h, const Eigen::Matrix<float, 3, 3>& r,
                const Eigen::Matrix<float, 3, 1>& z) {
        const Eigen::Matrix<float, 3, 6> hp = h * p;
        const Eigen::Matrix<float, 3, 3> s = hp * h.transpose() + r;
        const Eigen::Matrix<float, 3, 6> gain = s.llt().solve(hp);
        const Eigen::Matrix<float, 3, 1> rest = z - h * x;
        x.noalias() += gain.transpose() * rest;
        p.noalias() -= gain.transpose() * hp;
    }
};

void kalman_filters() {
    constexpr std::size_t count = 64, calls = 10;
    static const kalman::model m = kalman::constant_velocity(0.1f, 0.5f, 0.2f);
    using square = Eigen::Map<const eigen_matrix<6, 6>>;
    const Eigen::Matrix<float, 6, 6> f = square(m.transition.data()).transpose(), q = square(m.process_noise.data());
    const Eigen::Matrix<float, 3, 6> h = Eigen::Map<const eigen_matrix<6, 3>>(m.measurement.data()).transpose();
    const Eigen::Matrix<float, 3, 3> r = Eigen::Map<const eigen_matrix<3, 3>>(m.measurement_noise.data());
    const kalman::measurements<> z{{1.0f, 2.0f, 3.0f}};
    const Eigen::Matrix<float, 3, 1> ez(1.0f, 2.0f, 3.0f);
    const kalman::estimate<> start{.x = ashlar::zeros<float, 1, kalman::state>(),
                                   .p = ashlar::identity<float, 6>() * 100.0f};
    static kalman::estimate<> ours;
    static eigen_filter theirs;
    ours = start;
    compare("Kalman filter, update", 1000, 1, [&] { ours = update(m, ours, z); }, [&] { theirs.update(h, r, ez); });
    ours = start;
    theirs = {};
    compare(
        "Kalman filter, step", 1000, 1, [&] { ours = update(m, predict(m, ours), z); },
        [&] {
            theirs.predict(f, q);
            theirs.update(h, r, ez);
        });
    expect_near("Kalman filter", ours.p.data(), theirs.p.data(), 36, 1e-3f);
    expect_near("Kalman filter", ours.x.data(), theirs.x.data(), 6, 1e-3f);

    static kalman::estimate<count> many;
    static eigen_filter each[count];
    static kalman::measurements<count> all;
    for (std::size_t i = 0; i < count; ++i) {
        many.x[i] = start.x;
        many.p[i] = start.p;
        all[i] = z;
    }
    compare(
        "Kalman filter, each of 64", calls, count, [&] { many = update(m, predict(m, many), all); },
        [&] {
            for (eigen_filter& filter : each) {
                filter.predict(f, q);
                filter.update(h, r, ez);
            }
        });
    for (std::size_t i = 0; i < count; ++i) expect_near("filters", many.p.data() + 36 * i, each[i].p.data(), 36, 1e-3f);
}

}  // namespace

int main() {
    std::printf("%-32s %12s %12s\n", "f32", "ashlar", "Eigen");
    kalman_filters();
    one_matrix<3>(2000);
    one_matrix<6>(500);
    one_matrix<16>(100);
    one_matrix<32>(20);
    batch<3, 256>(10);
    batch<6, 256>(10);
}
