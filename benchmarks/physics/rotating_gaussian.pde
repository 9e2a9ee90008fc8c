pde RotatingGaussian "Advection of a Gaussian by a rotation, with a little diffusion"

space   (x, y) in [-3, 3]²
time    t in [0, 2π]
unknown u(x, y, t) : scalar
const   κ = 0.005

∂u/∂t + [-y, x]·∇u = κΔu
u(x, y, 0) = exp(-10 ((x - 1)² + y²))
u = 0 on boundary
