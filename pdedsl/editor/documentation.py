"""Descriptions of networks, methods and entries: signatures, meanings, defaults and allowed values, from
`pdedsl.config`."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any, assert_never

from pdedsl.config.base import Form, IntegerBounds, Param
from pdedsl.config.blocks import ENTRIES, BoxRestriction, Calls, NoValue, OptionNames, Plain, default_text
from pdedsl.config.parameter_docs import meaning_of


def call_text(form: Form[Any]) -> str:
    """Signature, description and arguments."""
    rows = [f"```pde\n{form.signature_text()}\n```", cleandoc(form.of.__doc__ or "")]
    rows += ["\n".join(f"- {argument_text(form.name, key, param)}" for key, param in form.params.items())]
    return "\n\n".join(filter(None, rows))


def argument_text(keyword: str, key: str, param: Param) -> str:
    return f"`{key}`: {meaning_of(keyword, key)}; {allowed_values(param)}"


def range_text(param: Param) -> str:
    """The allowed values of an argument."""
    match param.kind:
        case IntegerBounds(among=among) if among:
            return f"one of {', '.join(map(str, among))}"
        case IntegerBounds(maximum=maximum) if maximum < IntegerBounds.maximum:
            return f"{param.wanted}, at most {maximum:,}"
        case _:
            return param.wanted


def allowed_values(param: Param) -> str:
    """The allowed values of an argument, and its default."""
    default = "required" if param.required else f"default {default_of(param)}" if default_of(param) else "optional"
    return f"{range_text(param)}; {default}"


def default_of(param: Param) -> str:
    """The default as it would be written, if there is one."""
    if param.required or param.default is None or param.default == ():
        return ""
    return param.argument_text("").removeprefix("=").partition("|")[0]


def entry_text(block: str, key: str) -> str:
    """Meaning, allowed values and default of an entry of a block."""
    default, required = default_text(block, key), ENTRIES[block][key].required
    suffix = f"; default {default}" * bool(default) + "; required" * required
    return f"{meaning_of(block, key)}; {entry_range(block, key)}{suffix}"


def entry_range(block: str, key: str) -> str:
    """The allowed values of an entry of a block."""
    entry = ENTRIES[block][key]
    match entry.what:
        case Calls(forms=forms, sourced=sourced):
            what = f"one of {', '.join(forms)}" + ", then 'from' and a spec" * sourced
        case OptionNames(options=options):
            what = f"one of {', '.join(options)}"
        case Plain(param=param):
            what = range_text(param)
        case BoxRestriction():
            what = "a learned operator, then 'in [a, b]'"
        case NoValue():
            what = "no argument"
        case _:
            assert_never(entry.what)
    return what + (f"; up to {entry.max_values} on a line" if entry.max_values > 1 else "")
