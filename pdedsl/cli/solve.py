"""The commands solve and crosscheck."""

from __future__ import annotations

import sys
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pdedsl.cli.common import (
    DEVICE,
    EXIT_ERROR,
    EXIT_TOLERANCE,
    SET,
    SPEC,
    echo,
    example,
    exit_on_errors,
    limit_threads,
    read_spec,
)

if TYPE_CHECKING:
    from pdedsl.ir.plan import SolvePlan
    from pdedsl.ir.spec import Spec
    from pdedsl.solvers.crosscheck import Crosscheck
    from pdedsl.solvers.solution import Solution


@click.command(
    epilog=example(
        "pdedsl solve heat -o run --tol 1e-8\n"
        "pdedsl solve wave -o run --set 'realize.equation=grid(n=128)'\n"
        "pdedsl solve run/spec.pde -o run --resume"
    )
)
@click.argument("file", type=SPEC)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Output folder.")
@click.option("--tol", type=float, help="Relative L2 error to reach.  [default: that of the spec, or 1e-4]")
@click.option("--budget", type=float, help="CPU seconds allowed.  [default: that of the spec, or 60]")
@SET
@DEVICE
@click.option("--resume", is_flag=True, help="Resume an interrupted run in the folder.")
def solve(
    file: str,
    output: Path,
    tol: float | None,
    budget: float | None,
    settings: tuple[str, ...],
    device: str | None,
    resume: bool,
) -> None:
    """Solve an initial or boundary value problem.

    Writes the solution, plots and a report with an error estimate. Methods are tried and refined until two independent
    error estimates are below the tolerance. If it is not met within the CPU time, the best result is written, and the
    exit code is 3.
    """
    limits = (("tolerance", tol), ("budget", budget))
    settings = (*settings, *(f"solve.{name}={value!r}" for name, value in limits if value is not None))
    limit_threads()
    with exit_on_errors(("pdedsl", "solve", output / "spec.pde", "-o", output, "--resume")):
        source = read_spec(file, settings)
        from pdedsl.compiler import to_compilation
        from pdedsl.explainer.describe import network_lines, strategy_lines
        from pdedsl.ir.plan import SolvePlan
        from pdedsl.runs.progress import ProgressDisplay
        from pdedsl.solvers.run import compile_problem
        from pdedsl.solvers.run import solve as run_solving

        compilation = compile_problem(to_compilation(source), ())
        echo(f"{compilation.spec.name}: {compilation.spec.title}" if compilation.spec.title else compilation.spec.name)
        plan = compilation.plan
        for text in strategy_lines(plan) if isinstance(plan, SolvePlan) else network_lines(plan):
            echo(text)
        if isinstance(plan, SolvePlan):
            _echo_prediction(plan, compilation.spec)
        with ProgressDisplay(sys.stderr) as display:
            solution = run_solving(compilation, output, device=device, resume=resume, listeners=(display,))
    _echo_solution(solution, output)


LONG_SECONDS = 5.0  # of predicted CPU time, from which it is announced


def _echo_prediction(plan: SolvePlan, spec: Spec) -> None:
    """The predicted CPU time of a long run, and the fastest method that would apply."""
    from pdedsl.planning.solver_selection import fastest_alternative

    first = plan.candidates[0]
    if first.seconds < LONG_SECONDS:
        return
    faster = fastest_alternative(plan, spec)
    time = f"about {first.seconds:.2g} s" if first.seconds < plan.budget else f"up to its limit of {plan.budget:g} s"
    hint = f"; {faster[0]} would take about {faster[1]:.2g} s" if faster else ""
    echo(f"predicted CPU time of {first.solver.name}: {time}{hint}")


def _echo_solution(solution: Solution, folder: Path) -> None:
    """Prints attempts, residuals, comparisons and the error estimate; exits with 3 if the tolerance is not met."""
    from pdedsl.solvers.eigen_solution import EigenSolution
    from pdedsl.solvers.error_estimate import Verdict
    from pdedsl.solvers.report import attempt_cells

    for attempt in solution.attempts:
        method, _, estimates, seconds, outcome = attempt_cells(attempt)
        echo(f"  {method}: {estimates}; {seconds}; {outcome}")
    error_estimate = solution.error_estimate
    for gap in error_estimate.residual_norms:
        echo(f"  relative residual of '{gap.text}' {gap.where}: rms {gap.relative_rms:.1e}, max {gap.relative_max:.1e}")
    for c in error_estimate.comparisons:
        own = "" if c.exact or c.is_self_convergence else f" (error of the reference: {c.error:.1e})"
        own += f"; 95 % confidence intervals ± {c.interval:.1e}" if c.interval else ""
        label = c.reference if c.is_self_convergence else f"relative L2 error w.r.t. {c.reference}"
        echo(f"  {label}: {c.distance:.1e}{own}" if isfinite(c.distance) else f"  {c.reference}")
    for line in solution.lines if isinstance(solution, EigenSolution) else ():
        echo(f"  {line}")
    for name, estimate in solution.parameters.items():
        about = "" if estimate.deviation is None else f" ± {estimate.deviation:.1g}"
        echo(f"  {name} = {estimate.value:.6g}{about}")
    for note in error_estimate.notes:
        echo(f"  {note}")
    echo(f"error estimate: {error_estimate.error}")
    echo(f"{folder}/: {', '.join(sorted(p.name for p in folder.iterdir() if not p.name.startswith('.')))}")
    if error_estimate.verdict is not Verdict.HOLDS:
        for complaint in error_estimate.failures:
            echo(f"failed: {complaint}", err=True)
        raise click.exceptions.Exit(EXIT_TOLERANCE)


@click.command(
    epilog=example("pdedsl crosscheck heat\npdedsl crosscheck my.pde --set 'realize.equation=random_features'")
)
@click.argument("file", type=SPEC)
@SET
@DEVICE
def crosscheck(file: str, settings: tuple[str, ...], device: str | None) -> None:
    """Solve by every applicable method and compare the solutions.

    On R^d these are the solution operator (Monte Carlo) and a grid on a truncated domain. The exit code is 1 if two
    solutions disagree or a residual is too large.
    """
    limit_threads()
    with exit_on_errors():
        source = read_spec(file, settings)
        from pdedsl.compiler import to_compilation
        from pdedsl.solvers.crosscheck import crosscheck_compilation

        comparison = crosscheck_compilation(
            to_compilation(source), device, lambda name: echo(f"solving with {name}", err=True)
        )
    _echo_crosscheck(comparison)


def _echo_crosscheck(crosscheck: Crosscheck) -> None:
    from pdedsl.explainer.describe import obstacle_text

    for result in crosscheck.results:
        residual = "" if result.residual is None else f"; largest relative rms residual {result.residual:.1e}"
        own = f"estimated error {result.error:.1e} ({result.kind})" if result.error else result.kind
        echo(f"  {result.name}: {own}{residual}{'; FAILS' if result.fails(crosscheck.limit) else ''}")
    for name, obstacle in crosscheck.not_applicable:
        echo(f"  {obstacle_text(name, obstacle)}")
    for pair in crosscheck.pairs:
        verdict = "agree" if pair.agrees else "DISAGREE"
        distance = f"relative L2 difference {pair.distance:.1e}, tolerance {pair.tolerance:.1e}"
        echo(f"{verdict}: {pair.first} and {pair.second} ({distance})")
    if not crosscheck.pairs:
        echo("nothing to compare: only one method applies and no exact solution is stated")
    if not crosscheck.agrees:
        raise click.exceptions.Exit(EXIT_ERROR)
