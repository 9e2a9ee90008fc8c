"""E2xx, W2xx: undeclared, duplicate, reserved, circular and unused names."""

from __future__ import annotations

from collections.abc import Sequence

from pdedsl.diagnostics import Diagnostic, PdeError, Span
from pdedsl.diagnostics.fixes import Edit, Fix, insert, remove, replace_by, replace_word
from pdedsl.errors.base import Code, did_you_mean, join_comma
from pdedsl.errors.syntax import TIME_STEPS_HINT

UNKNOWN = Code("E201", "a name is not declared")
DUPLICATE = Code("E202", "a name is declared twice")
RESERVED = Code("E203", "a name is reserved: a keyword or a built-in")
CIRCULAR = Code("E204", "circular definition")
INVALID_ARGUMENT = Code("E205", "an argument in a declaration is not a coordinate, the time or an unknown")
UNUSED = Code("W201", "a name is never used")
NETWORK_WITHOUT_ARGUMENTS = Code("W202", "a network without arguments is a learned constant")
FINITE_HINT = "the endpoints of an interval must be finite: choose a large number, or write R^d for a data space"
DERIVATIVE_HINT = "a derivative is written ∂u/∂t, ∂²u/∂x² or diff(u, x)"
COMPLEX_HINT = "the imaginary unit is i in a spec with a complex unknown, as in: unknown ψ(x, t) : complex"
SDE_HINT = f"{DERIVATIVE_HINT}; the SDE dX = v dt + σ dW has the backward equation ∂u/∂t + v·∇u + ½σ²Δu = 0"
DIFFERENTIAL_HINTS = dict.fromkeys(("dX", "dx"), SDE_HINT)
SETTING_HINTS = {
    **dict.fromkeys(("dt", "Δt", "delta_t", "nt"), TIME_STEPS_HINT),
    **dict.fromkeys(("mesh", "domain", "geometry"), "a domain is declared as: space (x, y) in [0, 1]^2"),
    **dict.fromkeys(
        ("nx", "ny"), "the resolution is an argument of the method, as in: realize equation by grid(n=128)"
    ),
}
"""Assignments of other programs, such as `dt = 0.01`, with the equivalent."""
COORDINATE_HINTS = {
    name: f"declare it as a coordinate: space (x, y) in [0, 1]^2, or as a constant: const {name} = 1" for name in "xyzr"
}
NAME_HINTS = {
    **dict.fromkeys(("inf", "infty", "infinity", "oo"), FINITE_HINT),
    **dict.fromkeys(("D", "Dt", "Dx", "dt", "Derivative", "deriv", "D_t", "D_x"), DERIVATIVE_HINT),
    **dict.fromkeys(("i", "I", "im"), COMPLEX_HINT),
    **DIFFERENTIAL_HINTS,
    **dict.fromkeys(
        ("ds", "dS"), "weak forms are not supported: write a boundary condition, as in ∂u/∂n = 1 on boundary"
    ),
    **{f"log{base}": f"write log(…)/log({base})" for base in (2, 10)},
    **{name: f"declare it, as in: const {name} = 1" for name in "TL"},
    "O": "use the digit 0",
    "argmax": "class probabilities are written softmax(W x)",
    "lambda": "a function is declared as: let f(x) = x²",
    **dict.fromkeys(("inner", "dot"), "write v·w; equations are in strong form, without test functions, as in -Δu = f"),
    "at": "boundary conditions use 'on', as in: u = 0 on boundary, or u = 0 on x = 0",
    "boundary": "boundary conditions use 'on', as in: u = 0 on boundary",
}
NORMAL_HINT = "the outward normal derivative is ∂u/∂n, as in: ∂u/∂n = 0 on boundary"
NORMAL_HINTS = dict.fromkeys(("ν", "nu", "η", "eta", "N", "normal", "ℓ"), NORMAL_HINT)
NEW_STATEMENTS = {"t": "time t in [0, 1]"}
"""Names of variables, in specs without them, with the statement that declares them."""
FUNCTION_SYNONYMS = {
    **dict.fromkeys(("H", "Heaviside", "step", "theta", "θ", "Theta", "Θ"), "heaviside"),
    **dict.fromkeys(("sgn", "Sign"), "sign"),
    **dict.fromkeys(("Abs", "fabs"), "abs"),
    **dict.fromkeys(("maximum", "Max"), "max"),
    **dict.fromkeys(("minimum", "Min"), "min"),
    "logistic": "sigmoid",
}
"""Names of other programs for built-in functions."""


