"""Weak form as text, in the notation of a spec: `∫ ∇u·∇v - 4 v dx = 0 for all v`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sympy import Add, Expr, S, Symbol, simplify

from pdedsl.ir.boundary import Place
from pdedsl.ir.weak_form import WeakEquation, WeakForm
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import Field, Partial


def weak_form_lines(form: WeakForm) -> list[str]:
    """Trial functions with their essential and initial conditions, then an equation for each test function."""
    return WeakFormText(form).lines()


class WeakFormText:
    """Writes a weak form; every trial function u has the test function v, or δu where there are several."""

    def __init__(self, form: WeakForm) -> None:
        self.form, self.space = form, form.domain.space
        heads = [Symbol(t.name, real=True) for t in form.trials]
        self.fields = tuple(Field(head, (), form.domain.coordinates) for head in heads)
        self.trials = tuple(notation(f) for f in self.fields)
        single = len(heads) == 1 and "v" not in {s.name for s in (*heads, *form.domain.coordinates)}
        self.tests = tuple("v" if single else f"δ{name}" for name in self.trials)

    def lines(self) -> list[str]:
        conditions = list(self._conditions())
        return [
            f"find {', '.join(self.trials)}{' with' * bool(conditions)}",
            *(f"  {row}" for row in conditions),
            "such that",
            *(f"  {self._equation(e)} = 0 for all {self._test_space(e.trial)}" for e in self.form.equations),
            *self._constraint(),
        ]

    def _constraint(self) -> Iterator[str]:
        """The bounds: the equation holds where none of them is active."""
        if self.form.constraint is None:
            return
        for own in self.form.constraint.complementarity.operators:
            if not own.is_differential:
                bound = notation(expand(-own.operator.source / own.operator.rate))
                yield f"  except where {self.trials[0]} = {bound}, the obstacle"

    def _conditions(self) -> Iterator[str]:
        form = self.form
        places: dict[tuple[int, Expr], list[str]] = {}
        for c in form.essential:
            places.setdefault((c.trial, c.value), []).append(self._place(c.place, c.part))
        for (trial, value), where in places.items():
            yield f"{self.trials[trial]} = {notation(value)} {', '.join(where)}"
        interval = form.domain.intervals[-1]
        start = interval.end if form.is_backward else interval.start
        for name, value in zip(self.trials, form.initial, strict=True):
            if value is not None:
                yield f"{name} = {notation(value)} at {form.domain.coordinates[-1]} = {notation(start)}"
        for k in form.defined_up_to_constant:
            yield f"∫ {self.trials[k]} dx = 0"

    def _test_space(self, trial: int) -> str:
        """The test function, and where it vanishes."""
        places = dict.fromkeys(self._place(c.place, c.part) for c in self.form.essential if c.trial == trial)
        test = self.tests[trial]
        return f"{test} with {test} = 0 {', '.join(places)}" if places else test

    def _place(self, place: Place, part: Sequence[Expr]) -> str:
        restricted = f" if {', '.join(f'{notation(g)} > 0' for g in part)}" if part else ""
        return f"{self.form.domain.text_of(place)}{restricted}"

    def _equation(self, e: WeakEquation) -> str:
        test, time = self.tests[e.trial], self.form.domain.coordinates[-1]
        masses = [m * Partial(f, time) for m, f in zip(e.masses, self.fields, strict=True) if m != 0]
        terms = [*(self._times(m, test) for m in masses), *self._flux_terms(e)]
        if e.source != 0:
            terms.append(self._times(self._in_fields(e.source), test))
        places: dict[Expr, list[str]] = {}
        for b in self.form.boundary_integrals:
            if b.trial == e.trial:
                places.setdefault(b.integrand, []).append(self._place(b.place, b.part))
        boundary = [
            f" + ∫ {self._times(self._in_fields(integrand), test)} ds ({', '.join(where)})"
            for integrand, where in places.items()
        ]
        loads = [
            f" + {self._times(load.strength, f'{test}({self._point(load.point)})')}"
            for load in self.form.point_loads
            if load.trial == e.trial
        ]
        total = f"∫ {' + '.join(terms)} dx{''.join(boundary)}{''.join(loads)}"
        return total.replace(" + -", " - ")

    @staticmethod
    def _point(point: Sequence[float]) -> str:
        return ", ".join(f"{a:g}" for a in point)

    def _flux_terms(self, e: WeakEquation) -> Iterator[str]:
        """F·∇v: multiples of ∇u, then the remaining entries."""
        test, rest = self.tests[e.trial], list(e.fluxes)
        for k, (_, *gradient) in enumerate(self.form.jet_symbols):
            factor = self._gradient_factor(rest, gradient)
            if factor != 0 and len(gradient) > 1:
                rest = [simplify(f - factor * p) for f, p in zip(rest, gradient, strict=True)]
                yield self._times(self._in_fields(factor), f"∇{self.trials[k]}·∇{test}")
        for f, x in zip(rest, self.space, strict=True):
            if f != 0:
                yield self._times(self._in_fields(f), f"∂{test}/∂{x}")

    def _gradient_factor(self, fluxes: Sequence[Expr], gradient: Sequence[Symbol]) -> Expr:
        """c of F = c ∇u + G where G does not depend on ∇u; 0 if there is none."""
        if all(f.free_symbols & set(gradient) for f in fluxes):
            factor = fluxes[0].diff(gradient[0])
            if factor.free_symbols & set(gradient):
                factor = simplify(fluxes[0] / gradient[0])
            rest = [simplify(f - factor * p) for f, p in zip(fluxes, gradient, strict=True)]
            if not any(g.free_symbols & set(gradient) for g in rest):
                return factor
        return S.Zero

    def _in_fields(self, expr: Expr) -> Expr:
        """The expression with fields and derivatives for jet variables."""
        values: dict[Symbol, Expr] = {}
        for field, (value, *gradient) in zip(self.fields, self.form.jet_symbols, strict=True):
            values[value] = field
            values |= {s: Partial(field, x) for s, x in zip(gradient, self.space, strict=True)}
        return expr.xreplace(values)

    def _times(self, factor: Expr, name: str) -> str:
        """A product with a test function, written after its factor."""
        factor = expand(factor) if isinstance(factor, Add) else factor
        if factor == 1:
            return name
        if factor == -1:
            return f"-{name}"
        return f"({notation(factor)}) {name}" if isinstance(factor, Add) else f"{notation(factor)} {name}"
