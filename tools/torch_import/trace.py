# SPDX-License-Identifier: BSL-1.0
"""Records the calls in a module's forward, with the values that sample inputs give.

The recording is torch.fx's. Sizes, types and ranks are those of the sample, so that code may branch on them.
"""
import operator
import re
import traceback

import torch
from torch import fx

from onnx_import.errors import ModelError, first_line

CONCRETE = {"shape", "dtype", "device", "ndim", "requires_grad", "is_cuda", "is_sparse", "is_quantized", "layout", "itemsize",
            "names", "grad_fn", "is_nested", "is_mkldnn", "is_mps"}
READS_DATA = {"item", "tolist", "numpy", "equal", "allclose", "is_nonzero", "__bool__", "__int__", "__float__", "__index__",
              "__contains__"}
INPLACE_OPERATORS = {"__iadd__": operator.add, "__isub__": operator.sub, "__imul__": operator.mul, "__itruediv__": operator.truediv,
                     "__ipow__": operator.pow, "__iand__": operator.and_, "__ior__": operator.or_}


class Untraceable(ModelError):
    """The forward of a module cannot be recorded. The message is the whole error."""


def running():
    """The frames of code that is not PyTorch's."""
    return [f for f in traceback.extract_stack() if "/torch/" not in f.filename and f.filename != __file__]


def place():
    """The line of the forward that is running, for errors."""
    frames = running()
    return f"{frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno}" if frames else "its forward"


def in_assertion():
    """Whether the line that is running is an assertion."""
    return any(re.match(r"assert\b", frame.line or "") for frame in running()[-1:])


def leaves_of(value):
    """What tuples, lists and dictionaries hold, in their order."""
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in leaves_of(part)]
    return [value]


def tensors_in(value):
    return [leaf for leaf in leaves_of(value) if isinstance(leaf, torch.Tensor)]


class ValueProxy(fx.Proxy):
    """A value of the recording, which knows what the sample gives."""

    @property
    def value(self):
        return self.node.meta["value"]

    def __getattr__(self, name):
        value = self.value
        if name.startswith("__") or not hasattr(value, name):
            raise AttributeError(f"{type(value).__name__} has no attribute {name}")
        if name in CONCRETE:
            return getattr(value, name)
        found = getattr(value, name)
        if not isinstance(value, torch.Tensor):
            for i, part in enumerate(value if isinstance(value, tuple) else ()):
                if part is found:
                    return self[i]
            return found
        if isinstance(found, torch.Tensor):
            return self.tracer.create_proxy("call_method", name, (self,), {})
        return lambda *args, **kwargs: self.tracer.create_proxy("call_method", name, (self, *args), kwargs)

    def refuse(self, what):
        raise Untraceable(f"{self.tracer.title}: {place()} needs {what} of {self.node.name}, which depends on the inputs: "
                          "control flow that depends on data cannot be imported; write it with torch.where, or take it out of "
                          "forward")

    def __bool__(self):
        if in_assertion():  # it holds for the sample, and chooses nothing
            return bool(self.value)
        self.refuse("the truth")

    def __int__(self):
        self.refuse("the number")

    __index__ = __float__ = __int__

    def __contains__(self, _):
        self.refuse("the entries")

    def __len__(self):
        return len(self.value)

    def __abs__(self):
        return self.tracer.create_proxy("call_function", torch.abs, (self,), {})

    def __iter__(self):
        return iter([self[i] for i in range(len(self.value))])

    def __setitem__(self, key, _):
        raise Untraceable(f"{self.tracer.title}: {place()} assigns to entries of {self.node.name}; "
                          "build the tensor with torch.cat or torch.where instead")


def inplace(function):
    def update(self, other):
        self.node = self.tracer.create_proxy("call_function", function, (self, other), {}).node
        return self

    return update


for _name, _function in INPLACE_OPERATORS.items():
    setattr(ValueProxy, _name, inplace(_function))


