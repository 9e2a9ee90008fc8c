# PINNacle, PNd.
pde Poisson5D "Poisson equation in five dimensions"

space   x in [0, 1]^5
unknown u(x) : scalar

-Δu = ¼π² Σᵢ sin(½π xᵢ)
u = Σᵢ sin(½π xᵢ) on boundary
