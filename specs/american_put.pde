pde AmericanPut "American put option"

const   r = 0.05
const   σ = 0.2
space   S in [0, 3]
time    t in [0, 1]  # to maturity
unknown V(S, t) : scalar
let     payoff = max(1 - S, 0)

min(∂V/∂t - ½σ² S² ∂²V/∂S² - r S ∂V/∂S + r V, V - payoff) = 0
V(S, 0) = payoff
V = 1 on left
V = 0 on right
