# SPDX-License-Identifier: BSL-1.0
"""Writes a program that prints the plans of an imported model's steps, for tools/draw_plan.py."""
import json

from .cpp import LICENSE

PROGRAM = """// {license}
// Prints the plans of {name}'s steps as JSON, which tools/draw_plan.py draws. It computes nothing and reads no weights.
#include "{name}.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <type_traits>
#include <vector>

namespace imported::{name}_plan {{

{definitions}
/// The operator of the model that is the last one of a step; rows of growing states and loops have no place of their own.
static const char* operator_of([[maybe_unused]] const void* destination) {{
{titles}    return "{unnamed}";
}}

/// Calls step(destination, expression) for each step of a call.
static void each_step(const auto& step) {{ model.steps({arguments}, values, step); }}

}}  // namespace imported::{name}_plan

namespace {{

/// Steps that have equal plans, such as those of a loop.
struct part {{
    const char* title;
    std::string_view plan;
    std::size_t times;
}};

template <class Expression>
const char* plan_of() {{
    return ashlar::plan_json<Expression>.c_str();
}}
/// Of a step that computes the rows below a number.
template <class Expression, class Rows>
const char* plan_of() {{
    return ashlar::plan_json<Expression, 1, Rows>.c_str();
}}

}}  // namespace

int main() {{
    std::vector<part> parts;
    imported::{name}_plan::each_step([&parts](auto& to, const auto& from, auto... rows) -> auto& {{
        const std::string_view plan = plan_of<std::remove_cvref_t<decltype(from)>, decltype(rows)...>();
        const auto same = std::ranges::find(parts, plan, &part::plan);
        if (same != parts.end())
            ++same->times;
        else
            parts.push_back({{imported::{name}_plan::operator_of(&to), plan, 1}});
        return to;
    }});
    std::printf("{{\\"title\\":\\"{name}\\",\\"workspace_bytes\\":%zu,\\"parts\\":[", imported::{name}_workspace_bytes);
    for (const part& p : parts)
        std::printf("%s\\n{{\\"title\\":\\"%s\\",\\"times\\":%zu,\\"plan\\":%s}}",
                    &p == parts.data() ? "" : ",", p.title, p.times, p.plan.data());
    std::puts("]}}");
}}
"""


UNNAMED = "a step of a state or a loop"


def text_of_json(words):
    """A literal of C++ whose value is the inner part of a string of JSON."""
    return json.dumps(json.dumps(" ".join(words.split()))[1:-1])


def write_plan(folder, name, program, objects, arguments):
    """Returns the path of the program. `objects` are the declarations of what `arguments` name."""
    outputs = {text for text, _, _ in program.outputs}
    places = [(f"values.{line.name}" if line.place != "output" else line.name, line.comment) for line in program.lines
              if line.place in ("buffer", "memory") or line.place == "output" and line.name in outputs]
    titles = "".join(f"    if (destination == &{place}) return {text_of_json(comment)};\n" for place, comment in places)
    path = folder / f"{name}_plan.cpp"
    path.write_text(PROGRAM.format(license=LICENSE, name=name, definitions="".join(f"{o};\n" for o in objects), titles=titles,
                                   unnamed=UNNAMED, arguments=arguments))
    return path
