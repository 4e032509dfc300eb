# SPDX-License-Identifier: BSL-1.0
"""What gdb and lldb show of ashlar's values, in programs of one compiler at -O0 and -O2. The rows of numbers must be those
that the program prints itself."""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from expected import CORRUPTED, EXPRESSIONS, HEADERS, PLAN, WAITING  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/debuggers/session.cpp"
ADDRESS = re.compile(r"0x[0-9a-f]+")
KEPT = re.escape("tensor of float [2]: [ 1.5000, -2.5000]")  # what in_register and forgotten are called with
MISTAKES = ("Traceback", "Python Exception", "ashlar's printer", "ashlar's formatter")
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print(f"FAILED: {what}")


def expect_equal(found, expected, what):
    expect(found == expected, f"{what}\n--- expected\n{expected}\n--- found\n{found}\n---")


def sections(text):
    """The lines behind each line `== name`, by name, up to `== end`."""
    found, name = {}, None
    for line in text.splitlines():
        if line.startswith("== "):
            name = line[3:]
            found.setdefault(name, [])
        elif name is not None:
            found[name].append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


def run(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, **options)
    return done.stdout


class Gdb:
    """Runs commands of gdb; `shown` says what it shows of some variables."""

    label = "gdb"

    def __init__(self, program, debuggers):
        self.command = [ARGUMENTS.gdb, "-q", "-nx", "-batch", "-ex", "set width 0", "-ex", "set max-value-size unlimited"]
        self.command += ["-ex", f"source {debuggers}/ashlar_gdb.py"]
        self.program = str(program)

    def run(self, commands):
        return run([*self.command, *(word for command in commands for word in ("-ex", command)), self.program])

    def limit(self, count):
        return f"set print elements {count}"

    def stop_at(self, function):
        return [f"break {function}"]

    start, next_stop, caller, locals = "run >/dev/null", "continue", "up", "info locals"

    def show(self, name):
        return [f"echo == {name}\\n", f"output {name}", "echo \\n"]

    def shown(self, commands, names):
        output = self.run([*commands, *(c for name in names for c in self.show(name)), "echo == end\\n"])
        return output, sections(output)


class Lldb(Gdb):
    """The same of lldb, whose output has the type and the name before each value."""

    label = "lldb"

    def __init__(self, program, debuggers):
        self.command = [ARGUMENTS.lldb, "--no-lldbinit", "-b", "-o", "settings set target.disable-aslr false"]
        self.command += ["-o", "settings set use-color false", "-o", f"command script import {debuggers}/ashlar_lldb.py"]
        self.program = str(program)

    def run(self, commands):
        output = run([*self.command, *(word for command in commands for word in ("-o", command)), self.program])
        return "\n".join(line for line in output.splitlines() if not line.startswith("(lldb) "))

    def limit(self, count):
        return f"settings set target.max-children-count {count}"

    def stop_at(self, function):
        return [f"breakpoint set --name {function}"]

    start, next_stop, caller, locals = "process launch --stdout /dev/null", "continue", "up", "frame variable"

    def show(self, name):
        is_global = name in ("table", "waiting", "bytes", "smooth", "nibbles")
        return [f"script print('== {name}')", f"{'target' if is_global else 'frame'} variable {name}"]

    def shown(self, commands, names):
        end = "script print('== end')"
        output = self.run([*commands, *(c for name in names for c in self.show(name)), end])
        found = sections(output)
        return output, {name: re.sub(r"^\(.*?\) \S+ = ", "", self.value(text, name)) for name, text in found.items()}

    @staticmethod
    def value(text, name):
        """Without the line that says which module a global variable is in, and the type and name."""
        text = re.sub(r"^Global variables for .*\n", "", text)
        last = name.split(".")[-1]
        return re.sub(r"^\(.*?\) (?:\S*::)?" + re.escape(last) + r" = ", "", text, flags=re.S)


def is_clang():
    return "clang" in Path(ARGUMENTS.compiler).name


def normalised(text):
    return ADDRESS.sub("0x", text.rstrip("\n"))


def check_clean(output, what):
    for mistake in MISTAKES:
        expect(mistake not in output, f"{what}: {mistake}\n{output}")


def check_arrays(debugger, printed, what):
    """The line that says what an array is, and the rows that the program prints."""
    names = [n for n in printed if n in HEADERS and not (debugger.label == "lldb" and n == "large[3]")]
    commands = [debugger.limit(1000), *debugger.stop_at("stop"), debugger.start, debugger.caller]
    output, found = debugger.shown(commands, names)
    check_clean(output, what)
    expect(len(names) >= len(HEADERS) - 1, f"{what}: the program prints {len(names)} of {len(HEADERS)} arrays")
    for name in names:
        header, rows = HEADERS[name], printed[name].rstrip("\n")
        expected = f"{header}:\n{rows}" if rows.startswith("[[") else f"{header}: {rows}"
        expect_equal(normalised(found.get(name, output)), expected, f"{what}: {name}")


def check_limits(debugger, what):
    """Which elements are left out, as the user has set it."""
    commands = [*debugger.stop_at("stop"), debugger.start, debugger.caller]
    for limit, has_dots in ((30, False), (29, True), (0, False)):
        _, found = debugger.shown([debugger.limit(limit), *commands], ["wrapped"])
        expect(("..." in found.get("wrapped", "")) == has_dots, f"{what}: limit {limit}: {found}")


