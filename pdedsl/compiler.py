"""The compiler: a source text through every stage, with the input and output of each.

| stage | input → output | package |
| --- | --- | --- |
| parse | `Source` → `Syntax`, a typed tree with source positions | `language` |
| elaborate | `Syntax` → `Spec`, with resolved names, checked types and sympy expressions | `language.elaborate` |
| analyze | `Spec` → `Analysis`: classes of terms and equations, verdicts on properties | `analysis` |
| lower | `Analysis` → `Representation`, by the first theorem that applies | `lowering` |
| plan | `Representation` → `Model`: blocks with sizes, steps and noise, or a solver | `planning` |
| generate | `Model` → `Program`: printed as Python, or run to build torch modules | `codegen` |

Hints about the notation of other programs are added to errors of the first two stages. Later stages are imported on
use, so that `pdedsl format` starts quickly; only building modules imports torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, assert_never

from pdedsl import errors
from pdedsl.data.sample_shape import with_data_dimension
from pdedsl.deep_recursion import run_with_big_stack
from pdedsl.diagnostics import Diagnostic, PdeError, Reporter, Source, sort_diagnostics
from pdedsl.diagnostics.escaping import as_json
from pdedsl.ir.spec import Spec
from pdedsl.language.elaborate.elaborate import elaborate
from pdedsl.language.hints import equation_number_warnings, hints_for
from pdedsl.language.parser import parse_syntax
from pdedsl.record import Record
from pdedsl.symbolic.sympy_errors import EvaluationLimitExceeded, limit_evaluation, reset_evaluation_count

if TYPE_CHECKING:
    from torch import nn

    from pdedsl.codegen.program import Program
    from pdedsl.config.methods import Grid, PlannedSolver
    from pdedsl.explainer.explain import Explanation
    from pdedsl.ir.analysis import Analysis
    from pdedsl.ir.plan import Model, OperatorPlan, SolvePlan
    from pdedsl.ir.representation import Representation
    from pdedsl.ir.solver_plans import ElementsPlan, GridPlan, JavascriptPlan, SolverPlan
    from pdedsl.language.ast import Syntax

T = TypeVar("T")
limit_evaluation()

# ---- Stages


def to_syntax(source: Source) -> Syntax:
    """The syntax tree; raises every error if some of the text cannot be parsed."""
    return with_hints(source, lambda reporter: parse_syntax(source, reporter))[0]


def to_spec(source: Source, parse: Callable[[Source, Reporter], Syntax] = parse_syntax) -> Spec:
    """The elaborated spec, with the warnings of parsing and elaboration."""
    spec, reporter = with_hints(source, lambda reporter: elaborate(parse(source, reporter), source, reporter))
    return replace(spec, warnings=sort_diagnostics([*reporter.warnings, *equation_number_warnings(source)]))


def with_hints(source: Source, work: Callable[[Reporter], T]) -> tuple[T, Reporter]:
    """Like `run_stage`, with hints for lines in the notation of other programs."""
    try:
        return run_stage(source, work)
    except PdeError as error:
        raise PdeError(hints_for(source, error.diagnostics), source) from None


def to_analysis(spec: Spec) -> Analysis:
    """Classes and verdicts; errors found by the analysis are in its diagnostics."""
    from pdedsl.analysis.analyze import analyze

    return with_warnings(run_bounded(spec, lambda: analyze(spec)))


def with_warnings(analysis: Analysis) -> Analysis:
    """The analysis, with its warnings added to those of the spec."""
    spec, warnings = analysis.spec, (d for d in analysis.diagnostics if not d.is_error)
    return replace(analysis, spec=replace(spec, warnings=sort_diagnostics((*spec.warnings, *warnings))))


def to_plan(analysis: Analysis) -> PlanResult:
    """Lower and plan: the representation by a theorem, and the model."""
    from pdedsl.lowering.lower import lower
    from pdedsl.lowering.truncated_domain import reference_problem
    from pdedsl.planning.plan import plan

    def lower_and_plan() -> PlanResult:
        representation = lower(analysis)
        return PlanResult(representation, plan(representation, analysis.spec, reference_problem(analysis)))

    return run_bounded(analysis.spec, lower_and_plan)


def to_javascript_plan(analysis: Analysis) -> JavascriptPlan:
    """The plan of a grid for JavaScript; raises `PdeError` with the reason if there is none."""
    from pdedsl.planning.javascript import plan_javascript

    return run_bounded(analysis.spec, lambda: plan_javascript(analysis))


def check_spec(spec: Spec, data: Path | None = None) -> CheckResult:
    """Analysis and plan of a spec, with all errors: a spec without errors compiles. `data` is the folder of data sets,
    which determine the dimension of R^d."""
    return check_analysis(to_analysis(spec), data)


def check_analysis(analysis: Analysis, data: Path | None = None) -> CheckResult:
    """Like `check_spec`, for a spec that is already analysed."""
    violations = [d for d in analysis.diagnostics if d.is_error]
    diagnostics, planned = [*analysis.spec.warnings, *violations], None
    if not violations:
        try:
            analysis = replace(
                analysis, spec=run_bounded(analysis.spec, lambda: with_data_dimension(analysis.spec, data))
            )
            planned = to_plan(analysis)
        except PdeError as error:
            diagnostics += error.diagnostics
    return CheckResult(analysis, planned, sort_diagnostics(diagnostics))


def generate(checked: CheckResult, trust: bool = False) -> Compilation:
    """Generate the program of a checked spec. `trust` allows importing the user's networks named in the spec."""
    from pdedsl.codegen.generate import generate_program
    from pdedsl.codegen.user_networks import import_user_networks

    analysis, planned = checked.analysis, checked.require_plan()
    spec = run_bounded(analysis.spec, lambda: import_user_networks(analysis.spec, planned.model, trust))
    if spec is not analysis.spec:  # now with the number of residual blocks of the user's networks
        analysis = replace(analysis, spec=spec)
        planned = to_plan(analysis)

    def compilation() -> Compilation:
        program = generate_program(planned.model, analysis.spec)
        return Compilation(analysis, planned.representation, planned.model, program)

    return run_bounded(analysis.spec, compilation)


