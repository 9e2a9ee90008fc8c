"""Analysis → the derivation a good teacher would write, as text, Markdown, LaTeX or JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from sympy import sqrt

from pdedsl.config.methods import Direction
from pdedsl.diagnostics import Diagnostic, escaping
from pdedsl.explainer.defaults import defaults
from pdedsl.explainer.describe import network_lines, theorem_line
from pdedsl.explainer.drawing.draw import svg
from pdedsl.explainer.lipschitz_parts import certificate_lines
from pdedsl.explainer.terms import detail_of, indexed_text
from pdedsl.explainer.tex import ascii_tex
from pdedsl.ir.analysis import Analysis, EquationClass, EquationFacts
from pdedsl.ir.plan import Model
from pdedsl.ir.spec import SpaceKind, Spec, Time
from pdedsl.ir.terms import Components, Generator, Indexed, MatrixStructure
from pdedsl.ir.theorem import Theorem
from pdedsl.ir.verdicts import Axiom, Proved, Refuted, Undecided, Verdict
from pdedsl.runs.document import Heading, Items, fragment
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Field


def class_text(kind: EquationClass) -> str:
    match kind:
        case EquationClass.TRANSPORT:
            return "a transport equation: values travel along curves and never mix"
        case EquationClass.CONVECTION_DIFFUSION:
            return "a convection-diffusion equation: values travel along curves and spread"
        case EquationClass.DIFFUSION:
            return "a diffusion equation: values spread"
        case EquationClass.REACTION_DIFFUSION:
            return "a reaction-diffusion equation: values spread, and are made or consumed"
        case EquationClass.NONLINEAR_DIFFUSION:
            return "a nonlinear diffusion equation: how values spread depends on the values"
        case EquationClass.HAMILTON_JACOBI:
            return "a Hamilton-Jacobi equation: fronts move at a speed that depends on their slope"
        case EquationClass.WAVE:
            return "a wave equation: second order in time"
        case EquationClass.HAMILTONIAN:
            return "a separable pair: two halves, each pushed by the other alone"
        case EquationClass.GRADIENT_FLOW:
            return "a gradient flow: a symmetric layer -Kᵀσ(KY) that runs down an energy"
        case EquationClass.ODE:
            return "an ordinary differential equation in the state"
        case EquationClass.ELLIPTIC:
            return "an elliptic equation: a balance at rest"
        case EquationClass.PARABOLIC:
            return "a parabolic equation at rest: one of its variables plays the part of time"
        case EquationClass.HYPERBOLIC:
            return "a hyperbolic equation at rest: values travel along its characteristics"
        case EquationClass.MIXED:
            return "an equation of mixed type: elliptic in one part of the domain, and not in another"
        case EquationClass.HIGHER_ORDER:
            return "an equation of third or higher order"
        case EquationClass.CONSTRAINT:
            return "a constraint at rest on the other unknowns"
        case _:
            assert_never(kind)


def facts_json(analysis: Analysis) -> dict[str, object]:
    """What `check --json` says about equations and axioms."""
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
                "terms": [term(t.word, t.origin.text, t.origin.span.start) for t in e.terms],
            }
            for e in analysis.equations
        ],
        "axioms": {name: {"verdict": v.truth, "reason": v.reason} for name, v in analysis.axioms.items()},
    }


# ---- the explanation


@dataclass(frozen=True)
class Explanation:
    """What an equation is, what it becomes and what can be proved about it: `print` it, or let a notebook show it.

    `kernels` are trained kernels as differential operators. If there is no theorem or plan, `errors` say why.
    """

    analysis: Analysis
    theorem: Theorem | None
    plan: Model | None
    errors: tuple[Diagnostic, ...] = ()
    kernels: tuple[str, ...] = ()

    @property
    def network(self) -> list[str]:
        """What the equation becomes, or why there is no network."""
        if self.theorem is None or self.plan is None:
            return [f"none: {d.message}" for d in self.errors]
        lines = [theorem_line(self.theorem), *network_lines(self.plan)]
        return [*lines, *certificate_lines(self.plan, self.analysis)]

    def __str__(self) -> str:
        """Plain text, for a terminal."""
        return self._document(lambda text: f"{text}\n{'-' * len(text)}", "  ", escaping.line)

    def markdown(self) -> str:
        return self._document(lambda text: f"## {text}\n", "- ", escaping.markdown)

    def latex(self) -> str:
        """LaTeX for a paper: the problem as it was written, its process, what it becomes, and its axioms."""
        spec = self.analysis.spec
        processes = [row for facts in self.analysis.equations for row in process_lines(facts, spec)]
        axioms = [(name, f"\\emph{{{v.truth}}}: {_tex(v.reason)}") for name, v in self.analysis.axioms.items()]
        parts = [spec.latex, *map(_tex, processes), _listed([("", _tex(row)) for row in self.network]), _listed(axioms)]
        return "\n\n".join(parts) + "\n"

    def as_dict(self) -> dict[str, object]:
        """The same for programs, in values that JSON can represent."""
        spec = self.analysis.spec
        return {
            "name": spec.name,
            "title": spec.title,
            "hash": spec.hash,
            **facts_json(self.analysis),
            "network": self.network,
            "processes": [p for e in self.analysis.equations for p in process_lines(e, spec)],
            "shapes": sorted({s for e in self.analysis.equations for s in e.shapes}),
            "defaults": defaults(self.analysis),
            "warnings": [d.message for d in spec.warnings],
        }

    def svg(self) -> str:
        """A drawing of what the equation becomes."""
        return svg(self)

    def _repr_markdown_(self) -> str:
        return f"{self.analysis.spec.latex}\n\n{self.markdown()}"

    def _repr_html_(self) -> str:
        """The equation, the drawing and the text."""
        rows = [e for title, rows in self.sections() for e in (Heading(title, 3), Items(tuple(map(str.strip, rows))))]
        return f"{escaping.html_lines(self.analysis.spec.latex)}\n{self.svg()}\n{fragment(rows, Path())}"

    def __repr__(self) -> str:
        return str(self)

    def _document(self, head: Callable[[str], str], item: str, quote: Callable[[str], str]) -> str:
        spec = self.analysis.spec

        def listed(rows: Sequence[str]) -> list[str]:
            """Rows that begin with spaces belong to the row above them."""
            return [" " * (len(row) - len(row.lstrip())) + item + quote(row.lstrip()) for row in rows]

        parts = [quote(f"{spec.name}: {spec.title}" if spec.title else spec.name) + "\n"]
        for title, rows in self.sections():
            parts += [head(title), *listed(rows), ""]
        return "\n".join(parts).rstrip() + "\n"

    def sections(self) -> list[tuple[str, list[str]]]:
        """The sections that are not empty: titles with their rows."""
        analysis, several = self.analysis, len(self.analysis.equations) > 1
        sections = [
            (f"Equation{f' {k}' if several else ''}", _equation(facts, analysis.spec))
            for k, facts in enumerate(analysis.equations, 1)
        ]
        sections += [
            ("Network", self.network),
            ("Kernels", list(self.kernels)),
            ("Axioms", _verdicts(analysis.axioms)),
            ("Chosen by default", defaults(analysis)),
            ("Warnings", [d.message for d in analysis.spec.warnings]),
        ]
        return [(title, rows) for title, rows in sections if rows]


def _listed(rows: Sequence[tuple[str, str]]) -> str:
    """A list in LaTeX, with the name of each item in front, if it has one."""
    kind = "description" if any(name for name, _ in rows) else "itemize"
    body = "\n".join(rf"\item[{_tex(name)}] {text}" if name else rf"\item {text}" for name, text in rows)
    return f"\\begin{{{kind}}}\n{body}\n\\end{{{kind}}}"


def _equation(facts: EquationFacts, spec: Spec) -> list[str]:
    rows = [facts.text, f"This is {class_text(facts.kind)}; it is {'linear' if facts.linear else 'nonlinear'}."]
    for t in facts.terms:
        line, column = spec.source.position(t.origin.span.start)
        detail = detail_of(t, spec)
        rows.append(
            f"{t.word.replace('_', ' ')}: {t.origin.text}{f' ({detail})' if detail else ''}, at {line}:{column}"
        )
    rows += [f"Known shape: {s}." for s in facts.shapes]
    rows += process_lines(facts, spec)
    return rows


def process_lines(facts: EquationFacts, spec: Spec) -> list[str]:
    """The process behind the equation, `dX = v dt + √2 σ dB`, and the time that the first layer sees."""
    process, time = facts.process, spec.time
    if process is None or time is None or spec.space.kind is SpaceKind.PHYSICAL:
        return []
    parts = [p for p in (_drift(process, time.name), _noise(process)) if p]
    where = f"the data are {process.direction}, so the first layer is at {first_layer(facts, time)}"
    return [f"Process: dX = {' + '.join(parts) or '0'}; {where}."]


def first_layer(facts: EquationFacts, time: Time) -> str:
    """`t = 1`: the time that the first layer of a process sees."""
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
    whole = len(heads) == 1 and all(isinstance(b, Field) for b in entries)
    return f"{heads.pop()} d{time}" if whole else f"[{', '.join(map(notation, entries))}] d{time}"


def _noise(process: Generator) -> str:
    """√2 A^½ dB."""
    match process.shape, process.matrix:
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
        case Refuted(witness=witness):
            return f" Counterexample: {witness}."
        case Undecided():
            return " It is left to testing."
        case _:
            assert_never(verdict)


def _tex(text: str) -> str:
    return ascii_tex(escaping.latex(text))
