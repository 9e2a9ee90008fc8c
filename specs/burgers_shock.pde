# The shock layer of burgers.pde, by Gauss-Newton steps on the default network.
pde BurgersShock "Viscous Burgers equation, by Gauss-Newton steps"

space   x in [-1, 1]
time    t in [0, 1]
unknown u(x, t) : scalar
const   ν = 0.01/π

∂u/∂t + u ∂u/∂x = ν ∂²u/∂x²
u(x, 0) = -sin(π x)
u = 0 on boundary

realize equation by pinn(steps=500)

evaluate {
  reference grid(n=512)
  plot      solution
}
