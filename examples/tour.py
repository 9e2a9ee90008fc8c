"""A tour of what the compiler does: check, explain and compile every shipped spec, then solve one and test its axioms.

Run by `make demo`; the results are in demo/.
"""

from pathlib import Path

import torch

import pdedsl
from pdedsl.explainer.package import write_package
from pdedsl.sources import shipped_specs
from pdedsl.testing import axioms

OUT = Path("demo")


def main() -> None:
    for name, path in shipped_specs().items():
        spec = pdedsl.load(path)
        print(f"{name:22} {spec.hash}  {visit(name, path)}")
    compare_with_closed_form()
    for result in axioms.check(pdedsl.compile(shipped_specs()["rotation"]), examples=20):
        print(f"  {result.axiom}: {result.verdict}, {result.outcome} in 20 examples")
    print(
        f"The packages and explanations are in {OUT}/: read {OUT}/enresnet/README.md and {OUT}/enresnet/model.py first."
    )


def visit(name: str, path: Path) -> str:
    """Compile a spec into demo/NAME; return a summary."""
    try:
        compilation = pdedsl.compile(path)
    except pdedsl.PdeError as error:
        return f"explained only: {error.diagnostics[0].message}"
    write_package(OUT / name, compilation.files(), force=True)
    count = sum(p.numel() for p in compilation.module().parameters())
    return f"{compilation.analysis.equations[0].kind}, {count:,} parameters"


def compare_with_closed_form() -> None:
    """rotation.pde: u(x, 1) is the Gaussian average of exp(-|R x - e|²) with variance 2σ² in each direction."""
    solution = pdedsl.compile(shipped_specs()["rotation"]).module()
    points = torch.tensor([[1.0, 0.0], [0.5, -0.5], [0.0, 1.0]], dtype=torch.float64)
    c, s = torch.cos(torch.tensor(1.0)), torch.sin(torch.tensor(1.0))
    turned = points @ torch.tensor([[c, s], [-s, c]], dtype=torch.float64)
    wide = 1 + 4 * 0.2**2  # 1 + 2·(2σ²)
    exact = torch.exp(-(turned - torch.tensor([1.0, 0.0])).square().sum(-1) / wide) / wide
    print(f"rotation: Feynman-Kac {solution(points).tolist()}\n          closed form {exact.tolist()}")


if __name__ == "__main__":
    main()
