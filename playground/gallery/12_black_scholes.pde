pde BlackScholes "Black-Scholes equation: a European call, backward from maturity"
const r = 0.05 in [0, 0.1]
const σ = 0.4 in [0.2, 0.6]
space s in [0, 4]
time t in [0, 1]
unknown V(s, t) : scalar

∂V/∂t + ½σ² s² ∂²V/∂s² + r s ∂V/∂s - r V = 0
V(s, 1) = max(s - 1, 0)
V = 0 on left
V = s - exp(-r (1 - t)) on right

realize equation by grid(n=48)
