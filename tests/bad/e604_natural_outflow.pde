pde Channel

space   (x, y) in [0, 2] * [0, 1]
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar

v·∇v = -∇p + 0.01Δv
∇·v = 0
v = [y (1 - y), 0] on left
v = [0, 0] on bottom, top
p = 0 on right

realize equation by pinn
