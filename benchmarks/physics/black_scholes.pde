pde BlackScholes "Black-Scholes equation for a European call"

space   s in [0, 4]
time    t in [0, 1]
unknown V(s, t) : scalar
const   r = 0.05
const   σ = 0.2
const   K = 1

∂V/∂t + ½σ² s² ∂²V/∂s² + r s ∂V/∂s - r V = 0
V(s, 1) = max(s - K, 0)
V(0, t) = 0
V(4, t) = 4 - K exp(-r (1 - t))
