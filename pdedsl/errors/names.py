"""E2xx, W2xx: names that are unknown, taken, circular or unused."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.diagnostics.fixes import Fix, added, instead, one_of_them, without
from pdedsl.errors.base import Code, all_of, perhaps
from pdedsl.errors.syntax import STEPS

UNKNOWN = Code("E201", "a name is not declared")
TWICE = Code("E202", "a name is declared twice")
TAKEN = Code("E203", "a name is a word of the language")
CIRCULAR = Code("E204", "a name is defined in terms of itself")
PARAMETER = Code("E205", "a field depends on something that is not a coordinate, the time or an unknown")
UNUSED = Code("W201", "a name is never used")
OF_NOTHING = Code("W202", "a network depends on nothing, so that it is a number")
FINITE = "an interval has finite ends: choose a number that is large enough, or write R^d for a data space"
SLOPE = "a derivative is written ∂u/∂t, ∂²u/∂x² or diff(u, x)"
COMPLEX = "numbers are real: write real and imaginary part as two unknowns, as the shipped spec 'schroedinger' does"
RANDOM = "equations have no random terms: noise on the paths of a transported u is the diffusion ½σ²Δu"
PATHS = f"{SLOPE}; a path dX = v dt + σ dW belongs to ∂u/∂t + v·∇u + ½σ²Δu = 0"
POINT = "a point source is not a function: write a narrow one, as in exp(-x²/(2 s²))/(s √(2π)) with a small const s"
DIFFERENTIALS = dict.fromkeys(("dX", "dx"), PATHS)
SETTINGS = {
    **dict.fromkeys(("dt", "Δt", "delta_t", "nt"), STEPS),
    **dict.fromkeys(("mesh", "domain", "geometry"), "a domain is declared as: space (x, y) in [0, 1]^2"),
    **dict.fromkeys(("nx", "ny"), "sizes belong to a method, as in: realize equation by grid(n=128)"),
}
"""Lines of programs, `dt = 0.01`, that have another place here."""
LETTERS = {
    name: f"declare it as a coordinate: space (x, y) in [0, 1]^2, or as a number: const {name} = 1" for name in "xyzr"
}
SOURCES = dict.fromkeys(("delta", "δ"), POINT)  # of which a bare name is a number like others
WELL_KNOWN = {
    **dict.fromkeys(("inf", "infty", "infinity", "oo"), FINITE),
    **dict.fromkeys(("D", "Dt", "Dx", "dt", "Derivative", "deriv", "D_t", "D_x"), SLOPE),
    **dict.fromkeys(("i", "I", "im"), COMPLEX),
    **dict.fromkeys(("dW", "dB", "noise", "white_noise"), RANDOM),
    **DIFFERENTIALS,
    **dict.fromkeys(("dirac", "Dirac", "DiracDelta"), POINT),
    **dict.fromkeys(
        ("ds", "dS"), "there are no integrals: what holds on a side is a line, as in ∂u/∂n = 1 on boundary"
    ),
    **dict.fromkeys(("integral", "integrate", "Integral", "Int"), "integrals are not part of the language"),
    **{f"log{base}": f"write log(…)/log({base})" for base in (2, 10)},
    **{name: f"declare it, as in: const {name} = 1" for name in "TL"},
    "O": "the number is written with the digit 0",
    "argmax": "class probabilities are written softmax(W x)",
    "lambda": "a function is declared as: let f(x) = x²",
    **dict.fromkeys(("inner", "dot"), "write v·w; an equation has no test functions, as in -Δu = f"),
    "at": "a side is named after 'on', as in: u = 0 on boundary, or u = 0 on x = 0",
    "boundary": "a side is named after 'on', as in: u = 0 on boundary",
}
NORMAL = "the slope along the outer normal is written ∂u/∂n, as in: ∂u/∂n = 0 on boundary"
NORMALS = dict.fromkeys(("ν", "nu", "η", "eta", "N", "normal", "ℓ"), NORMAL)
FUNCTIONS = {
    **dict.fromkeys(("H", "Heaviside", "step", "theta", "θ", "Theta", "Θ"), "heaviside"),
    **dict.fromkeys(("sgn", "Sign"), "sign"),
    **dict.fromkeys(("Abs", "fabs"), "abs"),
    **dict.fromkeys(("maximum", "Max"), "max"),
    **dict.fromkeys(("minimum", "Min"), "min"),
    "logistic": "sigmoid",
}
"""Names of other programs for functions of the language."""


def unit(name: str, span: Span) -> PdeError:
    """`const κ = 0.1 m`, where nothing is called m."""
    hint = "a constant is made of numbers and other constants, without units"
    return UNKNOWN.error(f"unknown name '{name}'", span, hint, once=True)


def unknown_name(name: str, guess: str | None, called: bool, timed: bool, span: Span, first: bool = False) -> PdeError:
    """`called` if a bracket follows it, `timed` if the spec has a time, `first` if it has no unknown."""
    way = f"declare it, as in: let {name}(…) = …" if called else "declare it with const, let, learn or unknown"
    if first:
        way = f"declare it, as in: unknown {name}(x, t) : scalar" + (f", or const {name} = 1" if not called else "")
    way = way if called else LETTERS.get(name, way)
    known = (called and SOURCES.get(name)) or _well_known(name, timed)
    guess = FUNCTIONS.get(name, guess) if called else guess
    fixes = () if known else instead(name, guess, span)
    return UNKNOWN.error(f"unknown name '{name}'", span, known or perhaps(guess, way), once=True, fixes=fixes)


def _well_known(name: str, timed: bool) -> str:
    """The way out for names that have one meaning everywhere."""
    return (WELL_KNOWN if timed else {**WELL_KNOWN, "t": "this spec has no time; add: time t in [0, 1]"}).get(name, "")


def material_derivative(name: str, unknown: str, span: Span) -> PdeError:
    """`Du/Dt`."""
    hint = f"the derivative along a flow v is written: ∂{unknown}/∂t + (v·∇){unknown}"
    return UNKNOWN.error(f"unknown name '{name}'", span, hint, once=True)


def differential(name: str, unknown: str, span: Span) -> PdeError:
    """`du = … dt`."""
    hint = f"an equation is written with derivatives, as in: ∂{unknown}/∂t = …"
    return UNKNOWN.error(f"unknown name '{name}'", span, hint, once=True)


def of_frames(name: str, span: Span) -> PdeError:
    """An activation on pairs of channels, in an equation."""
    hint = f"it is not the gradient of a convex function, and -Kᵀ {name}(K Y) may drive states apart: use relu or tanh"
    fixes = one_of_them(("relu", "tanh"), span)
    return UNKNOWN.error(f"'{name}' is an activation of frames, and not of equations", span, hint, fixes=fixes)


def unknown_of_nothing(name: str, variables: Sequence[str], span: Span) -> PdeError:
    """`variables` are the coordinates and the time, as far as they are known."""
    hint = f"write {name}(x, t), with the coordinates and the time of this spec"
    fixes = instead(name, f"{name}({all_of(variables)})", span) if variables else ()
    return PARAMETER.error(f"the unknown '{name}' depends on nothing", span, hint, fixes=fixes)


def start_of_unknown(name: str, unknown: str, arguments: str, span: Span) -> PdeError:
    """`u0 = …` for u(x, 0) = …."""
    start = f"{unknown}({arguments})"
    hint, fixes = f"the start is written: {start} = …", instead(name, start, span)
    return UNKNOWN.error(f"unknown name '{name}'", span, hint, once=True, fixes=fixes)


def without_const(name: str, span: Span) -> PdeError:
    """`κ = 0.1`, where nothing is declared."""
    hint = f"a number is declared as: const {name} = …, and a function as: let {name}(x) = …"
    other = DIFFERENTIALS.get(name) or SETTINGS.get(name)
    fixes = () if other else added(span.start, "const ")
    return UNKNOWN.error(f"unknown name '{name}'", span, other or hint, once=True, fixes=fixes)


def unknown_variable(name: str, variables: Sequence[str], timed: bool, span: Span) -> PdeError:
    """`∂u/∂z` where no coordinate is called z."""
    hint = (
        f"variables of this spec: {all_of(variables)}; declare another as in: space (x, y) in [0, 1]^2"
        if variables
        else "declare a space"
    )
    near = {v.lower(): f"did you mean '{v}'?" for v in variables}.get(name.lower())  # ∂u/∂T for ∂u/∂t
    known = near or NORMALS.get(name) or _well_known(name, timed)
    return UNKNOWN.error(f"unknown {'name' if known else 'variable'} '{name}'", span, known or hint, once=True)


def unknown_index(name: str, span: Span) -> PdeError:
    return UNKNOWN.error(f"unknown index '{name}'", span, f"sum over it, as in Σᵢ … or sum({name}, …)")


def declared_twice(name: str, span: Span, first: Span) -> PdeError:
    return TWICE.error(f"'{name}' is declared twice", span, "rename one of the two", ((first, "first here"),))


def another_meaning(name: str, span: Span) -> PdeError:
    return TWICE.error(f"'{name}' would be taken for something else here", span, "choose another name")


def parameter_twice(name: str, span: Span) -> PdeError:
    return TWICE.error(f"parameter '{name}' is named twice", span)


def coordinate_twice(name: str, span: Span) -> PdeError:
    return TWICE.error(f"coordinate '{name}' is named twice", span)


def word_of_the_language(name: str, span: Span) -> PdeError:
    return TAKEN.error(f"'{name}' is a word of the language", span, "choose another name")


def defined_by_itself(name: str, span: Span, cycle: Sequence[str] = ()) -> PdeError:
    way = f": {' → '.join(cycle)}" if cycle else ""
    return CIRCULAR.error(f"'{name}' is defined in terms of itself{way}", span)


def long_chain(most: int, span: Span) -> PdeError:
    return CIRCULAR.error(f"definitions refer to each other more than {most} deep", span)


def not_a_parameter(name: str, span: Span) -> PdeError:
    return PARAMETER.error(f"'{name}' is not a coordinate, the time or an unknown", span)


def never_used(name: str, span: Span, statement: Span | None) -> Diagnostic:
    """`statement` is what declares the name and nothing else."""
    fixes: tuple[Fix, ...] = without(statement) if statement else ()
    return UNUSED.warning(f"'{name}' is never used", span, "remove it, or use it", fixes)


def network_of_nothing(name: str, arguments: str, type_: str, span: Span) -> Diagnostic:
    """`arguments` are those that it might have: "x, t"."""
    message = f"'{name}' depends on nothing, so its network is a learned constant"
    called, alone = f"{name}({arguments})", f"learn {name} : {type_}"
    fixes = *instead(name, called, span), *one_of_them([alone], span)
    return OF_NOTHING.warning(message, span, f"write {called}, or without a network: {alone}", fixes)