def physical_unit(name: str, units: Sequence[Span], span: Span) -> PdeError:
    """`const κ = 0.1 m`, `time t in [0 s, 1 s]`, where nothing is called m or s; `units` are to be removed."""
    hint = "physical units are not supported: a constant consists of numbers and other constants, without units"
    fixes = (Fix("remove the units", tuple(Edit(unit) for unit in units)),)
    return UNKNOWN(f"unknown name '{name}'", span, hint, once=True, fixes=fixes)


def unknown_name(
    name: str,
    guess: str | None,
    is_call: bool,
    has_time: bool,
    span: Span,
    first: bool = False,
    declarations: Sequence[str] = (),
    insert_at: int = 0,
) -> PdeError:
    """`is_call` if an argument list follows, `has_time` if the spec has a time, `first` if it has no unknown;
    `declarations` are possible statements, inserted at `insert_at`."""
    hint = f"declare it, as in: let {name}(…) = …" if is_call else "declare it with const, let, learn or unknown"
    if first:
        declarations = ()
        hint = f"declare it, as in: unknown {name}(x, t) : scalar" + (f", or const {name} = 1" if not is_call else "")
    elif declarations:
        hint = f"declare it, as in: {', or '.join(declarations)}"
    hint = hint if is_call else COORDINATE_HINTS.get(name, hint)
    available = _name_hint(name, has_time)
    guess = FUNCTION_SYNONYMS.get(name, guess) if is_call else guess
    fixes = () if available else replace_word(name, guess, span)
    if not guess and (not available or (name in NEW_STATEMENTS and not has_time)):
        statements = [NEW_STATEMENTS[name]] if available else declarations
        fixes = tuple(fix for text in statements for fix in insert(insert_at, f"\n{text}"))
    return UNKNOWN(f"unknown name '{name}'", span, available or did_you_mean(guess, hint), once=True, fixes=fixes)


def _name_hint(name: str, has_time: bool) -> str:
    """The hint for a name with a conventional meaning."""
    hints = {n: f"the 'time' statement is missing; add: {text}" for n, text in NEW_STATEMENTS.items()}
    return (NAME_HINTS if has_time else {**NAME_HINTS, **hints}).get(name, "")


def material_derivative(name: str, unknown: str, span: Span) -> PdeError:
    """`Du/Dt`."""
    hint = f"write the material derivative along a flow v as ∂{unknown}/∂t + (v·∇){unknown}"
    return UNKNOWN(f"unknown name '{name}'", span, hint, once=True)


def differential(name: str, unknown: str, span: Span) -> PdeError:
    """`du = … dt`."""
    hint = f"write derivatives instead of differentials, as in: ∂{unknown}/∂t = …"
    return UNKNOWN(f"unknown name '{name}'", span, hint, once=True)


def frame_activation(name: str, span: Span) -> PdeError:
    """An activation on pairs of channels, in an equation."""
    hint = f"it is not the gradient of a convex function, so -Kᵀ {name}(K Y) may not be dissipative: use relu or tanh"
    fixes = replace_by(("relu", "tanh"), span)
    return UNKNOWN(f"'{name}' is only available in the lipschitz frame, not in equations", span, hint, fixes=fixes)


