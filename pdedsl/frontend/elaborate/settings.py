"""Calls of the experiment language → settings: networks, methods, data sets, optimizers, arguments checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sympy import Expr, Rational

from pdedsl.diagnostics import PdeError, Span, fail, nearest
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Setting, Value
from pdedsl.ir.vocabulary import LEFT_OUT, SAME_WORD, Param, Signature

Evaluate = Callable[[t.Expr], Expr]  # a constant expression to its exact value


def setting(expr: t.Expr, calls: Mapping[str, Signature], what: str, evaluate: Evaluate) -> Setting:
    """`pgd(eps=8/255)` or a bare `flip`, among the calls that may stand here."""
    match expr:
        case t.Name():
            head, args, named = expr, (), ()
        case t.Call(head=t.Name() as head, args=args, named=named):
            pass
        case _:
            raise fail("E501", f"expected {what}, as in {next(iter(calls))}(…)", expr.span)
    if head.id not in calls:
        raise unknown_word(head, calls, what)
    signature = calls[head.id]
    given = _matched(head, args, named, signature, expr.span)
    values = {key: argument(value, signature[key], key, evaluate) for key, value in given.items()}
    for key, param in signature.items():
        if key not in values and param.required:
            raise fail("E503", f"'{head.id}' needs {key}: {param.wanted()}", expr.span, f"add {key}=…")
    complete = {k: values[k] if k in values else _default(p) for k, p in signature.items()}
    kept = tuple((k, v) for k, v in complete.items() if v != LEFT_OUT)
    return Setting(head.id, kept, frozenset(values), expr.span)


def unknown_word(word: t.Name, words: Mapping[str, object] | tuple[str, ...], what: str) -> PdeError:
    guess = nearest(word.id, words)
    choices = ", ".join(words)
    hint = f"did you mean '{guess}'?" if guess else f"known here: {choices}"
    return fail("E502", f"'{word.text}' is not {what}", word.span, hint)


def _matched(
    head: t.Name,
    args: tuple[t.Expr, ...],
    named: tuple[tuple[t.Name, t.Expr], ...],
    signature: Signature,
    span: Span,
) -> dict[str, t.Expr]:
    """Arguments by name; those without a name fill the signature in its order."""
    keys = list(signature)
    if len(args) > len(keys):
        most = f"at most {len(keys)} argument{'s' * (len(keys) != 1)}" if keys else "no arguments"
        raise fail("E504", f"'{head.id}' takes {most}, found {len(args)}", args[len(keys)].span)
    given = dict(zip(keys, args, strict=False))
    for key, value in named:
        if key.id not in signature:
            guess = nearest(key.id, keys)
            hint = f"did you mean '{guess}'?" if guess else f"its arguments: {', '.join(keys) or 'none'}"
            raise fail("E505", f"'{head.id}' has no argument '{key.text}'", key.span, hint)
        if key.id in given:
            raise fail("E506", f"'{key.text}' is given twice", key.span, "remove one of the two")
        given[key.id] = value
    return given


def argument(expr: t.Expr, param: Param, key: str, evaluate: Evaluate) -> Value:
    """One argument, of the kind and within the limits that it must have."""
    if isinstance(expr, t.ListOf) and param.many:
        if not expr.items:
            raise fail("E507", f"{key} is an empty list", expr.span, f"wanted: {param.wanted()}")
        return tuple(_single(e, param, key, evaluate) for e in expr.items)
    return _single(expr, param, key, evaluate)


def _single(expr: t.Expr, param: Param, key: str, evaluate: Evaluate) -> Value:
    wrong = fail("E507", f"{key} must be {param.wanted()}", expr.span)
    match param.kind, expr:
        case "text", t.Text(value=text):
            return text
        case "word", (t.Name(id=word) | t.Number(text=word)):
            word = SAME_WORD.get(word, word)
            if word not in param.words:
                guess = nearest(word, param.words)
                raise fail(
                    "E507", f"{key} must be {param.wanted()}", expr.span, f"did you mean '{guess}'?" if guess else ""
                )
            return word
        case "flag", t.Name(id=("true" | "false") as word):
            return word == "true"
        case (("text" | "word" | "flag"), _):
            raise wrong
        case _, (t.Text() | t.ListOf()):
            raise wrong
    number = evaluate(expr)
    whole = param.kind in ("count", "whole")
    if (whole and not number.is_Integer) or not _within(number, param):
        raise wrong
    if whole and param.words and str(number) not in param.words:
        raise fail("E507", f"{key} must be one of {', '.join(param.words)}", expr.span)
    return number


def _within(number: Expr, param: Param) -> bool:
    value = float(number)
    return (
        (param.least is None or value >= param.least)
        and (param.above is None or value > param.above)
        and (param.most is None or value <= param.most)
    )


def _default(param: Param) -> Value:
    """A default as it would be read: numbers are exact."""
    if param.kind == "flag" and param.default in ("true", "false"):
        return param.default == "true"
    if param.kind in ("count", "whole", "real") and param.default != LEFT_OUT:
        return Rational(str(param.default))
    return str(param.default)
