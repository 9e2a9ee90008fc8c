# A hundred dimensions: no grid is feasible, but the solution is a sum of one-dimensional integrals.
pde Heat100D "Heat equation on a periodic box in 100 dimensions"

space   x in [0, 1]^100 periodic
time    t in [0, 1]
unknown u(x, t) : scalar
const   κ = 0.01

∂u/∂t = κΔu
u(x, 0) = Σᵢ sin(2π xᵢ)
exact u = exp(-4κ π² t) Σᵢ sin(2π xᵢ)
