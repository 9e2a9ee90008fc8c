pde BuckleyLeverett "Buckley-Leverett equation: water displaces oil"

space   x in [0, 1]
time    t in [0, 0.5]
unknown s(x, t) : scalar

∂s/∂t + ∂/∂x (s²/(s² + ½ (1 - s)²)) = 0
s(x, 0) = 0
s = 1 on left
