# SPDX-License-Identifier: BSL-1.0
"""Makes a page for each public name from Doxygen's XML: its declarations, their comments, and where they are."""

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

SCOPE = "ashlar::"
LONGEST_VALUE = 40  # of the first value of a field or constant that a page shows
# What declarations have that only refuse a call, to explain it.
REFUSALS = ("detail::refused_", "detail::any_argument", "detail::expression_argument", "=delete", "= delete")
KINDS = {"function": "functions", "variable": "constants", "typedef": "types", "enum": "types", "concept": "concepts",
         "struct": "types", "class": "types"}  # fmt: skip


@dataclass
class Declaration:
    """One overload, type or constant, with its comment as markdown."""

    name: str
    code: str
    comment: str
    header: str
    line: str
    members: list["Declaration"] = field(default_factory=list)


@dataclass
class Entry:
    """A public name and all its declarations."""

    name: str
    kind: str
    declarations: list[Declaration] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"api/{page_name(self.name)}.md"

    @property
    def summary(self) -> str:
        comments = [declaration.comment for declaration in self.declarations if declaration.comment]
        return first_sentence(comments[0]) if comments else ""


def page_name(name: str) -> str:
    """A name as a part of a path; operators become words of their signs' codes."""
    signs = re.sub(r"[^\w:]", lambda match: f"_{ord(match[0]):x}", name.removeprefix(SCOPE))
    return "index_" if signs == "index" else signs.replace("::", "_")  # index.md lists the names


def first_sentence(comment: str) -> str:
    """The first sentence of a comment."""
    return re.split(r"(?:(?<=[a-z)`\]])|(?<=[A-Z]{2}))(?<!et al)[.:;](?:\s|$)", comment.split("\n", 1)[0], maxsplit=1)[0].strip()


def text_of(node: ElementTree.Element | None) -> str:
    """The text of declarations, with the spaces as people write them."""
    text = " ".join("".join(node.itertext()).split()) if node is not None else ""
    text = re.sub(r"< ", "<", re.sub(r" (?=>)", "", text))
    return re.sub(r" (&&?|\*)(?=[\w.)])(?!&& )", r"\1 ", text).replace("& )", "&)").replace("& ...", "&...")


def linked(code: str, pages: dict[str, str]) -> str:
    """A code span, with a link if it is a public name or a call of one."""
    call = re.fullmatch(r"([\w:]+)(?:<[^<>]*>)?(?:\([^()]*\))?", code)
    page = pages.get(call[1].removeprefix(SCOPE)) if call else None
    return f"[`{code}`](/{page})" if page else f"`{code}`"


def names_inside(scope: str, pages: dict[str, str]) -> dict[str, str]:
    """The names of a namespace as they are written inside it, with their pages."""
    return {name.removeprefix(scope): page for name, page in pages.items() if name.startswith(scope)}


def markdown_of(node: ElementTree.Element | None, pages: dict[str, str]) -> str:
    """A comment as markdown; `pages` has the page of each identifier of Doxygen and of each name."""
    if node is None:
        return ""
    parts = [node.text or ""]
    for child in node:
        inner = markdown_of(child, pages)
        if child.tag in ("para", "simplesect"):
            inner = f"\n\n{inner.strip()}\n\n"
        elif child.tag in ("verbatim", "programlisting", "preformatted"):
            code = "".join(child.itertext()).rstrip()
            inner = f"\n\n```cpp\n{code}\n```\n\n"
        elif child.tag == "computeroutput":
            inner = linked("".join(child.itertext()), pages)
        elif child.tag == "ref" and child.get("refid") in pages:
            inner = f"[`{''.join(child.itertext())}`](/{pages[child.get('refid', '')]})"
        elif child.tag == "bold":
            inner = f"**{inner}**"
        elif child.tag == "listitem":
            inner = f"\n- {' '.join(inner.split())}"
        parts += [inner, child.tail or ""]
    return re.sub(r"\n{3,}", "\n\n", "".join(parts))


def comment_of(node: ElementTree.Element, pages: dict[str, str]) -> str:
    """The comment of a declaration."""
    parts = [markdown_of(node.find(part), pages).strip() for part in ("briefdescription", "detaileddescription")]
    return re.sub(r"[ \t]+$", "", "\n\n".join(part for part in parts if part), flags=re.MULTILINE)


def template_of(node: ElementTree.Element) -> str:
    """The template parameters and constraints in front of a declaration."""
    parameters = []
    for parameter in node.findall("templateparamlist/param"):
        name, default = text_of(parameter.find("declname")), text_of(parameter.find("defval"))
        parameters.append(f"{text_of(parameter.find('type'))} {name}".strip() + (f" = {default}" if default else ""))
    requires = text_of(node.find("requiresclause"))
    return (f"template <{', '.join(parameters)}>\n" if parameters else "") + (f"requires {requires}\n" if requires else "")


def declared(node: ElementTree.Element, kind: str) -> str:
    """The declaration as in source, without its body."""
    if kind == "concept":
        return text_of(node.find("initializer")).replace(SCOPE, "")
    if kind in ("struct", "class"):
        fields = "".join(f"    {text}\n" for text in fields_of(node))
        body = " {\n" + fields + "}" if fields else ""
        return f"{template_of(node)}{kind} {text_of(node.find('compoundname')).rsplit('::', 1)[-1]}{body};"
    name = text_of(node.find("name"))
    if kind == "enum":
        values = ", ".join(text_of(value.find("name")) for value in node.findall("enumvalue"))
        return f"enum class {name} {{ {values} }};"
    if kind == "typedef":
        return f"{template_of(node)}using {name} = {text_of(node.find('type'))};"
    result = text_of(node.find("type")).removesuffix("()")  # of a function whose name is in parentheses
    code = f"{template_of(node)}{result} {name}{text_of(node.find('argsstring'))}".strip()
    value = text_of(node.find("initializer")) if kind == "variable" else ""
    return code + (f" {value}" if value.startswith("=") and len(value) <= LONGEST_VALUE else "") + ";"


