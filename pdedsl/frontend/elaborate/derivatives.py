"""Undeclared names that look like derivatives of a declared unknown."""

from __future__ import annotations

from collections.abc import Mapping

from pdedsl import mistakes
from pdedsl.diagnostics import PdeError
from pdedsl.frontend.syntax import tree as t
from pdedsl.frontend.syntax.names import identity, unicode_name

MOST_LETTERS = 4  # in the subscript of an unknown, as in u_xxyy


def variables(declared: Mapping[str, t.Statement]) -> tuple[list[str], bool]:
    """The names of coordinates and time, and whether there is a time."""
    times = [n for n, d in declared.items() if isinstance(d, t.TimeDecl)]
    return [unicode_name(n) for n, d in declared.items() if isinstance(d, t.SpaceDecl)] + times, bool(times)


def derivative_meant(name: t.Name, declared: Mapping[str, t.Statement]) -> PdeError | None:
    """The mistake for `u_yy` with an undeclared coordinate, `uxx` for u_xx, `Du`, `du`."""
    known, timed = variables(declared)
    for unknown in (d.name for d in declared.values() if isinstance(d, t.UnknownDecl) and d.params):
        if name.id == f"D{unknown.id}":
            return mistakes.names.material_derivative(name.text, unknown.text, name.span)
        if name.id == f"d{unknown.id}":
            return mistakes.names.differential(name.text, unknown.text, name.span)
        same = name.text.lower().startswith(f"{unknown.text}_".lower())  # U_xx for u_xx
        below = name.text[len(unknown.text) :] if same else name.text.removeprefix(unknown.text)
        letters = below.replace("_", "")
        if below == name.text or not letters.isalpha() or len(letters) > MOST_LETTERS:
            continue
        missing = [letter for letter in letters if letter not in known]
        if not missing:
            return mistakes.names.unknown_name(name.text, f"{unknown.text}_{letters}", False, timed, name.span)
        if below[0] == "_" and len({*letters} - {*known}) == 1:
            return mistakes.names.unknown_variable(missing[0], known, timed, name.span)
    base, _, below = name.text.rpartition("_")
    if not base or not below or not {*below} <= {*known, *"xyzt"} or identity(base) in declared:
        return None
    unknowns = {d.name.text for d in declared.values() if isinstance(d, t.UnknownDecl)}
    if not unknowns:  # `u_xx`, where nothing is called u
        return mistakes.names.unknown_name(base, None, True, timed, name.span, first=True)
    factor = next((base.removesuffix(u) for u in unknowns if base.endswith(u)), "")
    meant = f"{factor} {name.text.removeprefix(factor)}" if identity(factor) in declared else None  # `ku_xx`
    return mistakes.names.unknown_name(name.text, meant, False, timed, name.span) if meant else None