def check_expressions(debugger, printed, what):
    names = [*EXPRESSIONS, "by_lambda", "summary", "text"]
    commands = [*debugger.stop_at("stop"), debugger.start, debugger.next_stop, debugger.caller]
    output, found = debugger.shown(commands, names)
    check_clean(output, what)
    for name in EXPRESSIONS:
        expect_equal(normalised(found.get(name, output)), EXPRESSIONS[name], f"{what}: {name}")
    # Functions of types with a lambda have no names that lldb could read where g++ has compiled them.
    by_lambda = normalised(found.get("by_lambda", output))
    expected = [EXPRESSIONS["twice"], "<no integer" if debugger.label == "lldb" and not is_clang() else None]
    expect(by_lambda.startswith(tuple(e for e in expected if e)), f"{what}: by_lambda: {by_lambda}")
    expect_equal(found.get("text", output).rstrip("\n"), printed["text"], f"{what}: text")
    expect(PLAN.fullmatch(found.get("summary", "")) is not None, f"{what}: summary {found.get('summary')}")


def check_corrupted(debugger, optimised, what):
    """Values that cannot be shown, with no exception in the session."""
    commands = [*debugger.stop_at("stop"), debugger.start, debugger.next_stop, debugger.next_stop, debugger.caller]
    output, found = debugger.shown([*commands, debugger.locals], list(CORRUPTED))
    check_clean(output, what)
    for name, expected in CORRUPTED.items():
        text = normalised(found.get(name, output))
        expect(re.fullmatch(expected, text, flags=re.S) is not None, f"{what}: {name}: {text}")
    output, found = debugger.shown([*commands[:-1], debugger.next_stop, debugger.caller], ["overwritten"])
    check_clean(output, what)
    text = found.get("overwritten", output)
    expected = ("optimized out|not available|" if optimised else "") + KEPT
    expect(re.search(expected, text), f"{what}: overwritten: {text}")


def check_early(debugger, what):
    """Variables before they have values."""
    for function in ("arrays", "expressions", "corrupted"):
        output = debugger.run([*debugger.stop_at(function), debugger.start, debugger.locals])
        check_clean(output, f"{what}: {function}")


def check_arguments(debugger, optimised, what):
    """References, pointers, members of structures, and a tensor in a register."""
    commands = [*debugger.stop_at("by_reference"), *debugger.stop_at("in_register"), debugger.start]
    _, found = debugger.shown(commands, ["argument", "*pointer"])
    for name in ("argument", "*pointer"):
        expect(HEADERS["q"] + ":\n[[-2.2500" in found.get(name, ""), f"{what}: {name}: {found}")
    _, found = debugger.shown([*debugger.stop_at("in_register"), debugger.start], ["pair"])
    # clang 19 loses it at -O2.
    expected = "optimized out|" if optimised and is_clang() else ""
    expected += KEPT
    expect(re.search(expected, found.get("pair", "")), f"{what}: pair: {found}")


def check_without_process(debugger, what):
    """Objects with static initialisation, in a program that does not run."""
    output, found = debugger.shown([], ["table", "waiting"])
    check_clean(output, what)
    expect_equal(normalised(found.get("table", output)), "tensor of int [2, 3]:\n[[  1,  -2,   3],\n [  4,   5, 600]]",
                 f"{what}: table")
    expect_equal(normalised(found.get("waiting", output)), WAITING, f"{what}: waiting")


def check(program, level, printed):
    for kind in (Gdb, Lldb):
        if not (ARGUMENTS.gdb if kind is Gdb else ARGUMENTS.lldb):
            continue
        debugger = kind(program, ARGUMENTS.debuggers)
        what = f"{kind.label} {level}"
        check_arrays(debugger, printed, what)
        check_limits(debugger, what)
        check_expressions(debugger, printed, what)
        check_corrupted(debugger, level == "-O2", what)
        check_early(debugger, what)
        check_arguments(debugger, level == "-O2", what)
        check_without_process(debugger, what)


def usable(command, commands, answer):
    """Whether a debugger is there and has Python."""
    if not command:
        return False
    try:
        return answer in run([command, *commands])
    except OSError:
        return False


def main():
    has_gdb = usable(ARGUMENTS.gdb, ["-nx", "-batch", "-ex", "python print(6 * 7)"], "42")
    has_lldb = usable(ARGUMENTS.lldb, ["--no-lldbinit", "-b", "-o", "script print(6 * 7)"], "42")
    for has, name in ((has_gdb, "gdb"), (has_lldb, "lldb")):
        if not has:
            print(f"no {name} with Python: it is not tested")
            setattr(ARGUMENTS, name, None)
    if not has_gdb and not has_lldb:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for level in ("-O0", "-O2"):
            program = Path(folder) / f"session{level}"
            flags = [level, "-g", "-std=c++20", "-DASHLAR_UNOPTIMIZED", *ARGUMENTS.flags]
            subprocess.run([ARGUMENTS.compiler, *flags, str(SOURCE), "-o", str(program)], check=True)
            if has_gdb and "ptrace" in run([ARGUMENTS.gdb, "-nx", "-batch", "-ex", "run", str(program)]):
                print("skipped: this machine allows no debuggers")
                return 77
            check(program, level, sections(run([str(program)])))
    print("failed" if failures else "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--gdb", default="")
    parser.add_argument("--lldb", default="")
    parser.add_argument("--debuggers", default=str(ROOT / "tools/debuggers"))
    parser.add_argument("flags", nargs="*")
    ARGUMENTS = parser.parse_args()
    sys.exit(main())
