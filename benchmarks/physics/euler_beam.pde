# DeepXDE: clamped at the left, free at the right.
pde EulerBeam "Cantilever beam under a uniform load"

space   x in [0, 1]
unknown u(x) : scalar

∂⁴u/∂x⁴ + 1 = 0
u(0) = 0
∂u/∂x(0) = 0
∂²u/∂x²(1) = 0
∂³u/∂x³(1) = 0
