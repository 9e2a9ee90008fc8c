# Terminal condition: the price of a European call today, from its payoff at maturity.
pde BlackScholes "Black-Scholes equation for a European call"

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

realize equation by monte_carlo(samples=20000)
