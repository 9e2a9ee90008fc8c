"""E101, E108 to E110: characters without a meaning, texts without an end, and names and numbers that are too long."""

from __future__ import annotations

import re
import unicodedata

from pdedsl.diagnostics import PdeError, Span
from pdedsl.fixes import Edit, Fix, added, without
from pdedsl.mistakes.syntax import LONG_NAME, NO_SPEC, NUMBER, OPEN_TEXT, PIECES, STRAY

ALONE = "write a word of the language alone, as in mlp(width=64) or adam(lr=0.1)"
OWN = f'{ALONE}; a network of your own is torch("package.module:Name")'
DOTS = (
    (r".*", r"\.", "an interval is written [0, 1]"),
    (r".*[0-9]", r"", "write 5.0 for 5."),
    (r".*", r"\s*$", "a statement ends with its line, without a full stop; a comment starts with #"),
    (r".*", r"diff\b|d[a-z]\b|grad\b|laplacian\b", "a derivative is written ∂u/∂t, ∂²u/∂x² or diff(u, x)"),
    (r".*", r"T\b", "the adjoint of W is written Wᵀ or W^T"),
    (r".*\btorch\([\w.]*", r"\w", 'a network of your own is named in quotes, as in torch("package.module:Name")'),
    (r"\s*learn\b.*=\s*(?:torch\.)?(?:nn|models)", r"\w", OWN),
    (r".*\b(?:nn|optim|F)", r"\w", ALONE),
    (r".*\btorch", r"(?:nn|optim)\b", ALONE),
    (r".*\b(?:torchvision|datasets)", r"\w", "a data set is named alone, as in mnist or cifar10"),
    (r".*", r"(?:npz|npy|csv|txt|json|pde|pt|png|h5|mat)\b", "put the name of a file in quotes"),
    (r".*\b(?:np|numpy|jnp|math|Math|torch|sympy|sp|tf)", r"[a-z]", "write the function alone, as in sin(x)"),
    (r".*\w", r"\w{2,}|\w\s*[=(]", "a name has no dot in it: leave out what stands before the dot"),
)
"""What a dot may have been meant for, by what stands before and behind it on its line."""
HIDDEN = {"Cf": True}  # categories of Unicode whose characters cannot be seen
STRAYS = {
    "∂": "a derivative is written ∂u/∂t or ∂(…)/∂x",
    "'": 'a derivative is written ∂u/∂t or ∂²u/∂x², and a text is put in double quotes: "…"',
    "″": "a derivative is written ∂²u/∂x² or ∂²u/∂t²",
    "\u0307": "a derivative is written ∂u/∂t",
    "\u0308": "a derivative is written ∂²u/∂t²",
    "%": "a comment starts with #; 10 % is 0.1",
    "@": "write W x for a product, and v·w for a dot product",
    **dict.fromkeys("⟨⟩", "write v·w for a dot product, and [1, 2] for a vector"),
    "$": "leave the $ out",
    "∞": "an interval has finite ends: choose a number that is large enough, or write R^d for a data space",
    ";": "a statement ends at the end of its line, and a comma separates what is in brackets",
    ".": "write v·w for a dot product",
    "?": PIECES,
    "`": "leave lines of ``` out: a spec is a plain text",
    "\\": "the language has no backslash: write σ or sigma, ∇ or grad(…)",
    **dict.fromkeys("≈≡≐", "write '='"),
    "~": "write '='",
    "→": "a condition is written u = … on boundary, and an unknown is declared as: unknown u(x, t) : scalar",
    "_": "a subscript belongs to a name, as in u_xx; for one direction of Δ write ∂²u/∂x²",
    "°": "angles are in radians: write π/4 for 45°",
    **dict.fromkeys("⊂⊆", "a domain is declared by its coordinates, as in: space (x, y) in [0, 1]^2"),
    "±": "write each of the two on a line of its own",
    "∫": "integrals are not part of the language",
    "!": "factorials are not part of the language",
}

STRAYS_INSTEAD = {"%": "#", ";": "\n", "$": "", "≈": "=", "≡": "="}


def not_a_spec(strays: int, span: Span) -> PdeError:
    message = f"this does not look like a spec: {strays} characters up to here have no meaning"
    return NO_SPEC.error(message, span, "a spec starts with: pde Name")


def stray_character(char: str, span: Span) -> PdeError:
    if HIDDEN.get(unicodedata.category(char)):
        hint = f"delete it (U+{ord(char):04X}): copied texts may contain such characters"
        return STRAY.error("an invisible character", span, hint, once=True, fixes=without(span))
    shown = f"'{char}'" if char.isprintable() else "this character"
    new = STRAYS_INSTEAD.get(char)
    fixes = () if new is None else (Fix(STRAYS[char], (Edit(span, new, char),)),)
    return STRAY.error(f"{shown} (U+{ord(char):04X}) has no meaning here", span, STRAYS.get(char, ""), fixes=fixes)


def stray_dot(before: str, after: str, span: Span) -> PdeError:
    """A dot that belongs to no number; `before` and `after` are the rest of its line."""
    meant = (way for left, right, way in DOTS if re.fullmatch(left, before) and re.match(right, after))
    return STRAY.error("'.' has no meaning here", span, next(meant, STRAYS["."]))


def late_backslash(span: Span) -> PdeError:
    hint = "a line goes on below if it ends with an operator such as '+', or inside brackets"
    return STRAY.error("'\\' has no meaning here", span, hint)


def open_text(span: Span) -> PdeError:
    return OPEN_TEXT.error("this text is never closed", span, 'add the closing "', fixes=added(span.end, '"'))


def long_name(length: int, most: int, span: Span) -> PdeError:
    return LONG_NAME.error(f"this name has {length:,} characters; the limit is {most}", span)


def long_number(length: int, most: int, span: Span) -> PdeError:
    return NUMBER.error(f"this number has {length:,} characters; the limit is {most}", span)


def long_derivative(length: int, most: int, span: Span) -> PdeError:
    return NUMBER.error(f"this derivative has {length:,} characters; the limit is {most}", span)


def number_out_of_range(largest: int, span: Span) -> PdeError:
    hint = f"numbers lie between 1e-{largest} and 1e{largest}"
    return NUMBER.error("this number is too large or too small", span, hint)
