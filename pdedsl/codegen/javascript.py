"""ES module of a planned grid solve: its formulas as loops over Float64Arrays, and the data of its scheme.

`solve(problem, { n })` of the library `pdedsl.mjs` discretizes and integrates it. Formulas are printed from symbolic
trees in which every name of the spec is replaced, and texts are JSON strings: no text of a spec becomes code.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from sympy import Expr, Integer, S, Symbol, cse, numbered_symbols
from sympy.printing.jscode import JavascriptCodePrinter

from pdedsl.ir.boundary import Dirichlet
from pdedsl.ir.first_order_system import FaceCondition, FirstOrderSystem
from pdedsl.ir.residual import Derivative
from pdedsl.ir.solver_plans import ChebyshevScheme, FourierScheme, JavascriptPlan
from pdedsl.ir.spec import Constant, Spec
from pdedsl.record import Record
from pdedsl.symbolic.functions import ARGUMENT, ActivationDerivative, ActivationFunction, derivative_of, formula_of

LIBRARY = "pdedsl.mjs"
MAX_FACTORS = 4  # of a power that is printed as a product, which is several times as fast as Math.pow


def javascript_module(plan: JavascriptPlan, spec: Spec) -> str:
    """The text of the module."""
    return Module(plan, spec).text()


def javascript_files(plan: JavascriptPlan, spec: Spec, name: str) -> dict[str, str]:
    """Names and texts of the module and the library, which is built from `playground/library`."""
    library = Path(__file__).with_name(LIBRARY).read_text("utf-8")
    return {f"{name}.mjs": javascript_module(plan, spec), LIBRARY: library}


def slider_values(constant: Constant) -> dict[str, float]:
    """The value and the range of a constant that has one."""
    assert constant.range is not None
    low, high = constant.range
    return {"value": float(constant.value), "low": float(low), "high": float(high)}


class _Printer(JavascriptCodePrinter):  # type: ignore[misc]
    """JavaScript in double precision."""

    def _print_Symbol(self, e: Symbol) -> str:
        return str(e.name)

    def _print_Rational(self, e: Expr) -> str:
        return repr(float(e))

    def _print_Integer(self, e: Expr) -> str:
        return repr(int(e)) if abs(int(e)) < 2**53 else repr(float(e))

    def _print_Float(self, e: Expr) -> str:
        return repr(float(e))

    def _print_NumberSymbol(self, e: Expr) -> str:
        return repr(float(e))

    _print_Pi = _print_Exp1 = _print_NumberSymbol

    def _print_Pow(self, e: Expr) -> str:
        base, power = e.args
        if e.is_number:
            return repr(float(e))
        if base == S.Exp1:
            return f"Math.exp({self._print(power)})"
        if isinstance(power, Integer) and 2 <= abs(int(power)) <= MAX_FACTORS:
            factor = self.parenthesize(base, 1000)
            product = " * ".join([factor] * abs(int(power)))
            return f"({product})" if power > 0 else f"(1 / ({product}))"
        if power == S.NegativeOne:
            return f"(1 / {self.parenthesize(base, 1000)})"
        return str(super()._print_Pow(e))

    def _print_erf(self, e: Expr) -> str:
        return f"erf({self._print(e.args[0])})"

    def _print_Heaviside(self, e: Expr) -> str:
        return f"(0.5 + 0.5 * Math.sign({self._print(e.args[0])}))"

    def _print_Function(self, e: Expr) -> str:
        if isinstance(e, ActivationFunction):
            return f"({self._print(formula_of(e.record, e.args[0]))})"
        if isinstance(e, ActivationDerivative):
            return f"({self._print(derivative_of(e.record, 1).xreplace({ARGUMENT: e.args[0]}))})"
        return str(super()._print_Function(e))


class Module(Record):
    """The module of a plan."""

    plan: JavascriptPlan
    spec: Spec

    @property
    def system(self) -> FirstOrderSystem:
        return self.scheme.system

    @property
    def scheme(self) -> FourierScheme | ChebyshevScheme:
        scheme = self.plan.grid.scheme
        assert isinstance(scheme, FourierScheme | ChebyshevScheme)
        return scheme

    def text(self) -> str:
        scheme = self.scheme
        fields = [(name, _json(value)) for name, value in self.description().items()]
        fields.append(("initial", self._function(self.system.initial, ())))
        fields += self._fourier(scheme) if isinstance(scheme, FourierScheme) else self._chebyshev(scheme)
        body = "".join(f"  {name}: {value},\n" for name, value in fields)
        helper = ERF if "erf(" in body else ""
        return f"{HEAD}{helper}\nexport const problem = {{\n{body}}};\n\nexport default problem;\n"

    # ---- The problem

    def description(self) -> dict[str, object]:
        """The fields of the module that are data of the problem."""
        system, domain = self.system, self.system.statement.domain
        axes = [
            {"name": x.name, "start": float(i.start), "end": float(i.end), "periodic": bool(i.periodic)}
            for x, i in zip(domain.space, domain.intervals, strict=False)
        ]
        time = None
        if domain.has_time:
            interval = domain.intervals[-1]
            start, end = float(interval.start), float(interval.end)
            time = {"name": domain.coordinates[-1].name, "start": start, "end": end, "backward": system.backward}
        components = [
            {"name": c.text, "variable": system.variables.index((k, 0))}
            for k, c in enumerate(system.statement.components)
        ]
        parameters = [{"name": c.name, **slider_values(c)} for c in self.plan.parameters]
        return {
            "name": self.spec.name,
            "title": self.spec.title,
            "hash": self.spec.hash,
            "axes": axes,
            "time": time,
            "components": components,
            "parameters": parameters,
            "n": self.plan.grid.method.n,
            "tolerance": self.scheme.tolerance,
            "integrator": self.scheme.integrator.name,
            "variables": len(system.variables),
            "differential": list(system.differential),
        }

    def _names(self, jets: Sequence[Symbol]) -> dict[Symbol, str]:
        """The names of symbols in the body of a loop over the points i."""
        domain = self.system.statement.domain
        names = {x: f"x{k}[i]" for k, x in enumerate(domain.space)}
        if domain.has_time:
            names[domain.coordinates[-1]] = "t"
        names |= {c.symbol: f"p[{k}]" for k, c in enumerate(self.plan.parameters)}
        return names | {s: f"j{k}[i]" for k, s in enumerate(jets)}

    def _function(self, exprs: Sequence[Expr], jets: Sequence[Symbol]) -> str:
        """Writes the values of expressions at all points to the arrays of `out`."""
        names = {s: Symbol(name, real=True) for s, name in self._names(jets).items()}
        unknown = set().union(*(e.free_symbols for e in exprs)) - set(names)
        assert not unknown, f"symbols without a value: {unknown}"  # no name of a spec is printed
        shared, results = cse(
            [e.xreplace(names) for e in exprs], symbols=numbered_symbols("s", real=True), order="none"
        )
        printer = _Printer()
        lines = [f"const {s.name} = {printer.doprint(e)};" for s, e in shared]
        lines += [f"out[{k}][i] = {printer.doprint(e)};" for k, e in enumerate(results)]
        code = "\n".join(lines)
        arrays = [("x", k) for k in range(len(self.system.statement.domain.space)) if f"x{k}[i]" in code]
        arrays += [("j", k) for k in range(len(jets)) if f"j{k}[i]" in code]
        local = ", ".join(f"{a}{k} = {'x' if a == 'x' else 'jets'}[{k}]" for a, k in arrays)
        head = f"\n    const {local};" if local else ""
        if not exprs:
            return "(out, jets, x, t, p) => {}"
        loop = "".join(f"\n      {line}" for line in lines)
        return f"(out, jets, x, t, p) => {{{head}\n    for (let i = 0; i < out[0].length; i++) {{{loop}\n    }}\n  }}"

    def _numbers(self, exprs: Sequence[Expr]) -> str:
        """Numbers that depend on the parameters only."""
        symbols: Mapping[Symbol, Symbol] = {
            c.symbol: Symbol(f"p[{k}]", real=True) for k, c in enumerate(self.plan.parameters)
        }
        return f"(p) => [{', '.join(_Printer().doprint(e.xreplace(symbols)) for e in exprs)}]"

    # ---- Fourier grids

    def _fourier(self, scheme: FourierScheme) -> list[tuple[str, str]]:
        system, domain = scheme.system, scheme.system.statement.domain
        axes = []
        for axis, interval in zip(scheme.axes, domain.intervals, strict=False):
            copies = round(float(axis.period / (interval.end - interval.start)))
            axes.append({"start": float(axis.start), "period": float(axis.period), "copies": copies})
        parts = scheme.linear.parts
        rows = [[row, d.component, list(d.orders)] for row, d in ((r, system.jet_derivatives[s]) for r, s, _ in parts)]
        remainders = scheme.linear.remainders
        if system.differential:
            remainders = remainders[: len(system.differential)]
        fluxes = [[c, list(orders)] for c, _, orders in scheme.flux_terms] or None
        exprs = [e for _, e, _ in scheme.flux_terms] or list(remainders)
        timed = {domain.coordinates[-1]} if domain.has_time else set()
        return [
            ("scheme", _json("fourier")),
            ("fourierAxes", _json(axes)),
            ("oversampling", _json(scheme.oversampling)),
            ("linear", _json(rows)),
            ("coefficients", self._numbers([c for _, _, c in parts])),
            ("isLinear", _json(all(r == 0 for r in remainders))),
            ("autonomous", _json(not any(r.free_symbols & timed for r in remainders))),
            ("fluxes", _json(fluxes)),
            *self._formula("nonlinear", exprs),
        ]

    def _formula(self, name: str, exprs: Sequence[Expr]) -> list[tuple[str, str]]:
        jets = self.system.jets_in(*exprs)
        return [
            (f"{name}Jets", _json([_jet(d) for _, d in jets])),
            (f"{name}Rows", _json(len(exprs))),
            (name, self._function(exprs, [s for s, _ in jets])),
        ]

    # ---- Chebyshev grids

    def _chebyshev(self, scheme: ChebyshevScheme) -> list[tuple[str, str]]:
        system = scheme.system
        equations = [
            (k, e)
            for k, e in zip((*system.differential, *system.algebraic), (*system.rhs, *system.constraints), strict=True)
        ]
        exprs = (*system.rhs, *system.constraints, *(c.differentiated for c in system.face_conditions))
        clock = {system.coordinates[-1]} if system.statement.domain.has_time else set()
        varying = {s for s, _ in system.jets} | clock
        constant = not any(e.diff(s).free_symbols & varying for e in exprs for s, _ in system.jets_in(e))
        metric = system.statement.domain.metric
        singular = [[a.coordinate, a.upper] for a in (metric.axes if metric else ())]
        return [
            ("scheme", _json("chebyshev")),
            ("affine", _json(bool(system.statement.is_affine))),
            ("constantJacobian", _json(constant)),
            ("autonomous", _json(not any(e.free_symbols & clock for e in exprs))),
            ("singularFaces", _json(singular)),
            ("equations", _list([self._equation(k, e) for k, e in equations])),
            ("conditions", _list([self._condition(c) for c in system.face_conditions])),
        ]

    def _block(self, expr: Expr) -> str:
        jets = self.system.jets_in(expr)
        symbols = [s for s, _ in jets]
        partials = [expr.diff(s) for s in symbols]
        return (
            f"jets: {_json([_jet(d) for _, d in jets])}, value: {self._function([expr], symbols)}, "
            f"partials: {self._function(partials, symbols)}"
        )

    def _equation(self, variable: int, expr: Expr) -> str:
        sign = -1 if self.system.backward and variable in self.system.differential else 1
        return f"{{ variable: {variable}, sign: {sign}, {self._block(expr)} }}"

    def _condition(self, condition: FaceCondition) -> str:
        system = self.system
        component, _ = system.variables[condition.variable]
        replaced = max(k for k, (c, _) in enumerate(system.variables) if c == component)
        known = {
            "axis": condition.place.coordinate,
            "upper": condition.place.upper,
            "variable": condition.variable,
            "replaced": replaced,
            "normal": condition.normal,
            "dirichlet": isinstance(condition.kind, Dirichlet),
        }
        head = ", ".join(f"{name}: {_json(value)}" for name, value in known.items())
        data = "null"
        if condition.differentiated != condition.expr:
            data = f"{{ {self._block(condition.expr)} }}"
        return f"{{ {head}, data: {data}, {self._block(condition.differentiated)} }}"


def _jet(derivative: Derivative) -> list[object]:
    return [derivative.component, list(derivative.orders)]


def _json(value: object) -> str:
    return json.dumps(value).replace("<", "\\u003c")


def _list(items: Sequence[str]) -> str:
    return "[\n    " + ",\n    ".join(items) + ",\n  ]" if items else "[]"


HEAD = f"""\
// A boundary value problem, written by pdedsl. Solve it by the library beside it:
//   import {{ solve }} from "./{LIBRARY}";
//   const solution = solve(problem, {{ n: problem.n }});
//   solution.at([x], t);
"""

ERF = """
// erf by its series, and by the continued fraction of erfc beyond 2 (Abramowitz, Stegun 7.1.6, 7.1.14).
function erf(x) {
  const z = Math.abs(x);
  if (z > 6) return Math.sign(x);
  if (z < 2) {
    let term = z, sum = z;
    for (let k = 1; term > 1e-18 * sum; k++) sum += term *= (2 * z * z) / (2 * k + 1);
    return (Math.sign(x) * 2 * Math.exp(-z * z) * sum) / Math.sqrt(Math.PI);
  }
  let fraction = z;
  for (let k = 80; k > 0; k--) fraction = z + k / 2 / fraction;
  return Math.sign(x) * (1 - Math.exp(-z * z) / (fraction * Math.sqrt(Math.PI)));
}
"""
