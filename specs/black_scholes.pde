# Terminal data: the value of a call option today, from what it pays in the end.
pde BlackScholes "Black-Scholes equation of a call"

const   r = 0.05
const   σ = 0.4
const   K = 1
space   s in [0, 4]
time    t in [0, 1]
unknown V(s, t) : scalar

∂V/∂t + ½σ² s² ∂²V/∂s² + r s ∂V/∂s - r V = 0
V(s, 1) = max(s - K, 0)
V = 0 on left
V = s - K exp(-r (1 - t)) on right

realize equation by paths(samples=20000)
