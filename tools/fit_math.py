#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fits the polynomials of include/ashlar/kernel/math/ (needs mpmath): python3 tools/fit_math.py [--check] [name...];
with --check it fails unless the headers have the same coefficients.

Each fit is a Remez exchange on a dense grid in 60-digit arithmetic, minimising the weighted error; the error printed
is that of the coefficients after rounding to the target format."""
import pathlib
import struct
import sys
from mpmath import mp, mpf, matrix, lu_solve, exp, log, erf, erfc, tanh, sqrt, cos, pi, atanh

mp.dps = 60


def f32(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def f64(x):
    return mpf(float(x))


def remez(target, functions, lo, hi, weight, points=600, rounds=40):
    """Coefficients c with max |weight(x) * (sum c[k] functions(x)[k] - target(x))| minimal on [lo, hi]."""
    n = len(functions(lo))
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (mpf(i) + mpf("0.5")) / points) for i in range(points)]
    values = [target(x) for x in grid]
    weights = [weight(x) for x in grid]
    basis = [functions(x) for x in grid]
    picks = [round((points - 1) * (1 - float(cos(pi * i / n))) / 2) for i in range(n + 1)]
    for _ in range(rounds):
        a, b = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for row, i in enumerate(picks):
            for k in range(n):
                a[row, k] = basis[i][k]
            a[row, n] = (-1) ** row / weights[i]
            b[row] = values[i]
        solution = lu_solve(a, b)
        c = [solution[k] for k in range(n)]
        error = [weights[i] * (sum(ck * bk for ck, bk in zip(c, basis[i])) - values[i]) for i in range(points)]
        extremes, start = [], 0
        for i in range(1, points + 1):
            if i == points or error[i] * error[start] < 0:
                extremes.append(max(range(start, i), key=lambda j: abs(error[j])))
                start = i
        while len(extremes) > n + 1:
            extremes.pop(0 if abs(error[extremes[0]]) < abs(error[extremes[-1]]) else -1)
        if len(extremes) < n + 1 or extremes == picks:
            break
        picks = extremes
    return c, max(abs(e) for e in error)


def fit(name, target, powers, lo, hi, rounding, weight=lambda x: mpf(1), fixed=None):
    """Prints the rounded coefficients, lowest power first, and the largest weighted error they leave."""
    lo, hi = mpf(lo), mpf(hi)
    known = dict(fixed or {})
    # Powers of x from `low` on vanish at 0, so they only have a unique best fit once that power is divided out.
    free = [p for p in powers if p not in known]
    low = free[0]
    rest = lambda x: (target(x) - sum(c * x**p for p, c in known.items())) / x**low
    c, error = remez(rest, lambda x: [x ** (p - low) for p in free], lo, hi, lambda x: weight(x) * abs(x) ** low)
    known.update((p, rounding(value)) for p, value in zip(free, c))
    points = [lo + (hi - lo) * i / 2000 for i in range(2001)]
    left = max(abs(weight(x) * (sum(c * x**p for p, c in known.items()) - target(x))) for x in points)
    print(f"{name}: error {mp.nstr(left, 3)} = 2^{mp.nstr(log(left, 2), 4)}")
    show([known[p] for p in sorted(known)], rounding)


def show(coefficients, rounding):
    """As they stand in the headers: highest power first, the shortest form that reads back the same."""
    def form(c):
        if rounding is f64:
            return repr(float(c))
        digits = next(d for d in range(1, 10) if f32(f"{float(c):.{d}g}") == c)
        text = f"{float(c):.{digits}g}"
        return text + ("f" if "." in text or "e" in text else ".0f")

    line = ", ".join(form(c) for c in reversed(coefficients))
    print("    " + line)
    if CHECKED is not None and line not in CHECKED:
        sys.exit("    differs from the headers")


def fit_rational(name, target, above, below, lo, hi, rounding):
    """The same for a quotient of polynomials with both constant terms 1, minimising the relative error."""
    lo, hi = mpf(lo), mpf(hi)
    q = lambda x: mpf(1)
    for _ in range(8):
        # Linear in all coefficients once multiplied by the denominator, whose last estimate then serves as a weight.
        functions = lambda x: [x**k for k in range(above)] + [-target(x) * x**k for k in range(below)]
        weight = lambda x, q=q: abs(x) / (target(x) * q(x))
        c, _error = remez(lambda x: (target(x) - 1) / x, functions, lo, hi, weight)
        denominator = [mpf(1)] + c[above:]
        q = lambda x, d=denominator: sum(ck * x**k for k, ck in enumerate(d))
    top = [mpf(1)] + [rounding(ck) for ck in c[:above]]
    bottom = [mpf(1)] + [rounding(ck) for ck in c[above:]]
    value = lambda x, d: sum(ck * x**k for k, ck in enumerate(d))
    points = [lo + (hi - lo) * i / 2000 for i in range(2001)]
    left = max(abs(value(x, top) / value(x, bottom) / target(x) - 1) for x in points)
    print(f"{name}: error {mp.nstr(left, 3)} = 2^{mp.nstr(log(left, 2), 4)}")
    show(top, rounding)
    show(bottom, rounding)


HALF_LN2 = log(mpf(2)) / 2 + mpf("1e-4")
SQRT2 = sqrt(mpf(2))
TINY = mpf("1e-12")


def log_tail(f):
    """(log(1+f) - f + f^2/2) / f^3"""
    if abs(f) < mpf("1e-6"):
        return mpf(1) / 3 - f / 4 + f * f / 5
    return (log(1 + f) - f + f * f / 2) / f**3


def atanh_tail(z, terms):
    """(atanh(s)/s - 1 - z/3 - ... ) / z^terms with z = s^2"""
    if z < mpf("1e-8"):
        return mpf(1) / (2 * terms + 1) + z / (2 * terms + 3) + z * z / (2 * terms + 5)
    s = sqrt(z)
    return (atanh(s) / s - sum(z**k / (2 * k + 1) for k in range(terms))) / z**terms


def erf_excess(z):
    """erf(x)/x - 1 with z = x^2"""
    return erf_ratio(z) - 1


def erf_ratio(z):
    """erf(x)/x with z = x^2"""
    x = sqrt(z) if z > 0 else mpf("1e-20")
    return erf(x) / x


def normal_ratio(z):
    """(Phi(x) - 1/2)/x with z = x^2"""
    return erf_ratio(z / 2) / SQRT2 / 2


def log2_erfc(x):
    return log(erfc(x), 2)


def log2_normal(a):
    """log2(Phi(-a)), Phi the normal distribution"""
    return log(erfc(a / SQRT2) / 2, 2)


def erf_weight(x):
    """How an error of log2(erfc(x)) shows in erf(x), relatively"""
    return log(mpf(2)) * erfc(x) / erf(x)


def normal_root(power):
    """(2 Phi(-a))^(-1/power)"""
    return lambda a: erfc(a / SQRT2) ** (mpf(-1) / power)


def root_weight(power, relative):
    """How an error of that root shows in gelu(-a): relatively down to 1/relative, then absolutely times that"""
    return lambda a: power * min(mpf(1), max(a * erfc(a / SQRT2) / 2, mpf("1e-9")) * relative) / normal_root(power)(a)


def gelu_weight(a, relative, floor):
    """How an error of log2(Phi(-a)) shows in gelu(-a): relatively down to 1/relative, then absolutely times that"""
    return log(mpf(2)) * min(mpf(1), max(a * erfc(a / SQRT2) / 2, mpf(floor)) * relative)


def tanh_ratio(z):
    """tanh(x)/x with z = x^2"""
    x = sqrt(z) if z > 0 else mpf("1e-20")
    return tanh(x) / x


def tanh_excess(z):
    """(tanh(x)/x - 1)/z with z = x^2"""
    return (tanh_ratio(z) - 1) / z if z > mpf("1e-12") else (z * 2 / 5 - 1) / 3


def tanh_tail(z):
    """The same times -3"""
    return tanh_excess(z) * -3


FITS = {
    "exp2 f32 fast": lambda n: fit(n, lambda r: mpf(2) ** r, range(6), "-0.5", "0.5", f32, lambda r: mpf(2) ** -r, {0: mpf(1)}),
    "exp f32 fast": lambda n: fit(n, exp, range(6), -HALF_LN2, HALF_LN2, f32, lambda r: exp(-r), {0: mpf(1)}),
    "exp f32": lambda n: fit(n, exp, range(7), -HALF_LN2, HALF_LN2, f32, lambda r: exp(-r), {0: mpf(1), 1: mpf(1)}),
    "exp f64": lambda n: fit(n, exp, range(12), -HALF_LN2, HALF_LN2, f64, lambda r: exp(-r), {0: mpf(1), 1: mpf(1), 2: mpf("0.5")}),
    "exp2 f32": lambda n: fit(n, lambda r: mpf(2) ** r, range(7), "-0.501", "0.501", f32, lambda r: mpf(2) ** -r, {0: mpf(1)}),
    "exp2 f64": lambda n: fit(n, lambda r: mpf(2) ** r, range(12), "-0.501", "0.501", f64, lambda r: mpf(2) ** -r, {0: mpf(1)}),
    "log f32": lambda n: fit(n, log_tail, range(9), 1 / SQRT2 - 1, SQRT2 - 1, f32, lambda f: f**3 / log(1 + f) if abs(f) > TINY else f * f),
    "log f64": lambda n: fit(n, lambda z: atanh_tail(z, 1), range(8), 0, ((SQRT2 - 1) / (SQRT2 + 1)) ** 2, f64, lambda z: z if z else TINY),
    "pow f32": lambda n: fit(n, lambda z: 3 * atanh_tail(z, 2), range(4), 0, ((SQRT2 - 1) / (SQRT2 + 1)) ** 2, f32, lambda z: z * z if z else TINY),
    "pow f64": lambda n: fit(n, lambda z: 3 * atanh_tail(z, 2), range(8), 0, ((SQRT2 - 1) / (SQRT2 + 1)) ** 2, f64, lambda z: z * z if z else TINY),
    "tanh f32 below 0.625": lambda n: fit(n, tanh_excess, range(5), 0, mpf("0.6251") ** 2, f32, lambda z: z / tanh_ratio(z) + TINY),
    "tanh f64 below 0.625": lambda n: fit_rational(n, tanh_tail, 3, 3, "1e-9", mpf("0.6251") ** 2, f64),
    "erf f32 below 0.93": lambda n: fit(n, erf_excess, range(7), 0, mpf("0.9301") ** 2, f32, lambda z: 1 / erf_ratio(z)),
    "erf f32 above": lambda n: fit(n, log2_erfc, range(7), "0.9299", 4, f32, erf_weight),
    "erf f64 below 1": lambda n: fit(n, erf_excess, range(12), 0, "1.0001", f64, lambda z: 1 / erf_ratio(z)),
    "erf f64 above": lambda n: fit(n, log2_erfc, range(19), "0.9999", 6, f64, erf_weight),
    "exp2 coarse": lambda n: fit(n, lambda r: mpf(2) ** r, range(4), "-0.5", "0.5", f32, lambda r: mpf(2) ** -r, {0: mpf(1)}),
    "tanh f32": lambda n: fit_rational(n, tanh_ratio, 4, 4, "1e-9", mpf("9.02") ** 2, f32),
    "tanh coarse": lambda n: fit_rational(n, tanh_ratio, 2, 2, "1e-9", mpf("4.97") ** 2, f32),
    "gelu f32": lambda n: fit(n, normal_root(8), range(9), 0, "5.2", f32, root_weight(8, 12), {0: mpf(1)}),
    "gelu coarse": lambda n: fit(n, normal_root(16), range(5), 0, "4.2", f32, root_weight(16, 6), {0: mpf(1)}),
    "gelu f64 below 1": lambda n: fit(n, normal_ratio, range(10), 0, "1.0001", f64, lambda z: 1 / normal_ratio(z)),
    "gelu f64 above": lambda n: fit(n, log2_normal, range(21), "0.9999", "8.5", f64, lambda a: gelu_weight(a, 1000, "1e-15")),
}

CHECKED = None

if __name__ == "__main__":
    names = sys.argv[1:]
    if "--check" in names:
        names.remove("--check")
        folder = pathlib.Path(__file__).parent.parent / "include/ashlar/kernel/math"
        CHECKED = " ".join(" ".join(path.read_text().split()) for path in sorted(folder.glob("*.hpp")))
    for wanted in names or FITS:
        FITS[wanted](wanted)
