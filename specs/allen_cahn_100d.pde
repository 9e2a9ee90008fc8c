# No transform makes it linear: multilevel Picard iteration, with confidence intervals.
pde AllenCahn100D "Allen-Cahn equation in 100 dimensions (E, Han, Jentzen 2017)"

space   x in R^100
time    t in [0, 0.3]
unknown u(x, t) : scalar

∂u/∂t = Δu + u - u³
u(x, 0) = 1/(2 + 0.4 ‖x‖²)