def check(source: Source, data: Path | None = None) -> CheckResult:
    return check_spec(to_spec(source), data)


def to_compilation(source: Source, trust: bool = False, data: Path | None = None) -> Compilation:
    return generate(check(source, data), trust)


# ---- Running a stage


def run_stage(source: Source, work: Callable[[Reporter], T]) -> tuple[T, Reporter]:
    """Run a stage on a large stack. An error carries the source, and the errors reported before it."""
    reporter = Reporter()
    try:
        result = run_with_big_stack(lambda: work(reporter))
    except PdeError as error:
        if error.source is not None:
            raise
        raise PdeError(sort_diagnostics((*reporter.errors, *error.diagnostics)), source) from None
    if reporter.errors:
        raise PdeError(sort_diagnostics(reporter.errors), source)
    return result, reporter


def run_bounded(spec: Spec, work: Callable[[], T]) -> T:
    """Run a stage after elaboration. A coefficient that overflows, such as exp(exp(exp(9))), or cannot be simplified
    within the limits, is an error of the spec."""

    def stage(_: Reporter) -> T:
        reset_evaluation_count()
        try:
            return work()
        except (OverflowError, EvaluationLimitExceeded):
            raise errors.syntax.expression_too_large(spec.equations[0].span) from None

    return run_stage(spec.source, stage)[0]


# ---- Results


class PlanResult(Record):
    """The representation given by a theorem, and the model planned from it."""

    representation: Representation
    model: Model


