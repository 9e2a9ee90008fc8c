# A family of problems: the solution is a function of the parameters, too.
pde HeatFamily "Heat equation for a range of conductivities, with an uncertain source"

space   x in [0, 1]
time    t in [0, 1]
unknown u(x, t) : scalar
parameter κ in [0.01, 0.5] log
random  q ~ normal(1, 0.2)

∂u/∂t = κΔu + q sin(π x)
u(x, 0) = 0
u = 0 on boundary
exact u = q sin(π x) (1 - exp(-π² κ t))/(π² κ)
