# Every multiple of sin(πx) is a solution.
pde Resonance "Homogeneous Helmholtz equation at an eigenvalue"

space   x in [0, 1]
unknown u(x) : scalar

∂²u/∂x² + π² u = 0
u = 0 on boundary
