"""Memory limits are checked before allocation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pdedsl
from pdedsl import parse
from pdedsl.compiler import to_analysis, to_plan
from pdedsl.planning.memory_limits import count_weights


@pytest.mark.slow
def test_maximum_of_every_option() -> None:
    """In a process with limits on time and memory, which an answer other than a plan or a diagnostic ends."""
    tests = Path(__file__).parents[1]
    path = os.pathsep.join((str(tests), str(tests.parent)))
    command = [sys.executable, "-m", "planning.maximum_options"]
    found = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    codes = json.loads(found.stdout)
    assert codes["right"] > 80
    assert codes["E615"] > 10


SPEC = """pde P
space x in image(3, 8, 8)
time t in [0, 1]
unknown u(x, t) : simplex(4)
learn v(x, t) : vector = wide_resnet(depth=10, width=2)
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
"""


def test_count_weights() -> None:
    """Within a factor of three, which a limit does not mind."""
    spec = parse(SPEC)
    (chosen,) = (one.net for one in spec.learned if one.name == "v")
    assert chosen is not None
    built = sum(p.numel() for p in pdedsl.compile(spec).module().parameters())
    guessed = count_weights(chosen.config, 192, 3, 4)
    assert built / 3 < guessed < 3 * built


def test_count_weights_on_points() -> None:
    moons = pdedsl.compile("convection_diffusion")
    guessed = sum(count_weights(one.net.config, 2, 2, 2) for one in moons.spec.learned if one.net is not None)
    built = sum(p.numel() for p in moons.module().parameters())
    assert built / 3 < guessed < 3 * built


def test_points_within_the_limit() -> None:
    text = Path(__file__).parents[1].joinpath("bad", "e615_many_points.pde").read_text("utf-8")
    assert to_plan(to_analysis(parse(text.replace("1e7", "1e6")))).model is not None
