pde Heat100D "Heat equation on a periodic box in 100 dimensions"

space   x in [0, 1]^100 periodic
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t = 0.01Δu
u(x, 0) = Σᵢ sin(2π xᵢ)
