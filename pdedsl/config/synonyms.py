"""Synonyms of keywords and arguments in other programs, for suggestions in error messages."""

from __future__ import annotations

from collections.abc import Iterable

SYNONYMS = {
    "data": ("dataset", "input", "source"),
    "epochs": ("num_epochs", "n_epochs", "max_epochs"),
    "validation": ("val", "val_split", "validation_split"),
    "decision_boundary": ("boundary",),
    "diffusion": ("noise",),
    "batch": ("batch_size", "batchsize", "minibatch"),
    "lr": ("learning_rate", "rate", "step_size"),
    "eps": ("epsilon", "epsilons", "radius"),
    "std": ("sigma", "scale"),
    "weight_decay": ("wd",),
    "width": ("hidden", "units", "hidden_size", "channels", "neurons"),
    "depth": ("num_layers", "hidden_layers", "layers", "blocks"),
    "steps": ("iterations", "iters", "num_steps", "n_steps", "nt"),
    "samples": ("n", "num_samples", "n_samples"),
    "inf": ("linf", "infinity"),
    "2": ("l2", "euclidean"),
    "pinn": ("pinns", "network", "neural_network"),
    "grid": ("fdm", "fd", "finite_differences", "finite_difference", "spectral", "fvm"),
    "elements": ("fem", "finite_elements", "finite_element"),
    "monte_carlo": ("montecarlo", "feynman_kac", "random_walks"),
    "simplex": ("prob", "probs", "probability", "probabilities", "classes", "categorical", "softmax"),
    "order": ("degree", "polynomial_degree"),
    "train": ("n", "n_samples", "num_samples", "samples"),
    "pgd": ("linfpgd", "l2pgd", "linfpgdattack", "projected_gradient_descent"),
    "fgsm": ("fgm", "fast_gradient_sign", "linffastgradientattack"),
    "ifgsm": ("bim", "basic_iterative_method"),
    "ddn": ("l2ddnattack",),
    "square": ("squareattack", "square_attack"),
    "autoattack": ("aa", "auto_attack"),
    "randomized_smoothing": ("smoothing", "cohen"),
    "noise": ("gaussian", "brownian", "sde", "langevin"),
    "cw": ("carlini", "carlini_wagner", "carliniwagner", "l2carliniwagnerattack"),
    "augment": ("augmentation", "transform", "transforms"),
    "precision": ("dtype", "amp"),
    "scalar": ("float", "real", "number", "double"),
    "natural": ("accuracy", "clean"),
    "comparison": ("monotone", "monotonicity", "order"),
    "rk4": ("runge_kutta", "rungekutta"),
    "adversary": ("adv", "attack", "adversarial", "adversarial_training"),
    "step": ("alpha", "step_size", "stepsize", "steplr", "multisteplr"),
    "cosine": ("cosineannealinglr",),
    "every": ("step_size",),
    "at": ("milestones",),
    "factor": ("gamma",),
    "members": ("ensemble", "networks", "num_members"),
    "cross_entropy": ("crossentropyloss", "crossentropy", "ce", "nll"),
    "conv": ("conv2d", "convolution"),
    "linear": ("dense", "fc"),
    "size": ("kernel_size", "kernel"),
}


def synonym(name: str, words: Iterable[str]) -> str | None:
    """The keyword for a synonym, if it is among `words`; `pgd20` is `pgd`."""
    known, lower = set(words), name.lower()
    candidates = (
        *(ours for ours, theirs in SYNONYMS.items() if lower in theirs),
        lower.rstrip("0123456789").rstrip("_-"),
    )
    return next((w for w in candidates if w in known), None)
