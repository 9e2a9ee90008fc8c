"""The pipeline: text → Syntax → Spec → Analysis → Representation → Plan → Program → modules.

Stages behind the analysis are imported when they are used, so that `pdedsl check` starts at once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pdedsl.analyse.analyse import analyse
from pdedsl.diagnostics import PdeError, Reporter, Source, Span, fail, in_order, nearest
from pdedsl.frontend.elaborate.elaborate import elaborate
from pdedsl.frontend.syntax.parse import parse_syntax
from pdedsl.frontend.syntax.tree import Syntax, outline
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.spec import Spec
from pdedsl.shipped import locate, shipped_specs

if TYPE_CHECKING:
    from torch import nn

    from pdedsl.emit.program import Program
    from pdedsl.ir.plan import Model, OperatorPlan
    from pdedsl.ir.representation import Representation

MAX_BYTES = 1 << 20
ILL_POSED = {"E418", "E419"}
DEEP = 20_000  # frames: two hundred brackets deep, through sympy


def parse(text: str, name: str = "<text>") -> Spec:
    """The meaning of a spec given as text. Raises `PdeError` with every mistake in it."""
    return to_spec(Source(_plain(text), name))


def load(path: str | Path) -> Spec:
    """The meaning of a spec in a file."""
    return to_spec(read(path))


def to_spec(source: Source) -> Spec:
    """The meaning of a source, if the problem that it sets is well-posed."""
    analysis = to_analysis(source)
    wrong = [d for d in analysis.diagnostics if d.code in ILL_POSED]
    if wrong:
        raise PdeError(in_order(wrong), source)
    return analysis.spec


def to_analysis(source: Source) -> Analysis:
    """What a source means and what can be proved about it, with the mistakes that only this shows."""
    reporter = Reporter()
    with _deep(), _located(source, reporter):
        syntax = parse_syntax(source, reporter)
        analysis = analyse(elaborate(syntax, source, reporter))
    warnings = in_order((*reporter.warnings, *(d for d in analysis.diagnostics if d.severity == "warning")))
    return replace(analysis, spec=replace(analysis.spec, warnings=warnings))


def checked(analysis: Analysis) -> Analysis:
    """An analysis that keeps every contract of its spec."""
    wrong = [d for d in analysis.diagnostics if d.severity == "error"]
    if wrong:
        raise PdeError(in_order(wrong), analysis.spec.source)
    return analysis


def to_syntax(source: Source) -> Syntax:
    """What was written, if all of it can be read."""
    reporter = Reporter()
    with _deep(), _located(source, reporter):
        syntax = parse_syntax(source, reporter)
    if reporter.errors:
        raise PdeError(in_order(reporter.errors), source)
    return syntax


@contextmanager
def _located(source: Source, reporter: Reporter) -> Iterator[None]:
    """Errors leave with their source, and with the mistakes that were found before them."""
    try:
        yield
    except PdeError as error:
        if error.source is not None:
            raise
        raise PdeError(in_order((*reporter.errors, *error.diagnostics)), source) from None


@contextmanager
def _deep() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


# ---- compiling


@dataclass(frozen=True)
class Compilation:
    """A spec with every stage behind it. Modules are built on demand; only that imports torch."""

    analysis: Analysis
    representation: Representation
    plan: Model
    operator_plan: OperatorPlan | None
    program: Program

    @property
    def spec(self) -> Spec:
        return self.analysis.spec

    def module(self, seed: int = 0) -> nn.Module:
        """The network: scores whose softmax is u for class probabilities, otherwise u itself."""
        from pdedsl.emit.program import run

        built: nn.Module = run(self.program, "model", seed=seed)
        return built

    def operator(self, module: nn.Module | None = None, samples: int | None = None, seed: int = 0) -> nn.Module:
        """The evolution operator: `operator(f, x, t)` is the solution at time t with data f at points x (n, d).

        Learned fields are those of `module`, or new ones. Where there is no operator on R^d, this says why.
        """
        from pdedsl.emit.program import run

        if self.operator_plan is None:
            with _located(self.spec.source, Reporter()):
                _operator_plan(self.representation, self.spec)
        names = [name for name, default in self.program.function("operator").params if default is None]
        fields = {name: self._field(name, module) for name in names}
        chosen = {} if samples is None else {"samples": samples}
        built: nn.Module = run(self.program, "operator", **fields, **chosen, seed=seed)
        return built

    def _field(self, name: str, module: nn.Module | None) -> nn.Module:
        from pdedsl.emit.names import maker_of, name_of
        from pdedsl.emit.program import run
        from pdedsl.runtime.marching import Composed, March

        if module is None:
            maker = next(maker_of(w) for w in self.spec.learned if name_of(w) == name)
            fresh: nn.Module = run(self.program, maker)
            return fresh
        for part in module.modules():
            if isinstance(part, Composed) and name in part.fields:
                return part.fields[name]
        found = [m.field for m in module.modules() if isinstance(m, March) and not isinstance(m.field, Composed)]
        if not found:
            raise ValueError("this module has no field on R^d")
        return cast("nn.Module", found[0])

    def files(self) -> dict[str, str]:
        """The files of a package that holds the model, its harness, its tests and its explanation."""
        from pdedsl.explain.package import package_files

        return package_files(self.analysis, self.plan, self.python())

    def python(self) -> str:
        """The model as the text of a Python module."""
        from pdedsl.emit.python import source

        return source(self.program)


def compile(spec: Spec | str | Path) -> Compilation:
    """Every stage of a spec, which may be given as a Spec, as a path, as the name of a shipped spec, or as text."""
    return compile_source(source_of(spec))


def source_of(spec: Spec | str | Path, settings: Sequence[str] = ()) -> Source:
    """The text of a spec, with entries changed by settings such as "train.epochs=2"."""
    return changed(_source_of(spec), settings)


def changed(source: Source, settings: Sequence[str]) -> Source:
    if not settings:
        return source
    from pdedsl.frontend.editing.override import overridden

    with _deep():
        return overridden(source, settings)


def _source_of(spec: Spec | str | Path) -> Source:
    if isinstance(spec, Spec):
        return spec.source
    if isinstance(spec, str) and "\n" in spec:
        return Source(_plain(spec))
    shipped = locate(str(spec))
    inside = Path(spec) / "spec.pde"  # of a run, or of a compiled package
    source = read(shipped or (inside if inside.is_file() else spec))
    return Source(source.text, shipped.name) if shipped else source


def compile_source(source: Source) -> Compilation:
    from pdedsl.emit.calls import program_of

    analysis = checked(to_analysis(source))
    representation, model = to_plan(analysis)
    with _deep(), _located(source, Reporter()):
        operator = _operator_plan(representation, analysis.spec, quiet=True)
        program = program_of(model, operator, analysis.spec)
    return Compilation(analysis, representation, model, operator, program)


def to_plan(analysis: Analysis) -> tuple[Representation, Model]:
    """The theorem applied, and the network that follows."""
    from pdedsl.lower.lower import lower
    from pdedsl.plan.plan import plan

    with _deep(), _located(analysis.spec.source, Reporter()):
        representation = lower(analysis)
        return representation, plan(representation, analysis.spec)


def _operator_plan(representation: Representation, spec: Spec, quiet: bool = False) -> OperatorPlan | None:
    from pdedsl.ir.representation import Paths
    from pdedsl.plan.operator import plan_operator

    try:
        if isinstance(representation, Paths):
            return plan_operator(representation, spec)
        raise fail("E606", "an equation on feature maps has no operator on R^d", spec.space.span, "use a space R^2")
    except PdeError:
        if quiet:
            return None
        raise


# ---- reading


def read(path: str | Path) -> Source:
    """A spec's text from a file; what is no text is a mistake like any other."""
    name = str(path)
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        guess = nearest(Path(name).stem, shipped_specs())
        hint = f"did you mean the shipped spec '{guess}'?" if guess else "'pdedsl specs' lists the shipped specs"
        raise _unreadable("E001", "there is no such file", name, hint) from None
    except IsADirectoryError:
        raise _unreadable("E002", "this is a directory, not a file", name) from None
    except PermissionError:
        raise _unreadable("E003", "no permission to read this file", name) from None
    except OSError as error:
        raise _unreadable("E003", f"this file cannot be read: {error.strerror}", name) from None
    return decode(data, name)


