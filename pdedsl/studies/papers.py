"""Experiments of papers at a small scale: specs, published results, and claims as hypotheses on paired differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class ArmMetric:
    """A metric of one arm: the runs of a spec with the given settings; the metric by its name or the start of it.
    The values of the metric `minus` are subtracted if it is given."""

    spec: str
    settings: str  # as in the tables of a study: "σ² = 0.2"; empty if the sweep has seeds only
    metric: str
    minus: str = ""


@dataclass(frozen=True)
class TableRow:
    """A row of the comparison: the published value, and the arm and metric that correspond to it."""

    label: str
    published: str
    ours: ArmMetric


@dataclass(frozen=True)
class Claim:
    """`greater` - `smaller` > `margin`: confirmed if the 95 % interval of the paired difference is above the margin,
    refuted if it is below, undecided otherwise."""

    text: str
    greater: ArmMetric
    smaller: ArmMetric
    margin: float = 0.0


@dataclass(frozen=True)
class Experiment:
    """A paper at laptop scale; `paper` are the settings of the paper, `differences` those from it."""

    name: str
    title: str
    specs: tuple[str, ...]
    source: str
    rows: tuple[TableRow, ...]
    claims: tuple[Claim, ...]
    differences: tuple[str, ...]
    paper: tuple[str, ...]


RADII = ("0.25", "0.5")
NOISE = "gaussian noise, std 0.1"


def _convection_diffusion() -> Experiment:
    def arm(variance: str, metric: str) -> ArmMetric:
        return ArmMetric("convection_diffusion", f"σ² = {variance}", metric)

    attack, pgd, clean = "AutoAttack", "PGD-20 (ℓ∞, ε = 0.1)", "clean"
    worst = "worst case (ℓ∞, ε = 0.1)"
    return Experiment(
        name="convection_diffusion",
        title="An axiomatized PDE model of deep neural networks",
        specs=("convection_diffusion",),
        source="Table 2, Fashion-MNIST: ResNet-18, 200 epochs, λ = 0.005",
        rows=(
            TableRow("Natural, without diffusion", "93.95", arm("0", clean)),
            TableRow("Natural, σ² = 0.2", "92.01", arm("0.2", clean)),
            TableRow("PGD-20, without diffusion", "0.0", arm("0", pgd)),
            TableRow("PGD-20, σ² = 0.2", "35.27", arm("0.2", pgd)),
            TableRow("AutoAttack, without diffusion", "0.0", arm("0", attack)),
            TableRow("AutoAttack, σ² = 0.2", "23.48", arm("0.2", attack)),
        ),
        claims=(
            Claim(
                "The residual of the diffusion raises accuracy under AutoAttack.", arm("0.2", attack), arm("0", attack)
            ),
            Claim("It raises accuracy in the worst case over all attacks.", arm("0.2", worst), arm("0", worst)),
            Claim("It lowers natural accuracy.", arm("0", clean), arm("0.2", clean)),
        ),
        differences=(
            "A convolutional network with 20 thousand parameters without batch normalization instead of ResNet-18.",
            "2,600 steps of 64 images instead of 200 epochs of 128, without augmentation.",
            "The weight of the residual is 0.5 instead of 0.005, chosen on held-out training images.",
            "The residual is computed at the final time only, with jitter 0.1.",
        ),
        paper=(
            "train.data=fashion_mnist",
            "learn.v=resnet18",
            "realize.diffusion=residual_penalty(weight=0.005, h=0.1, probes=1, times=[0, 1], jitter=0.1)",
            "train.epochs=200",
            "train.batch=128",
            "train.optimizer=sgd(lr=0.1, momentum=0.9, weight_decay=5e-4)",
            "train.schedule=step(at=[80, 120, 160], factor=0.1)",
            "train.augment=crop(4), flip",
            "train.clip=",
        ),
    )


def _heat_smoothing() -> Experiment:
    def arm(std: str, metric: str) -> ArmMetric:
        return ArmMetric("heat_smoothing", f"σ = {std}", metric)

    rows = []
    for std in ("0.25", "0.5"):
        rows += [
            TableRow(f"Agreement with the Gaussian average, base, σ = {std}", "", arm(std, "agreement of the base")),
            TableRow(f"Agreement with the Gaussian average, retrained, σ = {std}", "", arm(std, "agreement")),
            TableRow(f"ℓ1 distance to it, base, σ = {std}", "", arm(std, "ℓ1 distance of the base")),
            TableRow(f"ℓ1 distance to it, retrained, σ = {std}", "", arm(std, "ℓ1 distance")),
        ]

    def sampled(radius: str) -> ArmMetric:
        return arm("0.5", f"randomized_smoothing (ℓ2, r = {radius})")

    def estimated(radius: str) -> ArmMetric:
        return arm("0.5", f"lipschitz (ℓ2, r = {radius})")

    return Experiment(
        name="heat_smoothing",
        title="Deterministic Gaussian averaged neural networks",
        specs=("heat_smoothing",),
        source="curves only, Figure 3a",
        rows=(
            *rows,
            *(TableRow(f"Certified by sampling (Cohen et al.), σ = 0.5, r = {r}", "", sampled(r)) for r in RADII),
            *(
                TableRow(f"Radius of the retrained network (estimate), σ = 0.5, r = {r}", "", estimated(r))
                for r in RADII
            ),
        ),
        claims=(
            *(
                Claim(
                    f"The retrained network predicts the class of the Gaussian average more often than its base{by}, "
                    f"σ = {std}.",
                    arm(std, "agreement"),
                    arm(std, "agreement of the base"),
                    margin,
                )
                for std, by, margin in (("0.25", "", 0.0), ("0.5", ", by at least 5 points", 0.05))
            ),
            Claim(
                "Its probabilities are closer to the average than those of its base, σ = 0.5.",
                arm("0.5", "ℓ1 distance of the base"),
                arm("0.5", "ℓ1 distance"),
            ),
            *(
                Claim(
                    f"The estimated radius of the retrained network exceeds {r} for more images than the certified "
                    "one, σ = 0.5.",
                    estimated(r),
                    sampled(r),
                )
                for r in RADII
            ),
        ),
        differences=(
            "Fashion-MNIST and a convolutional network with 19 thousand parameters instead of CIFAR-10 and ResNet-34.",
            "Regression on the base network at noisy inputs instead of the variational form.",
            "The base is trained without noise, so that its average is less accurate for the larger σ.",
            "The radius of the retrained network is an estimate by the Lipschitz constant of a Gaussian average, not a "
            "certificate. Sampling certifies the average of the same base with failure probability 0.001 per "
            "image, from 1,000 samples; the paper compares with a network trained on noise, and applies CERTIFY to "
            "the retrained one without sampling.",
        ),
        paper=(
            "space=image(3, 32, 32)",
            "train.data=cifar10",
            "learn.base=resnet18",
            "realize.diffusion=heat_smoothing(weight=5)",
            "train.epochs=200",
            "train.optimizer=sgd(lr=0.1, momentum=0.9, weight_decay=5e-4)",
            "train.schedule=step(at=[60, 120, 160], factor=0.2)",
            "train.augment=crop(4), flip",
        ),
    )


def _enresnet() -> Experiment:
    def arm(std: str, metric: str) -> ArmMetric:
        return ArmMetric("enresnet", f"σ = {std}", metric)

    attack, worst, clean = "I-FGSM-20", "adaptive attacks", "clean"
    return Experiment(
        name="enresnet",
        title="EnResNet: an ensemble by the Feynman-Kac formula",
        specs=("enresnet",),
        source="Table 2, CIFAR-10, ε = 8/255: ResNet-20 with and without noise, adversarial training",
        rows=(
            TableRow("Natural, without noise", "75.11", arm("0", clean)),
            TableRow("Natural, with noise", "77.21", arm("0.1", clean)),
            TableRow("I-FGSM-20, without noise", "46.03", arm("0", attack)),
            TableRow("I-FGSM-20, with noise", "49.06", arm("0.1", attack)),
            TableRow("Worst case of the stochastic protocol, without noise", "", arm("0", worst)),
            TableRow("Worst case of the stochastic protocol, with noise", "", arm("0.1", worst)),
        ),
        claims=(
            Claim(
                "Noise raises natural accuracy by at least 1 point, half of the published gain.",
                arm("0.1", clean),
                arm("0", clean),
                0.01,
            ),
            Claim(
                "It raises accuracy under I-FGSM-20 by at least 1.5 points, half of the published gain.",
                arm("0.1", attack),
                arm("0", attack),
                0.015,
            ),
            Claim(
                "It raises accuracy in the worst case of the stochastic protocol by at least 1.5 points.",
                arm("0.1", worst),
                arm("0", worst),
                0.015,
            ),
        ),
        differences=(
            "Fashion-MNIST at ε = 0.1 and a network of depth 8 and width 8 instead of CIFAR-10 and depth 20.",
            "400 steps of 64 images with PGD-3 instead of 200 epochs of 128 with PGD-10.",
            "Attacks average gradients over 5 noise samples; success is judged on new ones.",
            "The stochastic protocol attacks every twentieth test image.",
        ),
        paper=(
            "space=image(3, 32, 32)",
            "train.data=cifar10",
            "learn.v=resnet(depth=20)",
            "train.epochs=200",
            "train.optimizer=sgd(lr=0.1, momentum=0.9, weight_decay=5e-4)",
            "train.schedule=step(at=[80, 120, 160], factor=0.1)",
            "train.augment=crop(4), flip",
            "train.adversary=pgd(eps=8/255, step=2/255, steps=10)",
            "evaluate.attack=ifgsm(eps=8/255, step=2/255, steps=20, eot=5)",
        ),
    )


def _neural_ode() -> Experiment:
    def arm(method: str, metric: str) -> ArmMetric:
        settings = {"Euler": "euler(steps=2)", "adaptive": "dopri5(rtol=1e-2, atol=1e-2)"}[method]
        return ArmMetric("neural_ode", f"realize.time = {settings}", metric)

    strong, weak = "PGD-20 (ℓ∞, ε = 0.2)", "PGD-20 (ℓ∞, ε = 0.1)"
    worst, clean = "worst case (ℓ∞, ε = 0.2)", "clean"
    return Experiment(
        name="neural_ode",
        title="Towards natural robustness against adversarial examples",
        specs=("neural_ode",),
        source="Table 1, MNIST: ResNet-50 and a neural ODE, PGD-40",
        rows=(
            TableRow("Natural, Euler", "99.33 (ResNet-50)", arm("Euler", clean)),
            TableRow("Natural, adaptive", "99.05", arm("adaptive", clean)),
            TableRow("PGD, ε = 0.1, Euler", "", arm("Euler", weak)),
            TableRow("PGD, ε = 0.1, adaptive", "", arm("adaptive", weak)),
            TableRow("PGD, ε = 0.2, Euler", "0 (ResNet-50)", arm("Euler", strong)),
            TableRow("PGD, ε = 0.2, adaptive", "93.62", arm("adaptive", strong)),
        ),
        claims=(
            Claim(
                "The neural ODE is at least 10 points more accurate under PGD, ε = 0.2.",
                arm("adaptive", strong),
                arm("Euler", strong),
                0.1,
            ),
            Claim(
                "It is at least 10 points more accurate in the worst case over attacks, audit and protocol, ε = 0.2.",
                arm("adaptive", worst),
                arm("Euler", worst),
                0.1,
            ),
            Claim(
                "Its natural accuracy is at most 1 point lower.",
                arm("adaptive", clean),
                arm("Euler", clean),
                -0.01,
            ),
        ),
        differences=(
            "16 channels, two layers and the time interval [0, 2] instead of 128 channels, four layers and [0, 100]. "
            "Patches of 4 × 4 pixels are channels, and all layers around the equation are 1-Lipschitz.",
            "The twin has two Euler steps of length 1, each with its own weights, instead of ResNet-50.",
            "400 steps of 64 images instead of 100 epochs of 32.",
            "Audit and stochastic protocol attack 50 of the images, at ε = 0.2.",
        ),
        paper=(
            "train.data=mnist",
            "learn.f=convnet(layers=4)",
            "network.frame=paper",
            "network.stem=128",
            "network.stages=[128]",
            "train.epochs=100",
            "train.batch=32",
            "train.optimizer=adam(lr=1e-3)",
            "train.schedule=step(every=50, factor=0.5)",
            "evaluate.attack=pgd(eps=[0.1, 0.2, 0.3, 0.4, 0.5], step=0.01, steps=40)",
        ),
    )


def _parabolic() -> Experiment:
    def arm(spec: str, metric: str = "clean", minus: str = "") -> ArmMetric:
        return ArmMetric(spec, "", metric, minus)

    def loss(spec: str) -> ArmMetric:
        return arm(spec, "clean", NOISE)

    names = {"parabolic": "88.5", "hamiltonian": "89.3", "second_order": "89.2"}
    return Experiment(
        name="parabolic",
        title="Deep neural networks motivated by partial differential equations",
        specs=tuple(names),
        source="Table 1, CIFAR-10: widths 32, 64, 112, 100 epochs",
        rows=(
            *(TableRow(f"Natural, {name}", value, arm(name)) for name, value in names.items()),
            *(TableRow(f"With Gaussian noise, std 0.1, {name}", "", arm(name, NOISE)) for name in names),
        ),
        claims=(
            Claim(
                "The Hamiltonian network is more accurate than the parabolic one.",
                arm("hamiltonian"),
                arm("parabolic"),
            ),
            Claim(
                "The network of second order is more accurate than the parabolic one.",
                arm("second_order"),
                arm("parabolic"),
            ),
            Claim(
                "The Hamiltonian network is at most 2 points less accurate than that of second order.",
                arm("hamiltonian"),
                arm("second_order"),
                -0.02,
            ),
            *(
                Claim(
                    f"Under Gaussian noise, the parabolic network loses less accuracy than {other}.",
                    loss(name),
                    loss("parabolic"),
                )
                for name, other in (("hamiltonian", "the Hamiltonian one"), ("second_order", "that of second order"))
            ),
        ),
        differences=(
            "Widths 8, 16, 32 instead of 32, 64, 112.",
            "600 steps of 64 images instead of 100 epochs of 125, without weight constraints and regularizers.",
            "The paper deduces stability under noise from its equations and does not measure it.",
        ),
        paper=(
            "train.data=cifar10(validation=0.2)",
            "network.stem=32",
            "network.stages=[32, 64, 112]",
            "train.epochs=100",
            "train.batch=125",
            "train.schedule=step(at=[60, 80], factor=0.2)",
            "train.augment=flip, crop(2)",
        ),
    )


EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {e.name: e for e in (_convection_diffusion(), _enresnet(), _parabolic(), _neural_ode(), _heat_smoothing())}
)
