"""Signature help: the parameters of the call at an offset, with their meanings, and the one that is being written."""

from __future__ import annotations

from inspect import cleandoc

from pdedsl.config.parameter_docs import meaning_of
from pdedsl.editor.completion import context_at
from pdedsl.editor.document import Document
from pdedsl.editor.documentation import allowed_values
from pdedsl.record import Record


class SignatureParameter(Record):
    label: str  # a part of the label of the signature
    text: str


class Signature(Record):
    """`label` is `mlp(width=64, depth=4, activation=tanh)`; `active` is the index of the parameter being written."""

    label: str
    text: str
    parameters: tuple[SignatureParameter, ...]
    active: int | None


def signature(document: Document, offset: int) -> Signature | None:
    """The signature of the innermost call of a keyword around an offset."""
    call = context_at(document.text, min(offset, len(document.text))).call
    if call is None:
        return None
    form, keys = call.form, list(call.form.params)
    parameters = tuple(
        SignatureParameter(p.argument_text(key), f"{meaning_of(form.name, key)}; {allowed_values(p)}")
        for key, p in form.params.items()
    )
    active = keys.index(call.argument) if call.argument in keys else None
    return Signature(form.signature_text(), cleandoc(form.of.__doc__ or ""), parameters, active)
