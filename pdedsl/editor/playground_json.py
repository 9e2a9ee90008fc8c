"""Editor services as JSON, for the playground."""

from __future__ import annotations

import json
from functools import lru_cache

from pdedsl.api import explain_result, format_source
from pdedsl.codegen.javascript import Module, slider_values
from pdedsl.compiler import generate, to_javascript_plan
from pdedsl.diagnostics import Diagnostic, PdeError, Span, report
from pdedsl.diagnostics.fixes import resolve_edits
from pdedsl.editor.completion import complete
from pdedsl.editor.document import Document, analysed
from pdedsl.editor.hover import hover
from pdedsl.editor.positions import Positions
from pdedsl.explainer.classification import class_text
from pdedsl.explainer.explain import Explanation, evidence
from pdedsl.ir.analysis import Analysis, EquationFacts
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.spec import Constant, Spec
from pdedsl.planning.javascript import slider_constants

NAME = "playground.pde"


def check_json(text: str) -> str:
    """The diagnostics of a text with their ranges, as in `pdedsl check`, and the verdict on each axiom."""
    document = _document(text)
    return json.dumps(
        {
            "name": document.spec.name if document.spec else None,
            "ok": not any(d.is_error for d in document.diagnostics),
            "report": report(document.source, document.diagnostics),
            "diagnostics": [
                {
                    "code": d.code,
                    "severity": d.severity,
                    "message": d.message,
                    "hint": d.hint,
                    **_range(document, d.span.start, d.span.end),
                    "fixes": _fixes(document, d),
                }
                for d in document.diagnostics
            ],
            "axioms": _axioms(document),
        }
    )


def explanation_json(text: str) -> str:
    """The sections of the explanation, as titles with rows; empty for an invalid spec."""
    explanation = _explanation(text)
    return json.dumps(explanation.sections() if explanation else [])


def drawing_svg(text: str) -> str:
    """The drawing, or an empty string for an invalid spec."""
    explanation = _explanation(text)
    return explanation.svg() if explanation else ""


def python_code(text: str) -> str:
    """The Python code of the model, or an empty string for an invalid spec."""
    document = _document(text)
    if document.examination is None or document.examination.errors:
        return ""
    return generate(document.examination).python()


def laboratory_json(text: str) -> str:
    """The ranges of constants in the text; the JavaScript module of a problem with its description, or the reason why
    there is none; and the explanation in one screen."""
    document = _document(text)
    sliders = _sliders(document.spec) if document.spec else []
    constants = {c.name: {**_range(document, c.span.start, c.span.end), **values} for c, values in sliders}
    return json.dumps({"constants": constants, **_module(document)})


def _module(document: Document) -> dict[str, object]:
    explanation = _explanation(document.text)
    if document.examination is None or document.examination.errors or explanation is None:
        first = next((d for d in document.diagnostics if d.is_error), None)
        return {"reason": f"{first.code}: {first.message}" if first else ""}
    about = explanation.brief()
    try:
        module = Module(to_javascript_plan(document.examination.analysis), document.examination.analysis.spec)
    except PdeError as error:
        return {"reason": error.diagnostics[0].message, "about": about}
    return {"module": module.text(), "problem": module.description(), "about": about}


def properties_json(text: str) -> str:
    """Properties of the compiled text by kind, which exercises require: each a list of descriptions."""
    document, explanation = _document(text), _explanation(text)
    analysis, spec = document.analysis, document.spec
    plan = explanation.plan if explanation else None
    evaluate = spec.evaluate if spec else None
    return json.dumps(
        {
            "error": sorted({d.code for d in document.diagnostics if d.is_error}),
            "equation": [_class(e, analysis) for e in analysis.equations] if analysis else [],
            "verdict": [f"{name}: {v.truth}" for name, v in analysis.axioms.items()] if analysis else [],
            "theorem": [explanation.theorem.name] if explanation and explanation.theorem else [],
            "method": [plan.candidates[0].solver.name] if isinstance(plan, SolvePlan) else [],
            "condition": [c.kind for c in spec.conditions] if spec else [],
            "exact": [str(e.unknown) for e in spec.exact] if spec else [],
            "parameter": [p.name for p in spec.family] if spec else [],
            "required": [r.axiom for r in spec.requirements] if spec else [],
            "slider": [f"{c.name} in [{r['low']}, {r['high']}]" for c, r in _sliders(spec)] if spec else [],
            "evaluation": [str(e) for e in (*evaluate.attack, *evaluate.certify)] if evaluate else [],
        }
    )


def _class(facts: EquationFacts, analysis: Analysis) -> str:
    return ", ".join([class_text(facts, analysis), facts.kind, *facts.structures])


def _sliders(spec: Spec) -> list[tuple[Constant, dict[str, float]]]:
    return [(c, slider_values(c)) for c in slider_constants(spec)]


def hover_json(text: str, units: int) -> str:
    """The hover text at an offset in UTF-16 units."""
    document = _document(text)
    text_at = hover(document, _offset(text, units))
    return json.dumps({"text": text_at.text, **_range(document, *text_at.span)} if text_at else None)


def completion_json(text: str, units: int) -> str:
    """The completions at an offset in UTF-16 units, each with the range that it replaces."""
    document = _document(text)
    return json.dumps(
        [
            {"label": i.label, "insert": i.insert, "detail": i.detail, "about": i.about, **_range(document, *i.span)}
            for i in complete(document, _offset(text, units))
        ]
    )


def format_text(text: str, ascii: bool) -> str:
    """The text in canonical layout, in Unicode or in ASCII; a text that cannot be parsed is returned unchanged."""
    try:
        return format_source(_document(text).source, ascii)
    except PdeError:
        return text


@lru_cache(maxsize=1)
def _document(text: str) -> Document:
    return analysed(text, NAME)


def _explanation(text: str) -> Explanation | None:
    examination = _document(text).examination
    return explain_result(examination) if examination else None


def _axioms(document: Document) -> list[dict[str, str]]:
    verdicts = document.analysis.axioms if document.analysis else {}
    return [
        {"name": name, "truth": v.truth, "reason": v.reason, "evidence": evidence(v).strip()}
        for name, v in verdicts.items()
    ]


def _fixes(document: Document, diagnostic: Diagnostic) -> list[dict[str, object]]:
    """The fixes that a program can apply, each with its edits."""
    return [
        {"title": fix.title, "edits": [{"insert": e.new, **_range(document, *e.span)} for e in edits]}
        for fix in diagnostic.fixes
        if (edits := resolve_edits(document.text, fix))
    ]


def _offset(text: str, units: int) -> int:
    return len(text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore"))


def _range(document: Document, start: int, end: int) -> dict[str, int]:
    """A range in UTF-16 units from the start of the text."""
    width = Positions(document.text).width
    return {"from": width(Span(0, start)), "to": width(Span(0, end))}
