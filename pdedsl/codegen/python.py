"""A program as readable Python: formatted, lint-clean, and importing only torch and the runtime."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from pdedsl.codegen.expressions import extract_formulas
from pdedsl.codegen.names import user_code_name
from pdedsl.codegen.program import (
    Call,
    FunctionDefinition,
    IndexedComponent,
    ItemList,
    Lambda,
    Method,
    Node,
    Operation,
    Program,
    Ref,
    Repeat,
    ReturnType,
    UserSymbol,
    split_import_path,
)
from pdedsl.diagnostics.escaping import comment, docstring, literal

WIDTH = 88  # line length of generated code, as in black


def to_python(program: Program) -> str:
    """The program as the text of a module. Formulas become named functions, so that models can be pickled."""
    program = extract_formulas(program)
    body = "\n\n\n".join(_function(f) for f in program.functions)
    imports = _imports(program)
    doc = docstring(f"{program.doc}\n")
    return f'"""{doc}"""\n\nfrom __future__ import annotations\n\n{imports}\n\n\n{body}\n'


# ---- Imports


def _called_paths(node: Node) -> list[str | UserSymbol]:
    match node:
        case Call(path=path, args=args, named=named):
            return [path] + [p for n in (*args, *(v for _, v in named)) for p in _called_paths(n)]
        case Method(of=of, args=args, named=named):
            return [p for n in (of, *args, *(v for _, v in named)) for p in _called_paths(n)]
        case Lambda(body=body) | Repeat(body=body):
            return _called_paths(body)
        case ItemList(values=nodes) | Operation(args=nodes):
            return [p for n in nodes for p in _called_paths(n)]
        case IndexedComponent(of=of):
            return _called_paths(of)
        case _:
            return []


def _imports(program: Program) -> str:
    called = {
        p for f in program.functions for n in (*(b.value for b in f.bindings), f.result) for p in _called_paths(n)
    }
    own, paths = {p for p in called if isinstance(p, UserSymbol)}, {p for p in called if isinstance(p, str)}
    annotated = any(f.returns is ReturnType.MODULE for f in program.functions)
    standard = [
        f"from functools import {split_import_path(p)[1][0]}\n" for p in sorted(paths) if p.startswith("functools.")
    ]
    plain = ["import torch"] if any(_is_torch(p) for p in paths) else []
    names = ["Tensor"] if any(f.returns is ReturnType.TENSOR for f in program.functions) else []
    names += ["nn"] if annotated or any(p.startswith("torch.nn.") for p in paths) else []
    torch_from = [f"from torch import {', '.join(names)}"] if names else []
    homes: dict[str, set[str]] = {}
    for path in paths:
        if path.startswith("pdedsl."):
            module, names = split_import_path(path)
            homes.setdefault(module, set()).add(names[0])
    ours = [_import(module, sorted(names)) for module, names in sorted(homes.items())]
    theirs = [f"\nfrom {p.module} import {p.name} as {user_code_name(p.name)}" for p in sorted(own, key=str)]
    return "\n".join([*standard, *plain, *ours, *torch_from, *theirs])


def _import(module: str, names: list[str]) -> str:
    flat = f"from {module} import {', '.join(names)}"
    if len(flat) <= WIDTH:
        return flat
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def _is_torch(path: str) -> bool:
    return path.startswith("torch.") and not path.startswith("torch.nn.")


def _displayed_path(path: str | UserSymbol) -> str:
    if isinstance(path, UserSymbol):
        return user_code_name(path.name)
    if path.startswith("torch.nn."):
        return path.removeprefix("torch.")
    if path.startswith(("pdedsl.", "functools.")):
        return ".".join(split_import_path(path)[1])
    return path


# ---- Functions and expressions


def _function(function: FunctionDefinition) -> str:
    lines = [_signature(function), f'    """{docstring(function.doc)}"""']
    for binding in function.bindings:
        if binding.comment:
            lines.append(f"    # {comment(binding.comment)}")
        lines.append(_indent(f"{binding.name} = ", binding.value))
    if function.comment:
        lines.append(f"    # {comment(function.comment)}")
    lines.append(_indent("return ", function.result))
    return "\n".join(lines)


def _signature(function: FunctionDefinition) -> str:
    params = [
        f"{name}: {'float' if name in function.numbers else _annotation(name, d)}{'' if d is None else f' = {d!r}'}"
        for name, d in function.params
    ]
    flat = f"def {function.name}({', '.join(params)}) -> {function.returns}:"
    if len(flat) <= WIDTH:
        return flat
    row = f"    {', '.join(params)}\n"
    spread = row if len(row) <= WIDTH + 1 else "".join(f"    {p},\n" for p in params)
    return f"def {function.name}(\n{spread}) -> {function.returns}:"


def _annotation(name: str, default: object) -> str:
    if default is None:
        return {"x": "Tensor", "points": "Tensor", "normal": "Tensor", "t": "float"}.get(name, "nn.Module")
    return type(default).__name__


def _indent(head: str, node: Node) -> str:
    whole = "    " + head + _format_inline(node)
    if isinstance(node, Operation) and len(whole) > WIDTH:
        return f"    {head}(\n        {format_node(node, 8, 0, 0)}\n    )"
    return "    " + head + format_node(node, 4, len(head), 0)


def format_node(node: Node, indent: int, used: int = 0, after: int = 1) -> str:
    """A node as an expression. One that is too long for its line is wrapped as the usual formatters do: all arguments
    on the next line if they fit there, otherwise one per line, each followed by a comma."""
    flat = _format_inline(node)
    if indent + used + len(flat) + after <= WIDTH:
        return flat
    match node:
        case Lambda(params=params, body=body):
            head = f"lambda {', '.join(params)}: " if params else "lambda: "
            return head + format_node(body, indent, used + len(head), after)
        case Method(of=of, name=name, args=(), named=()) if name:
            return f"{format_node(of, indent, used, after + len(name) + 3)}.{name}()"
        case Method(of=Call() as of, name=name) if indent + used + len(f"{_format_inline(of)}.{name}(") > WIDTH:
            return f"{_format_multiline(of, indent)}{format_node(replace(node, of=Ref('')), indent, 1, after)}"
        case Call() | Method() | ItemList():
            return _format_multiline(node, indent)
        case Operation(sign=sign, args=args) if len(args) > 1:
            lead = len(sign) + 1
            return f"\n{' ' * indent}{sign} ".join(_operand(a, indent, lead * (k > 0)) for k, a in enumerate(args))
        case _:
            return flat


def _operand(node: Node, indent: int, used: int) -> str:
    if not isinstance(node, Operation):
        return format_node(node, indent, used, 0)
    if indent + used + len(_format_inline(node)) + 2 <= WIDTH:
        return f"({_format_inline(node)})"
    return f"(\n{' ' * (indent + 4)}{format_node(node, indent + 4, 0, 0)}\n{' ' * indent})"


def _format_multiline(node: Call | Method | ItemList, indent: int) -> str:
    inner = indent + 4
    open_, parts, close = _delimiters_and_parts(node)
    row = ", ".join(key + _format_inline(part) for key, part in parts)
    if inner + len(row) <= WIDTH:
        return f"{open_}\n{' ' * inner}{row}\n{' ' * indent}{close}"
    rows = "".join(f"{' ' * inner}{key}{format_node(part, inner, len(key))},\n" for key, part in parts)
    return f"{open_}\n{rows}{' ' * indent}{close}"


def _delimiters_and_parts(node: Call | Method | ItemList) -> tuple[str, list[tuple[str, Node]], str]:
    """The opening delimiter, the parts with their keys, and the closing delimiter."""
    match node:
        case ItemList(values=values, square=square):
            return ("[" if square else "("), [("", v) for v in values], ("]" if square else ")")
        case Call(path=path, args=args, named=named):
            head = _displayed_path(path)
        case Method(of=of, name=name, args=args, named=named):
            head = f"{_format_inline(of)}.{name}" if name else _format_inline(of)
    return f"{head}(", [*(("", a) for a in args), *((f"{k}=", v) for k, v in named)], ")"


def _format_inline(node: Node) -> str:
    match node:
        case Ref(name=name):
            return name
        case Call() | Method():
            open_, parts, close = _delimiters_and_parts(node)
            return open_ + ", ".join(key + _format_inline(part) for key, part in parts) + close
        case Lambda(params=params, body=body):
            return (
                f"lambda {', '.join(params)}: {_format_inline(body)}" if params else f"lambda: {_format_inline(body)}"
            )
        case ItemList(values=values, square=square):
            inside = ", ".join(map(_format_inline, values))
            return f"[{inside}]" if square else f"({inside},)" if len(values) == 1 else f"({inside})"
        case Repeat(count=count, body=body):
            return f"[{_format_inline(body)} for _ in range({count})]"
        case IndexedComponent(of=of, index=index, second=second):
            return (
                f"{_format_inline(of)}[..., {index}]"
                if second is None
                else f"{_format_inline(of)}[..., {index}, {second}]"
            )
        case Operation(sign=sign, args=args):
            return _format_operation(sign, args)
        case int() | float() | str() | None:
            return literal(node) if isinstance(node, str) else repr(node)
        case _:
            assert_never(node)


def _format_operation(sign: str, args: tuple[Node, ...]) -> str:
    shown = [f"({_format_inline(a)})" if isinstance(a, Operation) else _format_inline(a) for a in args]
    if len(args) == 1:
        return f"-{shown[0]}"
    if sign == "**":
        return "**".join(shown) if all(map(_simple, args)) else " ** ".join(shown)
    return f" {sign} ".join(shown)


def _simple(node: Node) -> bool:
    """Whether a power of this is written without spaces, by the rule of the formatter."""
    return isinstance(node, Ref | int | float)
