# A delay equation by the method of steps: the solution is a polynomial between two integers.
pde Delay "Delay differential equation"

time    t in [0, 3]
unknown u(t) : scalar

∂u/∂t = -u(t - 1)
u(t) = 1    for t in [-1, 0]
exact u = 1 - t + ½ max(t - 1, 0)² - 1/6 max(t - 2, 0)³
