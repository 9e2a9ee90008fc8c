"""Building blocks of compiled networks and solvers: the names that a generated `model.py` imports.

Blocks are composed, not subclassed, and need only torch.

Works that docstrings cite by their authors:

- Wang, Tao, Bao, Shi: An axiomatized PDE model of deep neural networks.
- Wang, Yuan, Shi, Osher: EnResNet: ResNets ensemble via the Feynman-Kac formalism for adversarial defense and beyond,
  2020.
- Ruthotto, Haber: Deep neural networks motivated by partial differential equations, 2018. Their code is Meganet.
- "Towards natural robustness against adversarial examples", anonymous.
- Campbell, Finlay, Oberman: Deterministic Gaussian averaged neural networks, 2020.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = [
    "AdaptiveRungeKutta",
    "Backbone",
    "BackwardEuler",
    "BoxConstraint",
    "CharacteristicSteps",
    "ConvNet",
    "ConvOperator",
    "CorrelatedNoise",
    "DenseOperator",
    "DivergenceFree",
    "Dropout",
    "EvolutionOperator",
    "Expectation",
    "ExplicitRungeKutta",
    "FeynmanKacSolution",
    "FirstOrderBlock",
    "FixedTime",
    "GaussianNoise",
    "GeneratorCoefficients",
    "HardConstraintNetwork",
    "ImageArchitecture",
    "ImexIntegrator",
    "ImplicitIntegrator",
    "JetNetwork",
    "LaplaceNoise",
    "LayerPerStep",
    "Leapfrog",
    "LeapfrogBlock",
    "LipschitzArchitecture",
    "RelativeNoise",
    "ScaledNoise",
    "SecondOrderBlock",
    "SharedLayer",
    "SpectralNormBound",
    "SymmetricLayer",
    "TimeChannel",
    "TimeGrid",
    "TorchdiffeqSolver",
    "TotalVariationNorm",
    "Verlet",
    "VerletBlock",
    "add_dropout",
    "broadcast_scalar",
    "cholesky",
    "constant",
    "integral",
    "interpolate",
    "lipschitz_network",
    "maximum",
    "minimum",
    "mlp",
    "partial_derivatives",
    "preact_resnet18",
    "resnet",
    "resnet18",
    "shake_shake",
    "stack_components",
    "vector_field",
    "wide_resnet",
    "with_history",
]

if TYPE_CHECKING:
    from pdedsl.runtime.backbones import (
        Backbone,
        mlp,
        preact_resnet18,
        resnet,
        resnet18,
        vector_field,
        wide_resnet,
    )
    from pdedsl.runtime.convnet import ConvNet
    from pdedsl.runtime.diff.autodiff import partial_derivatives
    from pdedsl.runtime.diff.mlp_jets import JetNetwork
    from pdedsl.runtime.divergence_free import DivergenceFree
    from pdedsl.runtime.grid_interpolation import interpolate
    from pdedsl.runtime.hard_constraints import HardConstraintNetwork
    from pdedsl.runtime.image_fields import LayerPerStep, SharedLayer
    from pdedsl.runtime.image_network import ImageArchitecture, LipschitzArchitecture, lipschitz_network
    from pdedsl.runtime.learned_fields import FixedTime
    from pdedsl.runtime.linear_operators import ConvOperator, DenseOperator
    from pdedsl.runtime.ode.adaptive import AdaptiveRungeKutta
    from pdedsl.runtime.ode.explicit import BackwardEuler, ExplicitRungeKutta, TimeGrid
    from pdedsl.runtime.ode.imex import ImexIntegrator
    from pdedsl.runtime.ode.implicit import ImplicitIntegrator
    from pdedsl.runtime.ode.symplectic import Leapfrog, Verlet
    from pdedsl.runtime.ode.torchdiffeq_solver import TorchdiffeqSolver
    from pdedsl.runtime.pde_blocks import FirstOrderBlock, LeapfrogBlock, SecondOrderBlock, VerletBlock
    from pdedsl.runtime.quadrature import integral, with_history
    from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps
    from pdedsl.runtime.sde.feynman_kac import EvolutionOperator, Expectation, FeynmanKacSolution, GeneratorCoefficients
    from pdedsl.runtime.sde.noise import (
        CorrelatedNoise,
        GaussianNoise,
        LaplaceNoise,
        RelativeNoise,
        ScaledNoise,
        cholesky,
    )
    from pdedsl.runtime.sde.random_residual import Dropout, add_dropout, shake_shake
    from pdedsl.runtime.symmetric_layer import SymmetricLayer, TotalVariationNorm
    from pdedsl.runtime.tensor_helpers import broadcast_scalar, constant, maximum, minimum, stack_components
    from pdedsl.runtime.time_conditioning import TimeChannel
    from pdedsl.runtime.weight_constraints import BoxConstraint, SpectralNormBound

_MODULES = {
    "backbones": "Backbone mlp preact_resnet18 resnet resnet18 vector_field wide_resnet",
    "convnet": "ConvNet",
    "diff.autodiff": "partial_derivatives",
    "diff.mlp_jets": "JetNetwork",
    "divergence_free": "DivergenceFree",
    "grid_interpolation": "interpolate",
    "hard_constraints": "HardConstraintNetwork",
    "image_fields": "LayerPerStep SharedLayer",
    "image_network": "ImageArchitecture LipschitzArchitecture lipschitz_network",
    "learned_fields": "FixedTime",
    "linear_operators": "ConvOperator DenseOperator",
    "ode.adaptive": "AdaptiveRungeKutta",
    "ode.explicit": "BackwardEuler ExplicitRungeKutta TimeGrid",
    "ode.imex": "ImexIntegrator",
    "ode.implicit": "ImplicitIntegrator",
    "ode.symplectic": "Leapfrog Verlet",
    "ode.torchdiffeq_solver": "TorchdiffeqSolver",
    "pde_blocks": "FirstOrderBlock LeapfrogBlock SecondOrderBlock VerletBlock",
    "sde.characteristic_steps": "CharacteristicSteps",
    "sde.feynman_kac": "EvolutionOperator Expectation FeynmanKacSolution GeneratorCoefficients",
    "sde.noise": "CorrelatedNoise GaussianNoise LaplaceNoise RelativeNoise ScaledNoise cholesky",
    "sde.random_residual": "Dropout add_dropout shake_shake",
    "symmetric_layer": "SymmetricLayer TotalVariationNorm",
    "quadrature": "integral with_history",
    "tensor_helpers": "broadcast_scalar constant maximum minimum stack_components",
    "time_conditioning": "TimeChannel",
    "weight_constraints": "BoxConstraint SpectralNormBound",
}


def __getattr__(name: str) -> object:
    """Imports each name when it is first used: a network needs few of the modules."""
    home = next((module for module, names in _MODULES.items() if name in names.split()), None)
    if home is None:
        raise AttributeError(f"module 'pdedsl.runtime' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"pdedsl.runtime.{home}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
