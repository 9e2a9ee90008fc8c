"""Where measurements come from: `observe u from npz("points.npz")`."""

from __future__ import annotations

from dataclasses import dataclass

from pdedsl.words.word import Forms, Word, forms_of


@dataclass(frozen=True, kw_only=True)
class Npz(Word):
    """A file of numpy's savez with an array of n numbers for each coordinate and for each observed component, by their
    names, or with `points` of shape (n, k) and `values` of shape (n, c)."""

    file: str


Measured = Npz
MEASURED: Forms[Measured] = forms_of(Measured)
