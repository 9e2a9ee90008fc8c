"""E0xx: files that cannot be read as a spec. Each error carries the file name; there is no text to show."""

from __future__ import annotations

from pdedsl.diagnostics import NOWHERE, PdeError, Source, Span
from pdedsl.errors.base import Code

FILE_NOT_FOUND = Code("E001", "file not found")
IS_DIRECTORY = Code("E002", "the path is a directory")
UNREADABLE = Code("E003", "the file cannot be read: permission denied or input/output error")
NOT_UTF8 = Code("E004", "the file is not valid UTF-8")
BINARY = Code("E005", "the file is binary")
TOO_LARGE = Code("E006", "the file or the spec is too large")


def file_not_found(name: str, guess: str | None) -> PdeError:
    """`guess` is a shipped spec of a similar name."""
    hint = f"did you mean the shipped spec '{guess}'?" if guess else "'pdedsl specs' lists the shipped specs"
    return FILE_NOT_FOUND("file not found", NOWHERE, hint).within(Source("", name))


def is_directory(name: str) -> PdeError:
    return IS_DIRECTORY("this is a directory, not a file", NOWHERE).within(Source("", name))


def permission_denied(name: str) -> PdeError:
    return UNREADABLE("permission denied: cannot read this file", NOWHERE).within(Source("", name))


def unreadable(name: str, reason: str) -> PdeError:
    return UNREADABLE(f"cannot read this file: {reason}", NOWHERE).within(Source("", name))


def not_utf8(before: str, byte: int, name: str) -> PdeError:
    """`before` is the text up to the first invalid byte."""
    at = Span(len(before), len(before) + 1)
    message = f"invalid UTF-8: byte 0x{byte:02X}"
    return NOT_UTF8(message, at, "save the file as UTF-8").within(Source(before + "�", name))


def is_binary(name: str) -> PdeError:
    return BINARY("this is a binary file, not a spec", NOWHERE).within(Source("", name))


def file_too_large(name: str, limit: int) -> PdeError:
    return TOO_LARGE(f"this file is larger than {limit >> 20} MiB", NOWHERE).within(Source("", name))


too_many_equations = TOO_LARGE.of("this spec has more than {limit} equations and conditions")
too_many_tokens = TOO_LARGE.of("this spec has more than {limit:,} tokens")
