# The probability density of an Ornstein-Uhlenbeck process.
pde FokkerPlanck "Fokker-Planck equation of an Ornstein-Uhlenbeck process"

space   x in [-4, 4]
time    t in [0, 1]
unknown p(x, t) : scalar
let     s(t) = 1 - 0.9 exp(-2t)
let     bell(x, t) = exp(-(x - exp(-t))²/(2 s(t)))/sqrt(2π s(t))

∂p/∂t = ∂(x p)/∂x + ∂²p/∂x²
p(x, 0) = bell(x, 0)
p = bell(x, t) on boundary
exact p = bell(x, t)
