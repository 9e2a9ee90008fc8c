"""Canonical text of a spec: equal for equivalent specs, independent of names and notation.

Constants are replaced by numbers, coordinates by their indices, and names of unknowns and learned fields by
canonical names, found by colour refinement (Weisfeiler-Leman): the type of a field, refined by its occurrences.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from hashlib import sha256
from itertools import pairwise

from sympy import Add, Expr, Integer, Mul, Symbol, Tuple
from sympy.core.basic import Basic
from sympy.core.symbol import Str

from pdedsl.config.base import Config, Located, format_call
from pdedsl.config.blocks import ENTRIES, Block, NetworkBlock, Transfer, WeightHistogram, item_text, items
from pdedsl.config.training import WeightBox
from pdedsl.ir.boundary import Face, Place
from pdedsl.ir.default_methods import effective_diffusion, effective_integrator
from pdedsl.ir.spec import (
    Condition,
    Equation,
    ExactSolution,
    FamilyParameter,
    Learned,
    Observation,
    Space,
    SpaceKind,
    Spec,
    Unknown,
)
from pdedsl.ir.verdicts import Axiom
from pdedsl.symbolic.rewrite import expand_products
from pdedsl.symbolic.symbols import Component, Field, Partial, atoms, with_number

Colours = dict[Symbol, str]
MAX_REFINED_FIELDS = 40  # fields; above, refinement is too slow and names may affect the text
ORDERED = ("optimizer", "augment")  # entries whose order matters
IDENTIFIERS = {"stem": "open", "head": "close", Axiom.CONSTANTS: "constants"}  # of keywords whose name has changed
OMITTED_AT_DEFAULT = (
    "frame",
    "loss",
)  # entries omitted at their defaults, so that older hashes remain valid


def canonical_text(spec: Spec) -> str:
    """One line per fact, in sorted order."""
    colours = names_of(spec)
    return "\n".join([*_domain_lines(spec), *sorted(_facts(spec, colours))]) + "\n"


# ---- Colour refinement


def names_of(spec: Spec) -> Colours:
    """A canonical name for each unknown and learned field, independent of its name in the spec."""
    fields = fields_of(spec)
    colours = _refine_until_stable(spec, {f.head: _kind(f) for f in fields})
    while (tied := _first_shared_colour(colours)) and len(fields) <= MAX_REFINED_FIELDS:
        refined = _refine(spec, colours)
        first = min((h for h in colours if colours[h] == tied), key=lambda h: h.name)
        refined[first] += "*"  # individualize one of several interchangeable fields
        colours = _refine_until_stable(spec, refined)
    ordered = sorted(fields, key=lambda f: (isinstance(f, Learned), colours[f.head], f.name))
    counts = {Unknown: 0, Learned: 0, FamilyParameter: 0}
    letters = {Unknown: "u", Learned: "w", FamilyParameter: "p"}
    names: Colours = {}
    for f in ordered:
        counts[type(f)] += 1
        names[f.head] = f"{letters[type(f)]}{counts[type(f)]}"
    return names


def _refine_until_stable(spec: Spec, colours: Colours) -> Colours:
    """Refines colours until no more fields are distinguished."""
    while _first_shared_colour(colours) and len(colours) <= MAX_REFINED_FIELDS:
        refined = _refine(spec, colours)
        if len(set(refined.values())) == len(set(colours.values())):
            break
        colours = refined
    return colours


def unknowns_in_order(spec: Spec) -> tuple[Symbol, ...]:
    """The unknowns in an order that does not depend on their names, as in Y' = ∂H/∂Z, Z' = -∂H/∂Y: by the number of
    negative terms, by colour, and by name only if nothing else distinguishes them."""
    colours = _refine_until_stable(spec, {f.head: _kind(f) for f in fields_of(spec)})
    falling = {
        e.unknown: sum(_is_negative(term) for right in e.rhs for term in Add.make_args(right)) for e in spec.equations
    }
    keys = {u.head: (falling.get(u.head, 0), colours[u.head], u.name) for u in spec.unknowns}
    return tuple(sorted(keys, key=lambda head: keys[head]))


def _is_negative(term: Expr) -> bool:
    return bool(with_number(term)[0].is_negative)


def fields_of(spec: Spec) -> list[Unknown | Learned]:
    return [*spec.unknowns, *spec.learned]


def _first_shared_colour(colours: Colours) -> str | None:
    """The first colour shared by several fields."""
    ordered = sorted(colours.values())
    return next((a for a, b in pairwise(ordered) if a == b), None)


def _refine(spec: Spec, colours: Colours) -> Colours:
    return {h: _digest(c + "\n".join(sorted(_facts(spec, {**colours, h: "self"})))) for h, c in colours.items()}


def _kind(f: Unknown | Learned) -> str:
    return _digest(f"{type(f).__name__} {f.type} {f.net and _config_text(f.net)} {len(f.arguments)}")


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:12]


# ---- Lines of the canonical text


def _domain_lines(spec: Spec) -> list[str]:
    space = spec.space
    box = " ".join(f"[{s.start}, {s.end}]{' periodic' * s.periodic}" for s in space.intervals)
    dimension = space.dimension if isinstance(space.dimension, int) and not space.dimension_from_data else "d"
    where = f"image{space.image}" if space.image else box or f"R^{dimension}"
    system = f"{space.metric.system} " if space.metric else ""
    lines = [f"space {space.kind} {system}{where}"]
    if spec.time:
        lines.append(f"time [{spec.time.start}, {spec.time.end}]")
    show = printer(spec, {})
    return lines + sorted(f"inside {_normalize(g.expr, show, signed=True)}" for g in spec.space.inequalities)


def _facts(spec: Spec, colours: Colours) -> list[str]:
    show = printer(spec, colours)
    lines = [
        *(_declaration(f, show, colours) for f in fields_of(spec)),
        *(["unknown λ : eigenvalue"] if spec.eigenvalue else []),
        *(_equation(e, spec, show, colours) for e in spec.equations),
        *(line for c in spec.conditions for line in _condition(c, spec.space, show, colours)),
        *(line for e in spec.exact for line in _exact(e, spec, show, colours)),
        *(_observation(o, colours) for o in spec.observations),
        *(f"history {colours[h.unknown]} = {'; '.join(map(show, h.value))} from {h.start}" for h in spec.histories),
        *(f"integral 0 = {_normalize(c.value, show)}" for c in spec.integral_conditions),
        *_realizations(spec),
        *dict.fromkeys(f"require {IDENTIFIERS.get(r.axiom, r.axiom)}" for r in spec.requirements),
    ]
    heads = {f.name: colours[f.head] for f in fields_of(spec)}
    return lines + [line for block in spec.blocks for line in _block(block, heads)]


def _realizations(spec: Spec) -> list[str]:
    """The methods, with defaults filled in; a method for the convection counts as the time integrator."""
    methods = spec.realize
    if spec.space.kind is not SpaceKind.PHYSICAL:
        methods = replace(
            methods,
            time=Located(effective_integrator(spec)),
            convection=methods.time and methods.convection,
            diffusion=effective_diffusion(spec),
        )
    return [f"realize {part} by {_config_text(method)}" for part, method in methods.in_source_order()]


Show = Callable[[Basic], str]


def _declaration(f: Unknown | Learned, show: Show, colours: Colours) -> str:
    if isinstance(f, FamilyParameter):
        return f"parameter {colours[f.head]}() : {f.distribution}{' random' * f.is_random}"
    keyword = "unknown" if isinstance(f, Unknown) else "learn"
    arguments = ", ".join(map(show, f.arguments))
    net = (
        f" = {_config_text(f.net)}"
        if f.net
        else f" = {f.initial_value}"
        if isinstance(f, Learned) and f.initial_value is not None
        else ""
    )
    return f"{keyword} {colours[f.head]}({arguments}) : {f.type}{net}"


def _equation(e: Equation, spec: Spec, show: Show, colours: Colours) -> str:
    """An equation that is implicit in its time derivative determines its residual up to a factor."""
    during = f" for [{e.interval[0]}, {e.interval[1]}]" if e.interval else ""
    if e.unknown is None or not e.order or _is_implicit(e, spec):
        return f"equation 0 = {'; '.join(_normalize(r, show) for r in e.rhs)}{during}"
    own, right = f"{colours[e.unknown]}{_component(e.component)}", "; ".join(map(show, e.rhs))
    return f"equation d{e.order} {own} = {right}{during}"


def _is_implicit(e: Equation, spec: Spec) -> bool:
    derivatives = (
        p for r in e.rhs for p in atoms(r, Partial) if isinstance(p.body, Field) and p.body.head == e.unknown
    )
    return spec.time is not None and any(tuple(p.slots) == (spec.time.symbol,) * e.order for p in derivatives)


def _condition(c: Condition, space: Space, show: Show, colours: Colours) -> list[str]:
    """One line per place, so that `on boundary` equals naming all faces."""
    if c.on_boundary:
        part = "".join(sorted(f" where {_normalize(g.expr, show, signed=True)}" for g in c.part))
        return [
            f"boundary {_place(p, show)}{part}: 0 = {'; '.join(_normalize(_at(v, p, space), show) for v in c.value)}"
            for p in c.places
        ]
    return [f"{c.kind} d{c.order} {colours[c.unknown]}{_component(c.component)} = {'; '.join(map(show, c.value))}"]


def _place(place: Place, show: Show) -> str:
    return place.name if isinstance(place, Face) else f"on {_normalize(place.expr, show)}"


def _at(value: Expr, place: Place, space: Space) -> Expr:
    """The value on a face of the box, where the normal n is known. Every derivative across the face is written as a
    normal derivative, so that on `left`, n = (-1, 0), the conditions ∂u/∂x = -1 and n·∇u = 1 are equal."""
    if not space.explicit or not isinstance(place, Face):
        return value
    value, x = place.with_normal(value, space.coordinates), space.coordinates[place.coordinate]
    across = [d for d in atoms(value, Partial) if x in d.slots]
    return value.xreplace({d: place.sign * _normal_derivative(d, d.slots.index(x), space) for d in across})


def _normal_derivative(derivative: Partial, slot: int, space: Space) -> Expr:
    """A derivative with n·∇ instead of the variable in a slot."""
    n, (body, *slots) = Symbol("n"), derivative.args  # not real: it differs from a coordinate n
    del slots[slot]
    return Add(*(Component(n, Integer(j)) * Partial(body, x, *slots) for j, x in enumerate(space.coordinates, 1)))


def _component(index: int | None) -> str:
    return f"[{index}]" if index else ""


def _exact(e: ExactSolution, spec: Spec, show: Show, colours: Colours) -> list[str]:
    """One line per component, whether components are prescribed together or separately. Coordinates are renamed first,
    since sympy chooses between sin(x - t) and -sin(t - x) by their names."""
    counted, first = {x: Symbol(text, real=True) for x, text in _coordinate_names(spec).items()}, e.component or 1
    values = [expand_products(v.xreplace(counted)) for v in e.value]
    return [f"exact {colours[e.unknown]}[{k}] = {show(v)}" for k, v in enumerate(values, first)]


def _coordinate_names(spec: Spec) -> dict[Symbol, str]:
    """Names of coordinates and time that cannot occur in a spec."""
    time = {spec.time.symbol: "·t"} if spec.time else {}
    return {s: f"·x{i}" for i, s in enumerate(spec.space.coordinates, 1)} | time


def _eigenvalue_names(spec: Spec) -> dict[Symbol, str]:
    """Names of the parts of the eigenvalue that cannot occur in a spec."""
    parts = spec.eigenvalue.parts if spec.eigenvalue else ()
    return {s: f"λ{k}" for k, s in enumerate(parts, 1)}


def _observation(o: Observation, colours: Colours) -> str:
    names = ", ".join(sorted(f"{colours[head]}{_component(k)}" for head, k in o.observed))
    return f"observe {names} from {_config_text(o.data)}"


def _normalize(expr: Expr, show: Show, signed: bool = False) -> str:
    """`expr = 0`, scaled so that the first term has coefficient 1; or ±1 if the sign matters (`signed`)."""
    split = [a.as_coeff_Mul() for a in Add.make_args(expand_products(expr))]
    terms = sorted((show(rest), coefficient) for coefficient, rest in split)
    scale = abs(terms[0][1]) if signed else terms[0][1]
    return "(+ " + " ".join(f"(* {c / scale} {text})" for text, c in terms) + ")"


def _block(block: Block, heads: dict[str, str]) -> list[str]:
    """A line for each value of each entry, including defaults; numbered where their order matters."""
    lines = []
    if isinstance(block, NetworkBlock) and block.head == block.stages[-1]:
        block = replace(block, head=None)
    plain = {f.name: f.default for f in fields(block)}
    for key in ENTRIES[block.kind]:
        if key in OMITTED_AT_DEFAULT and getattr(block, key) == plain[key]:
            continue
        for place, item in enumerate(items(block, key)):
            ordered = f"[{place}]" if key in ORDERED else ""
            histogram = isinstance(item, Located) and isinstance(item.config, WeightHistogram)
            entry = "weights" if histogram else IDENTIFIERS.get(key, key)
            lines.append(f"{block.kind} {entry}{ordered} {_item(item, heads)}")
    return lines


def _item(item: object, heads: dict[str, str]) -> str:
    match item:
        case Located():
            return _config_text(item)
        case Transfer(attack=attack, source=source):
            return f"{_config_text(attack)} from {source}"
        case WeightBox(operator=operator):
            return item_text(replace(item, operator=heads.get(operator, operator)))
        case _:
            return item_text(item)


def _config_text(chosen: Located[Config]) -> str:
    return format_call(chosen.config.identifier or chosen.config.name, chosen.config.effective)


# ---- Expressions


def printer(spec: Spec, colours: Colours) -> Show:
    """Prefix notation with the arguments of sums and products in sorted order."""
    symbols = {s: text[1:] for s, text in _coordinate_names(spec).items()} | _eigenvalue_names(spec)

    def show(e: Basic) -> str:
        if isinstance(e, Symbol):
            return symbols.get(e) or colours.get(e) or e.name.removeprefix("·")
        if isinstance(e, Add | Mul):
            return f"({' '.join(['+' if isinstance(e, Add) else '*', *sorted(map(show, e.args))])})"
        if isinstance(e, Field):
            head, indices, arguments = show(e.head), map(show, e.indices), map(show, e.arguments)
            return f"{head}[{' '.join(indices)}]({' '.join(arguments)})"
        if isinstance(e, Partial):
            return f"(Partial {show(e.body)} {' '.join(sorted(map(show, e.slots)))})"
        if isinstance(e, Tuple):
            return f"[{' '.join(map(show, e.args))}]"
        if isinstance(e, Str):
            return str(e.name)
        if not e.args:
            return str(e)
        return f"({' '.join([type(e).__name__, *map(show, e.args)])})"

    return show
