# SPDX-License-Identifier: BSL-1.0
"""What gdb and lldb show of ashlar's values, in programs of one compiler at -O0 and -O2. The rows of numbers must be those
that the program prints itself."""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent))
from expected import CORRUPTED, EXPRESSIONS, HEADERS, PLAN, WAITING  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/debuggers/session.cpp"
ADDRESS = re.compile(r"0x[0-9a-f]+")
KEPT = re.escape("tensor of float [2]: [ 1.5000, -2.5000]")  # what in_register and forgotten are called with
MISTAKES = ("Traceback", "Python Exception", "ashlar's printer", "ashlar's formatter")
LIMITS = {30: False, 29: True, 0: False}  # of elements, and whether 30 are too many; 0 is no limit
GLOBALS = ("table", "waiting", "bytes", "smooth", "nibbles")
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
    """Commands of gdb."""

    label = "gdb"
    start, next_stop, caller, locals = "run >/dev/null", "continue", "up", "info locals"

    def command(self):
        settings = ["set width 0", "set max-value-size unlimited", f"source {ARGUMENTS.debuggers}/ashlar_gdb.py"]
        return [ARGUMENTS.gdb, "-q", "-nx", "-batch", *(word for each in settings for word in ("-ex", each))]

    def arguments(self, commands):
        return [word for command in commands for word in ("-ex", command)]

    def limit(self, count):
        return f"set print elements {count}"

    def stop_at(self, function, once=False):
        return f"{'tbreak' if once else 'break'} {function}"

    def mark(self, label):
        return f"echo \\n== {label}\\n"

    def show(self, name):
        return f"output {name}"

    def value(self, text, name):
        return text


class Lldb(Gdb):
    """Commands of lldb, which writes the type and the name before each value."""

    label = "lldb"
    start, next_stop, caller, locals = "process launch --stdout /dev/null", "continue", "up", "frame variable"

    def command(self):
        settings = ["settings set target.disable-aslr false", "settings set use-color false"]
        settings.append(f"command script import {ARGUMENTS.debuggers}/ashlar_lldb.py")
        return [ARGUMENTS.lldb, "--no-lldbinit", "-b", *self.arguments(settings)]

    def arguments(self, commands):
        return [word for command in commands for word in ("-o", command)]

    def limit(self, count):
        return f"settings set target.max-children-count {count}"

    def stop_at(self, function, once=False):
        # A loop that is inlined there would stop at each turn.
        return f"breakpoint set {'--one-shot true ' if once else ''}--name {function}"

    def mark(self, label):
        return f"script print('== {label}')"

    def show(self, name):
        return f"{'target' if name in GLOBALS else 'frame'} variable {name}"

    def value(self, text, name):
        text = "\n".join(line for line in text.splitlines() if not line.startswith("(lldb) "))
        text = re.sub(r"^Global variables for .*\n", "", text)
        return re.sub(r"^\(.*?\) (?:\S*[:.])?" + re.escape(name.split(".")[-1]) + r" = ", "", text, flags=re.S)


class Session:
    """One run of the program in a debugger: commands first, then what they have shown, by labels."""

    def __init__(self, debugger):
        self.debugger, self.commands, self.names = debugger, [], {}

    def does(self, *commands):
        self.commands += [*commands]

    def shows(self, label, *names):
        for name in names:
            self.names[f"{label} {name}"] = name
            self.commands += [self.debugger.mark(f"{label} {name}"), self.debugger.show(name)]
        self.commands.append(self.debugger.mark("between"))

    def run(self, program):
        """All of the output, and the values by label and name."""
        output = run([*self.debugger.command(), *self.debugger.arguments(self.commands), str(program)])
        found = sections(output)
        return output, {key: self.debugger.value(found.get(key, ""), name) for key, name in self.names.items()}


def is_clang():
    return "clang" in Path(ARGUMENTS.compiler).name


def normalised(text):
    return ADDRESS.sub("0x", text.rstrip("\n"))


def arrays_of(debugger):
    """The arrays that the program prints and a debugger can name: lldb calls no operators."""
    return [name for name in HEADERS if debugger.label == "gdb" or not name.endswith("]")]


