"""The words of the language as data: networks, methods, data sets, optimizers, attacks, and their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pdedsl.numerics.activations import ACTIVATIONS, OTHER_NAMES
from pdedsl.numerics.integrators import ADAPTIVE as EMBEDDED
from pdedsl.numerics.integrators import EXPLICIT


@dataclass(frozen=True)
class Param:
    """An argument: its kind, its default (None: it must be given, or '' may be left out), and its limits."""

    kind: str  # count, whole, real, word, text, flag
    default: object = None
    least: float | None = None  # smallest value
    above: float | None = None  # a bound that is not reached
    most: float | None = None
    words: tuple[str, ...] = ()
    many: bool = False  # a list is fine too

    @property
    def required(self) -> bool:
        return self.default is None

    def wanted(self) -> str:
        base = {
            "count": "a whole number, at least 1",
            "whole": "a whole number, at least 0",
            "text": 'a text in "…"',
            "flag": "true or false",
            "word": "one of " + ", ".join(self.words),
            "real": "a number",
        }[self.kind]
        limits = [
            f"at least {self.least:g}" if self.kind == "real" and self.least is not None else "",
            f"above {self.above:g}" if self.above is not None else "",
            f"at most {self.most:g}" if self.most is not None else "",
        ]
        text = ", ".join(filter(None, (base, *limits)))
        return f"{text}, or a list of such" if self.many else text


Signature = Mapping[str, Param]
LEFT_OUT = ""


def count(default: object = LEFT_OUT, many: bool = False) -> Param:
    return Param("count", default, least=1, many=many)


def whole(default: object = LEFT_OUT, many: bool = False) -> Param:
    return Param("whole", default, least=0, many=many)


def positive(default: object = LEFT_OUT, many: bool = False) -> Param:
    return Param("real", default, above=0, many=many)


def nonnegative(default: object = LEFT_OUT, many: bool = False) -> Param:
    return Param("real", default, least=0, many=many)


def real(default: object = LEFT_OUT, many: bool = False) -> Param:
    return Param("real", default, many=many)


def rate(default: object) -> Param:
    return Param("real", default, above=0, most=1e30)


def share(default: object = LEFT_OUT) -> Param:
    return Param("real", default, least=0, most=1)


def word(*words: str, default: object = LEFT_OUT) -> Param:
    return Param("word", default, words=words)


def flag(default: object = LEFT_OUT) -> Param:
    return Param("flag", default)


ACTIVATION = tuple(ACTIVATIONS)
SAME_WORD = OTHER_NAMES

# ---- networks

NETS: dict[str, Signature] = {
    "mlp": {"width": count(64), "depth": count(4), "activation": word(*ACTIVATION, default="tanh")},
    "resnet": {"depth": Param("count", None, words=("20", "32", "44", "56", "110"), many=True)},
    "resnet18": {},
    "preact_resnet18": {},
    "wide_resnet": {"depth": count(28), "width": count(10)},
    "convnet": {"layers": count(2), "activation": word(*ACTIVATION, default="relu")},
    "conv": {"size": count(3)},
    "linear": {},
    "torchvision": {"model": Param("text", None)},
}
LAYERS: dict[str, Signature] = {
    "tv_norm": {"eps": positive("1e-3")},
    "batch_norm": {"eps": positive("1e-4")},
}

# ---- realizations

STEPS: Signature = {"steps": count()}
DEFAULT_STEPS = 3  # of an equation on pixels, when the spec names none
DEFAULT_METHODS = {"first": "euler", "second": "leapfrog", "pair": "verlet"}  # of the same
ADAPTIVE = tuple(EMBEDDED)
REVERSIBLE = ("verlet", "leapfrog")
TOLERANCES: Signature = {
    "rtol": positive("1e-3"),
    "atol": positive("1e-3"),
    "adjoint": flag("false"),
    "norm": word("sample", "batch", default="sample"),
}
INTEGRATORS: dict[str, Signature] = {
    **dict.fromkeys(EXPLICIT, STEPS),
    "backward_euler": {**STEPS, "terms": count(2)},
    "verlet": STEPS,
    "leapfrog": {**STEPS, "start": word("consistent", "paper", default="consistent")},
    **dict.fromkeys(ADAPTIVE, TOLERANCES),
}
MEMBERS: Signature = {"members": count(1), "samples": count(1)}
DIFFUSIONS: dict[str, Signature] = {
    "noise": {
        "members": count(1),
        "samples": count(1),
        "scale": word("exact", "relative", default="exact"),
        "kind": word("gaussian", "laplace", default="gaussian"),
        "across": word("sample", "batch", default="sample"),
        "average": word("probabilities", "logits", default="probabilities"),
        "weights": word("equal", "learned", default="equal"),
        "training": word("joint", "apart", default="joint"),
    },
    "residual": {
        "weight": nonnegative("0.05"),
        "h": positive("0.1"),
        "tau": positive("1e-4"),
        "probes": count(1),
        "times": nonnegative(many=True),
        "jitter": nonnegative("0.2"),
        "estimator": word("biased", "unbiased", "exact", default="biased"),
        "derivative": word("forward", "central", default="forward"),
        "of": word("probabilities", "logits", default="probabilities"),
        "instants": word("all", "one", default="all"),
    },
    "retraining": {
        "steps": count(5),
        "weight": positive("0.5"),
        "probes": count(10),
        "delta": positive("0.1"),
        "start": word("warm", "fresh", default="warm"),
        "estimator": word("unbiased", "paper", default="unbiased"),
        "derivative": word("forward", "differences", default="forward"),
    },
    "sampling": {"samples": count(100)},
    **dict.fromkeys(("dropout", "stochastic_depth", "shake_shake"), MEMBERS),
}
SOLVERS: dict[str, Signature] = {
    "residual": {"points": count(10000), "initial": count(100), "boundary": count(100)},
    "grid": {"n": count(128), "extent": positive()},
}
REALIZATIONS: dict[str, dict[str, Signature]] = {
    "time": INTEGRATORS,
    "convection": INTEGRATORS,
    "reaction": INTEGRATORS,
    "diffusion": DIFFUSIONS,
    "equation": SOLVERS,
}

AXIOMS = (
    "linearity",
    "constants",
    "comparison",
    "markov",
    "locality",
    "spatial_regularity",
    "temporal_regularity",
    "stability",
    "energy_decay",
    "energy_conservation",
    "reversibility",
    "maximum_principle",
    "conservation",
)

# ---- the experiment

SUBSET: Signature = {"train": count(), "test": count(), "validation": share()}
DATA: dict[str, Signature] = {
    "moons": {"train": count(500), "test": count(1000), "noise": nonnegative("0.1"), "validation": share()},
    "digits": SUBSET,
    **dict.fromkeys(("mnist", "fashion_mnist", "cifar10", "cifar100", "svhn", "stl10"), SUBSET),
    "npz": {"file": Param("text", None), **SUBSET},
}
NORM = word("inf", "2", default="inf")
ITERATED: Signature = {
    "norm": NORM,
    "eps": positive(None, many=True),
    "step": positive(),
    "steps": count(20),
    "eot": count(1),
    "restarts": count(1),
}
ATTACKS: dict[str, Signature] = {
    "fgsm": {"norm": NORM, "eps": positive(None, many=True), "eot": count(1)},
    "pgd": ITERATED,
    "ifgsm": ITERATED,
    "difgsm": {**ITERATED, "probability": share("0.5")},
    "cw": {
        "norm": word("inf", "2", default="2"),
        "iterations": count(50),
        "lr": positive("1e-2"),
        "c": positive("1"),
        "kappa": nonnegative("0"),
        "eot": count(1),
    },
    "ddn": {"steps": count(20), "eps": positive(many=True), "eot": count(1)},
    "boundary": {"queries": count(1000), "step": positive("0.1")},
    "square": {"norm": NORM, "eps": positive(None, many=True), "queries": count(1000)},
    "apgd": {"norm": NORM, "eps": positive(None, many=True), "steps": count(100), "eot": count(1)},
    "autoattack": {"norm": NORM, "eps": positive(None, many=True)},
}
ADVERSARY: Signature = {
    "norm": NORM,
    "eps": positive(None),
    "step": positive(),
    "steps": count(10),
    "eot": count(1),
}
ADVERSARIES: dict[str, Signature] = {  # for training: fast, and of first order
    "fgsm": {key: ADVERSARY[key] for key in ("norm", "eps", "eot")},
    "pgd": ADVERSARY,
    "ifgsm": ADVERSARY,
}
OPTIMIZERS: dict[str, Signature] = {
    "sgd": {
        "lr": rate("0.1"),
        "momentum": share("0"),
        "weight_decay": nonnegative("0"),
        "nesterov": flag("false"),
    },
    "adam": {"lr": rate("1e-3"), "weight_decay": nonnegative("0")},
    "adamw": {"lr": rate("1e-3"), "weight_decay": nonnegative("1e-2")},
    "lbfgs": {"steps": count(1000), "lr": rate("1"), "history": count(50)},
}
SCHEDULES: dict[str, Signature] = {
    "step": {"at": whole(many=True), "every": count(), "factor": positive("0.1")},
    "cosine": {"warmup": whole("0")},
    "constant": {},
}
AUGMENTATIONS: dict[str, Signature] = {
    "crop": {"pad": count(4)},
    "flip": {},
    "gaussian": {"std": positive(None)},
}
REGULARIZERS: dict[str, Signature] = {
    "smooth_in_time": {"weight": nonnegative(None)},
    "weights": {"weight": nonnegative(None)},
}
CERTIFICATES: dict[str, Signature] = {
    "gaussian": {"n0": count(100), "n": count(10000), "alpha": Param("real", "0.001", above=0, most=1)},
    "lipschitz": {},
}
PLOTS = ("decision_boundary", "confusion", "solution", "curves", "radii", "attacks", "samples", "weights")


@dataclass(frozen=True)
class EntryRule:
    """A line of a block: the calls, the words or the plain values that may follow its key."""

    calls: Mapping[str, Signature] | None = None
    words: tuple[str, ...] = ()
    value: Param | None = None
    most: int = 1  # values in one line
    least: int = 1
    repeats: bool = False  # may the key stand more than once
    source: bool = False  # `… from SPEC`
    within: bool = False  # `NAME in [a, b]`


IMAGE: dict[str, Signature] = {"image": {"channels": count(None), "height": count(None), "width": count(None)}}
BLOCKS: dict[str, dict[str, EntryRule]] = {
    "network": {
        "input": EntryRule(calls=IMAGE),
        "open": EntryRule(value=count()),
        "stages": EntryRule(value=count(many=True)),
        "close": EntryRule(value=count()),
        "classes": EntryRule(value=count()),
    },
    "train": {
        "data": EntryRule(calls=DATA),
        "epochs": EntryRule(value=count()),
        "steps": EntryRule(value=count()),
        "batch": EntryRule(value=count()),
        "optimizer": EntryRule(calls=OPTIMIZERS, most=8),
        "schedule": EntryRule(calls=SCHEDULES),
        "augment": EntryRule(calls=AUGMENTATIONS, most=8),
        "adversary": EntryRule(calls=ADVERSARIES),
        "regularize": EntryRule(calls=REGULARIZERS, most=8),
        "constrain": EntryRule(within=True, most=8),
        "precision": EntryRule(words=("float32", "float64", "bfloat16")),
        "seed": EntryRule(value=whole()),
    },
    "evaluate": {
        "natural": EntryRule(least=0, most=0),
        "attack": EntryRule(calls=ATTACKS, most=8, repeats=True),
        "transfer": EntryRule(calls=ATTACKS, source=True, repeats=True),
        "certify": EntryRule(calls=CERTIFICATES, repeats=True),
        "audit": EntryRule(words=("gradient_masking",)),
        "reference": EntryRule(calls={"grid": SOLVERS["grid"]}),
        "weights": EntryRule(calls={"histogram": {"below": positive("1e-3")}}),
        "plot": EntryRule(words=PLOTS, most=8, repeats=True),
    },
}
REQUIRED_ENTRIES = {"network": ("input", "open", "stages", "classes"), "train": (), "evaluate": ()}
