pde Vortices "Incompressible flow: vorticity and stream function"
space (x, y) in [0, 2π]² periodic
time t in [0, 4]
unknown w(x, y, t) : scalar
unknown ψ(x, y, t) : scalar
const ν = 0.01 in [0.005, 0.05]

∂w/∂t + ∂ψ/∂y ∂w/∂x - ∂ψ/∂x ∂w/∂y = νΔw
Δψ = -w
w(x, y, 0) = sin(x) sin(2y) + cos(2x + y) + cos(y)/2

realize equation by grid(n=48)
