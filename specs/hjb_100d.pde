# Optimal control in a hundred dimensions: exp(-u) solves a heat equation, whose data depend on ‖x‖ alone.
pde HamiltonJacobiBellman100D "Hamilton-Jacobi-Bellman equation in 100 dimensions (E, Han, Jentzen 2017)"

space   x in R^100
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t + Δu - ‖∇u‖² = 0
u(x, 1) = log((1 + ‖x‖²)/2)
