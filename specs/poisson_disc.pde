# A domain given by an inequality; its boundary is the zero level set.
pde PoissonDisc "A loaded membrane on a disc"

space   (x, y) in [-1, 1]² where x² + y² < 1
unknown u(x, y) : scalar

-Δu = 4
u = 0 on boundary
exact u = 1 - x² - y²
