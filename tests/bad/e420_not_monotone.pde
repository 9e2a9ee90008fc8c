pde Net
space x in pixels
time t in [0, 1]
unknown Y(x, t) : channels
learn K(t) : operator, ‖K‖ ≤ 0.1 = conv(3)
let N = tv_norm(eps=1e-3)
∂Y/∂t = -Kᵀ relu(N(K Y))
realize time by euler(steps=10)
require stability
