# Incompressible flow: the pressure is the Lagrange multiplier of ∇·u = 0, and is defined up to a constant.
pde Cavity "Lid-driven cavity, steady Navier-Stokes equations"

space   (x, y) in [0, 1]²
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar
const   Re = 20

v·∇v = -∇p + (1/Re)Δv
∇·v = 0
v = [0, 0] on left, right, bottom
v = [16x² (1 - x)², 0] on top

realize equation by random_features(n=400)

evaluate {
  reference grid(n=24)
}
