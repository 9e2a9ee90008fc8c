pde Probes

space   x in [0, 1]^10
unknown u(x) : scalar

Δu = 20
u = Σᵢ xᵢ² on boundary

realize equation by residual(probes=2)
