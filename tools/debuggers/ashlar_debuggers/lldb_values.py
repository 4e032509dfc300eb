# SPDX-License-Identifier: BSL-1.0
"""Values of lldb. Works with lldb 14 and later.

lldb builds the names of types anew and loses template arguments that are objects, such as axes and strides: of
`tensor<float, seq, head>` it says `basic_tensor<float, axis<fixed_string<4>, 4>, ...>` or `basic_tensor<float, 1, 1>`.
The mangled names of member functions still have them."""
from __future__ import annotations

from typing import Iterator, List, Optional

import lldb

from .array_text import Numbers
from .element import Element, Number, decode
from .errors import NotUnderstood, Unreadable
from .type_name import parse

FLOATS = (lldb.eBasicTypeHalf, lldb.eBasicTypeFloat, lldb.eBasicTypeDouble, lldb.eBasicTypeLongDouble)

STRUCTURES = lldb.eTypeClassStruct | lldb.eTypeClassClass
METHODS = (lldb.eMemberFunctionKindInstanceMethod, lldb.eMemberFunctionKindStaticMethod)
# Types without member functions, whose arguments are types and integers.
NAMED_BY_LLDB = ("plan_summary", "scalar_node")


def own_name(kind: lldb.SBType) -> str:
    return kind.GetCanonicalType().GetUnqualifiedType().GetName() or ""


def mangled_members(kind: lldb.SBType) -> Iterator[str]:
    """The full names of the member functions of a type that have one. lldb makes those of constructors up."""
    for i in range(kind.GetNumberOfMemberFunctions()):
        function = kind.GetMemberFunctionAtIndex(i)
        if function.GetKind() not in METHODS or not function.GetMangledName():
            continue
        name = function.GetDemangledName()
        if name is not None and name.startswith("ashlar::"):
            yield name


def full_name(kind: lldb.SBType) -> str:
    """The name of a type with all of its template arguments: from a member function, or from one of the base class,
    whose first argument is the type."""
    kind = kind.GetCanonicalType().GetUnqualifiedType()
    name = own_name(kind)
    parsed = parse(name.split("<")[0])
    if parsed is None or "<" not in name:
        return name
    for member in mangled_members(kind):
        owner = parse(member)
        if owner is not None and owner.name == parsed.name:
            return member
    for i in range(kind.GetNumberOfDirectBaseClasses()):
        for member in mangled_members(kind.GetDirectBaseClassAtIndex(i).GetType().GetCanonicalType()):
            owner = parse(member)
            derived = parse(owner.arguments[0]) if owner is not None and owner.arguments else None
            if derived is not None and derived.name == parsed.name:
                return owner.arguments[0]
    if parsed.name not in NAMED_BY_LLDB:
        raise NotUnderstood("this program has no names of the type's member functions")
    return name


def element_of(kind: lldb.SBType, target: lldb.SBTarget) -> Element:
    """What the elements of a type are."""
    kind = kind.GetCanonicalType().GetUnqualifiedType()
    size, basic = kind.GetByteSize(), kind.GetBasicType()
    name = parse(kind.GetName() or "")
    if name is not None and name.name == "narrow_float" and name.arguments:
        return Element("half" if name.arguments[0].endswith(("0", "half")) else "brain", 2)
    if basic == lldb.eBasicTypeBool:
        return Element("bool", size)
    if basic in FLOATS or "bf16" in (kind.GetName() or ""):
        if size == 2:
            return Element("brain" if "bf" in (kind.GetName() or "") else "half", 2)
        if size > 8 and not target.GetTriple().startswith(("x86", "i386", "i686")):
            raise NotUnderstood("long double of this machine")
        return Element("float" if size <= 8 else "x87", size)
    flags = kind.GetTypeFlags()
    if flags & lldb.eTypeIsInteger:
        return Element("signed" if flags & lldb.eTypeIsSigned else "unsigned", size)
    raise NotUnderstood(f"elements of {kind.GetName()}")


def checked(value: lldb.SBValue, what: str) -> lldb.SBValue:
    if not value.IsValid():
        raise NotUnderstood(f"no {what}")
    return value


def failure(error: lldb.SBError) -> Unreadable:
    text = (error.GetCString() or "cannot be read").strip()
    return Unreadable("optimized out" if "optimized out" in text else text)


