# DeepXDE: real and imaginary part of the wave scattered by a disc; the first-order absorbing condition holds on a circle.
pde Scatterer "Sound-hard scattering of a plane wave, absorbing boundary"

space   (x, y) in [-1, 1]² where x² + y² < 1, x² + y² > 0.0625
unknown u(x, y) : scalar
unknown v(x, y) : scalar
const   k = 8

Δu + k² u = 0
Δv + k² v = 0
∂u/∂n = -4k x sin(k x) on x² + y² = 0.0625
∂v/∂n = 4k x cos(k x) on x² + y² = 0.0625
∂u/∂n = -k v on x² + y² = 1
∂v/∂n = k u on x² + y² = 1
