# The flux through the boundary, 4, is not the integral of the source, 1.
pde NeumannIncompatible "Poisson equation with incompatible fluxes"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar

-Δu = 1
∂u/∂n = -1 on boundary
