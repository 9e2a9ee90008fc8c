# The vibrations of a square membrane: λ = π²(m² + n²), with double eigenvalues for m ≠ n.
pde MembraneModes "Modes of a square membrane"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar
unknown λ       : eigenvalue

-Δu = λ u
u = 0 on boundary

solve {
  tolerance 1e-10
  modes     6
}
