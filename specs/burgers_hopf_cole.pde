# The Hopf-Cole transform u = -2ν ∂log v/∂x makes the equation linear: the compiler finds it, and the solution is an
# integral over the initial values, however thin the shock layer is.
pde BurgersHopfCole "Viscous Burgers equation, by the heat equation (Hopf 1950; Cole 1951)"

space   x in [-1, 1]
time    t in [0, 1]
unknown u(x, t) : scalar
const   ν = 0.01/π

∂u/∂t + u ∂u/∂x = ν ∂²u/∂x²
u(x, 0) = -sin(π x)
u = 0 on boundary

solve {
  tolerance 1e-10
}
