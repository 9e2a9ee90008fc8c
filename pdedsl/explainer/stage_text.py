"""Intermediate representations as stable text, for `--emit`."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum

from sympy import Symbol

from pdedsl.config.base import Config, Located
from pdedsl.config.blocks import Block, item_text, items
from pdedsl.config.networks import Network
from pdedsl.diagnostics import Span
from pdedsl.ir.boundary import Face
from pdedsl.ir.spec import Condition, Equation, Spec
from pdedsl.numerics.activations import Activation


def spec_text(spec: Spec) -> str:
    """Every fact of a spec, one per line, in the order of the file."""
    space, time = spec.space, spec.time
    where = f"image{space.image}" if space.image else f"dimension {space.dimension}"
    intervals = "".join(f" [{s.start}, {s.end}]{' periodic' * s.periodic}" for s in space.intervals)
    lines = [
        f"pde {spec.name}",
        f"hash {spec.hash}",
        f"space {space.kind} ({', '.join(space.names)}) {where}{intervals}",
    ]
    if time:
        lines.append(f"time {time.name} [{time.start}, {time.end}]")
    lines += [f"inside {g.expr} > 0" for g in space.inequalities]
    lines += [f"const {c.name} = {c.value}" for c in spec.constants]
    for u in spec.unknowns:
        lines.append(f"unknown {u.name}({', '.join(map(str, u.arguments))}) : {u.type}{_net(u.net)}")
    for w in spec.learned:
        start = f" = {w.initial_value}" if w.initial_value is not None else ""
        lines.append(f"learn {w.name}({', '.join(map(str, w.arguments))}) : {w.type}{_net(w.net)}{start}")
    lines += [_equation(e, spec) for e in spec.equations]
    lines += [_condition(c) for c in spec.conditions]
    lines += [f"exact {_part(e.unknown, e.component)} = {'; '.join(map(str, e.value))}" for e in spec.exact]
    lines += [f"observe {', '.join(_part(*o) for o in m.observed)} from {m.data}" for m in spec.observations]
    lines += [f"realize {part} by {method}" for part, method in spec.realize.in_source_order()]
    lines += [f"require {r.axiom}" for r in spec.requirements]
    lines += [line for block in spec.blocks for line in _block(block)]
    return "\n".join(lines) + "\n"


def _net(net: Located[Network] | None) -> str:
    return f" = {net}" if net else ""


def _equation(e: Equation, spec: Spec) -> str:
    time = spec.time.name if spec.time else ""
    left = f"D({e.unknown}, {', '.join([time] * e.order)})" if e.order else "0"
    during = f" for {time} in [{e.interval[0]}, {e.interval[1]}]" if e.interval else ""
    right = "; ".join(map(str, e.rhs))
    marks = [f"  term at {_place(s.span.start, spec)}: {'; '.join(map(str, s.exprs))}" for s in e.summands]
    return "\n".join([f"equation {left} = {right}{during}", *marks])


def _place(offset: int, spec: Spec) -> str:
    line, column = spec.source.position(offset)
    return f"{line}:{column}"


def _condition(c: Condition) -> str:
    value = "; ".join(map(str, c.value))
    if c.on_boundary:
        places = ", ".join(p.name if isinstance(p, Face) else f"{p.expr} = 0" for p in c.places)
        part = f" where {', '.join(f'{g.expr} > 0' for g in c.part)}" if c.part else ""
        return f"boundary {places}{part}: 0 = {value}"
    return f"{c.kind} {_part(c.unknown, c.component)} order {c.order} = {value}"


def _part(head: Symbol, component: int | None) -> str:
    return f"{head}[{component}]" if component else str(head)


def _block(block: Block) -> list[str]:
    """The values in a block, one per line in the order of the text."""
    rows = [
        (place, f"{block.kind} {key} {item_text(item)}".rstrip())
        for key, places in block.places.items()
        for place, item in zip(places, items(block, key), strict=True)
    ]
    return [row for _, row in sorted(rows)]


# ---- Later stages


def noun_text(noun: object, name: str = "", depth: int = 0) -> str:
    """Any frozen dataclass as indented text, one line per field. Spans are left out, so that the text is stable."""
    if noun is None or isinstance(noun, Span):
        return ""
    pad, key = "  " * depth, f"{name} = " if name else ""
    if is_dataclass(noun) and not isinstance(noun, type | Config | Located | Activation):
        inner = "".join(noun_text(getattr(noun, f.name), f.name, depth + 1) for f in fields(noun) if f.repr)
        return f"{pad}{key}{type(noun).__name__}\n{inner}"
    if isinstance(noun, dict):
        return "".join(noun_text(v, str(k), depth) for k, v in noun.items())
    if isinstance(noun, tuple) and any(is_dataclass(v) for v in noun):
        return "".join(noun_text(v, f"{name}[{i}]", depth) for i, v in enumerate(noun))
    text = noun.value if isinstance(noun, Enum) else noun.name if isinstance(noun, Activation) else str(noun)
    return f"{pad}{key}{text}\n"