class CheckResult(Record):
    """Analysis, plan and diagnostics of a spec, as reported by `check` and `explain`; no module is built.

    `planned` is None if the spec has errors.
    """

    analysis: Analysis
    planned: PlanResult | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.is_error)

    def require_plan(self) -> PlanResult:
        """The plan; raises `PdeError` if the spec has errors."""
        if self.errors or self.planned is None:
            raise PdeError(self.errors, self.analysis.spec.source)
        return self.planned


class Compilation(Record):
    """The results of all stages for one spec. Modules are built on demand; only building them imports torch.

    Attributes:
        analysis: classes of terms and equations, and verdicts on properties.
        representation: the representation by a theorem.
        plan: the plan of the network or solver.
        program: the generated program.

    Example:
        >>> import pdedsl
        >>> compilation = pdedsl.compile("resnet")
        >>> compilation.representation.theorem.name
        'the method of characteristics'
        >>> "def model(" in compilation.python()
        True
    """

    analysis: Analysis
    representation: Representation
    plan: Model
    program: Program

    @property
    def spec(self) -> Spec:
        return self.analysis.spec

    @cached_property
    def operator_plan(self) -> OperatorPlan | PdeError:
        """The evolution operator on R^d, or the reason why there is none."""
        from pdedsl.ir.plan import DataPlan, ImagePlan

        if isinstance(self.plan, DataPlan):
            return self.plan.operator
        is_image, span = isinstance(self.plan, ImagePlan), self.spec.space.span
        return errors.networks.operator_on_pixels(span) if is_image else errors.networks.operator_on_domain(span)

    def plan_solver(self, method: PlannedSolver) -> SolverPlan:
        """The plan of a solver of a boundary value problem.

        Args:
            method: configuration of the solver.

        Returns:
            The complete plan.

        Raises:
            PdeError: with the reason, if the solver is not applicable.

        Example:
            >>> import pdedsl
            >>> from pdedsl.config.methods import Elements
            >>> pdedsl.compile("poisson").plan_solver(Elements()).method.name
            'elements'
        """
        from pdedsl.ir.plan import SolvePlan
        from pdedsl.planning.solver_selection import planner_of

        assert isinstance(self.plan, SolvePlan)
        plan = planner_of(self.plan.problem, self.spec).plan(method, self.spec.space.span)
        if isinstance(plan, PdeError):
            raise plan
        return plan

    def plan_member(self, reference: tuple[float, ...], alone: bool = False) -> SolvePlan:
        """The plan of a member of a family.

        Args:
            reference: the reference variable of each parameter: in [-1, 1] for an interval, in standard deviations from
                the mean for a normal or lognormal number.
            alone: whether it is solved as a single problem, rather than for many evaluations of the family.

        Returns:
            The complete plan.

        Raises:
            PdeError: with the reason, if no method is applicable.

        Example:
            >>> import pdedsl
            >>> plan = pdedsl.compile("heat_family").plan_member((1.0, 0.0))  # κ = 0.5, q = 1
            >>> plan.method.name
            'grid'
        """
        from pdedsl.ir.plan import SolvePlan
        from pdedsl.planning.families import plan_member

        assert isinstance(self.plan, SolvePlan)
        assert self.plan.family is not None
        return plan_member(self.plan.family, reference, self.spec, alone)

    @cached_property
    def elements_plan(self) -> ElementsPlan:
        """The plan of finite elements: that of the spec, or the default one. Raises `PdeError` with the reason if there
        is no weak form."""
        from pdedsl.config.methods import Elements
        from pdedsl.ir.plan import SolvePlan
        from pdedsl.ir.solver_plans import ElementsPlan

        if not isinstance(self.plan, SolvePlan):
            raise PdeError(errors.runs.trained_not_solved(self.spec.space.span).diagnostics, self.spec.source)
        if isinstance(self.plan.solver, ElementsPlan):
            return self.plan.solver
        try:
            plan = self.plan_solver(Elements())
        except PdeError as error:
            raise PdeError(error.diagnostics, self.spec.source) from None
        assert isinstance(plan, ElementsPlan)
        return plan

    def plan_reference(self, grid: Grid) -> GridPlan | PdeError:
        """The plan of a grid on a truncated domain for an equation on R^d.

        Args:
            grid: configuration of the grid.

        Returns:
            The plan, or an error with the reason why there is none.

        Example:
            >>> import pdedsl
            >>> from pdedsl.config.methods import Grid
            >>> pdedsl.compile("rotation").plan_reference(Grid()).method.n
            128
        """
        from pdedsl.ir.plan import DataPlan
        from pdedsl.lowering.truncated_domain import DEFAULT_EXTENT, truncate_domain
        from pdedsl.planning.method_planners import SolverPlanner

        if isinstance(self.plan, DataPlan) and self.plan.reference is not None:
            return self.plan.reference
        problem = truncate_domain(self.analysis, float(grid.extent or DEFAULT_EXTENT))
        return SolverPlanner(problem).plan_grid(replace(grid, extent=None), self.spec.space.span)

    @property
    def explanation(self) -> Explanation:
        """The derivation: class of the equation, theorem, network or solver, and proved properties."""
        from pdedsl.explainer.explain import Explanation

        return Explanation(self.analysis, self.representation.theorem, self.plan)

    def __repr__(self) -> str:
        from pdedsl.explainer.describe import applied_theorem

        theorem = applied_theorem(self.representation.theorem, self.plan)
        return f"Compilation({self.spec.name} by {theorem.name}, hash {self.spec.hash})"

    def _repr_markdown_(self) -> str:
        return self.explanation._repr_markdown_()

    def _repr_html_(self) -> str:
        return self.explanation._repr_html_()

    def module(self, seed: int = 0) -> nn.Module:
        """The network. It returns logits with softmax u if u are class probabilities, otherwise u.

        Args:
            seed: seed of the noise; weights are initialised by torch's global generator.

        Returns:
            An `nn.Module`: points (n, d) or images (n, c, h, w) to logits (n, classes) or values (n, components).

        Example:
            >>> import pdedsl
            >>> import torch
            >>> pdedsl.compile("convection_diffusion").module()(torch.zeros(3, 2)).shape
            torch.Size([3, 2])
        """
        from pdedsl.codegen.build import build_model

        return build_model(self.program, seed)

    def operator(self, module: nn.Module | None = None, samples: int | None = None, seed: int = 0) -> nn.Module:
        """The evolution operator: `operator(f, x, t)` is the solution at time t and points x (n, d) for initial data f.

        Args:
            module: network from which learned fields are taken; None for newly initialised ones.
            samples: number of Monte Carlo paths per point; None for that of the plan.
            seed: seed of the paths.

        Returns:
            An `nn.Module` of f, x (n, d) and t, with values (n,).

        Raises:
            PdeError: with the reason, if there is no operator on R^d.

        Example:
            >>> import pdedsl
            >>> import torch
            >>> operator = pdedsl.compile("rotation").operator(samples=64)
            >>> operator(lambda x: torch.ones_like(x[..., 0]), torch.zeros(1, 2), 1.0).tolist()
            [1.0]
        """
        from pdedsl.codegen.build import build_operator

        if isinstance(self.operator_plan, PdeError):
            raise PdeError(self.operator_plan.diagnostics, self.spec.source)
        return build_operator(self.program, self.spec, module, samples, seed)

    def python(self) -> str:
        """The source text of `model.py`.

        Returns:
            Python code that imports only torch and pdedsl.runtime.

        Example:
            >>> import pdedsl
            >>> pdedsl.compile("resnet").python().splitlines()[-1].strip().startswith("return")
            True
        """
        return self._python

    @cached_property
    def _python(self) -> str:
        from pdedsl.codegen.python import to_python

        return to_python(self.program)

    def javascript(self) -> str:
        """The ES module of a solve on a grid, for the library `pdedsl.mjs`; constants with a range are its parameters.

        Returns:
            The text of the module.

        Raises:
            PdeError: with the reason, if the library cannot solve the problem.

        Example:
            >>> import pdedsl
            >>> "export const problem" in pdedsl.compile("heat").javascript()
            True
        """
        from pdedsl.codegen.javascript import javascript_module

        return javascript_module(self.javascript_plan, self.spec)

    @cached_property
    def javascript_plan(self) -> JavascriptPlan:
        """The plan of a grid for JavaScript. Raises `PdeError` with the reason if there is none."""
        return to_javascript_plan(self.analysis)

    def files(self) -> dict[str, str]:
        """The files of a package with model, harness, tests and README.

        Returns:
            The text of each file by its path.

        Example:
            >>> import pdedsl
            >>> sorted(pdedsl.compile("resnet").files())
            ['README.md', '__init__.py', 'harness.py', 'model.py', 'spec.pde', 'test_axioms.py']
        """
        from pdedsl.explainer.package import package_files

        return package_files(self.explanation, self.plan, self.python())

    def standalone_files(self, package: str) -> dict[str, str]:
        """The files of a package with the model and the runtime modules it uses, independent of pdedsl.

        Args:
            package: name of the package.

        Returns:
            The text of each file by its path.

        Example:
            >>> import pdedsl
            >>> "import pdedsl" in "".join(pdedsl.compile("resnet").standalone_files("mine").values())
            False
        """
        from pdedsl.explainer.package import standalone_files

        return standalone_files(self.spec, self.python(), package)