def unknown_without_arguments(name: str, variables: Sequence[str], span: Span) -> PdeError:
    """`variables` are the coordinates and the time, as far as they are known."""
    hint = f"declare its arguments, as in {name}(x, t)"
    fixes = replace_word(name, f"{name}({join_comma(variables)})", span) if variables else ()
    return INVALID_ARGUMENT(f"the unknown '{name}' has no arguments", span, hint, fixes=fixes)


def undeclared_initial_value(name: str, unknown: str, arguments: str, span: Span) -> PdeError:
    """`u0 = …` for u(x, 0) = …."""
    start = f"{unknown}({arguments})"
    hint, fixes = f"write the initial condition as {start} = …", replace_word(name, start, span)
    return UNKNOWN(f"unknown name '{name}'", span, hint, once=True, fixes=fixes)


def undeclared_constant(name: str, span: Span) -> PdeError:
    """`κ = 0.1`, where nothing is declared."""
    hint = f"declare a constant with const {name} = …, or a function with let {name}(x) = …"
    other = DIFFERENTIAL_HINTS.get(name) or SETTING_HINTS.get(name)
    fixes = () if other else insert(span.start, "const ")
    return UNKNOWN(f"unknown name '{name}'", span, other or hint, once=True, fixes=fixes)


def unknown_variable(name: str, variables: Sequence[str], has_time: bool, span: Span) -> PdeError:
    """`∂u/∂z` where no coordinate is called z."""
    hint = (
        f"variables of this spec: {join_comma(variables)}; "
        "to add a coordinate: space (x, y) in [0, 1]^2, unknown u(x, y)"
        if variables
        else "declare a space"
    )
    near = {v.lower(): f"did you mean '{v}'?" for v in variables}.get(name.lower())  # ∂u/∂T for ∂u/∂t
    available = near or NORMAL_HINTS.get(name) or _name_hint(name, has_time)
    return UNKNOWN(f"unknown {'name' if available else 'variable'} '{name}'", span, available or hint, once=True)


unknown_index = UNKNOWN.of("unknown index '{name}'", "sum over it, as in Σᵢ … or sum({name}, …)")


def declared_twice(name: str, span: Span, first: Span) -> PdeError:
    return DUPLICATE(f"'{name}' is declared twice", span, "rename one of the two", ((first, "first declared here"),))


name_conflict = DUPLICATE.of("'{name}' already has another meaning here", "choose another name")
duplicate_argument = DUPLICATE.of("duplicate argument '{name}'")
duplicate_coordinate = DUPLICATE.of("duplicate coordinate '{name}'")
reserved_name = RESERVED.of("'{name}' is reserved (keyword or built-in)", "choose another name")


def circular_definition(name: str, span: Span, cycle: Sequence[str] = ()) -> PdeError:
    chain = f": {' → '.join(cycle)}" if cycle else ""
    return CIRCULAR(f"circular definition of '{name}'{chain}", span)


long_definition_chain = CIRCULAR.of("the chain of definitions is longer than {limit}")
invalid_argument = INVALID_ARGUMENT.of("'{name}' is not a coordinate, the time or an unknown")


def unused_name(name: str, span: Span, statement: Span | None) -> Diagnostic:
    """`statement` is the declaration, if it declares nothing else."""
    fixes: tuple[Fix, ...] = remove(statement) if statement else ()
    return UNUSED.warning(f"'{name}' is never used", span, "remove it, or use it", fixes)


def network_without_arguments(name: str, arguments: str, type_: str, span: Span) -> Diagnostic:
    """`arguments` are the possible ones: "x, t"."""
    message = f"'{name}' has no arguments, so its network is a learned constant"
    with_arguments, declaration = f"{name}({arguments})", f"learn {name} : {type_}"
    fixes = *replace_word(name, with_arguments, span), *replace_by([declaration], span)
    return NETWORK_WITHOUT_ARGUMENTS.warning(
        message, span, f"write {with_arguments}, or without a network: {declaration}", fixes
    )
