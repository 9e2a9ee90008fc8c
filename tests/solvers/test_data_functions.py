"""Values from files: cubic splines against scipy, solutions against closed forms at the order of the spline, checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from sympy import Symbol

import pdedsl
from pdedsl.compiler import check
from pdedsl.diagnostics import Source
from pdedsl.numerics.grid_data import GridSource, GridSpline, make_spline, register_file
from pdedsl.runtime.grid_interpolation import interpolate
from pdedsl.symbolic.data_functions import data_function
from pdedsl.symbolic.symbols import TooLarge

Array = NDArray[np.float64]
RNG = np.random.default_rng(0)
ROUNDING = 1e-10  # second derivatives of random values on short intervals are of the order 10⁴

# ---- Interpolants


@pytest.mark.parametrize("n", [2, 3, 4, 12])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_spline_is_that_of_scipy(n: int, order: int) -> None:
    x, f = np.sort(RNG.random(n)), RNG.random(n)
    spline, reference = GridSpline((tuple(x),), (None,), list(f)), CubicSpline(x, f)
    for at in np.linspace(x[0], x[-1], 20):
        assert spline((at,), (order,)) == pytest.approx(float(reference(at, order)), rel=ROUNDING, abs=ROUNDING)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_periodic_spline(order: int) -> None:
    x, f = np.arange(9) / 9, RNG.random(9)
    spline = GridSpline((tuple(x),), (1.0,), list(f))
    reference = CubicSpline([*x, 1.0], [*f, f[0]], bc_type="periodic")
    for at in np.linspace(-1, 2, 40):
        assert spline((at,), (order,)) == pytest.approx(float(reference(at % 1, order)), rel=ROUNDING, abs=ROUNDING)


@pytest.mark.parametrize("orders", [(0, 0), (1, 0), (1, 2)])
def test_tensor_product_in_torch_and_python(tmp_path: Path, orders: tuple[int, int]) -> None:
    x, y, f = np.linspace(0, 1, 12), np.arange(8) / 4, RNG.random((12, 8))
    np.savez(tmp_path / "f.npz", x=x, y=y, f=np.asfortranarray(f))
    digest = register_file(tmp_path / "f.npz")
    spline = make_spline(tmp_path / "f.npz", "f", ("x", "y"), (None, 2.0))
    along_y = CubicSpline([*y, 2.0], np.c_[f, f[:, 0]], axis=1, bc_type="periodic")
    points = torch.rand(20, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) * torch.tensor(
        [1.0, 2.0]
    )
    found = interpolate("f.npz", digest, "f", ("x", "y"), (None, 2.0), orders, points[:, 0], points[:, 1])
    for (a, b), value in zip(points.tolist(), found.tolist(), strict=True):
        expected = float(CubicSpline(x, along_y(b, orders[1]))(a, orders[0]))
        assert value == pytest.approx(expected, rel=ROUNDING, abs=ROUNDING)
        assert spline((a, b), orders) == pytest.approx(expected, rel=ROUNDING, abs=ROUNDING)


def test_torch_derivatives_agree_with_the_symbolic_ones(tmp_path: Path) -> None:
    x = np.linspace(0, 1, 30)
    np.savez(tmp_path / "f.npz", x=x, f=np.sin(3 * x))
    known = ("f.npz", register_file(tmp_path / "f.npz"), "f", ("x",), (None,))
    at = torch.linspace(0.01, 0.99, 17, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(interpolate(*known, (0,), at).sum(), at)
    assert torch.allclose(slope, interpolate(*known, (1,), at), atol=1e-12)


def test_bounds_contain_the_spline() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, f = np.sort(rng.random(6)), rng.random(6)
        low, high = GridSpline((tuple(x),), (None,), list(f)).bounds
        values = CubicSpline(x, f)(np.linspace(x[0], x[-1], 500))
        assert low <= values.min() + ROUNDING
        assert values.max() <= high + ROUNDING


def test_third_derivatives_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", x=np.linspace(0, 1, 9), f=np.ones(9))
    source = GridSource("f.npz", register_file(tmp_path / "f.npz"), "f", ("x",), (None,))
    with pytest.raises(TooLarge):
        data_function(source, (2,))(Symbol("x", real=True)).fdiff(1)


# ---- Problems


def heat(n: int) -> dict[str, Array]:
    x = np.linspace(0, 1, n)
    return {"x": x, "u": np.sin(np.pi * x)}


def ring(n: int) -> dict[str, Array]:
    x = np.linspace(0, 1, n)
    return {"x": x, "u": np.sin(2 * np.pi * x)}


def source(n: int) -> dict[str, Array]:
    x = np.linspace(0, 1, n)
    return {"x": x, "y": x, "f": 2 * np.pi**2 * np.outer(np.sin(np.pi * x), np.sin(np.pi * x))}


def source_in_time(n: int) -> dict[str, Array]:
    x, t = np.linspace(0, 1, n), np.linspace(0, 1, n + 3)
    return {"x": x, "t": t, "f": (np.pi**2 - 1) * np.outer(np.sin(np.pi * x), np.exp(-t))}


def conductivity(n: int) -> dict[str, Array]:
    x = np.linspace(0, 1, n)
    return {"x": x, "k": np.exp(3 * x)}


def end(n: int) -> dict[str, Array]:
    t = np.linspace(0, 1, n)
    return {"t": t, "u": np.exp(-t)}


ROD = "pde P\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
RING = "pde P\nspace x in [0, 1] periodic\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
PROBLEMS: dict[str, tuple[Callable[[int], dict[str, Array]], str, Callable[[Array, Array], Array]]] = {
    "initial data": (
        heat,
        f'{ROD}∂u/∂t = 1/10 Δu\nu(x, 0) = data("a.npz")\nu = 0 on boundary\n',
        lambda x, t: np.exp(-(np.pi**2) * t / 10) * np.sin(np.pi * x),
    ),
    "periodic initial data": (
        ring,
        f'{RING}∂u/∂t + ∂u/∂x = 0\nu(x, 0) = npz("a.npz")\n',
        lambda x, t: np.sin(2 * np.pi * (x - t)),
    ),
    "source in the plane": (
        source,
        'pde P\nspace (x, y) in [0, 1]^2\nunknown u(x, y) : scalar\n-Δu = data("a.npz")\nu = 0 on boundary\n',
        lambda x, y: np.sin(np.pi * x) * np.sin(np.pi * y),
    ),
    "source in space and time": (
        source_in_time,
        f'{ROD}∂u/∂t = Δu + data("a.npz")\nu(x, 0) = sin(π x)\nu = 0 on boundary\n',
        lambda x, t: np.exp(-t) * np.sin(np.pi * x),
    ),
    "coefficient": (
        conductivity,
        f'{ROD}let k = data("a.npz")\n∂u/∂t = ∂(k ∂u/∂x)/∂x\nu(x, 0) = exp(-3x)\nu(0, t) = 1\nu(1, t) = exp(-3)\n',
        lambda x, t: np.exp(-3 * x),
    ),
    "boundary values": (
        end,
        f'{ROD}∂u/∂t = Δu - 2u\nu(x, 0) = exp(x)\nu(0, t) = data("a.npz")\nu(1, t) = exp(1 - t)\n',
        lambda x, t: np.exp(x - t),
    ),
}


def solve(name: str, n: int, folder: Path, method: str = "grid(n=48)") -> float:
    """The largest error at a few points."""
    data, text, exact = PROBLEMS[name]
    np.savez(folder / "a.npz", **data(n))
    spec = pdedsl.parse(f"{text}realize equation by {method}\n", str(folder / "p.pde"))
    solution = pdedsl.solve(spec)
    points = np.array([[0.21, 0.33], [0.57, 0.71], [0.83, 0.9]])
    return float(np.abs(solution(points)[:, 0].numpy() - exact(points[:, 0], points[:, 1])).max())


@pytest.mark.parametrize("name", PROBLEMS)
def test_errors_decrease_with_the_fourth_order(name: str, tmp_path: Path) -> None:
    coarse, fine = solve(name, 11, tmp_path), solve(name, 41, tmp_path)
    assert fine < 1e-5
    assert coarse / fine > 60  # 4⁴ = 256 for order 4, 64 for order 3


METHODS = {"random_features(n=200)": 1e-3, "elements(h=1/16)": 1e-3, "monte_carlo(samples=4000)": 5e-2}


@pytest.mark.parametrize("method", METHODS)
def test_other_methods(method: str, tmp_path: Path) -> None:
    assert solve("initial data", 41, tmp_path, method) < METHODS[method]


def test_emitted_code_reads_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez(tmp_path / "a.npz", **source(41))
    text = PROBLEMS["source in the plane"][1] + "exact u = sin(π x) sin(π y)\n"
    scope: dict[str, object] = {}
    exec(pdedsl.compile(pdedsl.parse(text, str(tmp_path / "p.pde"))).python(), scope)  # our own generated code
    points = torch.rand(9, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    residual = scope["residual_1"](scope["exact"], points)  # type: ignore[operator]
    assert residual.abs().max() < 1e-3  # of 2π² = 19.7
    assert residual.abs().max() > 0


def test_a_run_has_a_copy_of_its_data(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **heat(41))
    (tmp_path / "p.pde").write_text(PROBLEMS["initial data"][1], "utf-8")
    pdedsl.solve(tmp_path / "p.pde", tmp_path / "run")
    assert (tmp_path / "run" / "a.npz").read_bytes() == (tmp_path / "a.npz").read_bytes()
    assert pdedsl.Solution.open(tmp_path / "run")(x=0.5, t=0.0) == pytest.approx(1, abs=1e-3)


# ---- Checks


TEXT = f'{ROD}∂u/∂t = Δu\nu(x, 0) = data("a.npz")\nu = 0 on boundary\n'
X = np.linspace(0, 1, 9)
INVALID: dict[str, tuple[dict[str, object], str]] = {
    "no coordinate": ({"u": X}, "E721"),
    "no values": ({"x": X}, "E721"),
    "several values": ({"x": X, "a": X, "b": X}, "E721"),
    "shape": ({"x": X, "u": X[1:]}, "E721"),
    "rank": ({"x": X, "u": np.ones((9, 1))}, "E721"),
    "decreasing": ({"x": X[::-1], "u": X}, "E721"),
    "repeated": ({"x": np.r_[X[:-1], X[-2]], "u": X}, "E721"),
    "not finite": ({"x": X, "u": np.where(X > 0.5, np.nan, X)}, "E721"),
    "infinite coordinate": ({"x": np.r_[X[:-1], np.inf], "u": X}, "E721"),
    "too short": ({"x": X / 2, "u": X}, "E721"),
    "complex": ({"x": X, "u": X * 1j}, "E721"),
    "strings": ({"x": X, "u": np.array(["a"] * 9)}, "E721"),
    "objects": ({"x": X, "u": np.array([None] * 9)}, "E721"),
    "too large": ({"x": np.linspace(0, 1, 1_000_001), "u": np.ones(1_000_001, np.int8)}, "E721"),
}


def codes(text: str, folder: Path) -> list[str]:
    try:
        return [d.code for d in check(Source(text, str(folder / "p.pde"))).errors]
    except pdedsl.PdeError as error:
        return [d.code for d in error.diagnostics]


@pytest.mark.parametrize("name", INVALID)
def test_invalid_files(name: str, tmp_path: Path) -> None:
    arrays, code = INVALID[name]
    np.savez(tmp_path / "a.npz", **arrays)  # type: ignore[arg-type]
    assert codes(TEXT, tmp_path) == [code]


def test_missing_and_corrupt_files(tmp_path: Path) -> None:
    assert codes(TEXT, tmp_path) == ["E720"]
    (tmp_path / "a.npz").write_bytes(b"PK\x03\x04 not an archive")
    assert codes(TEXT, tmp_path) == ["E721"]


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<i4", ">i2", "|u1"])
def test_types_of_numbers(dtype: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=X, u=np.arange(9).astype(dtype))
    assert codes(TEXT, tmp_path) == []
    assert make_spline(tmp_path / "a.npz", "u", ("x",), (None,))((X[5],), (0,)) == 5


def test_hash_is_that_of_the_contents(tmp_path: Path) -> None:
    hashes = []
    for name, values in (("a", X), ("b", X), ("c", X + 1e-12)):
        np.savez(tmp_path / f"{name}.npz", x=X, u=values)
        hashes.append(pdedsl.parse(TEXT.replace("a.npz", f"{name}.npz"), str(tmp_path / "p.pde")).hash)
    assert hashes[0] == hashes[1] != hashes[2]


def test_array_by_name_and_arguments(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", x=X, a=X, b=X)
    assert codes(TEXT.replace('"a.npz"', '"a.npz", "b"'), tmp_path) == []
    assert codes(TEXT.replace('"a.npz"', '"a.npz", "c"'), tmp_path) == ["E721"]
    assert codes(TEXT.replace('data("a.npz")', "data(x)"), tmp_path) == ["E307"]


def test_declared_names_win(tmp_path: Path) -> None:
    assert codes(TEXT.replace('data("a.npz")', "data(x)") + "let data(s) = sin(π s)\n", tmp_path) == []
