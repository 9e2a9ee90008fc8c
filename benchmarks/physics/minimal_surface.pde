# Scherk's surface.
pde MinimalSurface "Minimal surface equation"

space   (x, y) in [-1, 1]²
unknown u(x, y) : scalar

∇·(∇u/sqrt(1 + ‖∇u‖²)) = 0
u = log(cos(y)/cos(x)) on boundary
