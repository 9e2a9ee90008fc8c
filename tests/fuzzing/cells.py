"""Specs by cell: every type of unknown × space × kind of condition, with plain equations. Some cells mean nothing and
are refused; none may end in an internal error."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from random import Random

from fuzzing.sound import one, some
from pdedsl.config.methods import PARTS

TYPES = ("scalar", "scalar > 0", "vector", "vector(2)", "simplex(3)", "channels", "two scalars")


@dataclass(frozen=True)
class Space:
    text: str
    arguments: str
    letters: tuple[str, ...]  # coordinates in expressions
    is_vector: bool = False  # one argument for all coordinates
    curve: str = "x = ½"  # of the boundary, or not


SPACES = {
    "R": Space("x in R", "x", ("x",)),
    "R^2": Space("(x, y) in R^2", "x, y", ("x", "y")),
    "R^2 by index": Space("x in R^2", "x", ("x₁", "x₂"), True),
    "R^50": Space("x in R^50", "x", ("x₁", "x₂", "x₅₀"), True),
    "R^d": Space("x in R^d", "x", ("x₁", "x₂"), True),
    "image": Space("x in image(1, 8, 8)", "x", ("x₁", "x₆₄"), True),
    "pixels": Space("x in pixels", "x", ("x",)),
    "interval": Space("x in [0, 1]", "x", ("x",), curve="x = 1"),
    "periodic": Space("x in [0, 1] periodic", "x", ("x",)),
    "box": Space("(x, y) in [0, 1]^2", "x, y", ("x", "y"), curve="y = 1"),
    "periodic in x": Space("(x, y) in [0, 1] periodic * [0, 1]", "x, y", ("x", "y")),
    "disc": Space("(x, y) in [-1, 1]^2 where x² + y² < 1", "x, y", ("x", "y"), curve="x² + y² = 1"),
    "cube": Space("(x, y, z) in [0, 1]^3", "x, y, z", ("x", "y", "z"), curve="z = 0"),
}
IN_TIME = ("initial", "terminal", "initial velocity", "stationary")
ON_BOUNDARY = (
    "Dirichlet", "Neumann", "Robin", "part of a face", "at a point", "two points", "curve", "tangential", "component",
    "second derivative",
)  # fmt: skip
UNBOUNDED = ("R", "R^2", "R^2 by index", "R^50", "R^d", "image", "pixels")
CELLS = (
    *product(TYPES, UNBOUNDED, (*IN_TIME, "Dirichlet")),  # the last has no meaning and must be refused
    *(
        (kind, name, condition)
        for kind, name, condition in product(TYPES, SPACES, (*IN_TIME, *ON_BOUNDARY))
        if name not in UNBOUNDED and (condition != "component" or kind.startswith("vector"))
    ),
)


def cells(rng: Random, case: int) -> str:
    """A spec of one cell; the cells follow one another."""
    kind, name, condition = CELLS[case % len(CELLS)]
    return Cell(rng, kind, SPACES[name], condition).text()


def cell_counts(cases: range) -> dict[tuple[str, str, str], int]:
    """How many of these cases are in each cell."""
    whole, rest = divmod(len(cases), len(CELLS))
    extra = {(cases.start + k) % len(CELLS) for k in range(rest)}
    return {cell: whole + (k in extra) for k, cell in enumerate(CELLS)}


@dataclass(frozen=True)
class Cell:
    rng: Random
    kind: str
    space: Space
    condition: str

    def text(self) -> str:
        names = ("u", "v") if self.kind == "two scalars" else ("u",)
        kind = "scalar" if self.kind == "two scalars" else self.kind
        time = self.condition != "stationary" and (self.condition in IN_TIME or self.rng.random() < 0.7)
        arguments = self.space.arguments + ", t" * time
        order = 0 if not time else 2 if self.condition == "initial velocity" else self.rng.choice((1, 1, 1, 1, 1, 2, 3))
        equations = [self.equation(u, order) for u in names]
        conditions = [line for u in names for line in self.conditions(u, order)]
        body = "\n".join((*equations, *conditions))
        lines = ["pde P", f"space {self.space.text}", *["time t in [0, 1]"] * time]
        lines += [f"unknown {u}({arguments}) : {kind}" for u in names] + self.declarations(body)
        lines += [*equations, *conditions, *self.methods(time)]
        if self.space.text.endswith("pixels"):
            lines += ["network {", "input image(1, 8, 8)", "open 4", "stages [4]", "classes 2", "}"]
        return "\n".join(lines) + "\n"

    def declarations(self, body: str) -> list[str]:
        own = self.space.arguments
        known = {
            "W": "learn W : operator = linear",
            "K": "learn K : operator = conv(3)",
            "F": f"learn F(u{', t' * ('F(u, t)' in body)}) : channels = convnet",
            "b": f"learn b({own}) : vector = mlp(4, 2)",
            "κ": "learn κ : scalar > 0 = 0.3",
            "q": f"learn q({own}) : scalar = mlp(4, 2)",
            "D": "learn D : matrix, psd",
            "σ": "const σ = 0.1",
        }
        return [line for name, line in known.items() if name in body]

    # ---- equations

    def equation(self, u: str, order: int) -> str:
        right = self.rng.choice((" + ", " - ")).join(self.term(u) for _ in range(self.rng.choice((1, 1, 2, 3))))
        if order == 0:
            return f"{self.rng.choice((f'-Δ{u}', f'Δ{u}', '0', u, f'Δ²{u}'))} = {right}"
        power = ("", "²", "³")[order - 1]
        return f"∂{power}{u}/∂t{power} = {right}{' for t in [0, ½]' * (self.rng.random() < 0.02)}"

    def term(self, u: str) -> str:
        x, c = self.rng.choice(self.space.letters), one(self.rng, "1 2 ½ (-1) 0.1 σ σ² κ π")
        both = [
            f"{c} Δ{u}",
            f"{c} Δ{u}",
            f"½Δ²{u}",
            f"{c} {u}",
            f"{u}",
            f"{c} ∂{u}/∂{x}",
            f"∂²{u}/∂{x}²",
            f"∂⁴{u}/∂{x}⁴",
        ]
        scalar = [f"∇·((1 + {x}²)∇{u})", f"b·∇{u}", f"‖∇{u}‖", f"{u}³", f"{u} ∂{u}/∂{x}", f"D:∇∇{u}", f"q {u}"]
        scalar += [f"sin({x})", f"Σᵢ ∂²{u}/∂xᵢ²", f"Σᵢ Σⱼ ∂²{u}/∂xᵢ∂xⱼ", f"∇·({u}∇{u})", f"{u}(1 - {u})", f"exp(-{u}²)"]
        scalar += [f"|∂{u}/∂{x}|", *(("v", "Δv", "u v") if self.kind == "two scalars" else ("‖x‖²",))]
        vector = [f"({u}·∇){u}", f"∇(∇·{u})", f"‖{u}‖² {u}", self.vector("1", x), f"(∇·{u}) {u}", f"{u}₁ {u}"]
        channels = [f"Kᵀ tanh(K {u})", f"F({u}, t)", f"F({u})", f"Kᵀ relu(K {u})", f"K {u}"]
        own = {"v": vector, "s": scalar, "c": channels, "t": scalar}[self.kind[0]]
        if self.kind.startswith("simplex"):
            own = [f"b·∇{u}", f"b·∇{u} + ½σ²Δ{u}", f"D:∇∇{u}", f"x·∇{u}"]
        return self.rng.choice([*own, *both] if self.rng.random() < 0.95 else [*scalar, *vector, *channels])

    def vector(self, *entries: str) -> str:
        """A vector of the size of the type, or of the space."""
        size = 2 if self.kind == "vector(2)" else 0 if self.space.is_vector else len(self.space.letters)
        return "x" if size == 0 else f"[{', '.join(self.rng.choice(entries) for _ in range(size))}]"

    # ---- conditions

    def value(self) -> str:
        x = self.rng.choice(self.space.letters)
        scalar = ("0", "1", x, f"exp(-{x}²)", f"sin(π {x})", "exp(-‖x‖²)", f"1 + {x}²", "κ", "q")
        if self.rng.random() < 0.05:
            return self.rng.choice((*scalar, "x", "softmax(W x)", "[1, 2]"))
        if self.kind.startswith("simplex"):
            return "softmax(W x)" if self.space.is_vector else f"softmax(W [{self.space.arguments}])"
        if self.kind.startswith("vector"):
            return self.rng.choice(
                (self.vector(*scalar), self.vector("0", "1"), "0", *["∇(x₁²)"] * self.space.is_vector)
            )
        return self.rng.choice(scalar)

    def conditions(self, u: str, order: int) -> list[str]:
        inside, at = self.space.arguments, "1" if self.condition == "terminal" else "0"
        heads = (f"{u}", f"∂{u}/∂t", f"∂²{u}/∂t²")[: order if self.rng.random() < 0.95 else 1]
        lines = [f"{head}({inside}, {at}) = {self.value()}" for head in heads]
        if self.condition not in IN_TIME:
            return lines + self.on_boundary(u, order > 0, self.condition)
        if "[" in self.space.text and self.rng.random() < 0.9:
            kind = self.rng.choice(("Dirichlet", "Dirichlet", "Neumann", "Robin", "second derivative"))
            return lines + self.on_boundary(u, order > 0, kind)
        return lines

    def on_boundary(self, u: str, time: bool, condition: str) -> list[str]:
        g, h, first = self.value(), self.value(), self.space.arguments[0]
        others = self.space.arguments[1:] + ", t" * time
        plane = ["top, bottom"] * (len(self.space.letters) > 1)
        faces = self.rng.choice((*["boundary"] * 6, "left, right", "left", *plane, "∂Ω"))
        match condition:
            case "Dirichlet":
                return [f"{u} = {g} on {faces}"]
            case "Neumann":
                return [f"{self.rng.choice((f'n·∇{u}', f'∂{u}/∂n'))} = {g} on {faces}"]
            case "Robin":
                return [f"{self.rng.choice(('', '2', 'κ '))}∂{u}/∂n + {self.rng.choice(('', '3'))}{u} = {g} on {faces}"]
            case "part of a face":
                place = self.rng.choice(("left", "boundary", "top"))
                y = self.space.letters[-1]
                return [f"{u} = {g} on {place} where {y} > ½", f"∂{u}/∂n = {h} on {place} where {y} < ½"]
            case "at a point":
                return [f"{u}({end}{others}) = {self.value()}" for end in ("0", "1")]
            case "two points":
                jump = self.rng.choice(("", "", "-", "2"))
                slope = [f"∂{u}/∂{first}(0{others}) = {jump}∂{u}/∂{first}(1{others})"] * (self.rng.random() < 0.5)
                return [f"{u}(0{others}) = {jump}{u}(1{others}){' + 1' * (self.rng.random() < 0.3)}", *slope]
            case "curve":
                return [f"{self.rng.choice((u, f'∂{u}/∂n'))} = {g} on {self.space.curve}"]
            case "tangential":
                y = self.space.letters[-1]
                return [f"∂{u}/∂{y}{f' + {u}' * (self.rng.random() < 0.3)} = {g} on {faces}"]
            case "component":
                return [f"{u}₁ = {self.value()} on {faces}", *some(self.rng, 0.7, f"{u}₂ = 0 on {faces}")]
            case _:
                return [f"{u} = {g} on {faces}", f"∂²{u}/∂{self.space.letters[0]}² = {h} on {faces}"]

    def methods(self, time: bool) -> list[str]:
        part = self.rng.choice(("equation", "equation", *["time"] * time))
        lines = some(self.rng, 0.3, f"realize {part} by {self.rng.choice(list(PARTS[part]))}")
        return lines + some(self.rng, 0.1, "require comparison, conservation")