def fields_of(node: ElementTree.Element) -> list[str]:
    """The fields of a type that has nothing else, with their first values."""
    members = [member for member in node.findall("sectiondef/memberdef") if member.get("kind") != "friend"]
    if any(member.get("kind") != "variable" or member.get("prot") != "public" or member.get("static") == "yes" for member in members):
        return []
    return [declared(member, "variable") for member in members]


def refuses(node: ElementTree.Element, comment: str) -> bool:
    """Whether a declaration only explains what is wrong with a call."""
    return any(refusal in text_of(node.find("argsstring")) for refusal in REFUSALS) or comment.startswith("Catches every other call")


def read_declaration(node: ElementTree.Element, kind: str, pages: dict[str, str]) -> Declaration:
    location = node.find("location")
    assert location is not None
    name = text_of(node.find("name"))
    found = Declaration(name, declared(node, kind), comment_of(node, pages), location.get("file", ""), location.get("line", ""))
    if kind in ("struct", "class"):
        for member in node.findall("sectiondef/memberdef"):
            inner = comment_of(member, pages)
            if inner and member.get("prot") == "public" and member.get("kind") in KINDS and not refuses(member, inner):
                found.members.append(read_declaration(member, member.get("kind", ""), pages))
    return found


def documented_nodes(folder: Path) -> list[tuple[str, str, ElementTree.Element]]:
    """Names, kinds and nodes of all that is declared in ashlar and has a comment."""
    found = []
    for file in sorted(folder.glob("*.xml")):
        if not file.name.startswith(("namespaceashlar", "structashlar", "classashlar", "conceptashlar")):
            continue
        compound = ElementTree.parse(file).getroot().find("compounddef")
        assert compound is not None
        kind = compound.get("kind", "")
        if kind == "namespace":
            for member in compound.findall("sectiondef/memberdef"):
                found.append((text_of(member.find("qualifiedname")), member.get("kind", ""), member))
        elif kind in KINDS:
            found.append((text_of(compound.find("compoundname")), kind, compound))
    return [(name, kind, node) for name, kind, node in found
            if name.startswith(SCOPE) and kind in KINDS and "<" not in name.replace("operator<", "")
            and node.get("prot", "public") == "public" and not refuses(node, comment_of(node, {}))]  # fmt: skip


def read_entries(folder: Path) -> list[Entry]:
    """The public names in Doxygen's XML, in alphabetical order; a name without any comment is none."""
    nodes = documented_nodes(folder)
    pages = {}
    for name, kind, node in nodes:
        if comment_of(node, {}):
            pages[node.get("id", "")] = pages[name.removeprefix(SCOPE)] = Entry(name, kind).path
    entries: dict[str, Entry] = {}
    for name, kind, node in nodes:
        own = {key: page for key, page in pages.items() if page != Entry(name, kind).path}
        own |= names_inside(name.removeprefix(SCOPE).rpartition("::")[0] + "::", own)
        entries.setdefault(page_name(name), Entry(name, kind)).declarations.append(read_declaration(node, kind, own))
    return sorted((entry for entry in entries.values() if entry.summary), key=lambda entry: entry.name.lower())


def declaration_text(declaration: Declaration, link: bool) -> list[str]:
    lines = ["```cpp", declaration.code, "```", "", declaration.comment, ""]
    if link:
        header = declaration.header
        lines += [f"Declared in [`{header}`](/source/include/{header}.txt), line {declaration.line}.", ""]
    return lines


def page_text(entry: Entry, errors: list[tuple[str, str]]) -> str:
    """The page of a name; `errors` are the messages of its calls and their pages."""
    lines = [f"# {entry.name.removeprefix(SCOPE)}", ""]
    commented = [declaration for declaration in entry.declarations if declaration.comment]
    bare = [declaration for declaration in entry.declarations if not declaration.comment]
    for declaration in commented:
        lines += declaration_text(declaration, link=True)
        names = [member.name for member in declaration.members]
        heading = ""
        for member in sorted(declaration.members, key=lambda member: names.index(member.name)):
            lines += [f"## {member.name}", ""] if member.name != heading else []
            heading = member.name
            lines += declaration_text(member, link=False)
    if bare:
        lines += ["## Other overloads", "", "```cpp", *(declaration.code for declaration in bare), "```", ""]
    if errors:
        lines += ["## Errors", "", *(f"- [`{message}`](/{page})" for message, page in errors), ""]
    return "\n".join(lines)


def index_text(entries: list[Entry]) -> str:
    """The list of all names, by header."""
    by_folder: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        header = next(declaration.header for declaration in entry.declarations if declaration.comment)
        by_folder[str(Path(header).parent.relative_to("ashlar"))].append(entry)
    lines = ["# Names", "", f"All {len(entries)} documented names, by the folder of the header that declares them.",
             "[The reference](/reference/index.md) has them by subject.", ""]  # fmt: skip
    for folder in sorted(by_folder):
        lines += [f"## {folder}", "", "| name | |", "|---|---|"]
        for entry in by_folder[folder]:
            summary = entry.summary.replace("|", "\\|")
            lines.append(f"| [`{entry.name.removeprefix(SCOPE)}`](/{entry.path}) | {summary} |")
        lines.append("")
    return "\n".join(lines)
