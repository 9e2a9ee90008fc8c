"""`Record`, the base class of immutable data: each subclass is a frozen dataclass.

The standard decorator compiles six functions for each class, which took a quarter of the start-up of `pdedsl check`.
Here only `__init__` is compiled; the other methods are shared, and compare, hash and print the fields as the standard
ones do.
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, ClassVar, NoReturn, dataclass_transform


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record:
    """Fields, defaults and `__post_init__` are those of `dataclasses.dataclass(frozen=True)`."""

    _key: ClassVar[Any]  # function of a record: its compared fields

    def __init_subclass__(cls, kw_only: bool = False) -> None:
        super().__init_subclass__()
        dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
        compared = [f.name for f in fields(cls) if f.compare]  # type: ignore[arg-type]  # it is a dataclass now
        cls._key = staticmethod(attrgetter(*compared) if compared else lambda _: ())
        cls.__init__ = _compile_init(cls)  # type: ignore[method-assign]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: Any) -> Any:
        return self._key(self) == other._key(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key(self))

    def __repr__(self) -> str:
        shown = (f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr)  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(shown)})"


def _compile_init(cls: Any) -> Any:
    scope: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": MISSING}
    parameters, assignments = [], []
    for f in sorted(fields(cls), key=lambda f: bool(f.kw_only)):
        if f.kw_only and "*" not in parameters:
            parameters.append("*")
        has_factory = f.default_factory is not MISSING
        scope[f"_default_{f.name}"] = f.default_factory if has_factory else f.default
        default = "=_MISSING" if has_factory else f"=_default_{f.name}" if f.default is not MISSING else ""
        value = f"_default_{f.name}() if {f.name} is _MISSING else {f.name}" if has_factory else f.name
        parameters.append(f.name + default)
        assignments.append(f"_set(self, {f.name!r}, {value})")
    body = "; ".join([*assignments, "self.__post_init__()" if hasattr(cls, "__post_init__") else "pass"])
    exec(f"def __init__(self, {', '.join(parameters)}): {body}", scope)
    return scope["__init__"]
