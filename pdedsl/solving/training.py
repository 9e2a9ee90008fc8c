"""How a network is trained on residuals: phases, what a listener receives, and the state that a run is resumed from."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from pdedsl.words.optimizers import Adam, Adamw, Lbfgs, Optimizer, Sgd


@dataclass(frozen=True)
class GaussNewton:
    """Levenberg-Marquardt."""


@dataclass(frozen=True)
class Phase:
    """An optimizer, for a number of steps; with `patience`, fewer if the loss falls no further."""

    optimizer: GaussNewton | Optimizer
    steps: int
    patience: bool = False


MOST, DESCENT = 1000, 300  # steps of Gauss-Newton that end by themselves, and of a descent, if nobody says how many


def gauss_newton(steps: int | None) -> tuple[Phase, ...]:
    return (Phase(GaussNewton(), steps or MOST, patience=steps is None),)


def phases_of(optimizers: tuple[Optimizer, ...], steps: int | None) -> tuple[Phase, ...]:
    """The optimizers of a `train` block: L-BFGS has its own number of steps, the others have that of the block. Without
    any, Gauss-Newton."""
    found = tuple(Phase(o, o.steps if isinstance(o, Lbfgs) else steps or DESCENT) for o in optimizers)
    return found or gauss_newton(steps)


State = dict[str, Tensor]
PROGRESS = "progress"  # numbers in a state, of which the last are the seconds that it took


def spent(state: State | None) -> float:
    """The seconds of a run until this state."""
    return 0.0 if state is None else float(state[PROGRESS][-1])


@dataclass(frozen=True)
class Progress:
    """`loss` is the mean square of the weighted residuals; the run can be resumed exactly from `state()`."""

    step: int
    loss: float
    seconds: float
    state: Callable[[], State]


Listener = Callable[[Progress], bool]
"""False ends the run after this step."""


def deaf(progress: Progress) -> bool:
    return True


@dataclass
class Clock:
    """Seconds, including those of an interrupted run that is resumed."""

    before: float = 0.0
    start: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        return self.before + time.monotonic() - self.start


def torch_optimizer(word: Optimizer, parameters: list[torch.nn.Parameter]) -> torch.optim.Optimizer:
    match word:
        case Adam(lr=lr, weight_decay=decay):
            return torch.optim.Adam(parameters, float(lr), weight_decay=float(decay))
        case Adamw(lr=lr, weight_decay=decay):
            return torch.optim.AdamW(parameters, float(lr), weight_decay=float(decay))
        case Sgd(lr=lr, momentum=momentum, weight_decay=decay, nesterov=nesterov):
            return torch.optim.SGD(parameters, float(lr), float(momentum), weight_decay=float(decay), nesterov=nesterov)
        case Lbfgs(lr=lr, history=history):
            return torch.optim.LBFGS(
                parameters,
                float(lr),
                max_iter=1,
                max_eval=25,
                history_size=history,
                line_search_fn="strong_wolfe",
                tolerance_grad=0.0,
                tolerance_change=0.0,
            )


SCRATCH = "al"  # a buffer of L-BFGS, refilled in every step


def tensors_of(optimizer: torch.optim.Optimizer) -> State:
    """Everything that an optimizer remembers, as named tensors: numbers become tensors, list entries are numbered."""
    found: State = {}
    for key, memory in optimizer.state_dict()["state"].items():
        kept = dict(memory)
        kept.pop(SCRATCH, None)
        for name, value in kept.items():
            for k, item in enumerate(value if isinstance(value, list) else [value]):
                if item is not None:
                    kind = "list" if isinstance(value, list) else "tensor" if isinstance(value, Tensor) else "number"
                    found[f"optimizer/{key}/{name}/{kind}/{k}"] = torch.as_tensor(item, dtype=torch.float64)
    return found


def load_tensors(optimizer: torch.optim.Optimizer, state: State) -> None:
    """The inverse of `tensors_of`."""
    memory: dict[int, dict[str, Any]] = {}
    for path, value in state.items():
        if path.startswith("optimizer/"):
            _, key, name, kind, _ = path.split("/")
            own = memory.setdefault(int(key), {})
            own[name] = READERS[kind](own.get(name), value.clone())
    optimizer.load_state_dict({**optimizer.state_dict(), "state": memory})


READERS: dict[str, Callable[[Any, Tensor], Any]] = {
    "list": lambda before, value: [*(before or []), value],
    "tensor": lambda before, value: value,
    "number": lambda before, value: int(value) if float(value).is_integer() else float(value),
}