class LldbArray:
    """Elements of an array or behind a pointer."""

    def __init__(self, value: lldb.SBValue) -> None:
        kind = value.GetType().GetCanonicalType()
        self.value = value
        self.process, self.target = value.GetProcess(), value.GetTarget()
        self.count: Optional[int] = None
        if kind.IsPointerType():
            element, self.address = kind.GetPointeeType(), LldbValue(value).pointer()
        elif kind.IsArrayType():
            element, self.address = kind.GetArrayElementType(), value.GetLoadAddress()
            self.count = kind.GetByteSize() // max(element.GetByteSize(), 1)
        else:
            raise NotUnderstood(f"no elements: {kind.GetName()}")
        self.element = element_of(element, self.target)

    def read(self, first: int, count: int) -> Numbers:
        error, size, data = lldb.SBError(), self.element.size, None
        if self.address != lldb.LLDB_INVALID_ADDRESS and self.process.IsValid():
            data = self.process.ReadMemory(self.address + first * size, count * size, error)
        if data is None and self.count is not None:
            # In registers, whose value lldb gives as an address; without a process; or a result of lldb's.
            unread = error
            error = lldb.SBError()
            data = self.value.GetData().ReadRawData(error, first * size, count * size)
            error = unread if error.Fail() and unread.Fail() else error
        if error.Fail() or data is None or len(data) != count * size:
            raise failure(error)
        return decode(self.element, data, self.target.GetByteOrder() == lldb.eByteOrderBig)


class LldbValue:
    """An object."""

    def __init__(self, value: lldb.SBValue) -> None:
        self.value = value

    def type_name(self) -> str:
        return full_name(self.value.GetType())

    def member(self, name: str) -> "LldbValue":
        if self.value.GetError().Fail():
            raise failure(self.value.GetError())
        return LldbValue(checked(self.value.GetChildMemberWithName(name), name))

    def base(self, index: int) -> "LldbValue":
        if index >= self.value.GetType().GetNumberOfDirectBaseClasses():
            raise NotUnderstood(f"no base class {index}")
        base = self.value.GetType().GetDirectBaseClassAtIndex(index)
        return LldbValue(checked(self.value.CreateChildAtOffset("", base.GetOffsetInBytes(), base.GetType()), "base"))

    def pointed(self) -> "LldbValue":
        return LldbValue(checked(self.value.Dereference(), "pointer"))

    def pointer(self) -> int:
        return int(self.number())

    def number(self) -> Number:
        error = lldb.SBError()
        kind = self.value.GetType().GetCanonicalType()
        if kind.GetBasicType() in FLOATS:
            data = self.value.GetData()
            number: Number = data.GetFloat(error, 0) if kind.GetByteSize() == 4 else data.GetDouble(error, 0)
        elif kind.GetTypeFlags() & lldb.eTypeIsSigned:
            number = self.value.GetValueAsSigned(error)
        else:
            number = self.value.GetValueAsUnsigned(error)
        if error.Fail():
            raise failure(error)
        return number

    def array(self) -> LldbArray:
        return LldbArray(self.value)

    def array_at(self, index: int) -> "LldbValue":
        return LldbValue(checked(self.value.GetChildAtIndex(index), f"element {index}"))

    def variable_at(self, address: int) -> Optional[str]:
        """Of the frame that the value belongs to, else one with static storage."""
        frame, target = self.value.GetFrame(), self.value.GetTarget()
        for variable in frame.GetVariables(True, True, True, True) if frame.IsValid() else ():
            if variable.GetType().IsReferenceType():
                variable = variable.Dereference()
            is_object = variable.GetType().GetCanonicalType().GetTypeClass() & STRUCTURES
            if is_object and variable.GetLoadAddress() == address:
                return variable.GetName().lstrip("*&").split("::")[-1]
        place = target.ResolveLoadAddress(address) if frame.IsValid() else target.ResolveFileAddress(address)
        symbol = place.GetSymbol()
        if symbol.IsValid() and symbol.GetStartAddress() == place:
            return symbol.GetName()
        return None


__all__: List[str] = ["LldbArray", "LldbValue", "full_name"]
