"""Explanation of a spec as text, Markdown, LaTeX or JSON: the class of each equation, its terms, the network or
solution method with its theorem, and the axioms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import assert_never

from sympy import Add, sqrt

from pdedsl.config.methods import Direction, MonteCarlo
from pdedsl.diagnostics import Diagnostic, escaping
from pdedsl.document import CodeBlock, fragment
from pdedsl.errors.base import count_noun
from pdedsl.explainer.classification import class_text
from pdedsl.explainer.defaults import defaults
from pdedsl.explainer.describe import applied_theorem, network_lines, strategy_lines, theorem_line
from pdedsl.explainer.drawing.draw import svg
from pdedsl.explainer.lipschitz_certificate import certificate_lines
from pdedsl.explainer.terms import indexed_text, term_rows
from pdedsl.explainer.tex import ascii_tex
from pdedsl.explainer.weak_form import weak_form_lines
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.plan import DataPlan, Model, OperatorPlan, SolvePlan
from pdedsl.ir.spec import SpaceKind, Spec, Time
from pdedsl.ir.terms import Components, Generator, Indexed, MatrixStructure
from pdedsl.ir.theorem import Theorem
from pdedsl.ir.verdicts import Axiom, Proved, Refuted, Undecided, Verdict
from pdedsl.planning.step_selection import long_steps
from pdedsl.problem.weak_form import NoWeakForm, weak_form
from pdedsl.record import Record
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Field


def facts_json(analysis: Analysis) -> dict[str, object]:
    """Equations and axioms in the output of `check --json`."""
    source = analysis.spec.source

    def term(kind: str, text: str, start: int) -> dict[str, object]:
        line, column = source.position(start)
        return {"kind": kind, "text": text, "line": line, "column": column}

    return {
        "equations": [
            {
                "text": e.text,
                "class": e.kind,
                "order_in_time": e.equation.order,
                "linear": e.linear,
                "terms": [term(t.kind, t.origin.text, t.origin.span.start) for t in e.terms],
            }
            for e in analysis.equations
        ],
        "axioms": {name: {"verdict": v.truth, "reason": v.reason} for name, v in analysis.axioms.items()},
    }


# ---- Explanation

SCREEN_WIDTH = 100  # characters of a line of the brief explanation
MAX_BRIEF_EQUATIONS = 6  # of a system, in the brief explanation


class Explanation(Record):
    """The class of an equation, the network or solution method derived from it, and its axioms: `print` it, or display
    it in a notebook.

    `kernels` are trained kernels as differential operators. Without a theorem or plan, `errors` give the reason.
    """

    analysis: Analysis
    theorem: Theorem | None
    plan: Model | None
    errors: tuple[Diagnostic, ...] = ()
    kernels: tuple[str, ...] = ()

    @property
    def network(self) -> list[str]:
        """The network or the solution method, or the reason why there is none."""
        if self.theorem is None or self.plan is None:
            return [f"none: {d.message}" for d in self.errors]
        lines = [theorem_line(applied_theorem(self.theorem, self.plan)), *network_lines(self.plan)]
        if isinstance(self.plan, SolvePlan) and isinstance(self.plan.method, MonteCarlo):
            lines += [row for facts in self.analysis.equations for row in sde_lines(facts, self.analysis.spec)]
        return [*lines, *self._long_step_lines, *certificate_lines(self.plan, self.analysis)]

    @property
    def _long_step_lines(self) -> list[str]:
        """A warning of steps that are long for the known part of an equation with learned fields."""
        plan = self.plan.operator if isinstance(self.plan, DataPlan) else None
        long = long_steps(plan, self.analysis.spec) if isinstance(plan, OperatorPlan) else None
        if long is None or not isinstance(plan, OperatorPlan):
            return []
        steps, name = count_noun(long.steps, "step"), plan.scheme.name
        advice = f"write realize time by {name}(steps={long.needed})" if long.needed else "use a method of higher order"
        return [f"warning: without the learned fields {steps} of {name} have an error of {long.error:.0%}; {advice}"]

    @property
    def method_title(self) -> str:
        """`Network`, or `Solution method` where the equation is solved rather than compiled to a network."""
        physical = self.analysis.spec.space.kind is SpaceKind.PHYSICAL or isinstance(self.plan, SolvePlan)
        operator = isinstance(self.plan, DataPlan) and self.plan.classes is None
        return "Solution method" if physical or operator else "Network"

    @cached_property
    def weak_form(self) -> list[str]:
        """The weak form of a boundary value problem; empty if there is none."""
        if not isinstance(self.plan, SolvePlan):
            return []
        try:
            return weak_form_lines(weak_form(self.plan.problem))
        except NoWeakForm:
            return []

    def __str__(self) -> str:
        """Plain text, for a terminal."""
        return self._document(lambda text: f"{text}\n{'-' * len(text)}", "  ", escaping.line)

    def brief(self) -> str:
        """One screen: the class of each equation, the network or method, and one verdict a line."""
        spec, several = self.analysis.spec, len(self.analysis.equations) > 1
        parts = [f"{spec.name}: {spec.title}" if spec.title else spec.name, ""]
        for facts in self.analysis.equations[:MAX_BRIEF_EQUATIONS]:
            parts += [facts.text, f"  {class_text(facts, self.analysis)}."]
        more = len(self.analysis.equations) - MAX_BRIEF_EQUATIONS
        parts += [f"and {more} equations more"] * (several and more > 0)
        parts += ["", self.method_title, *(f"  {row}" for row in self._method_summary())]
        parts += ["", "Kernels", *(f"  {row}" for row in self.kernels)] if self.kernels else []
        width = max(map(len, self.analysis.axioms), default=0)
        verdicts = [f"  {v.truth:8} {name:{width}}  {v.reason}" for name, v in self.analysis.axioms.items()]
        parts += ["", "Properties", *verdicts]
        parts += ["", "Hypotheses, counterexamples and defaults: --proofs"]
        parts += [f"warning: {d.message}" for d in spec.warnings]
        return "\n".join(_clipped(escaping.line(row)) for row in parts).rstrip() + "\n"

    def _method_summary(self) -> list[str]:
        """The theorem and the network, or the first method and the names of the others."""
        if self.theorem is None or self.plan is None:
            return self.network
        theorem = applied_theorem(self.theorem, self.plan)
        rows = [f"by {theorem.name} ({theorem.source})"]
        if not isinstance(self.plan, SolvePlan):
            return [*rows, *network_lines(self.plan), *certificate_lines(self.plan, self.analysis)]
        first, *_, tolerance = strategy_lines(self.plan)
        others = ", ".join(candidate.solver.name for candidate in self.plan.candidates[1:])
        return [*rows, first, *([f"alternatives: {others}"] if others else []), tolerance]

    def markdown(self) -> str:
        return self._document(lambda text: f"## {text}\n", "- ", escaping.markdown)

    def latex(self) -> str:
        """LaTeX for a paper: the problem, its process, the network or solution method, and the axioms."""
        spec = self.analysis.spec
        processes = [row for facts in self.analysis.equations for row in process_lines(facts, spec)]
        axioms = [(name, f"\\emph{{{v.truth}}}: {_tex(v.reason)}") for name, v in self.analysis.axioms.items()]
        method = [("", _tex(row)) for row in self.network]
        parts = [spec.latex, *map(_tex, processes), _latex_list(method), _latex_list(axioms)]
        return "\n\n".join(parts) + "\n"

    def as_dict(self) -> dict[str, object]:
        """The explanation as JSON values."""
        spec = self.analysis.spec
        return {
            "name": spec.name,
            "title": spec.title,
            "hash": spec.hash,
            **facts_json(self.analysis),
            "network": self.network,
            "weak_form": self.weak_form,
            "processes": [p for e in self.analysis.equations for p in process_lines(e, spec)],
            "shapes": sorted({s for e in self.analysis.equations for s in e.structures}),
            "defaults": defaults(self.analysis),
            "warnings": [d.message for d in spec.warnings],
        }

    def svg(self) -> str:
        """A drawing of the equation and its network or solution method."""
        return svg(self)

    def _repr_markdown_(self) -> str:
        return f"{self.analysis.spec.latex}\n\n{self.markdown()}"

    def _repr_html_(self) -> str:
        """The equation, the drawing and the text; the class `math` lets MathJax typeset the equation."""
        text = fragment([CodeBlock(self.brief(), "text")], Path())
        return f'<div class="math">{escaping.html_lines(self.analysis.spec.latex)}</div>\n{self.svg()}\n{text}'

    def __repr__(self) -> str:
        return str(self)

    def _document(self, head: Callable[[str], str], item: str, quote: Callable[[str], str]) -> str:
        spec = self.analysis.spec

        def indent_items(rows: Sequence[str]) -> list[str]:
            """Indented rows are sub-items of the row above them."""
            return [" " * (len(row) - len(row.lstrip())) + item + quote(row.lstrip()) for row in rows]

        parts = [quote(f"{spec.name}: {spec.title}" if spec.title else spec.name) + "\n"]
        for title, rows in self.sections():
            parts += [head(title), *indent_items(rows), ""]
        return "\n".join(parts).rstrip() + "\n"

    def sections(self) -> list[tuple[str, list[str]]]:
        """Titles and rows of the nonempty sections."""
        analysis, several = self.analysis, len(self.analysis.equations) > 1
        sections = [
            (f"Equation{f' {k}' if several else ''}", _equation(facts, analysis))
            for k, facts in enumerate(analysis.equations, 1)
        ]
        sections += [
            (self.method_title, self.network),
            ("Weak form", self.weak_form),
            ("Kernels", list(self.kernels)),
            ("Axioms", _verdicts(analysis.axioms)),
            ("Defaults", defaults(analysis)),
            ("Warnings", [d.message for d in analysis.spec.warnings]),
        ]
        return [(title, rows) for title, rows in sections if rows]


def _clipped(row: str) -> str:
    """The row, cut at a word if it is too long."""
    if len(row) <= SCREEN_WIDTH:
        return row
    return f"{row[: SCREEN_WIDTH - 2].rpartition(' ')[0].rstrip(',;:')} …"


def _latex_list(rows: Sequence[tuple[str, str]]) -> str:
    """A `description` of the named items, or an `itemize` list."""
    kind = "description" if any(name for name, _ in rows) else "itemize"
    body = "\n".join(rf"\item[{_tex(name)}] {text}" if name else rf"\item {text}" for name, text in rows)
    return f"\\begin{{{kind}}}\n{body}\n\\end{{{kind}}}"


def _equation(facts: EquationFacts, analysis: Analysis) -> list[str]:
    spec = analysis.spec
    rows = [facts.text, f"{class_text(facts, analysis)}."]
    for name, detail, term in term_rows(facts, spec):
        line, column = spec.source.position(term.origin.span.start)
        rows.append(f"{name}: {term.origin.text}{f' ({detail})' if detail else ''}, at {line}:{column}")
    rows += [f"Recognized structure: {s}." for s in facts.structures]
    rows += process_lines(facts, spec)
    return rows


def process_lines(facts: EquationFacts, spec: Spec) -> list[str]:
    """The diffusion process of the equation, `dX = v dt + √2 σ dB`, and the time of the first layer."""
    process, time = facts.process, spec.time
    if process is None or time is None or spec.space.kind is SpaceKind.PHYSICAL:
        return []
    first = f"{process.direction} data: the first layer is at {first_layer(facts, time)}"
    return [f"Process: {_sde(process, time)}; {first}."]


def sde_lines(facts: EquationFacts, spec: Spec) -> list[str]:
    """The stochastic differential equation of a Monte Carlo solution."""
    process, time = facts.process, spec.time
    if process is None or time is None:
        return []
    backward = f", backward in time from {time.name} to {time.start}" if process.direction is Direction.INITIAL else ""
    return [f"process: {_sde(process, time)}{backward}"]


def _sde(process: Generator, time: Time) -> str:
    return f"dX = {' + '.join(filter(None, (_drift(process, time.name), _noise(process)))) or '0'}"


def first_layer(facts: EquationFacts, time: Time) -> str:
    """`t = 1`: the time at which the first layer evaluates the coefficients."""
    assert facts.process is not None
    start, end = facts.equation.interval or (time.start, time.end)
    return f"{time.name} = {end if facts.process.direction is Direction.INITIAL else start}"


def _drift(process: Generator, time: str) -> str:
    match process.drift:
        case Components(rows=(drift,)):
            entries = drift
        case Indexed(diagonal=entry):
            entries = (entry,)
        case _:
            raise AssertionError(process)
    if all(b == 0 for b in entries):
        return ""
    heads = {b.head for b in entries if isinstance(b, Field)}
    if len(heads) == 1 and all(isinstance(b, Field) for b in entries):
        return f"{heads.pop()} d{time}"
    if len(entries) == 1:
        return f"({notation(entries[0])}) d{time}" if isinstance(entries[0], Add) else f"{notation(entries[0])} d{time}"
    return f"[{', '.join(map(notation, entries))}] d{time}"


def _noise(process: Generator) -> str:
    """√2 A^½ dB."""
    match process.structure, process.matrix:
        case MatrixStructure.NONE, _:
            return ""
        case MatrixStructure.ISOTROPIC, Components(rows=rows):
            return f"{notation(sqrt(2 * rows[0][0]))} dB"
        case MatrixStructure.DIAGONAL, Components(rows=rows):
            return f"diag({', '.join(notation(sqrt(2 * rows[i][i])) for i in range(len(rows)))}) dB"
        case MatrixStructure.FULL, Components(rows=rows):
            return f"√2 L dB with L Lᵀ = [{'; '.join(', '.join(map(notation, row)) for row in rows)}]"
        case MatrixStructure.ISOTROPIC, Indexed(diagonal=a):
            return f"{notation(sqrt(2 * a))} dB"
        case MatrixStructure.DIAGONAL, Indexed(diagonal=a):
            return f"diag({notation(sqrt(2 * a))}) dB"
        case MatrixStructure.FULL, Indexed() as matrix:
            return f"√2 L dB with L Lᵀ = {indexed_text(matrix)}"
        case _:
            raise AssertionError(process)


def _verdicts(axioms: dict[Axiom, Verdict]) -> list[str]:
    return [f"{name}: {v.truth}. {v.reason[0].upper()}{v.reason[1:]}{evidence(v)}" for name, v in axioms.items()]


def evidence(verdict: Verdict) -> str:
    """The evidence for a verdict: the hypotheses of a theorem, a counterexample, or none."""
    match verdict:
        case Proved(hypotheses=hypotheses):
            return f" Hypotheses: {'; '.join(hypotheses)}." if hypotheses else ""
        case Refuted(counterexample=witness):
            return f" Counterexample: {witness}."
        case Undecided():
            return " Not decided; `pdedsl test` searches for counterexamples."
        case _:
            assert_never(verdict)


def _tex(text: str) -> str:
    return ascii_tex(escaping.latex(text))
