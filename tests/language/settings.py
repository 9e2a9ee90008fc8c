"""A spec, and the results of settings applied to it."""

from __future__ import annotations

import pytest

from pdedsl.compiler import to_spec
from pdedsl.diagnostics import PdeError, Source, report
from pdedsl.ir.spec import Spec
from pdedsl.language.settings import apply_settings

TEXT = """\
# The head.
pde Moons "two # moons"

space   x in R^2
time    t in [0, T]
const   T = 2      # the end
const   σ² = 0.2   # the noise
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp(width=8, depth=1)
learn   W       : operator = linear

∂u/∂t = v·∇u    for t in [0, T - 1]
∂u/∂t = σ²Δu    for t in [T - 1, T]
u(x, 0) = softmax(W x)

realize time by rk4(steps=4)          # steps
realize diffusion by noise(samples=2)

train {
  data      moons(500, 1000, noise=0.3)   # data
  epochs    3
  # between
  optimizer adam(lr=1e-2, # the rate
                 weight_decay=0), lbfgs(steps=5, lr=1)
  augment   gaussian(0.1)
}

evaluate {
  natural
  attack fgsm(eps=0.1)   # weak
  attack pgd(eps=0.1, steps=3), pgd(eps=[0.1, 0.2], steps=4)
}
"""


def changed(*settings: str, text: str = TEXT) -> str:
    return apply_settings(Source(text, "moons.pde"), settings).text


def meaning(*settings: str, text: str = TEXT) -> Spec:
    return to_spec(apply_settings(Source(text, "moons.pde"), settings))


def value(spec: Spec, path: str) -> object:
    kind, key = path.split(".")
    return getattr(getattr(spec, kind), key)


def refused(*settings: str, text: str = TEXT) -> tuple[Source, str]:
    with pytest.raises(PdeError) as caught:
        to_spec(apply_settings(Source(text, "moons.pde"), settings))
    assert caught.value.source is not None
    return caught.value.source, report(caught.value.source, caught.value.diagnostics)
