"""What becomes of the network of each shipped spec in the hands of torch's tools, as a table. Images, widths and
numbers of noise samples are small here (`smaller`): the equation, its blocks and their order are those of the spec.

    python benchmarks/deployment.py [SPEC …]

- export: `torch.export` with a batch of any size gives the scores of the module, at another size of the batch.
- ONNX: `torch.onnx.export` and onnxruntime give the logits; noise is sampled anew, so that logits differ
  from call to call.
- vmap: `torch.func.vmap` of the network on single samples gives the logits of the batch.
- compile: `torch.compile` (backend aot_eager: graph and derivatives, no generated code) gives the gradients.
- refused: the error has a reason and an alternative: the steps of adaptive solvers depend on the data.
- empty: an empty batch gives an empty result, and a gradient of zeros.

`--write` puts the rows into the table of docs/guide/deployment.md.
"""

from __future__ import annotations

import copy
import re
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

import pdedsl
from pdedsl.ir.plan import SolvePlan
from pdedsl.runtime.ode.adaptive import NotExportable
from pdedsl.runtime.rng import frozen_noise, streams
from pdedsl.sources import shipped_specs

ROOT = Path(__file__).parents[1]
MARK = "<!-- table: deployment -->"
HEAD = "| spec | export | ONNX | vmap | compile | empty |\n| --- | --- | --- | --- | --- | --- |"
Try = Callable[[nn.Module, Tensor], None]


def smaller(text: str) -> str:
    """A spec with images of 8 × 8, few channels and noise samples, and a short time."""
    text = re.sub(r"image\((\d), \d+, \d+\)", r"image(\1, 8, 8)", text)
    text = re.sub(r"open +\d+\n  stages +\[[^]]*\]", lambda m: f"open 8\n  stages [8{', 12' * (',' in m[0])}]", text)
    text = text.replace("patch=4, dense=7", "patch=2, dense=2").replace("close   256", "close   6")
    return re.sub(r"(?<!monte_carlo\()samples=\d+", "samples=3", text).replace("[0, 100]", "[0, 2]")


def network_of(name: str) -> tuple[nn.Module, Tensor] | None:
    """The small network of a spec, and three samples."""
    compilation = pdedsl.compile(smaller(shipped_specs()[name].read_text("utf-8")))
    plan = compilation.plan
    if isinstance(plan, SolvePlan):
        return None
    torch.manual_seed(0)
    shape = plan.image or (plan.dimension,)
    return compilation.module().eval(), torch.rand(3, *shape)


def exports(model: nn.Module, x: Tensor) -> None:
    program = torch.export.export(copy.deepcopy(model), (x,), dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    longer = torch.cat([x, x.flip(0)])
    close(program.module()(longer), copy.deepcopy(model)(longer))


def onnx(model: nn.Module, x: Tensor) -> None:
    import onnxruntime

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model.onnx"
        batch = ({0: torch.export.Dim.DYNAMIC},)
        torch.onnx.export(copy.deepcopy(model), (x,), path, dynamo=True, dynamic_shapes=batch, verbose=False)
        session = onnxruntime.InferenceSession(path)
        longer = torch.cat([x, x.flip(0)])
        one, two = (
            torch.from_numpy(session.run(None, {session.get_inputs()[0].name: longer.numpy()})[0]) for _ in range(2)
        )
    assert one.isfinite().all()
    if streams(model):
        assert not torch.equal(one, two), "no noise is drawn"
    else:
        close(one, model(longer))


def vmaps(model: nn.Module, x: Tensor) -> None:
    with frozen_noise(model):
        close(torch.func.vmap(lambda row: model(row[None])[0])(x), model(x))


def compiles(model: nn.Module, x: Tensor) -> None:
    torch._dynamo.reset()
    twin = copy.deepcopy(model)
    compiled = torch.compile(twin, backend="aot_eager")
    a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
    compiled(a).square().sum().backward()
    model(b).square().sum().backward()
    assert a.grad is not None
    assert b.grad is not None
    close(a.grad, b.grad)


def empties(model: nn.Module, x: Tensor) -> None:
    none = x[:0].clone().requires_grad_()
    scores = model(none)
    assert scores.shape[0] == 0
    scores.sum().backward()
    assert none.grad is not None
    assert none.grad.shape == none.shape


def close(a: Tensor, b: Tensor) -> None:
    torch.testing.assert_close(a, b.detach(), rtol=1e-3, atol=1e-4)


TRIES: dict[str, Try] = {"export": exports, "ONNX": onnx, "vmap": vmaps, "compile": compiles, "empty": empties}


def outcome(attempt: Try, model: nn.Module, x: Tensor) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            attempt(copy.deepcopy(model), x)
    except Exception as error:
        if _refused(error):
            return "refused"
        print(f"    {attempt.__name__}: {type(error).__name__}: {str(error)[:600]}", file=sys.stderr)
        return "no"
    return "yes"


def _refused(error: BaseException | None) -> bool:
    """Whether the network itself said why it cannot be recorded."""
    return error is not None and (isinstance(error, NotExportable) or _refused(error.__cause__))


def row(name: str, of: tuple[str, ...] = tuple(TRIES)) -> list[str] | None:
    made = network_of(name)
    return None if made is None else [outcome(TRIES[key], *made) for key in of]


def main() -> None:
    words = [w for w in sys.argv[1:] if w != "--write"]
    rows = []
    for name in words or shipped_specs():
        found = row(name)
        if found is not None:
            rows.append(f"| `{name}` | {' | '.join(found)} |")
            print(rows[-1], flush=True)
    if "--write" in sys.argv:
        page = ROOT / "docs" / "guide" / "deployment.md"
        text = page.read_text("utf-8")
        new = {line.split("`")[1] for line in rows}
        old = text.partition(MARK)[2].split("\n\n")[0].splitlines()[3:]
        kept = [line for line in old if line.split("`")[1] not in new]
        table = "\n".join([MARK, HEAD, *sorted(kept + rows)])
        page.write_text(re.sub(rf"{MARK}\n(\|.*\n)+", table + "\n", text), "utf-8")


if __name__ == "__main__":
    main()
