"""The blocks of compiled networks: torch only, each small and final, composed and never subclassed.

Works that docstrings cite by their authors:

- Wang, Tao, Bao, Shi: An axiomatized PDE model of deep neural networks.
- Wang, Yuan, Shi, Osher: EnResNet: ResNets ensemble via the Feynman-Kac formalism for adversarial defense and beyond,
  2020.
- Ruthotto, Haber: Deep neural networks motivated by partial differential equations, 2018. Their code is Meganet.
- "Towards natural robustness against adversarial examples", anonymous.
- Campbell, Finlay, Oberman: Deterministic Gaussian averaged neural networks, 2020.
"""
