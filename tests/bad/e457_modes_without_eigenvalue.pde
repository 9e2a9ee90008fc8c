pde P
space x in [0, 1]
unknown u(x) : scalar
-Δu = 1
u = 0 on boundary
solve {
  modes 3
}
