pde Bracket

space (x, y) in mesh("no_such_file.msh")
unknown u(x, y) : scalar

-Δu = 1
u = 0 on boundary
