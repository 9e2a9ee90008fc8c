# Front propagation with small viscosity; the Cole-Hopf transform gives a heat equation (Cole 1951, Hopf 1950).
pde HamiltonJacobi "Viscous Hamilton-Jacobi equation"

const   ν = 0.05
space   x in [0, 1] periodic
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t + ½ ‖∇u‖² = νΔu
u(x, 0) = -2ν log(1 + cos(2π x)/2)
exact u = -2ν log(1 + exp(-4π² ν t) cos(2π x)/2)

realize equation by grid(n=128)
