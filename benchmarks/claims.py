"""Two claims of robustness, on digits and in minutes: train the specs of two papers scaled down, attack and audit them.

    python benchmarks/claims.py [neural_ode] [enresnet] -o FOLDER [--samples 50] [--audited 16]

- `neural_ode`: are neural ODEs robust by nature ("Towards natural robustness against adversarial examples")? The
  shipped spec with its adaptive solver and its attacks, 16 channels, t in [0, 1]; beside it the same equation with
  four steps of Euler's method, a residual network.
- `enresnet`: does noise after residual blocks increase robustness (Wang, Yuan, Shi, Osher 2020)? The shipped spec with
  its attacks, two members, a short adversarial training; the residual network without noise, and transfer both
  ways. The network is random: gradients average five noise samples, predictions 32 others.

Prints the results as Markdown; claims.md interprets them. The full reports are in FOLDER.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import torch

import pdedsl
from pdedsl.evaluation.report import Report
from pdedsl.evaluation.run import evaluate_run
from pdedsl.sources import shipped_folder

ODE = (
    "network.input=image(1, 8, 8)",
    "network.open=16",
    "network.stages=[16]",
    "train.data=digits",
    "train.epochs=10",
    "train.optimizer=adam(lr=0.003)",
)
ENSEMBLE = ("train.data=digits", "train.epochs=8", "train.optimizer=adam(lr=0.003)", "train.augment=")
ENSEMBLE += ("train.schedule=constant", "train.adversary=pgd(eps=8/255, step=4/255, steps=2)")


def spec(name: str, *changes: tuple[str, str]) -> str:
    text = (shipped_folder() / f"{name}.pde").read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def trained(text: str, out: Path, settings: Sequence[str]) -> Path:
    if not (out / "weights.safetensors").exists():
        pdedsl.train(text, out, set=settings, resume=out.exists())
    return out


def neural_ode(out: Path, samples: int, settings: Sequence[str] = ()) -> list[Report]:
    text = spec("neural_ode", ("[0, 100]", "[0, 1]"))
    adaptive = trained(text, out / "neural_ode", [*ODE, *settings])
    steps = trained(text, out / "euler", [*ODE, *settings, "realize.time=euler(steps=4)"])
    return [evaluate_run(run, subset=samples, resume=True) for run in (adaptive, steps)]


def enresnet(out: Path, samples: int, settings: Sequence[str] = ()) -> list[Report]:
    space = ("image(3, 32, 32)", "image(1, 8, 8)")
    noisy = trained(spec("enresnet", space, ("members=5", "members=2")), out / "enresnet", [*ENSEMBLE, *settings])
    noise = (" + ½σ²Δu", "const   σ = 0.1\n", "realize diffusion by noise(members=5, scale=relative)")
    still = spec("enresnet", space, *((part, "") for part in noise))
    plain = trained(still, out / "resnet", [*ENSEMBLE, *settings])
    alone = ["evaluate.transfer=", "evaluate.attack=", "evaluate.attack=fgsm(eps=8/255), ifgsm(eps=8/255, step=2/255)"]
    return [
        evaluate_run(noisy, subset=samples, resume=True, sources={"resnet": plain}),
        evaluate_run(plain, subset=samples, resume=True, set=alone),
    ]


CLAIMS = {"neural_ode": neural_ode, "enresnet": enresnet}


def table(reports: Sequence[Report], names: Sequence[str]) -> str:
    """Runs are columns, attacks are rows."""
    columns = [{"none": r.clean.accuracy} | {a.attack: a.accuracy for a in r.robust} for r in reports]
    rows = dict.fromkeys(attack for column in columns for attack in column)
    lines = [f"| attack | {' | '.join(names)} |", "| --- " * (1 + len(names)) + "|"]
    lines += [f"| {row} | {' | '.join(str(column.get(row, '')) for column in columns)} |" for row in rows]
    return "\n".join(lines)


def remarks(report: Report, name: str) -> list[str]:
    lines = [
        f"- {name}, audit in ℓ{d.norm} at ε = {d.eps:.3g} on {d.samples} samples: {d.verdict}" for d in report.audits
    ]
    lines += [f"  - {check}: {text}" for d in report.audits for check, _, text in d.checks]
    lines += [
        f"- {t.attack} transfer {t.source} ({t.source_accuracy}) → {t.target}: {t.accuracy}" for t in report.transfers
    ]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("claims", nargs="*", choices=[*CLAIMS, []], default=[])
    parser.add_argument("-o", type=Path, default=Path("claims"))
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--audited", type=int, default=16, help="number of samples of an audit")
    options = parser.parse_args()
    torch.set_num_threads(1)
    audit = (f"evaluate.audit=gradient_masking(samples={options.audited})",)
    options.o.mkdir(exist_ok=True)
    for claim in options.claims or CLAIMS:
        reports = CLAIMS[claim](options.o, options.samples, audit)
        names = [claim, "euler" if claim == "neural_ode" else "resnet"]
        print(f"## {claim}\n", table(reports, names), "", sep="\n")
        for report, name in zip(reports, names, strict=True):
            print(*remarks(report, name), sep="\n", flush=True)


if __name__ == "__main__":
    main()
