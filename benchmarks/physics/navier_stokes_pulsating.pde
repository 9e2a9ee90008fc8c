# PINNacle, NS 2d-LT, until t = 1: afterwards the inflow reverses, and p = 0 at the outlet no longer closes the problem.
pde NavierStokesPulsating "Navier-Stokes equations with a pulsating inflow"

space   (x, y) in [0, 2] * [0, 1]
time    t in [0, 1]
unknown v(x, y, t) : vector(2)
unknown p(x, y, t) : scalar
const   ν = 0.01

∂v/∂t + v·∇v = -∇p + νΔv + [0, -sin(π x) sin(π y) sin(π t)]
∇·v = 0
v(x, y, 0) = [0, 0]
v = [sin(π y) (sin(π t) + sin(3π t) + sin(5π t)), 0] on left
p = 0 on right
v = [0, 0] on bottom, top