class Recorder(fx.Tracer):
    """Records one call of one module: calls of submodules for which `is_step` is true are single steps."""

    def __init__(self, module, args, kwargs, title, is_step):
        super().__init__()
        self.module, self.args, self.kwargs, self.title, self.is_step = module, args, kwargs, title, is_step
        self.running = 0  # real calls, which are not recorded
        self.inside = [""]  # paths of modules whose forward is part of the recording

    def record(self):
        """The graph; node.meta["value"] is the value of each node."""
        known = set(self.module.__dict__)
        try:
            with torch.no_grad():
                graph = self.trace(self.module)
        except ModelError:
            raise
        except Exception as failure:
            where = [f for f in traceback.extract_tb(failure.__traceback__)
                     if "/torch/" not in f.filename and f.filename != __file__]
            line = f"{where[-1].filename.rsplit('/', 1)[-1]}:{where[-1].lineno}: " if where else ""
            raise Untraceable(f"{self.title}: {line}{type(failure).__name__}: {first_line(failure)}") from None
        finally:
            for name in set(self.module.__dict__) - known:  # constants that fx keeps there
                delattr(self.module, name)
        return graph

    # What fx asks for.

    def create_args_for_root(self, root_fn, is_module, concrete_args=None):
        names = self.names_of_inputs()

        def placeholder(path, value):
            if isinstance(value, torch.Tensor):
                self.incoming = value
                return self.create_proxy("placeholder", path, (), {})
            if isinstance(value, (tuple, list)):
                parts = [placeholder(f"{path}_{i}", part) for i, part in enumerate(value)]
                return type(value)(parts) if not hasattr(value, "_fields") else type(value)(*parts)
            if isinstance(value, dict):
                return {key: placeholder(f"{path}_{key}", part) for key, part in value.items()}
            return value

        args = [placeholder(name, value) for name, value in zip(names, self.args)]
        kwargs = {name: placeholder(name, value) for name, value in self.kwargs.items()}

        def call():
            return root_fn(self.module, *args, **kwargs)

        return call, []

    def names_of_inputs(self):
        code = type(self.module).forward.__code__
        names = list(code.co_varnames[1:code.co_argcount])
        return names + [f"x{i}" for i in range(len(names), len(self.args))]

    def proxy(self, node):
        return ValueProxy(node, self)

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        node = super().create_node(kind, target, args, kwargs, name, type_expr)
        node.meta["path"] = self.inside[-1]
        if kind == "get_attr":
            value = self.module
            for part in target.split("."):
                value = value.__dict__[part] if part in value.__dict__ else self.real(getattr, value, part)
            node.meta["value"] = value
        return node

    def real(self, function, *args, **kwargs):
        """A call that is not recorded."""
        self.running += 1
        try:
            return function(*args, **kwargs)
        finally:
            self.running -= 1

    def getattr(self, attr, attr_val, parameter_proxy_cache):
        if self.running:
            return attr_val
        return super().getattr(attr, attr_val, parameter_proxy_cache)

    _module_getattr = getattr

    def call_module(self, m, forward, args, kwargs):
        proxies = []
        fx.node.map_aggregate((args, kwargs), lambda a: proxies.append(a) if isinstance(a, fx.Proxy) else None)
        if self.running or not proxies:
            return self.real(forward, *args, **kwargs)
        if not self.is_step(m):
            self.inside.append(self.path_of_module(m))
            result = forward(*args, **kwargs)
            self.inside.pop()
            return result
        self.outgoing = forward
        result = self.create_proxy("call_module", self.path_of_module(m), args, kwargs)
        if m.__dict__.get("inplace") and args and isinstance(args[0], ValueProxy):
            args[0].node = result.node
        return result

    def create_proxy(self, kind, target, args, kwargs, *rest, **more):
        if kind == "get_attr":
            return super().create_proxy(kind, target, args, kwargs, *rest, **more)
        if kind == "placeholder":
            proxy = super().create_proxy(kind, target, args, kwargs, *rest, **more)
            proxy.node.meta["value"] = self.incoming
            return proxy
        name = target if isinstance(target, str) else getattr(target, "__name__", str(target))
        if kind != "call_module" and name in READS_DATA:
            raise Untraceable(f"{self.title}: {place()} calls {name}, whose result depends on the inputs: "
                              "control flow that depends on data cannot be imported; write it with torch.where, or take it out "
                              "of forward")
        value = self.compute(kind, target, args, kwargs)
        if not tensors_in(value):
            return value
        proxy = super().create_proxy(kind, target, args, kwargs, *rest, **more)
        proxy.node.meta["value"] = value
        changed = kwargs.get("inplace") or kind == "call_method" and name.endswith("_") and not name.endswith("__")
        if changed and args and isinstance(args[0], ValueProxy):
            args[0].node = proxy.node
        return type(value)(proxy[i] for i in range(len(value))) if type(value) in (tuple, list) else proxy

    def compute(self, kind, target, args, kwargs):
        """What the call gives for the sample. Operands are copied, as some calls change them."""
        def plain(a):
            return a.value if isinstance(a, fx.Proxy) else a

        args, kwargs = fx.node.map_aggregate(tuple(args), plain), fx.node.map_aggregate(dict(kwargs), plain)
        if args and isinstance(args[0], torch.Tensor):
            args = (args[0].clone(), *args[1:])
        if kind == "call_module":
            return self.real(self.outgoing, *args, **kwargs)
        if kind == "call_function":
            return self.real(target, *args, **kwargs)
        attribute = getattr(args[0], target)
        return attribute if isinstance(attribute, torch.Tensor) else self.real(attribute, *args[1:], **kwargs)