# ---- Text of a stage, for `pdedsl compile --emit`


class Stage(StrEnum):
    SYNTAX = "syntax"
    SPEC = "spec"
    CANONICAL = "canonical"
    GRAPH = "graph"
    LATEX = "latex"
    ANALYSIS = "analysis"
    REPRESENTATION = "representation"
    PLAN = "plan"
    WEAK = "weak"
    PYTHON = "python"


class Stages:
    """The stages of one source; shared results are computed once."""

    def __init__(self, source: Source, trust: bool = False) -> None:
        self._source, self._trust = source, trust

    @cached_property
    def _spec(self) -> Spec:
        return to_spec(self._source)

    @cached_property
    def _analysis(self) -> Analysis:
        return to_analysis(self._spec)

    @cached_property
    def _compilation(self) -> Compilation:
        return generate(check_analysis(self._analysis), self._trust)

    def text(self, stage: Stage) -> str:
        """The result of a stage, run after all earlier ones, as text."""
        from pdedsl.explainer.stage_text import noun_text, spec_text
        from pdedsl.language.ast import dump

        match stage:
            case Stage.SYNTAX:
                return dump(to_syntax(self._source), self._source)
            case Stage.SPEC:
                return run_bounded(self._spec, lambda: spec_text(self._spec))
            case Stage.CANONICAL:
                return run_bounded(self._spec, lambda: self._spec.canonical)
            case Stage.GRAPH:
                return run_bounded(self._spec, self._graph)
            case Stage.LATEX:
                return self._spec.latex + "\n"
            case Stage.ANALYSIS:
                return noun_text(self._analysis.equations) + noun_text(self._analysis.axioms)
            case Stage.REPRESENTATION:
                return noun_text(self._compilation.representation)
            case Stage.PLAN:
                operator = self._compilation.operator_plan
                refused = isinstance(operator, PdeError)
                return noun_text(self._compilation.plan) + ("" if refused else noun_text(operator))
            case Stage.WEAK:
                return self._weak_form()
            case Stage.PYTHON:
                return self._compilation.python()
            case _:
                assert_never(stage)

    def _weak_form(self) -> str:
        from pdedsl.explainer.weak_form import weak_form_lines

        form = self._compilation.elements_plan.weak_form
        return "\n".join(weak_form_lines(form)) + "\n"

    def _graph(self) -> str:
        from pdedsl.ir.graph import graph_of

        return as_json(graph_of(self._spec.canonical).as_dict() | {"hash": self._spec.hash}) + "\n"
