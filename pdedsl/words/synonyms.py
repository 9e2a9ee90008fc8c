"""Words of other programs for ours: what to suggest where spelling alone does not tell."""

from __future__ import annotations

from collections.abc import Iterable

SYNONYMS = {
    **dict.fromkeys(("dataset", "input", "source"), "data"),
    **dict.fromkeys(("batch_size", "batchsize", "minibatch"), "batch"),
    **dict.fromkeys(("learning_rate", "rate", "step_size"), "lr"),
    **dict.fromkeys(("epsilon", "radius"), "eps"),
    **dict.fromkeys(("sigma", "scale"), "std"),
    "wd": "weight_decay",
    **dict.fromkeys(("hidden", "units", "hidden_size", "channels", "neurons"), "width"),
    **dict.fromkeys(("num_layers", "hidden_layers", "layers", "blocks"), "depth"),
    **dict.fromkeys(("iterations", "iters", "num_steps", "n_steps", "nt"), "steps"),
    **dict.fromkeys(("n", "num_samples", "n_samples"), "samples"),
    **dict.fromkeys(("linf", "infinity"), "inf"),
    **dict.fromkeys(("l2", "euclidean"), "2"),
    **dict.fromkeys(("pinn", "network", "neural_network"), "residual"),
    **dict.fromkeys(("fdm", "fd", "finite_differences", "finite_difference", "spectral", "fem", "fvm"), "grid"),
    **dict.fromkeys(("monte_carlo", "montecarlo", "feynman_kac", "random_walks"), "paths"),
    **dict.fromkeys(("prob", "probs", "probability", "probabilities", "classes", "categorical", "softmax"), "simplex"),
    **dict.fromkeys(("smoothing", "randomized_smoothing", "cohen"), "gaussian"),
    **dict.fromkeys(("gaussian", "brownian", "sde", "langevin"), "noise"),
    **dict.fromkeys(("carlini", "carlini_wagner"), "cw"),
    **dict.fromkeys(("augmentation", "transform", "transforms"), "augment"),
    **dict.fromkeys(("dtype", "amp"), "precision"),
    **dict.fromkeys(("float", "real", "number", "double"), "scalar"),
    **dict.fromkeys(("accuracy", "clean"), "natural"),
    **dict.fromkeys(("monotone", "monotonicity", "order"), "comparison"),
    **dict.fromkeys(("runge_kutta", "rungekutta"), "rk4"),
    **dict.fromkeys(("adv", "attack"), "adversary"),
}


def synonym(word: str, words: Iterable[str]) -> str | None:
    """Our word for another's, if it is one that may stand here; `pgd20` is `pgd`."""
    known = set(words)
    found = (SYNONYMS.get(word.lower()), word.lower().rstrip("0123456789").rstrip("_-"))
    return next((w for w in found if w in known), None)