def session(debugger):
    """What is asked, in the order in which the program stops."""
    d, s = debugger, Session(debugger)
    once = ("arrays", "expressions", "corrupted", "by_reference", "in_register")
    s.does(*(d.stop_at(function, once=True) for function in once), d.stop_at("stop"))
    s.shows("no process:", "table", "waiting")
    s.does(d.start, d.locals)  # before the variables have values
    s.does(d.next_stop, d.caller, d.limit(1000))
    s.shows("array", *arrays_of(d))
    for limit in LIMITS:
        s.does(d.limit(limit))
        s.shows(f"limit {limit}", "wrapped")
    s.does(d.next_stop, d.locals, d.next_stop, d.caller)
    s.shows("expression", *EXPRESSIONS, "by_lambda", "summary", "text")
    s.does(d.next_stop, d.locals, d.next_stop, d.caller, d.locals)
    s.shows("corrupted", *CORRUPTED)
    s.does(d.next_stop, d.caller)
    s.shows("argument", "overwritten")
    s.does(d.next_stop)
    if d.label == "gdb":
        s.does(d.limit(200), d.mark("frame"), "backtrace 1", d.mark("options"), "print -elements unlimited -- bytes")
    s.shows("argument", "argument", "*pointer")
    s.does(d.next_stop, d.next_stop)
    s.shows("argument", "pair")
    return s


def check_arrays(found, printed, what):
    """The line that says what an array is, and the rows that the program prints."""
    for key in (key for key in found if key.startswith("array ")):
        name = key[len("array ") :]
        rows = printed.get(name, "not printed").rstrip("\n")
        expected = f"{HEADERS[name]}:\n{rows}" if rows.startswith("[[") else f"{HEADERS[name]}: {rows}"
        expect_equal(normalised(found[key]), expected, f"{what}: {name}")
    for limit, has_dots in LIMITS.items():
        text = found[f"limit {limit} wrapped"]
        expect("tensor of float [30]: [" in text and ("..." in text) == has_dots, f"{what}: limit {limit}: {text}")


def check_expressions(found, printed, what):
    for name, tree in EXPRESSIONS.items():
        expect_equal(normalised(found[f"expression {name}"]), tree, f"{what}: {name}")
    # Functions of types with a lambda have no names that lldb could read where g++ has compiled them.
    unread = "<no integer" if what.startswith("lldb") and not is_clang() else EXPRESSIONS["twice"]
    by_lambda = normalised(found["expression by_lambda"])
    expect(by_lambda.startswith((EXPRESSIONS["twice"], unread)), f"{what}: by_lambda: {by_lambda}")
    expect_equal(found["expression text"].rstrip("\n"), printed["text"], f"{what}: text")
    summary = found["expression summary"].rstrip("\n")
    expect(PLAN.fullmatch(summary) is not None, f"{what}: summary: {summary}")
    table = "tensor of int [2, 3]:\n[[  1,  -2,   3],\n [  4,   5, 600]]"
    expect_equal(normalised(found["no process: table"]), table, f"{what}: table")
    expect_equal(normalised(found["no process: waiting"]), WAITING, f"{what}: waiting")


def check_others(found, optimised, what):
    """Values that cannot be shown, references, pointers, and tensors in registers."""
    for name, expected in CORRUPTED.items():
        text = normalised(found[f"corrupted {name}"])
        expect(re.fullmatch(expected, text, flags=re.S) is not None, f"{what}: {name}: {text}")
    for name in ("argument", "*pointer"):
        text = found[f"argument {name}"]
        expect(HEADERS["q"] + ":\n[[-2.2500" in text, f"{what}: {name}: {text}")
    lost = "|optimized out|not available" if optimised else ""
    expect(re.search(KEPT + lost, found["argument overwritten"]), f"{what}: {found['argument overwritten']}")
    lost = lost if is_clang() else ""  # clang 19 loses it at -O2
    expect(re.search(KEPT + lost, found["argument pair"]), f"{what}: {found['argument pair']}")


def check(program, level, printed):
    for kind in (Gdb, Lldb):
        if not (ARGUMENTS.gdb if kind is Gdb else ARGUMENTS.lldb):
            continue
        what = f"{kind.label} {level}"
        output, found = session(kind()).run(program)
        for mistake in MISTAKES:
            expect(mistake not in output, f"{what}: {mistake}\n{output}")
        if kind is Gdb:
            in_short = f"argument={HEADERS['q']}, pointer="
            expect(in_short in normalised(sections(output).get("frame", "")), f"{what}: frame: {output}")
            options = sections(output).get("options", "")
            expect(HEADERS["bytes"] in options and "..." not in options, f"{what}: options: {options}")
        check_arrays(found, printed, what)
        check_expressions(found, printed, what)
        check_others(found, level == "-O2", what)


def check_natvis():
    """Visual Studio's file is well-formed, and has names of types that are there. No more is tested."""
    types = ElementTree.parse(Path(ARGUMENTS.debuggers) / "ashlar.natvis").findall(".//{*}Type")
    headers = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "include/ashlar").rglob("*.hpp"))]
    expect(types, "natvis: there are types")
    for name in {each.get("Name").split("<")[0] for each in types}:
        _, version, struct = name.split("::")
        defined = re.compile(rf"namespace ashlar::inline {version} .*^struct [^;{{]*\b{struct}\b", re.S | re.M)
        expect(any(defined.search(text) for text in headers), f"natvis: no type is called {name}")


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
    check_natvis()
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
