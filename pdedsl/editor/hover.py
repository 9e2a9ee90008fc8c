"""Hover texts: names, networks and methods, axioms, terms and equations."""

from __future__ import annotations

from dataclasses import replace

from pdedsl.diagnostics import Span, escaping
from pdedsl.editor.document import Document
from pdedsl.editor.names import Declaration, NameKind, Occurrence
from pdedsl.explainer.classification import class_text
from pdedsl.explainer.describe import block_lines
from pdedsl.explainer.terms import coefficient_of, substitute_constants, term_detail, term_name
from pdedsl.ir.analysis import EquationFacts
from pdedsl.ir.spec import Learned, Spec, Unknown
from pdedsl.ir.terms import Term
from pdedsl.ir.types import Eigenvalue
from pdedsl.language import ast as t
from pdedsl.language.lexer import span_of
from pdedsl.language.printing import latex
from pdedsl.language.syntax_errors import STATEMENT_EXAMPLES
from pdedsl.record import Record


class Hover(Record):
    """Markdown about a span, and the LaTeX of its text."""

    span: Span
    text: str
    latex: str = ""


def hover(document: Document, offset: int) -> Hover | None:
    """Description of the name at an offset and of the enclosing term."""
    name, term = document.names.over(offset), _term(document, offset)
    if name is None:
        return term or _equation(document, offset) or _keyword(document, offset)
    description = _name(document, name)
    if description is None or term is None:
        return description or term
    return replace(description, text=f"{description.text}\n\n---\n\n{term.text}", latex=term.latex or description.latex)


# ---- Names


def _name(document: Document, name: Occurrence) -> Hover | None:
    if name.role is None:
        return _describe_declaration(document, name.of, name.span) if name.of else None
    text = name.role.text(document)
    return Hover(name.span, text) if text else None


def _describe_declaration(document: Document, of: Declaration, span: Span) -> Hover:
    """A declared name with its type, its value if it is a number, and its declaration."""
    rows = [f"**{of.kind}**{_type(document.spec, of)}"]
    if of.statement is not None:
        rows.append(escaping.fence_code(document.source.quote(of.statement.span), "pde"))
    head = latex.name_to_latex(t.Name(of.id, of.text))
    return Hover(span, "\n\n".join(rows), head)


def _type(spec: Spec | None, of: Declaration) -> str:
    if spec is None:
        return ""
    match of.kind:
        case NameKind.UNKNOWN | NameKind.LEARNED:
            fields: list[Unknown | Learned] = [*spec.unknowns, *spec.learned]
            if spec.eigenvalue is not None and spec.eigenvalue.name == of.text:
                return f": {Eigenvalue()}"
            field = next((w for w in fields if w.name == of.text), None)
            by = f", by {field.net}" if field and field.net else ""
            return f": {field.type}{by}" if field else ""
        case NameKind.CONSTANT:
            value = next((c.value for c in spec.constants if c.name == of.text), None)
            return f" = {substitute_constants(value, spec)}" if value is not None and value.is_number else ""
        case NameKind.COORDINATE:
            return f" of a {spec.space.kind} space, dimension {spec.space.dimension}"
        case NameKind.TIME if spec.time:
            return f" from {spec.time.start} to {spec.time.end}"
        case _:
            return ""


# ---- Terms and equations


def _term(document: Document, offset: int) -> Hover | None:
    """The terms of the summand at an offset: name, coefficient, and blocks of the network."""
    analysis = document.analysis
    if analysis is None:
        return None
    terms = [(term, facts) for facts in analysis.equations for term in facts.terms if _inside(term.origin.span, offset)]
    if not terms:
        return None
    span = min((term.origin.span for term, _ in terms), key=lambda s: s.end - s.start)
    rows = [_term_line(term, facts, analysis.spec) for term, facts in terms if term.origin.span == span]
    rows += [f"- {escaping.markdown(row)}" for row in (block_lines(span, document.plan) if document.plan else ())]
    return Hover(span, "\n".join(rows), _latex_at(document, span))


def _term_line(term: Term, facts: EquationFacts, spec: Spec) -> str:
    details = [s for s in (term_detail(term, spec), coefficient_of(term, facts, spec)) if s]
    suffix = f" ({escaping.markdown('; '.join(details))})" if details else ""
    return f"**{term_name(term, facts, spec)}**: {escaping.markdown(term.origin.text)}{suffix}"


def _equation(document: Document, offset: int) -> Hover | None:
    """The class of the equation, for an offset between its terms."""
    for facts in document.analysis.equations if document.analysis else ():
        if _inside(facts.equation.span, offset):
            assert document.analysis is not None
            text = f"{class_text(facts, document.analysis)}."
            return Hover(facts.equation.span, escaping.markdown(text), _latex_at(document, facts.equation.span))
    return None


def _latex_at(document: Document, span: Span) -> str:
    """The LaTeX of the expression or equation that occupies a span."""
    for statement in document.syntax.statements:
        if isinstance(statement, t.EquationStmt) and _inside(statement.span, span.start):
            if statement.span == span:
                return f"{latex.expression_to_latex(statement.left)} = {latex.expression_to_latex(statement.right)}"
            nodes = (n for n in t.walk(statement) if n.span == span and isinstance(n, t.Expr))
            return next((latex.expression_to_latex(node) for node in nodes), "")
    return ""


def _keyword(document: Document, offset: int) -> Hover | None:
    for line in document.lines.lines:
        first = span_of(line.tokens[0])
        if _inside(first, offset) and line.tokens[0].type in STATEMENT_EXAMPLES:
            return Hover(first, STATEMENT_EXAMPLES[line.tokens[0].type])
    return None


def _inside(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end
