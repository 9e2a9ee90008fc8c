"""Points of a sweep: settings of the spec, one value for each axis."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product

from pdedsl.config.sweep import SweepAxis
from pdedsl.io import RunError
from pdedsl.language.names import GREEK_NAMES

_ASCII_NAMES = {ord(letter): name for letter, name in GREEK_NAMES.items()}
MAX_POINTS = 10_000  # each is a separate run: more are a typing error in an axis
MAX_NAME_LENGTH = 120  # characters of the name of a folder; file systems allow 255 bytes
Settings = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class StudyPoint:
    """One run: the settings that are compared, and the seeds over which they are repeated."""

    settings: Settings
    seeds: Settings = ()

    @property
    def all_settings(self) -> list[str]:
        return [f"{path}={value}" for path, value in (*self.settings, *self.seeds)]

    @property
    def label(self) -> str:
        return ", ".join(self.all_settings) or "the spec"

    @property
    def folder(self) -> str:
        """The name of its folder: its settings in ASCII, with a digest if they contain other characters."""
        plain = ",".join(self.all_settings).translate(_ASCII_NAMES).replace("²", "^2")
        name = re.sub(r"[^\w.,=+^-]", "", plain, flags=re.ASCII)[:MAX_NAME_LENGTH] or "run"
        return name if name == plain else f"{name}-{sha256(plain.encode()).hexdigest()[:8]}"


def with_seeds(axes: Sequence[SweepAxis], seeds: int | None) -> tuple[SweepAxis, ...]:
    """The axes, with `train.seed` from 0 to seeds - 1 if `seeds` is given."""
    if seeds is None:
        return tuple(axes)
    others = [axis for axis in axes if axis.path != "train.seed"]
    return (*others, SweepAxis("train.seed", tuple(map(str, range(seeds)))))


def grid(axes: Sequence[SweepAxis]) -> list[StudyPoint]:
    """All combinations of the values, the seeds innermost."""
    for axis in axes:
        if axis.bounds is not None:
            raise RunError(
                f"a grid needs values of {axis.path}: write a list, or sample the range with --search random or tpe"
            )
    compared = [axis for axis in axes if not axis.is_seed]
    points = [StudyPoint(settings, seeds) for settings in _combinations(compared) for seeds in replicates(axes)]
    if len(points) > MAX_POINTS:
        raise RunError(f"the sweep has {len(points)} points, more than {MAX_POINTS}; use fewer values or --search")
    return points


def replicates(axes: Sequence[SweepAxis]) -> list[Settings]:
    """The combinations of the seeds; one without settings if there are none."""
    return _combinations([axis for axis in axes if axis.is_seed])


def _combinations(axes: Sequence[SweepAxis]) -> list[Settings]:
    rows: Iterable[tuple[str, ...]] = product(*(axis.values for axis in axes))
    return [tuple(zip((axis.path for axis in axes), row, strict=True)) for row in rows]


def settings_of(values: Mapping[str, object]) -> Settings:
    """The settings of a trial; a number is written with all its digits."""
    return tuple((path, f"{v:.17g}" if isinstance(v, float) else str(v)) for path, v in values.items())