def decode(data: bytes, name: str) -> Source:
    if len(data) > MAX_BYTES:
        raise _unreadable("E006", "this file is larger than 1 MiB", name)
    if b"\0" in data:
        raise _unreadable("E005", "this is a binary file, not a spec", name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        source = Source(before + "�", name)
        at = Span(len(before), len(before) + 1)
        message = f"this is not UTF-8: byte 0x{data[error.start]:02X}"
        raise PdeError(fail("E004", message, at, "save the file as UTF-8").diagnostics, source) from None
    return Source(_plain(text), name)


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff")


def _unreadable(code: str, message: str, name: str, hint: str = "") -> PdeError:
    return PdeError(fail(code, message, Span(0, 0), hint).diagnostics, Source("", name))


# ---- writing


def format(text: str, ascii: bool = False) -> str:
    """A spec in canonical layout, in Unicode or in ASCII."""
    return format_source(Source(_plain(text)), ascii)


def format_source(source: Source, ascii: bool = False) -> str:
    from pdedsl.frontend.printing.format import format_syntax

    with _deep():
        return format_syntax(to_syntax(source), source, ascii)


def emit_stage(source: Source, stage: str) -> str:
    """A stage of the compiler as stable text."""
    from pdedsl.explain.show import stage_text

    if stage == "syntax":
        return outline(to_syntax(source), source)
    if stage in ("spec", "canonical", "latex"):
        return _spec_stage(to_spec(source), stage)
    if stage == "analysis":
        analysis = to_analysis(source)
        return stage_text(analysis.equations) + stage_text(analysis.axioms)
    compilation = compile_source(source)
    match stage:
        case "representation":
            return stage_text(compilation.representation)
        case "plan":
            return stage_text(compilation.plan) + stage_text(compilation.operator_plan)
        case "python":
            return compilation.python()
        case _:
            raise ValueError(f"no stage '{stage}'")


def _spec_stage(spec: Spec, stage: str) -> str:
    from pdedsl.explain.show import latex_of, spec_text

    match stage:
        case "spec":
            return spec_text(spec)
        case "latex":
            return latex_of(spec) + "\n"
        case _:
            return spec.canonical
