"""Signatures and docstrings of the attacks: arguments and sections that all attacks share are written once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TypeVar

ARGUMENTS = {
    "model": "callable from inputs (m, …) to logits (m, classes), or a `Predictor`; its state is restored.",
    "x": "inputs within `bounds`, shape (n, …), floating point.",
    "y": "labels, shape (n,), integers.",
    "eps": "radius ε of the ball around each input.",
    "norm": '"inf" or "2".',
    "step": "step size; by default 2.5 ε/steps.",
    "steps": "number of steps.",
    "restarts": "number of runs; further runs start at random points of the ball.",
    "queries": "maximal number of queries per sample.",
    "eot": "number of noise samples per gradient or query (expectation over transformation), for stochastic models.",
    "bounds": "lower and upper bound of valid inputs, numbers or tensors; None for no bounds.",
    "target": "target labels, shape (n,), for a targeted attack; None for an untargeted one.",
    "seed": "seed of the attack and of the noise of the model.",
}
OPTIONAL_EPS = (
    "if given, only adversarial examples within ε count, and the search stops at the first one. By default the\n"
    "        nearest one is searched."
)
SECTIONS = {
    "Returns": "`Result` with the attacked inputs x (n, …), `fooled` (n,), `distances` (n,) and the robust `accuracy`.",
    "Raises": "ValueError: if shapes, dtypes, `norm` or `eps` are invalid, or inputs are outside `bounds`.",
    "Example": """>>> import torch
    >>> from pdedsl import attacks
    >>> model = lambda x: torch.cat([x, -x], 1)  # class 0 for x > 0, class 1 for x < 0
    >>> x, y = torch.tensor([[0.25], [1.0]]), torch.tensor([0, 0])""",
}

Attack = TypeVar("Attack", bound=Callable[..., object])


def attack_documentation(*forwarded_to: Callable[..., object]) -> Callable[[Attack], Attack]:
    """Decorator of an attack that passes its `**options` on to the functions in `forwarded_to`.

    The signature lists their keyword arguments with the defaults. The docstring describes only arguments that differ
    from those of `ARGUMENTS`; the common descriptions, and the common beginning of each section, are inserted.
    """

    def decorate(attack: Attack) -> Attack:
        own = inspect.signature(attack)
        parameters = {p.name: p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD}
        for function in forwarded_to:
            for p in inspect.signature(function).parameters.values():
                if p.kind is p.KEYWORD_ONLY:
                    parameters.setdefault(p.name, p)
        signature = own.replace(parameters=list(parameters.values()))
        attack.__dict__["__signature__"] = signature
        attack.__doc__ = attack.__doc__ and _complete(attack.__doc__, signature)
        return attack

    return decorate


def _complete(doc: str, signature: inspect.Signature) -> str:
    summary, *rest = re.split(r"\n(Args|Returns|Example):\n", inspect.cleandoc(doc))
    written = dict(zip(rest[::2], rest[1::2], strict=True))
    described = dict(re.findall(r"^    (\w+): (.*(?:\n {5,}.*)*)", written.get("Args", ""), re.MULTILINE))
    if signature.parameters["eps"].default is None:
        described.setdefault("eps", OPTIONAL_EPS)
    arguments = [f"    {name}: {described.get(name) or ARGUMENTS[name]}" for name in signature.parameters]
    sections = ["Args:\n" + "\n".join(arguments)]
    for title, common in SECTIONS.items():
        addition = f"\n{written[title].rstrip()}" if title in written else ""
        sections.append(f"{title}:\n    {common}{addition}")
    return "\n\n".join([summary.rstrip(), *sections])
